/** The systems that the standalone program is made for. */

/**
 * @typedef {object} Target
 * @property {string} binding the keychain's package, `@napi-rs/keyring-…`
 * @property {'elf' | 'mach-o' | 'pe'} format
 * @property {number} machine the processor, as the format writes it
 * @property {string} [loader] the file that starts the program on Linux; another one for each C library
 */

const [x64, arm64] = [0x3e, 0xb7];

/** @type {Record<string, Target>} */
export const targets = {
  'linux-x64': { binding: 'linux-x64-gnu', format: 'elf', machine: x64, loader: '/lib64/ld-linux-x86-64.so.2' },
  'linux-arm64': { binding: 'linux-arm64-gnu', format: 'elf', machine: arm64, loader: '/lib/ld-linux-aarch64.so.1' },
  'linux-x64-musl': { binding: 'linux-x64-musl', format: 'elf', machine: x64, loader: '/lib/ld-musl-x86_64.so.1' },
  'linux-arm64-musl': {
    binding: 'linux-arm64-musl',
    format: 'elf',
    machine: arm64,
    loader: '/lib/ld-musl-aarch64.so.1',
  },
  'macos-x64': { binding: 'darwin-x64', format: 'mach-o', machine: 0x0100_0007 },
  'macos-arm64': { binding: 'darwin-arm64', format: 'mach-o', machine: 0x0100_000c },
  'windows-x64': { binding: 'win32-x64-msvc', format: 'pe', machine: 0x8664 },
};

/** What Debian calls the processors. @type {Record<string, string>} */
export const debian = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' };

/** What Bun calls a target. @param {string} name */
export const bunTarget = (name) => `bun-${name.replace('macos', 'darwin')}`;

/** Bun's package for a target. @param {string} name */
export const bunPackage = (name) => `@oven/${bunTarget(name).replace('arm64', 'aarch64')}`;

/** The target of this machine. */
export const thisMachine = () => {
  const system = process.platform.replace('darwin', 'macos').replace('win32', 'windows');
  const { header } = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
  const isMusl = system === 'linux' && header.glibcVersionRuntime === undefined;
  return `${system}-${process.arch}${isMusl ? '-musl' : ''}`;
};

/** @param {string} name */
export const programName = (name) => (targets[name]?.format === 'pe' ? 'sched.exe' : 'sched');

/** The file beside the program that starts it under its second name. @param {string} name @returns {{ path: string, text: string, isProgram: true }} */
export const secondProgram = (name) =>
  targets[name]?.format === 'pe'
    ? { path: 'scheds.cmd', text: '@"%~dp0sched.exe" __scheds %*\r\n', isProgram: true }
    : { path: 'scheds', text: '#!/bin/sh\nexec "$(dirname -- "$0")/sched" __scheds "$@"\n', isProgram: true };

/** @param {string} name */
export const archiveName = (name) => `${name}${targets[name]?.format === 'pe' ? '.zip' : '.tar.gz'}`;
