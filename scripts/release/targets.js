/** The systems that the standalone program is made for, with the packages it needs there. */

/** The version of Bun, which compiles the program and is the part of it that runs it. */
export const bunVersion = '1.4.4';

/**
 * @typedef {object} Target
 * @property {string} integrity the hash of Bun's package
 * @property {string} binding the keychain's package, `@napi-rs/keyring-…`; its hash is in package-lock.json
 * @property {'elf' | 'mach-o' | 'pe'} format
 * @property {number} machine the processor, as the format writes it
 * @property {string} [loader] the file that starts the program on Linux; another one for each C library
 * @property {string} [deb] what Debian calls the processor
 */

/** @type {Record<string, Target>} */
export const targets = {
  'linux-x64': {
    integrity: 'sha512-CHbbkmHVM28T1GFq+6GL4Ao4ujwwYwj1CxFFwEFzLanPfNsId9AhbIP0Q4reWuWBkGimUkoQygrK7Rgjtj3vog==',
    binding: 'linux-x64-gnu',
    format: 'elf',
    machine: 0x3e,
    loader: '/lib64/ld-linux-x86-64.so.2',
    deb: 'amd64',
  },
  'linux-arm64': {
    integrity: 'sha512-ZTVtpf9zmHSBVPX1sBwe5agGb/rN34yPGg/Hby8e2Ax2uCUA2URZKlZH7qLntK7qaFJCMXh9v0GWNYN2zINz1w==',
    binding: 'linux-arm64-gnu',
    format: 'elf',
    machine: 0xb7,
    loader: '/lib/ld-linux-aarch64.so.1',
    deb: 'arm64',
  },
  'linux-x64-musl': {
    integrity: 'sha512-lEEjNOJJrbGZu2NVcPI4uXdILcpspezWkA8R/Jr0RCGhM6zQd0Y7JBIIKNAmbX59EeWpeEz7Q78iLbpcAUypUA==',
    binding: 'linux-x64-musl',
    format: 'elf',
    machine: 0x3e,
    loader: '/lib/ld-musl-x86_64.so.1',
  },
  'linux-arm64-musl': {
    integrity: 'sha512-QFd0P+mHJxbZFbUla4MgiE5OwxysHaUIYxL2pPNkpWtaI7v4ShOpr8OhBmsuyB0xn5rv/ZJnPsj2y8+bB9+g/A==',
    binding: 'linux-arm64-musl',
    format: 'elf',
    machine: 0xb7,
    loader: '/lib/ld-musl-aarch64.so.1',
  },
  'macos-x64': {
    integrity: 'sha512-oKGcxLsvh4oHjAo28nPm8c/xN0o/OmGyj1IHYc94vprkWsW2hNg2keEZt5f40cI5Hvu4jDlSRTR0UNpv1UIAxw==',
    binding: 'darwin-x64',
    format: 'mach-o',
    machine: 0x0100_0007,
  },
  'macos-arm64': {
    integrity: 'sha512-zW/hxwc8sJAILGwB5eTC4i48ouGXf0V4lrxmEOk3JIE6JkYVW1TZh1E2pIempqsezgW1sckTIIDudFON8bJ2Mw==',
    binding: 'darwin-arm64',
    format: 'mach-o',
    machine: 0x0100_000c,
  },
  'windows-x64': {
    integrity: 'sha512-a3LNctBVO8PjePsFZfwDleF2JXYf2BfQ1u/PLRnBDLnC2Riml+4+LgJpKj4xRGhB92KweGyQI5PXaTkP9qypMQ==',
    binding: 'win32-x64-msvc',
    format: 'pe',
    machine: 0x8664,
  },
};

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
