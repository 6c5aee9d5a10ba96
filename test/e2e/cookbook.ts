import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execFile, execFileSync } from '../support/processes.ts';
import { farMonday, usedHome } from './program.ts';

const readme = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');

/** The shell commands of a page, block by block, with the heading above each. */
export const blocksOf = (page: string): { heading: string; script: string }[] =>
  page.split(/^(?=#{1,3} )/m).flatMap((section) => {
    const heading = /^#+ (.*)/.exec(section)?.[1] ?? '';
    return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, script]) => ({ heading, script: script! }));
  });

export const readmeBlocks = blocksOf(readme);

const other = ['Start', 'Install', 'Log in for real'];

/** The recipes, in order. Each works without the others. */
export const recipes = readmeBlocks.filter(({ heading }) => !other.includes(heading));

interface Kitchen {
  sched: string;
  /** Programs that are on the PATH beside `sched`, jq and bash: `{ node: '/usr/bin/node' }`. */
  others?: Record<string, string>;
  env?: Record<string, string>;
}

/** The output of a recipe, and the files that it wrote. */
export interface Dish {
  stdout: string;
  read(file: string): string;
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

const pathTo = (name: string): string => execFileSync('bash', ['-c', `type -P ${name}`], { encoding: 'utf8' }).trim();

/**
 * Follows a recipe in a home of its own, where the PATH has nothing but what recipes need. The booking is moved to a time
 * that is free on whatever day this runs, and webhooks to a port that is free.
 */
const followOne = async ({ script }: { script: string }, { sched, others = {}, env = {} }: Kitchen): Promise<Dish> => {
  const home = await usedHome();
  const path = join(home, 'path');
  mkdirSync(path);
  const tools = Object.fromEntries(['jq', 'bash', 'cat', 'sleep'].map((name) => [name, pathTo(name)]));
  for (const [name, target] of Object.entries({ sched, ...tools, ...others })) symlinkSync(target, join(path, name));
  const port = await freePort();
  const runnable = script
    .replace('--start "monday 14:00"', `--start ${farMonday()}`)
    .replace('127.0.0.1:4242', `127.0.0.1:${port}`)
    .replace('sched webhooks listen', `$& --port ${port}`);
  const { stdout } = await execFile('/bin/bash', ['-euo', 'pipefail', '-c', runnable], {
    env: { PATH: path, HOME: home, SCHED_SANDBOX: '1', ...env },
    cwd: home,
  });
  return { stdout, read: (file) => readFileSync(join(home, file), 'utf8') };
};

/** Follows recipes, two at a time. */
export const follow = async (chosen: readonly { script: string }[], kitchen: Kitchen): Promise<Dish[]> => {
  const dishes: Dish[] = [];
  const waiting = chosen.entries();
  const cook = async () => {
    for (const [index, recipe] of waiting) dishes[index] = await followOne(recipe, kitchen);
  };
  await Promise.all([cook(), cook()]);
  return dishes;
};
