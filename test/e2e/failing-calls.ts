import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exitCodes } from '../../src/base/errors.ts';
import { spawn } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import {
  addressesOf,
  cleanEnvironment,
  expireToken,
  farMonday,
  program,
  type RunningSandbox,
  runner,
  sched,
  startSandbox,
  storeLogin,
  temporaryHome,
} from './program.ts';

/*
 * Makes single system calls of the program fail with strace, if they are about its files. Node's own files, sockets
 * and events are left alone: without them there is no program. A first run finds out which calls those are, and
 * repeatable.js gives each file the same name again.
 */

/** System calls by what they do. Some machines don't have those with a question mark. */
const calls = {
  open: ['?open', 'openat'],
  read: ['read', 'pread64'],
  write: ['write', 'pwrite64'],
  rename: ['?rename', '?renameat', 'renameat2'],
  link: ['?link', 'linkat'],
  fsync: ['fsync', 'fdatasync'],
};

export type CallKind = keyof typeof calls;
export const callKinds = Object.keys(calls) as CallKind[];
export const errorCodes = ['ENOSPC', 'EIO', 'EPERM'] as const;

/** A system call with one of the program's files. */
interface FileCall {
  name: string;
  path: string;
  /** Counts the calls of this name with this path in a thread. */
  number: number;
}

export interface FailedRun {
  code: number | null;
  stderr: string;
  /** The calls that failed, as strace prints them. */
  failed: string[];
}

const limitSeconds = 60;
/** How `timeout` ends if it had to kill the program. */
const killedCode = 137;

const NODE_OPTIONS = `--import=${new URL('repeatable.js', import.meta.url).href}`;

const traced = (flags: string[], words: readonly string[], env: Record<string, string>) =>
  new Promise<Omit<FailedRun, 'failed'> & { lines: string[] }>((resolve, reject) => {
    const file = join(temporaryDirectory('strace'), 'calls');
    const limited = ['timeout', '--signal=KILL', String(limitSeconds), runner, ...program, ...words];
    const child = spawn('strace', ['-f', '-y', '-s', '0', '-o', file, ...flags, ...limited], {
      env: { ...env, NODE_OPTIONS, UV_THREADPOOL_SIZE: '1', UV_USE_IO_URING: '0' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', reject).once('close', (code) => {
      resolve({ code, stderr, lines: readFileSync(file, 'utf8').split('\n') });
    });
  });

interface Command {
  words: readonly string[];
  env: Record<string, string>;
  /** A home directory to start from. */
  home?: string;
}

export const failingCommands = [
  'events list',
  'invitees create',
  'availability off',
  'events move',
  'compliance delete',
  'events list with an expired token',
  'events list from a mirror',
  'mirror sql',
] as const;

type FailingCommand = (typeof failingCommands)[number];

const commandsAt = async (sandbox: RunningSandbox, home: string) => {
  const { base_url, token } = sandbox;
  const api = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const reply = await fetch(`${base_url}${path}`, {
      headers,
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as { resource: { event: string } };
  };
  const type = 'YBL6DUNR9FS4PNP6';
  const invitee = { email: 'moved@people.example', name: 'Guest', timezone: 'UTC' };
  const event_type = `${base_url}/event_types/${type}`;
  const { event } = (await api('/invitees', { event_type, start_time: farMonday(1), invitee })).resource;
  const loggedIn = temporaryHome();
  await storeLogin(addressesOf(sandbox), loggedIn);
  expireToken(loggedIn);
  const people = join(temporaryHome(), 'people.txt');
  writeFileSync(people, 'one@people.example\ntwo@people.example\n');
  // The default name has the time in it.
  const deletion = ['--from', people, '--confirm', '2', '--receipt', join(home, 'receipt.jsonl')];
  const booking = ['--start', farMonday(), '--email', 'a@people.example', '--name', 'A', '--timezone', 'UTC'];
  const env = { SCHED_BASE_URL: base_url, SCHED_TOKEN: token };
  const mirrored = temporaryHome();
  await sched(['mirror', 'sync', '--yes', '--since', '-1d', '--until', '+1d'], mirrored, env);
  return {
    'events list': { env, words: ['events', 'list', '--limit', '1'] },
    'invitees create': { env, words: ['invitees', 'create', '--event-type', type, ...booking] },
    'availability off': { env, words: ['availability', 'off', farMonday(2).slice(0, 10), '--yes'] },
    'events move': { env, words: ['events', 'move', event, '--to', farMonday(3), '--yes'] },
    'compliance delete': { env, words: ['compliance', 'delete', ...deletion] },
    'events list with an expired token': { env: {}, words: ['events', 'list', '--limit', '1'], home: loggedIn },
    'events list from a mirror': { env, words: ['--mirror', 'events', 'list', '--limit', '1'], home: mirrored },
    'mirror sql': { env, words: ['mirror', 'sql', 'SELECT * FROM bookings LIMIT 1'], home: mirrored },
  } satisfies Record<FailingCommand, Command>;
};

/** Starts a sandbox, in which each run finds the same data. */
export const openFailingCalls = async () => {
  const sandbox = await startSandbox('--no-limits', '--auto-consent');
  const home = join(temporaryHome(), 'home');
  const commands: Record<FailingCommand, Command> = await commandsAt(sandbox, home);
  const admin = async (path: string, body?: object) => {
    const headers = { 'x-sandbox-admin': sandbox.admin_token, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) };
    const reply = await fetch(`${sandbox.base_url}/__sandbox/${path}`, init);
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
  };
  await admin('snapshots', { name: 'before' });

  const start = async ({ words, env, home: from }: Command, flags: string[]) => {
    await admin('snapshots/before/restore');
    rmSync(home, { recursive: true, force: true });
    mkdirSync(home);
    if (from !== undefined) cpSync(from, home, { recursive: true });
    return traced(flags, words, cleanEnvironment(home, env));
  };

  /** The first path in the home directory, as an argument or as the file of a descriptor. */
  const pathIn = (line: string): string | undefined => {
    const at = line.indexOf(`${home}/`);
    return at < 0 ? undefined : /^[^">]*/.exec(line.slice(at))![0];
  };

  return {
    stop: sandbox.stop,

    /** The calls of each kind with the program's files, in a run without failures. */
    callsOf: async (command: FailingCommand): Promise<Record<CallKind, FileCall[]>> => {
      const all = Object.values(calls).flat();
      const { code, stderr, lines } = await start(commands[command], ['-e', `trace=${all}`]);
      if (code !== 0) throw new Error(`${command}: exit ${code}: ${stderr}`);
      const counts = new Map<string, number>();
      const found = new Map<string, FileCall>();
      for (const line of lines) {
        const [, thread, name] = /^(\d+) +(\w+)\(/.exec(line) ?? [];
        const path = pathIn(line);
        if (name === undefined || path === undefined) continue;
        const number = (counts.get(`${thread} ${name} ${path}`) ?? 0) + 1;
        counts.set(`${thread} ${name} ${path}`, number);
        found.set(`${name} ${path} ${number}`, { name, path, number });
      }
      const ofKind = (kind: CallKind) =>
        [...found.values()].filter(({ name }) => calls[kind].some((each) => each.replace('?', '') === name));
      return Object.fromEntries(callKinds.map((kind) => [kind, ofKind(kind)])) as never;
    },

    fail: async (command: FailingCommand, { name, path, number }: FileCall, code: string): Promise<FailedRun> => {
      const inject = `inject=${name}:error=${code}:when=${number}`;
      const { lines, ...end } = await start(commands[command], ['-P', path, '-e', `trace=${name}`, '-e', inject]);
      return { ...end, failed: lines.filter((line) => line.includes('(INJECTED)')) };
    },
  };
};

const documented: readonly (number | null)[] = [0, ...Object.values(exitCodes)];

/** What R65 forbids, or undefined. */
export const wrongWith = ({ code, stderr }: FailedRun): string | undefined => {
  if (code === killedCode) return `no end within ${limitSeconds} s`;
  if (!documented.includes(code)) return `exit ${code}`;
  if (code === exitCodes.internal) return 'an internal error';
  if (code !== 0 && !/^error: /m.test(stderr)) return `exit ${code} without an error`;
  return /^\s+at .*:\d+:\d+\)?$/m.test(stderr) ? 'a stack trace' : undefined;
};
