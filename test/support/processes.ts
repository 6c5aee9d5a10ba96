import * as node from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { promisify } from 'node:util';
import { canaryCount, leaksOf } from './canary.ts';
import { needs } from './tools.ts';

export type { ChildProcess } from 'node:child_process';

/*
 * The only way for a test to start a process. R12: its output is searched for secrets, and `scan.ts` fails the test that
 * printed one. R59: without the program, the test is skipped.
 */

type Environment = Readonly<Record<string, string | undefined>>;

/** The arguments and input of a process that the search needs. */
const givenTo = (name: string, args: readonly string[], env: Environment = process.env, stdin = '') => {
  if (!name.includes('/')) needs(name);
  const program = args.findIndex((word) => /\/(bin\/sched|e2e\/clocked)\.js$/.test(word));
  // A shell or terminal command contains the words of the program somewhere.
  const line = program < 0 ? [name, ...args].join(' ') : args.slice(program + 1);
  return { line, env, stdin };
};

const leaks: string[] = [];

/** A long output is searched in parts. The end is kept, in case a secret is cut in two. */
const mostKept = 1_000_000;
const longestSecret = 20_000;

const watched = new Set<() => void>();

const watch = (given: ReturnType<typeof givenTo>) => {
  const kept = { stdout: '', stderr: '' };
  const decoders = { stdout: new StringDecoder(), stderr: new StringDecoder() };
  let searched = '';
  const search = () => {
    const state = [kept.stdout.length, kept.stderr.length, canaryCount()].join(' ');
    if (state !== searched) leaks.push(...leaksOf(given, kept));
    searched = state;
  };
  watched.add(search);
  return (name: keyof typeof kept, chunk: Buffer | string) => {
    kept[name] += typeof chunk === 'string' ? chunk : decoders[name].write(chunk);
    if (kept[name].length < mostKept) return;
    search();
    kept[name] = kept[name].slice(-longestSecret);
  };
};

/** Leaks found since the last call, each once. */
export const takeLeaks = (): string[] => {
  for (const search of watched) search();
  return [...new Set(leaks.splice(0))];
};

/** For the end of a test file. Within it, a secret may be added after it was printed. */
export const forgetOutput = (): void => watched.clear();

/** Observes the data read from a stream, without changing when its reader reads it. */
const tap = (stream: NodeJS.ReadableStream | null, keep: (chunk: Buffer | string) => void): void => {
  const readable = stream as (NodeJS.ReadableStream & { push(chunk: unknown, encoding?: unknown): boolean }) | null;
  if (readable === null) return;
  const push = readable.push.bind(readable);
  readable.push = (chunk, encoding) => {
    if (chunk !== null) keep(chunk as Buffer | string);
    return push(chunk, encoding);
  };
};

const inherited = (stdio: node.StdioOptions | undefined, index: 1 | 2): boolean =>
  (Array.isArray(stdio) ? stdio[index] : stdio) === 'inherit';

export const spawn = ((name: string, args: readonly string[] = [], options: node.SpawnOptions = {}) => {
  const { stdio } = options;
  const all = Array.isArray(stdio) ? [...stdio] : [stdio ?? 'pipe', stdio ?? 'pipe', stdio ?? 'pipe'];
  for (const index of [1, 2] as const) if (inherited(stdio, index)) all[index] = 'pipe';
  const keep = watch(givenTo(name, args, options.env));
  const child = node.spawn(name, args, { ...options, stdio: all });
  tap(child.stdout, (chunk) => keep('stdout', chunk));
  tap(child.stderr, (chunk) => keep('stderr', chunk));
  if (inherited(stdio, 1)) child.stdout?.on('data', (chunk) => process.stdout.write(chunk));
  if (inherited(stdio, 2)) child.stderr?.on('data', (chunk) => process.stderr.write(chunk));
  return child;
}) as typeof node.spawn;

const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value));

export const spawnSync = ((name: string, args: readonly string[] = [], options: node.SpawnSyncOptions = {}) => {
  const keep = watch(givenTo(name, args, options.env, textOf(options.input)));
  const end = node.spawnSync(name, args, options);
  keep('stdout', textOf(end.stdout));
  keep('stderr', textOf(end.stderr));
  return end;
}) as typeof node.spawnSync;

export const execFileSync = ((name: string, args: readonly string[] = [], options: node.ExecFileSyncOptions = {}) => {
  const keep = watch(givenTo(name, args, options.env, textOf(options.input)));
  try {
    const stdout = node.execFileSync(name, args, options);
    keep('stdout', textOf(stdout));
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: unknown; stderr?: unknown };
    keep('stdout', textOf(stdout));
    keep('stderr', textOf(stderr));
    throw error;
  }
}) as typeof node.execFileSync;

/** As a promise. Rejects if the exit code is not 0. */
export const execFile = async (
  name: string,
  args: readonly string[] = [],
  options: node.ExecFileOptions = {},
): Promise<{ stdout: string; stderr: string }> => {
  const keep = watch(givenTo(name, args, options.env));
  const kept = ({ stdout, stderr }: { stdout?: unknown; stderr?: unknown }) => {
    keep('stdout', textOf(stdout));
    keep('stderr', textOf(stderr));
    return { stdout: textOf(stdout), stderr: textOf(stderr) };
  };
  return promisify(node.execFile)(name, args, options).then(kept, (error) => {
    kept(error);
    throw error;
  });
};
