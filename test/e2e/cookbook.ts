import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execFile, execFileSync } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { farMonday } from './program.ts';

const readme = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');

/** The shell commands of README.md, block by block, with the heading above each. */
export const readmeBlocks: { heading: string; script: string }[] = readme.split(/^(?=#{2,3} )/m).flatMap((section) => {
  const heading = /^#+ (.*)/.exec(section)?.[1] ?? '';
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, script]) => ({ heading, script: script! }));
});

const other = ['Start', 'Install', 'Log in for real'];

/** The recipes, in order. Each works without the others. */
export const recipes = readmeBlocks.filter(({ heading }) => !other.includes(heading));

interface Kitchen {
  sched: string;
  /** Programs that are on the PATH beside `sched` and jq: `{ node: '/usr/bin/node' }`. */
  others?: Record<string, string>;
  /** An empty home by default. */
  home?: string;
}

/**
 * Follows recipes in one home, where the PATH has nothing but what they need. Returns what each printed. The booking is
 * moved to a time that is free on whatever day this runs.
 */
export const follow = async (
  chosen: readonly { script: string }[],
  { sched, others = {}, home = temporaryDirectory('cookbook') }: Kitchen,
): Promise<string[]> => {
  const path = join(home, 'path');
  mkdirSync(path);
  const jq = execFileSync('bash', ['-c', 'type -P jq'], { encoding: 'utf8' }).trim();
  for (const [name, target] of Object.entries({ sched, jq, ...others })) symlinkSync(target, join(path, name));
  const env = { PATH: path, HOME: home, SCHED_SANDBOX: '1' };
  const outputs: string[] = [];
  for (const { script } of chosen) {
    const runnable = script.replace('--start "monday 14:00"', `--start ${farMonday()}`);
    const { stdout } = await execFile('/bin/bash', ['-euo', 'pipefail', '-c', runnable], { env, cwd: home });
    outputs.push(stdout);
  }
  return outputs;
};
