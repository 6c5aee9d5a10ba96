/* Replaces src/node/files.ts in a simulation: the same functions on the disk of the simulated process that runs now. */
import { constants as real } from 'node:fs';
import { Readable } from 'node:stream';
import { failure, type Node, type Volume } from './volume.ts';

/** What a simulated process knows of its machine. */
export interface Host {
  readonly volume: Volume;
  now(): number;
  /** The content of a file that the system makes up, such as /proc/1/stat. */
  systemFile(path: string): string | undefined;
  /** A call that returns at once. It may fail, or end the process. */
  callNow<Value>(call: DiskCall, work: () => Value): Value;
  /** A call with a promise: others may run before and after it. */
  callLater<Value>(call: DiskCall, work: () => Value): Promise<Value>;
}

export interface DiskCall {
  name: string;
  path: string;
  isWrite: boolean;
}

let current: Host | undefined;

/** Says whose disk is used. Only one process runs at a time. */
export const setHost = (host: Host | undefined): void => {
  current = host;
};

/** The process that runs now. */
export const hostNow = (): Host => {
  if (current === undefined) throw new Error('A file is used outside of a simulated process');
  return current;
};
const host = hostNow;

// The same on all platforms, so that a seed does the same everywhere.
export const constants = { ...real, O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512 };
Object.assign(constants, { O_APPEND: 1024, O_NONBLOCK: 2048, O_NOFOLLOW: 131_072 });
const writable = 3;

const flagsByName: Record<string, number> = {
  r: 0,
  'r+': 2,
  w: 1 | 64 | 512,
  wx: 1 | 64 | 128,
  a: 1 | 64 | 1024,
  ax: 1 | 64 | 128 | 1024,
};
const flagsOf = (flags: number | string): number => (typeof flags === 'number' ? flags : flagsByName[flags]!);

interface OpenFile {
  node: Node;
  path: string;
  isAppended: boolean;
  at: number;
}

const opened = new Map<number, OpenFile>();
// Never the number of a real file: some callers ask the system whether it is a terminal.
let lastDescriptor = 1_000_000;

const fileAt = (descriptor: number): OpenFile => {
  const found = opened.get(descriptor);
  if (found === undefined) throw failure('EBADF', 'fd', String(descriptor));
  return found;
};

const isSystem = (path: string): boolean => /^\/(proc|etc)\//.test(path);

const openNow = (path: string, flags: number | string = 'r', mode = 0o666): number => {
  const { volume } = host();
  const wanted = flagsOf(flags);
  let node = volume.find(path);
  if (node === undefined) {
    if ((wanted & constants.O_CREAT) === 0) throw failure('ENOENT', 'open', path);
    node = volume.create(path, mode & ~0o022, host().now());
  } else if ((wanted & constants.O_EXCL) !== 0) throw failure('EEXIST', 'open', path);
  if (node.kind === 'directory' && (wanted & writable) !== 0) throw failure('EISDIR', 'open', path);
  if (node.kind === 'file' && (wanted & constants.O_TRUNC) !== 0) node.data = Buffer.alloc(0);
  lastDescriptor += 1;
  opened.set(lastDescriptor, { node, path, isAppended: (wanted & constants.O_APPEND) !== 0, at: 0 });
  return lastDescriptor;
};

const dataOf = ({ node, path }: Pick<OpenFile, 'node' | 'path'>): Buffer => {
  if (node.kind === 'directory') throw failure('EISDIR', 'read', path);
  return node.data;
};

const writeNow = (descriptor: number, content: string | Uint8Array): number => {
  const file = fileAt(descriptor);
  const bytes = Buffer.from(content as string);
  const old = dataOf(file);
  const at = file.isAppended ? old.length : file.at;
  const { node } = file;
  if (node.kind !== 'file') return 0;
  node.data = Buffer.concat([old.subarray(0, at), bytes, old.subarray(at + bytes.length)]);
  node.mtimeMs = host().now();
  file.at = at + bytes.length;
  return bytes.length;
};

type Encoding = string | { encoding?: string | null } | null | undefined;
const decoded = (bytes: Buffer, encoding: Encoding): Buffer | string =>
  (typeof encoding === 'string' ? encoding : encoding?.encoding) ? bytes.toString('utf8') : bytes;

const readNow = (path: string | number, encoding?: Encoding): Buffer | string => {
  if (typeof path === 'number') return decoded(dataOf(fileAt(path)), encoding);
  if (isSystem(path)) {
    const text = host().systemFile(path);
    if (text === undefined) throw failure('ENOENT', 'open', path);
    return decoded(Buffer.from(text), encoding);
  }
  return decoded(dataOf({ node: host().volume.need(path, 'open'), path }), encoding);
};

const writeWholeNow = (path: string, content: string | Uint8Array, flag: string, mode?: number): void => {
  const descriptor = openNow(path, flag, mode);
  writeNow(descriptor, content);
  opened.delete(descriptor);
};

const statsOf = (node: Node) => ({
  isFile: () => node.kind === 'file',
  isDirectory: () => node.kind === 'directory',
  isSymbolicLink: () => false,
  isFIFO: () => false,
  isSocket: () => false,
  isCharacterDevice: () => false,
  size: node.kind === 'file' ? node.data.length : 0,
  mode: node.mode | (node.kind === 'directory' ? 0o40000 : 0o100000),
  mtimeMs: node.mtimeMs,
  mtime: new Date(node.mtimeMs),
  uid: 1000,
});

const statNow = (path: string) => statsOf(host().volume.need(path, 'lstat'));

interface RemoveOptions {
  force?: boolean;
  recursive?: boolean;
}
const removeNow = (path: string, { force = false, recursive = false }: RemoveOptions = {}): void =>
  host().volume.remove(path, { isForced: force, isRecursive: recursive });

const makeNow = (path: string, { recursive = false }: { recursive?: boolean } = {}): string | undefined =>
  host().volume.makeDirectory(path, host().now(), recursive);

const chmodNow = (path: string, mode: number): void => {
  host().volume.need(path, 'chmod').mode = mode;
};

const pathOf = (first: unknown): string =>
  typeof first === 'number' ? (opened.get(first)?.path ?? '') : String(first);

type Work<Words extends unknown[], Value> = (...words: Words) => Value;

const atOnce =
  <Words extends unknown[], Value>(name: string, isWrite: boolean, work: Work<Words, Value>) =>
  (...words: Words): Value =>
    host().callNow({ name, path: pathOf(words[0]), isWrite }, () => work(...words));

const later =
  <Words extends unknown[], Value>(name: string, isWrite: boolean, work: Work<Words, Value>) =>
  (...words: Words): Promise<Value> =>
    host().callLater({ name, path: pathOf(words[0]), isWrite }, () => work(...words));

/** Whether a file is opened to be changed: a full disk can be read. */
const isForWriting = (flags: number | string = 'r'): boolean => (flagsOf(flags) & (writable | constants.O_CREAT)) !== 0;

export const openSync = (path: string, flags?: number | string, mode?: number): number =>
  host().callNow({ name: 'open', path, isWrite: isForWriting(flags) }, () => openNow(path, flags, mode));
export const closeSync = (descriptor: number): void => void opened.delete(descriptor);
export const readFileSync = atOnce('read', false, readNow);
export const writeFileSync = atOnce(
  'write',
  true,
  (path: string, content: string | Uint8Array, { flag = 'w', mode }: { flag?: string; mode?: number } = {}) =>
    writeWholeNow(path, content, flag, mode),
);
export const writeSync = atOnce('write', true, writeNow);
export const fsyncSync = atOnce('sync', true, (descriptor: number) => host().volume.sync(fileAt(descriptor).node));
export const fdatasyncSync = fsyncSync;
export const linkSync = atOnce('link', true, (from: string, to: string) => host().volume.link(from, to));
export const unlinkSync = atOnce('remove', true, (path: string) => removeNow(path));
export const rmSync = atOnce('remove', true, removeNow);
export const mkdirSync = atOnce('mkdir', true, makeNow);
export const readdirSync = atOnce('list', false, (path: string) => host().volume.list(path));
export const chmodSync = atOnce('chmod', true, chmodNow);
export const fstatSync = (descriptor: number) => statsOf(fileAt(descriptor).node);
export const lstatSync = (path: string, { throwIfNoEntry = true } = {}) =>
  throwIfNoEntry || host().volume.find(path) !== undefined ? statNow(path) : undefined;
export const existsSync = (path: string): boolean => host().volume.find(path) !== undefined;
export const realpathSync = (path: string): string => path;
export const createReadStream = (_: string, { fd }: { fd: number }): Readable => Readable.from([dataOf(fileAt(fd))]);

export const lstat = later('stat', false, statNow);
export const stat = lstat;
export const access = later('access', false, (path: string) => void statNow(path));
export const readdir = later('list', false, (path: string) => host().volume.list(path));
export const unlink = later('remove', true, (path: string) => removeNow(path));
export const rm = later('remove', true, removeNow);
export const rename = later('rename', true, (from: string, to: string) => host().volume.rename(from, to));
export const link = later('link', true, (from: string, to: string) => host().volume.link(from, to));
export const mkdir = later('mkdir', true, makeNow);
export const chmod = later('chmod', true, chmodNow);
export const readFile = later('read', false, readNow);
export const writeFile = later('write', true, (path: string, content: string | Uint8Array) =>
  writeWholeNow(path, content, 'w'),
);
export const appendFile = later('write', true, (path: string, content: string | Uint8Array) =>
  writeWholeNow(path, content, 'a'),
);
export const readlink = later('readlink', false, (path: string) => {
  const text = host().systemFile(path);
  if (text === undefined) throw failure('ENOENT', 'readlink', path);
  return text;
});
const makeTemporary = (path: string): string => {
  throw failure('ENOSYS', 'mkdtemp', path);
};
export const mkdtempSync = atOnce('mkdir', true, makeTemporary);
export const mkdtemp = later('mkdir', true, makeTemporary);

const handleOf = (descriptor: number, path: string) => {
  const ofThis =
    <Words extends unknown[], Value>(name: string, isWrite: boolean, work: Work<Words, Value>) =>
    (...words: Words): Promise<Value> =>
      host().callLater({ name, path, isWrite }, () => work(...words));
  const write = ofThis('write', true, (content: string | Uint8Array) => void writeNow(descriptor, content));
  const sync = ofThis('sync', true, () => host().volume.sync(fileAt(descriptor).node));
  return {
    fd: descriptor,
    sync,
    datasync: sync,
    appendFile: write,
    /** Two writes, because a long one can end anywhere. */
    writeFile: async (content: string | Uint8Array): Promise<void> => {
      const bytes = Buffer.from(content as string);
      await write(bytes.subarray(0, bytes.length >> 1));
      await write(bytes.subarray(bytes.length >> 1));
    },
    chmod: ofThis('chmod', true, (mode: number) => {
      fileAt(descriptor).node.mode = mode;
    }),
    truncate: ofThis('truncate', true, (size: number) => {
      const { node } = fileAt(descriptor);
      if (node.kind === 'file') node.data = node.data.subarray(0, size);
    }),
    readFile: ofThis('read', false, (encoding?: Encoding) => readNow(descriptor, encoding)),
    read: ofThis('read', false, (buffer: Buffer, offset: number, length: number, at: number) => ({
      buffer,
      bytesRead: dataOf(fileAt(descriptor)).copy(buffer, offset, at, at + length),
    })),
    stat: ofThis('stat', false, () => statsOf(fileAt(descriptor).node)),
    close: async (): Promise<void> => void opened.delete(descriptor),
  };
};

export const open = (path: string, flags?: number | string, mode?: number) =>
  host().callLater({ name: 'open', path, isWrite: isForWriting(flags) }, () =>
    handleOf(openNow(path, flags, mode), path),
  );
