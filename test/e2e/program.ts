import { randomBytes } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { clock } from '../../src/node/clock.ts';
import { ensurePrivateDirectory } from '../../src/state/directories.ts';
import { directory } from '../../src/state/paths.ts';
import { expectNoSecret } from '../support/canary.ts';
import { machineAheadMs } from '../support/clocks.ts';
import { spawn } from '../support/processes.ts';
import { createWorld, network, type Result, type TestWorld, terminals } from '../support/run.ts';
import { seededFile, usedHome as usedHomeAt } from '../support/seeded.ts';
import { startServing } from '../support/serving.ts';
import { closeLater, temporaryDirectory } from '../support/temporary.ts';
import { inTerminal, type Terminal } from '../support/terminal.ts';

export { credentialFile, everythingBelow, expireToken } from '../support/stored-login.ts';

/** The program under test, where it is one file that needs no Node; and the Node to run it on, where it is another. */
const { SCHED_PROGRAM: standalone, SCHED_NODE: node = process.execPath } = process.env;

export const isStandalone = standalone !== undefined;

/** The executable and its first arguments: `spawn(runner, [...program, 'events', 'list'])`. */
export const runner = standalone === undefined ? node : resolve(standalone);
export const program: readonly string[] =
  standalone === undefined ? [fileURLToPath(new URL('../../bin/sched.js', import.meta.url))] : [];

/** The same with a clock that the test moves, if the environment has one. The standalone file always has the real clock. */
export const programIn = ({ CLOCK_FILE }: Record<string, string>): readonly string[] =>
  CLOCK_FILE === undefined || isStandalone ? program : [fileURLToPath(new URL('clocked.js', import.meta.url))];

/** Where processes that refresh a login wait for each other. The lock is in the home directory of the account. */
export const locks = (): string => {
  const path = join(directory('state', { env: {}, home: userInfo().homedir, platform: process.platform }), 'locks');
  ensurePrivateDirectory(path);
  return path;
};

/** A clock for programs that get `env`. See clocked.js. */
export const testClock = () => {
  const file = join(temporaryDirectory('clock'), 'ahead');
  /** Sets the clock ahead of the real time by so many milliseconds. */
  const setAhead = (milliseconds: number) => {
    writeFileSync(`${file}.draft`, String(milliseconds));
    renameSync(`${file}.draft`, file);
  };
  setAhead(0);
  return { env: { CLOCK_FILE: file }, setAhead };
};

export const temporaryHome = (): string => temporaryDirectory();

/** The time of a used sandbox, whose clock is ahead of this machine's. */
export const serviceTime = (time: number): number => time - machineAheadMs;

/** A sandbox's data file, seeded when the tests began, for tests that are not about seeding. */
export const usedSandbox = (file?: string): Promise<string> => seededFile(serviceTime(inject('began')), file);

/** The home directory of a user who has used the sandbox before. */
export const usedHome = (): Promise<string> => usedHomeAt(serviceTime(inject('began')));

/** 10:00Z on a Monday after all seeded events, in working hours in Berlin: always a free slot. */
export const farMonday = (weeks = 0): string => {
  const day = new Date(serviceTime(Date.now()) + (60 + 7 * weeks) * 86_400_000);
  day.setUTCDate(day.getUTCDate() + ((8 - day.getUTCDay()) % 7));
  return `${day.toISOString().slice(0, 10)}T10:00:00Z`;
};

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The environment of a user with an empty home directory, without the caller's variables. */
export const cleanEnvironment = (home: string, env: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: home,
  TZ: 'UTC',
  ...env,
});

/** Runs a program and returns its output, after checking it for secrets. */
const finish = (
  [name, ...args]: [string, ...string[]],
  line: string | string[],
  env: Record<string, string>,
  stdin: string,
): Promise<Finished> =>
  new Promise((resolve, reject) => {
    const child = spawn(name, args, { env });
    const out = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      out.stderr += text;
    });
    child.on('error', reject).on('close', (code) => {
      try {
        expectNoSecret({ line, env, stdin }, out);
        resolve({ code, ...out });
      } catch (error) {
        reject(error);
      }
    });
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
  });

/** Runs the real program in its own process. */
export const sched = (args: string[], home: string, env: Record<string, string> = {}, stdin = ''): Promise<Finished> =>
  finish([runner, ...programIn(env), ...args], args, cleanEnvironment(home, env), stdin);

/** Runs a line of shell with `sched` as a command, as a script would. */
export const shell = (line: string, home: string, env: Record<string, string> = {}): Promise<Finished> =>
  finish(
    ['bash', '-c', `sched() { ${[runner, ...programIn(env)].map((word) => `"${word}"`).join(' ')} "$@"; }\n${line}`],
    line,
    cleanEnvironment(home, env),
    '',
  );

/** Runs the real program in a terminal. Without colors, so that tests can read the text. */
export const schedInTerminal = (
  args: string[],
  home: string,
  env: Record<string, string> = {},
  options?: { columns?: number; stdin?: string; stdout?: string },
): Terminal => {
  const whole = cleanEnvironment(home, { NO_COLOR: '1', PAGER: 'cat', ...env });
  const terminal = inTerminal([runner, ...programIn(env), ...args], whole, options);
  return {
    ...terminal,
    done: terminal.done.then((end) => {
      expectNoSecret({ line: args, env: whole }, { stdout: end.text, stderr: '' });
      return end;
    }),
  };
};

export interface RunningSandbox {
  base_url: string;
  auth_url: string;
  mcp_url: string;
  client_id: string;
  token: string;
  tokens: Record<string, string>;
  admin_token: string;
  stop(): Promise<unknown>;
}

/**
 * Runs `sched sandbox start` on a free port, with its own data by default, until it is stopped. The source in this
 * process: tests of the program need a service, and sandbox.test.ts is about the built one.
 */
export const startSandbox = async (...flags: string[]): Promise<RunningSandbox> => {
  const data = flags.includes('--data') ? [] : ['--data', await usedSandbox()];
  const { run } = await createWorld();
  // This machine has the real time, as the programs that use the sandbox.
  const world = { clock, clockAheadMs: 0, home: temporaryHome(), randomBytes };
  const { text, stop } = await startServing(run, ['--json', ...data, ...flags], world);
  return { ...JSON.parse(text), stop };
};

/** The same in a process of the program, for a test that kills it. */
export const spawnSandbox = (
  flags: readonly string[],
  env: Record<string, string> = {},
): Promise<RunningSandbox & { stop(signal?: NodeJS.Signals): Promise<unknown> }> =>
  new Promise((resolve, reject) => {
    const args = [...program, 'sandbox', 'start', '--port', '0', '--json', ...flags];
    const child = spawn(runner, args, { env: cleanEnvironment(temporaryHome(), env) });
    const ended = new Promise<void>((end) => child.once('close', () => end()));
    // For a test that fails before it stops the sandbox.
    closeLater(() => void child.kill('SIGKILL'));
    let said = '';
    child.stderr.on('data', (text) => {
      said += text;
    });
    ended.then(() => reject(new Error(`the sandbox ended: ${said}`)));
    child.stdout.once('data', (line) =>
      resolve({
        ...JSON.parse(String(line)),
        stop: (signal: NodeJS.Signals = 'SIGTERM') => {
          child.kill(signal);
          return ended;
        },
      }),
    );
  });

/** Runs commands of a user without a token. The source in this process, for what a test needs but is not about. */
export const commandsOf = async (home: string, env: Record<string, string> = {}): Promise<TestWorld['run']> => {
  const own = { SCHED_TOKEN: '', SCHED_BASE_URL: '', ...env };
  const { run } = await createWorld({ send: network, home, env: own, randomBytes, clockAheadMs: 0 });
  return (line, more) => run(line, { clock, ...more });
};

/** The same on a sandbox that listens, with its token. */
export const commandsOn = async (sandbox: RunningSandbox): Promise<(...words: string[]) => Promise<Result>> => {
  const { base_url, token, admin_token } = sandbox;
  // With the admin secret, as `sandbox start` prints it, the URIs of an earlier run are known as those of a sandbox.
  const env = { SCHED_BASE_URL: base_url, SCHED_TOKEN: token, SCHED_SANDBOX_ADMIN: admin_token };
  const run = await commandsOf(temporaryHome(), env);
  return (...words) => run(words);
};

/** The flags of a login at a sandbox. */
export const addressesOf = ({ base_url, auth_url, client_id }: RunningSandbox): string[] => [
  '--base-url',
  base_url,
  '--auth-url',
  auth_url,
  '--client-id',
  client_id,
];

/** Stores a login at a sandbox with `--auto-consent` in a file, for tests of what comes after it: the source in this process. */
export const storeLogin = async (addresses: string[], home: string, env?: Record<string, string>) => {
  const run = await commandsOf(home, env);
  const { code, stderr } = await run(['auth', 'login', '--credential-store', 'file', ...addresses], {
    terminals,
    openBrowser: async (url) => {
      void fetch(url).then((page) => page.text());
      return true;
    },
  });
  if (code !== 0) throw new Error(`the login ended with ${code}: ${stderr}`);
};

/** Logs in to a sandbox with `--auto-consent`, as a browser would, and stores the login in a file by default. */
export const logIn = async (
  sandbox: RunningSandbox,
  home: string,
  {
    flags = ['--credential-store', 'file'],
    env = {},
    isKnown = false,
  }: { flags?: string[]; env?: Record<string, string> /** The profile has the addresses. */; isKnown?: boolean } = {},
): Promise<{ code: number | null; text: string }> => {
  const addresses = isKnown ? [] : addressesOf(sandbox);
  const terminal = schedInTerminal(['auth', 'login', '--no-browser', ...addresses, ...flags], home, env);
  try {
    const [, url] = await terminal.until(/^(http:\S+\/oauth\/authorize\?\S+)\n/m);
    await (await fetch(url!)).text();
    return await terminal.done;
  } finally {
    terminal.close();
  }
};
