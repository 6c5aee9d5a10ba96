import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChildExit, SchedError } from '../../base/errors.ts';
import { singleQuoted } from '../../base/shell-quote.ts';
import type { ProgramAnswer } from '../../cli/answer/answer.ts';
import type { Command } from '../../cli/command.ts';
import { both, type Input, taking } from '../../cli/input/input.ts';
import { argumentsIn } from '../../cli/parse/line-part.ts';
import type { Shell } from '../../cli/session/context.ts';
import { chmod, mkdtemp, rm, writeFile } from '../../node/files.ts';
import type { HeadlessRuntime } from '../../runtime.ts';
import { environmentOf, placesIn, type Serving } from '../../sandbox/open.ts';
import { attempt } from '../../state/disk.ts';
import type { Nouns } from '../schema/command.ts';
import { runInput, type ServingInput } from './input.ts';
import { conflicting, whileServing } from './serving.ts';

/** Writes a `sched` (on Windows also for shells such as Git Bash) that starts this program, if its path is known. */
const writeLauncher = async (directory: string, { machine: { program }, platform }: HeadlessRuntime): Promise<void> => {
  if (program === undefined) return;
  if (platform === 'win32') {
    const words = program.map((word) => `"${word.replaceAll('%', '%%')}"`).join(' ');
    await writeFile(join(directory, 'sched.cmd'), `@${words} %*\r\n`);
  }
  const file = join(directory, 'sched');
  await writeFile(file, `#!/bin/sh\nexec ${program.map(singleQuoted).join(' ')} "$@"\n`);
  await chmod(file, 0o755);
};

/** Creates the directory of a run: a `sched` for its PATH, and where that keeps its files. */
const makeDirectory = async (runtime: HeadlessRuntime): Promise<string> => {
  const prefix = join(tmpdir(), 'sched-run-');
  return attempt('write', prefix, async () => {
    const directory = await mkdtemp(prefix);
    await writeLauncher(directory, runtime);
    return directory;
  });
};

const environmentFor = ({ env, platform }: HeadlessRuntime, serving: Serving, directory: string) => {
  const set = { ...environmentOf(serving), ...placesIn(directory), PATH: '' };
  // Windows reads a name in any case: of PATH and Path, the program would get only one.
  const nameOf = (name: string) => (platform === 'win32' ? name.toUpperCase() : name);
  const replacedNames = [...conflicting, ...Object.keys(set)];
  const keptVariables = Object.entries(env).filter(([name]) => !replacedNames.includes(nameOf(name)));
  const [, path] = Object.entries(env).find(([name]) => nameOf(name) === 'PATH') ?? [];
  set.PATH = [directory, path].filter((part) => part !== undefined).join(platform === 'win32' ? ';' : ':');
  return { ...Object.fromEntries(keptVariables), ...set };
};

const runIn = async (runtime: HeadlessRuntime, serving: Serving, command: readonly string[]): Promise<number> => {
  runtime.interrupted.throwIfAborted();
  const directory = await makeDirectory(runtime);
  try {
    return await runtime.spawn!(command, { env: environmentFor(runtime, serving, directory) });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new SchedError('environment', `Can't start "${command[0]}"`, {
      reason: code === 'ENOENT' ? 'no such program' : code === 'EACCES' ? 'it is not executable' : message,
    });
  } finally {
    await rm(directory, { recursive: true, force: true }).catch(() => {});
  }
};

/** The program and its arguments: all words after `--`. */
const programInput: Input<{ command: string[] }> = {
  flags: [],
  arguments: [{ name: 'command', description: 'program and its arguments, after --', required: true, variadic: true }],
  draft: async ({ parts, problems, context }) => {
    const end = parts.findIndex(({ words }) => words[0] === '--');
    const args = argumentsIn(parts);
    const command = end < 0 ? [] : argumentsIn(parts.slice(end));
    if (command.length === 0 || command[0] === '') problems.add('Missing command to run. Put it after --');
    else if (args.length > command.length)
      problems.add(`Unexpected argument "${args[0]}" before --. Only flags can go there`);
    if (context.runtime.spawn === undefined) problems.add("Can't start programs here");
    return async () => ({ command });
  },
};

type RunInput = ServingInput & { command: string[] };

const runProgram = async (registry: Nouns, { command, ...values }: RunInput, shell: Shell): Promise<void> => {
  const { runtime } = shell;
  // Protected, so that a second signal doesn't skip the cleanup.
  const code = await runtime.protect(async () => {
    let exitCode = 0;
    await whileServing(
      values,
      shell,
      async (_, serving) => {
        exitCode = await runIn(runtime, serving, command);
      },
      registry,
    );
    return exitCode;
  });
  if (code !== 0) throw new ChildExit(code);
};

export const runCommand = (registry: Nouns): Command => ({
  name: 'run',
  summary: 'Run a command with a local sandbox server',
  ...taking(both(programInput, runInput), async (values): Promise<ProgramAnswer> => {
    return { kind: 'program', run: (shell) => runProgram(registry, values, shell) };
  }),
  local: true,
  examples: [
    "sandbox run -- bash -c 'sched events list --json | jq length'",
    'sandbox run --plan free -- npm test',
    'sandbox run --seed world.yaml -- npm test',
    'sandbox run --data ./sandbox.db --no-limits -- ./import.sh',
  ],
  notes: [
    'The command gets SCHED_BASE_URL, SCHED_AUTH_URL, SCHED_MCP_URL, SCHED_CLIENT_ID and SCHED_TOKEN in its environment, and this sched comes first on its PATH. SCHED_SANDBOX_ADMIN is the secret for requests under /__sandbox/. Conflicting variables (SCHED_SANDBOX, SCHED_PROFILE, SCHED_TOKEN_FILE, SCHED_USER, SCHED_ORG, SCHED_DIALECT) are removed; with --dialect, SCHED_DIALECT names it. What sched notes inside (bookings, receipts, logins) is in a directory of the run, which ends with it: SCHED_STATE_DIR, SCHED_CACHE_DIR and SCHED_CONFIG_DIR.',
    "Exits with the command's exit code, or with 128 plus the signal number if a signal ended it. The command doesn't run in a shell: if you need one, name it, as in bash -c. SIGINT and SIGTERM are passed on. On Windows, batch files such as npm.cmd run in cmd.exe.",
  ],
});
