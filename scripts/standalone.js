/**
 * Builds the program in one file. Bun doesn't compile `src/` directly, because it would replace undici with its own
 * version. The usage below says more.
 */
import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile, noticesFor, packagesFor } from './release/compile.js';
import { programName, secondProgram, thisMachine } from './release/targets.js';
import { readFlags } from './script.js';
import { smoke } from './smoke.js';

const usage = `Usage: npm run build:standalone [-- --fetch]

Builds dist-standalone/sched: one file for this platform that needs no Node. It is compiled with Bun, which is
downloaded. With --fetch it only downloads.`;
const { fetch: isOnlyFetched } = readFlags(usage, { fetch: { type: 'boolean' } });
const target = thisMachine();
await packagesFor(target);
if (isOnlyFetched) process.exit();

const folder = fileURLToPath(new URL('../dist-standalone/', import.meta.url));
const program = join(folder, programName(target));
const untested = join(folder, `untested-${programName(target)}`);
await mkdir(folder, { recursive: true });
await compile(target, untested);
await smoke(untested);
await rename(untested, program);
const second = secondProgram(target);
await writeFile(join(folder, second.path), second.text, { mode: 0o755 });
await writeFile(join(folder, 'THIRD-PARTY.txt'), await noticesFor(target));
const { size } = await stat(program);
process.stdout.write(`dist-standalone/${programName(target)}: ${(size / 1e6).toFixed(0)} MB\n`);
