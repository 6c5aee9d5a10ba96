/*
 * The disk. Outside of src/node and src/sandbox, every file is reached through this module, so that one module decides
 * what a disk is: tests replace it with one that fills up, tears writes and loses power.
 */
export {
  chmodSync,
  closeSync,
  constants,
  createReadStream,
  existsSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  type Stats,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
export {
  access,
  appendFile,
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises';
