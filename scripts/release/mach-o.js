/** Signatures of programs for macOS, which ends a program whose signature doesn't fit. They are ad hoc: they name nobody. */
import { createHash } from 'node:crypto';

const signatureCommand = 0x1d;
const segmentCommand = 0x19;
const sha256 = 2;

/** Where each load command of a file begins. @param {Buffer} file */
const commandsOf = (file) => {
  if (file.readUInt32LE(0) !== 0xfeedfacf || file.readUInt32LE(12) !== 2) throw new Error('Not a program for macOS');
  let at = 32;
  return Array.from({ length: file.readUInt32LE(16) }, () => {
    const start = at;
    at += file.readUInt32LE(at + 4);
    return start;
  });
};

/** Where the command about the signature begins. @param {Buffer} file */
const signatureOf = (file) => {
  const at = commandsOf(file).find((start) => file.readUInt32LE(start) === signatureCommand);
  if (at === undefined) throw new Error('The program has no room for a signature, and macOS would not start it');
  return at;
};

/** @param {Buffer} file @param {string} name */
const segmentOf = (file, name) => {
  const isIt = (/** @type {number} */ at) =>
    file.readUInt32LE(at) === segmentCommand && file.toString('latin1', at + 8, at + 24).replace(/\0+$/, '') === name;
  return /** @type {number} */ (commandsOf(file).find(isIt));
};

/** The hashes of a file's pages up to its signature. @param {Buffer} content @param {number} pageSize */
const hashesOf = (content, pageSize) =>
  Buffer.concat(
    Array.from({ length: Math.ceil(content.length / pageSize) }, (_, index) =>
      createHash('sha256')
        .update(content.subarray(index * pageSize, (index + 1) * pageSize))
        .digest(),
    ),
  );

/** Throws unless the signature fits every page. Returns their number. @param {Buffer} file */
export function checkSignature(file) {
  const start = file.readUInt32LE(signatureOf(file) + 8);
  const directory = start + file.readUInt32BE(start + 16);
  if (file.readUInt32BE(start) !== 0xfade0cc0 || file[directory + 37] !== sha256)
    throw new Error('The signature of the program has another format');
  const pageSize = 2 ** Number(file[directory + 39]);
  const found = hashesOf(file.subarray(0, start), pageSize);
  const hashes = directory + file.readUInt32BE(directory + 16);
  if (file.readUInt32BE(directory + 32) !== start || !found.equals(file.subarray(hashes, hashes + found.length)))
    throw new Error("The signature doesn't fit the program, and macOS would end it");
  return found.length / 32;
}

/** Replaces the signature of a program by an ad-hoc one. @param {Buffer} file @param {string} name */
export function sign(file, name) {
  const command = signatureOf(file);
  const start = file.readUInt32LE(command + 8);
  const identifier = Buffer.from(`${name}\0`);
  const pageSize = 4096;
  const headLength = 88;
  const hashesAt = headLength + identifier.length;
  const length = hashesAt + Math.ceil(start / pageSize) * 32;
  const room = Math.ceil((20 + length) / 16) * 16;

  const content = Buffer.from(file.subarray(0, start));
  content.writeUInt32LE(room, command + 12);
  const last = segmentOf(content, '__LINKEDIT');
  const lastSize = start + room - Number(content.readBigUInt64LE(last + 40));
  content.writeBigUInt64LE(BigInt(Math.ceil(lastSize / 0x4000) * 0x4000), last + 32);
  content.writeBigUInt64LE(BigInt(lastSize), last + 48);
  const code = segmentOf(content, '__TEXT');

  const head = Buffer.alloc(headLength);
  // Version 2.4, ad hoc. Then where hashes and name are, no other slots, and how many pages there are.
  const words = [0xfade0c02, length, 0x20400, 2, hashesAt, headLength, 0, Math.ceil(start / pageSize), start];
  for (const [index, word] of words.entries()) head.writeUInt32BE(word, index * 4);
  head.set([32, sha256, 0, Math.log2(pageSize)], 36);
  // The part with the code, of a main program.
  head.writeBigUInt64BE(content.readBigUInt64LE(code + 40), 64);
  head.writeBigUInt64BE(content.readBigUInt64LE(code + 48), 72);
  head.writeBigUInt64BE(1n, 80);

  const blob = Buffer.alloc(20);
  for (const [index, word] of [0xfade0cc0, 20 + length, 1, 0, 20].entries()) blob.writeUInt32BE(word, index * 4);
  const signature = Buffer.concat([blob, head, identifier, hashesOf(content, pageSize)]);
  return Buffer.concat([content, signature, Buffer.alloc(room - signature.length)]);
}
