import { expect, test } from 'vitest';
import { inspect } from '../../../scripts/release/inspect.js';
import { checkSignature, sign } from '../../../scripts/release/mach-o.js';
import { type Target, targets } from '../../../scripts/release/targets.js';

/** A program without code, in the format of each system, with the parts that are checked. */
const made = {
  elf: ({ machine, loader = '' }: Target): Buffer => {
    const file = Buffer.alloc(256);
    file.writeUInt32BE(0x7f454c46);
    file.writeUInt16BE(0x0201, 4);
    file.writeUInt16LE(3, 16);
    file.writeUInt16LE(machine, 18);
    file.writeBigUInt64LE(64n, 32);
    file.writeUInt16LE(56, 54);
    file.writeUInt16LE(1, 56);
    file.writeUInt32LE(3, 64);
    file.writeBigUInt64LE(128n, 64 + 8);
    file.writeBigUInt64LE(BigInt(loader.length + 1), 64 + 32);
    file.write(loader, 128);
    return file;
  },
  pe: ({ machine }: Target): Buffer => {
    const file = Buffer.alloc(256);
    file.write('MZ');
    file.writeUInt32LE(64, 0x3c);
    file.write('PE\0\0', 64);
    file.writeUInt16LE(machine, 64 + 4);
    file.writeUInt16LE(0x20b, 64 + 24);
    file.writeUInt16LE(3, 64 + 24 + 68);
    return file;
  },
  'mach-o': ({ machine }: Target): Buffer => {
    // Three pages, of which the last is not full, and an old signature.
    const file = Buffer.alloc(9_000, 7);
    const segment = (at: number, name: string, start: number, size: number) => {
      file.fill(0, at, at + 72);
      file.writeUInt32LE(0x19, at);
      file.writeUInt32LE(72, at + 4);
      file.write(name, at + 8);
      file.writeBigUInt64LE(BigInt(start), at + 40);
      file.writeBigUInt64LE(BigInt(size), at + 48);
    };
    for (const [index, word] of [0xfeedfacf, machine, 3, 2, 3].entries()) file.writeUInt32LE(word, index * 4);
    segment(32, '__TEXT', 0, 4096);
    segment(104, '__LINKEDIT', 4096, 9_000 - 4096);
    for (const [index, word] of [0x1d, 16, 8_496, 504].entries()) file.writeUInt32LE(word, 176 + index * 4);
    return sign(file, 'sched');
  },
};

test.each(Object.entries(targets))('a program for %s is known by its format, processor and loader', (name, target) => {
  const file = made[target.format](target);
  expect(inspect(file, target)).toMatch({ elf: /^ELF/, pe: /^PE/, 'mach-o': /fits its 3 pages/ }[target.format]);
  const accepted = Object.entries(targets).filter(([, each]) => {
    try {
      return inspect(file, each) !== '';
    } catch {
      return false;
    }
  });
  expect(accepted.map(([each]) => each)).toEqual([name]);
});

test('a signature for macOS fits until a byte of the program changes', () => {
  const file = made['mach-o'](targets['macos-x64']!);
  expect(checkSignature(file)).toBe(3);
  // The last segment ends with the file, as macOS demands.
  expect(4096n + file.readBigUInt64LE(104 + 48)).toBe(BigInt(file.length));
  for (const at of [300, 5_000, 8_495]) {
    const changed = Buffer.from(file);
    changed[at]! ^= 1;
    expect(() => checkSignature(changed)).toThrow("doesn't fit");
  }
});
