/** Checks a compiled program as far as that can be done on another system. */
import { checkSignature } from './mach-o.js';

/**
 * Throws if the file isn't a program for the target; else says what was found.
 * @param {Buffer} file
 * @param {import('./targets.js').Target} target
 */
export function inspect(file, { format, machine, loader }) {
  /** @type {Found} */
  const found = { elf, 'mach-o': machO, pe }[format](file);
  if (found.machine !== machine || found.loader !== loader)
    throw new Error(`The program is for another system: machine 0x${found.machine.toString(16)}, ${found.text}`);
  return found.text;
}

/** @typedef {{ machine: number, loader?: string, text: string }} Found */

/** @param {boolean} isRight @param {string} format */
const expectFormat = (isRight, format) => {
  if (!isRight) throw new Error(`Not an executable file in the format ${format}`);
};

/** @param {Buffer} file @returns {Found} */
function elf(file) {
  // 64 bits, little-endian; an executable file, or one that can be loaded anywhere.
  expectFormat(file.readUInt32BE(0) === 0x7f454c46 && file.readUInt16BE(4) === 0x0201, 'ELF');
  expectFormat([2, 3].includes(file.readUInt16LE(16)), 'ELF');
  const [start, size, count] = [Number(file.readBigUInt64LE(32)), file.readUInt16LE(54), file.readUInt16LE(56)];
  const headers = Array.from({ length: count }, (_, index) => start + index * size);
  const interpreter = headers.find((at) => file.readUInt32LE(at) === 3);
  if (interpreter === undefined) throw new Error('The program has no loader');
  const [from, length] = [8, 32].map((offset) => Number(file.readBigUInt64LE(interpreter + offset)));
  const loader = file.toString('latin1', from, Number(from) + Number(length) - 1);
  return { machine: file.readUInt16LE(18), loader, text: `ELF, started by ${loader}` };
}

/** @param {Buffer} file @returns {Found} */
function pe(file) {
  const header = file.readUInt32LE(0x3c);
  expectFormat(file.toString('latin1', 0, 2) === 'MZ' && file.readUInt32BE(header) === 0x50450000, 'PE');
  // 64 bits, and a program for the console.
  expectFormat(file.readUInt16LE(header + 24) === 0x20b && file.readUInt16LE(header + 24 + 68) === 3, 'PE');
  return { machine: file.readUInt16LE(header + 4), text: 'PE for the console, not signed' };
}

/** @param {Buffer} file @returns {Found} */
function machO(file) {
  const pages = checkSignature(file);
  return { machine: file.readUInt32LE(4), text: `Mach-O, with a signature that fits its ${pages} pages` };
}
