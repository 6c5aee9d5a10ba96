import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChildExit, SchedError } from '../../base/errors.ts';
import { singleQuoted } from '../../base/shell-quote.ts';
import type { Command } from '../../cli/command.ts';
import { both, type Call, type Input, taking } from '../../cli/input/input.ts';
import { argumentsIn } from '../../cli/parse/line-part.ts';
import { chmod, mkdtemp, rm, writeFile } from '../../node/files.ts';
import type { Runtime } from '../../runtime.ts';
import { environmentOf, type Serving } from '../../sandbox/open.ts';
import { attempt } from '../../state/disk.ts';
import type { Nouns } from '../schema/command.ts';
import { runInput, type ServingInput } from './input.ts';
import { conflicting, whileServing } from './serving.ts';

/** Creates a directory with only a `sched` (on Windows also for shells such as Git Bash) that starts this program; undefined if the program's path is unknown. */
const makeLauncher = async ({ machine, platform }: Runtime): Promise<string | undefined> => {
  const { program } = machine;
  if (program === undefined) return undefined;
  const prefix = join(tmpdir(), 'sched-run-');
  return attempt('write', prefix, async () => {
    const directory = await mkdtemp(prefix);
    if (platform === 'win32') {
      const words = program.map((word) => `"${word.replaceAll('%', '%%')}"`).join(' ');
      await writeFile(join(directory, 'sched.cmd'), `@${words} %*\r\n`);
    }
    const file = join(directory, 'sched');
    await writeFile(file, `#!/bin/sh\nexec ${program.map(singleQuoted).join(' ')} "$@"\n`);
    await chmod(file, 0o755);
    return directory;
  });
};

const environmentFor = ({ env, platform }: Runtime, serving: Serving, launcher: string | undefined) => {
  const set = { ...environmentOf(serving), PATH: '' };
  // Windows reads a name in any case: of PATH and Path, the program would get only one.
  const nameOf = (name: string) => (platform === 'win32' ? name.toUpperCase() : name);
  const replacedNames = [...conflicting, ...Object.keys(set)];
  const keptVariables = Object.entries(env).filter(([name]) => !replacedNames.includes(nameOf(name)));
  const [, path] = Object.entries(env).find(([name]) => nameOf(name) === 'PATH') ?? [];
  set.PATH = [launcher, path].filter((part) => part !== undefined).join(platform === 'win32' ? ';' : ':');
  return { ...Object.fromEntries(keptVariables), ...set };
};

const runIn = async (runtime: Runtime, serving: Serving, command: readonly string[]): Promise<number> => {
  runtime.interrupted.throwIfAborted();
  const launcher = await makeLauncher(runtime);
  try {
    return await runtime.spawn!(command, { env: environmentFor(runtime, serving, launcher) });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new SchedError('environment', `Can't start "${command[0]}"`, {
      reason: code === 'ENOENT' ? 'no such program' : code === 'EACCES' ? 'it is not executable' : message,
    });
  } finally {
    if (launcher !== undefined) await rm(launcher, { recursive: true, force: true }).catch(() => {});
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

const runProgram = async (registry: Nouns, { command, ...values }: RunInput, { context }: Call): Promise<void> => {
  const { runtime } = context;
  // Protected, so that a second signal doesn't skip the cleanup.
  const code = await runtime.protect(async () => {
    let exitCode = 0;
    await whileServing(
      values,
      context,
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
  ...taking(both(programInput, runInput), (...call) => runProgram(registry, ...call)),
  local: true,
  examples: [
    "sandbox run -- bash -c 'sched events list --json | jq length'",
    'sandbox run --plan free -- npm test',
    'sandbox run --seed world.yaml -- npm test',
    'sandbox run --data ./sandbox.db --no-limits -- ./import.sh',
  ],
  notes: [
    'The command gets SCHED_BASE_URL, SCHED_AUTH_URL, SCHED_MCP_URL, SCHED_CLIENT_ID and SCHED_TOKEN in its environment, and this sched comes first on its PATH. SCHED_SANDBOX_ADMIN is the secret for requests under /__sandbox/. Conflicting variables (SCHED_SANDBOX, SCHED_PROFILE, SCHED_TOKEN_FILE, SCHED_USER, SCHED_ORG, SCHED_DIALECT) are removed; with --dialect, SCHED_DIALECT names it.',
    "Exits with the command's exit code, or with 128 plus the signal number if a signal ended it. The command doesn't run in a shell: if you need one, name it, as in bash -c. SIGINT and SIGTERM are passed on. On Windows, batch files such as npm.cmd run in cmd.exe.",
  ],
});
