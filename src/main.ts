import { join } from 'node:path';
import { ChildExit, ClosedPipe, exitCodes, type SchedError } from './base/errors.ts';
import { version } from './base/system.ts';
import type { Given } from './cli/input/given.ts';
import type { Paint } from './output/paint.ts';
import { completeArgument, helperArgument, queryArgument, type Runtime, type World } from './runtime.ts';
import { ensurePrivateDirectory } from './state/directories.ts';
import { directory, isHomeless } from './state/paths.ts';

/** The colors for errors, if stderr has color. Errors as JSON have none. */
const errorPaint = async ({ color: flag, accessible }: Given, { env, stderr }: Runtime): Promise<Paint | undefined> => {
  const { colorFlagOf, colorWanted } = await import('./output/color.ts');
  const color = colorWanted({ flag: colorFlagOf(flag), env, isTerminal: stderr.isTerminal });
  if (color === undefined || accessible === true) return undefined;
  const { createPaint } = await import('./output/paint.ts');
  return createPaint(color);
};

const reportError = async (error: SchedError, argv: readonly string[], runtime: Runtime): Promise<number> => {
  const { errorJson, errorLines, stackOf } = await import('./cli/messages/error-report.ts');
  const { wantsJson } = await import('./cli/session/settings.ts');
  const { givenFlags: flagsOf, parseCommandLine: parse } = await import('./cli/parse/tree.ts');
  const given = flagsOf(await parse(argv));
  const { isTerminal, columns } = runtime.stderr;
  const width = isTerminal && columns > 0 ? columns : undefined;
  const lines = wantsJson(given, runtime)
    ? [errorJson(error)]
    : await errorLines(error, {
        columns: width,
        paint: await errorPaint(given, runtime),
        shell: runtime,
        isVerbose: given.verbose === true,
      });
  const { asciiForm, needsAscii } = await import('./output/ascii.ts');
  const drawn = width !== undefined && needsAscii(runtime.env) ? lines.map(asciiForm) : lines;
  const trace = runtime.env.SCHED_DEBUG === '1' ? [stackOf(error) ?? ''] : [];
  const text = [...trace, ...drawn].map((line) => `${line}\n`).join('');
  if (text !== '') await runtime.stderr.write(text).catch(() => {});
  return exitCodes[error.category];
};

/** Turns on the compile cache: compiling takes a third of a command's time. `--version` is too short to gain from it. */
const useCompileCache = (runtime: Runtime): void => {
  if (isHomeless('cache', runtime)) return;
  runtime.keepCompiled?.(() => {
    const folder = join(directory('cache', runtime), 'compiled');
    ensurePrivateDirectory(folder);
    return folder;
  });
};

/** Loaded late, because `--version` prints nothing that needs redaction. */
const guardedRuntime = async (world: World): Promise<Runtime> =>
  (await import('./node/redacted-output.ts')).withRedaction(world);

const perform = async (argv: readonly string[], runtime: Runtime): Promise<void> => {
  const { parentProcess } = runtime;
  if (argv.length === 1 && parentProcess !== undefined && !runtime.stdin.isTerminal) {
    if (argv[0] === helperArgument) {
      const { runRefreshHelper } = await import('./auth/refresh-helper.ts');
      return runRefreshHelper(parentProcess(), runtime);
    }
    if (argv[0] === queryArgument) {
      const { answerParent } = await import('./output/thread.ts');
      return answerParent(parentProcess(true), 'sql-worker');
    }
  }
  if (argv[0] === completeArgument) {
    const { complete } = await import('./cli/complete/complete.ts');
    return complete(argv.slice(1), runtime);
  }
  const { invoke } = await import('./cli/invoke.ts');
  return invoke(argv, runtime);
};

/** Runs one command line and returns its exit code. This is the only place that turns errors into text and a code. */
export const run = async (argv: readonly string[], world: World): Promise<number> => {
  let runtime: Runtime | undefined;
  try {
    if (argv.length === 1 && argv[0] === '--version') {
      await world.stdout.write(`${version}\n`);
      return 0;
    }
    runtime = await guardedRuntime(world);
    // From here on, a signal is reported as an error.
    runtime.interrupted.throwIfAborted();
    useCompileCache(runtime);
    const work = perform(argv, runtime);
    await (world.untilIdle === undefined ? work : Promise.race([work, world.untilIdle()]));
    return 0;
  } catch (error) {
    // An error would end up in the middle of the line that somebody is typing.
    if (error instanceof ClosedPipe || argv[0] === completeArgument) return 0;
    if (error instanceof ChildExit) return error.code;
    const { asSchedError } = await import('./cli/messages/error-report.ts');
    // Reuse the existing runtime if there is one: it knows the secrets to redact.
    runtime ??= await guardedRuntime(world);
    return reportError(asSchedError(error), argv, runtime);
  }
};
