import { ClosedPipe, OutputFailure, SchedError, throwIfInterrupted } from '../errors.ts';
import { counted } from '../numbers.ts';
import { type ColorFlag, colorWanted } from '../output/color.ts';
import { commonFormats } from '../output/formats.ts';
import type { Runtime } from '../runtime.ts';
import type { Command, Invocation, Parsed, ShowHelp } from './command.ts';
import { createNotes, noteHidden } from './messages/notes.ts';
import type { Here } from './messages/suggested-line.ts';
import { checkSelected } from './operation/field-check.ts';
import { canAskFor } from './operation/missing.ts';
import { knownFields } from './parse/all-flags.ts';
import { createContext, type FindUser, type Frontend } from './session/context.ts';
import { type Account, hereOf, resolveSettings, type Typed, wantsSandbox } from './session/settings.ts';

/** Few commands need this, so it is loaded on first use. */
export const findUser: FindUser = async (who, context) =>
  (await import('./operation/references.ts')).findUser(who, context);

const isLocal = ({ local }: Pick<Command, 'local'>, typed: Typed): boolean =>
  typeof local === 'function' ? local(typed) : local === true;

/** The profile a command uses. Reads no file if the environment has both a token and a base URL, as in CI. */
export const accountOf = async (
  command: Pick<Command, 'local'>,
  typed: Typed,
  runtime: Runtime,
): Promise<Account | undefined> => {
  const { env } = runtime;
  if (isLocal(command, typed) || wantsSandbox(typed, runtime)) return undefined;
  const isNamed = typed.profile !== undefined || Boolean(env.SCHED_PROFILE);
  if (!isNamed && (env.SCHED_TOKEN || env.SCHED_TOKEN_FILE) && env.SCHED_BASE_URL) return undefined;
  const { chosenProfile } = await import('./session/config-file.ts');
  return chosenProfile(typed.profile as string | undefined, runtime);
};

interface Surroundings {
  isJson: boolean;
  help: ShowHelp;
  /** Writes out the commands that an error suggests, for this account. */
  suggest(error: unknown, here: Here): Promise<unknown>;
  frontend?: Frontend;
}

/** At a terminal, completes short IDs and asks for what the command line lacks. Elsewhere the command reports it. */
const complete = async (command: Command, typed: Invocation): Promise<Invocation> => {
  const { settings, runtime } = typed.context;
  if (!settings.canAsk) return typed;
  const invocation = runtime.stdout.isTerminal
    ? await (await import('./operation/short-ids.ts')).withWholeIds(command, typed)
    : typed;
  if (!canAskFor(command, invocation)) return invocation;
  const { askMissing } = await import('./operation/ask-missing.ts');
  return askMissing(command, invocation);
};

/** On a terminal, the command has a status line that says what it waits for. */
const withStatus = async (runtime: Runtime, typed: Typed, isJson: boolean): Promise<Runtime> => {
  const { stderr, env } = runtime;
  if (!stderr.isTerminal || env.CI || isJson || typed.quiet === true) return runtime;
  const { withStatusLine } = await import('../output/status-line.ts');
  const isSandbox = wantsSandbox(typed, runtime);
  return withStatusLine(runtime, {
    isPlain: typed.accessible === true || env.TERM === 'dumb',
    nameOf: (host) => (isSandbox ? 'the sandbox' : host),
  });
};

/** Runs a parsed command: resolves its settings, creates its context and reports incomplete output. */
export const runCommand = async (
  command: Command,
  parsed: Parsed,
  world: Runtime,
  { isJson, help, suggest, frontend }: Surroundings,
): Promise<void> => {
  const { typed, problems } = parsed;
  const runtime = await withStatus(world, typed, isJson);
  const named = typed.profile as string | undefined;
  const account = await accountOf(command, typed, runtime).catch(async (error: unknown) => {
    // A wrong command line is reported before a missing profile: `-p a -p b` may name neither.
    problems.check();
    throw await suggest(error, hereOf(typed, runtime));
  });
  const choices = command.freeForm && typed.output === undefined ? { json: '', ...typed } : typed;
  const { env, stderr } = runtime;
  const color = colorWanted({ flag: (typed.color ?? 'auto') as ColorFlag, env, isTerminal: stderr.isTerminal });
  const isAccessible = typed.accessible === true;
  const doneMark = async () => {
    if (isAccessible) return '';
    return (await import('../output/ascii.ts')).needsAscii(env) ? 'ok ' : '✔ ';
  };
  const isWindows = runtime.platform === 'win32';
  const notes = frontend?.notes ?? createNotes(stderr, isJson, isAccessible ? undefined : color, doneMark, isWindows);
  const settings = resolveSettings(choices, runtime, problems, notes, account);
  notes.quiet = settings.quiet;
  if (settings.sandbox && named !== undefined && !isLocal(command, typed))
    problems.add(`--profile ${named} can't be used with the sandbox, which has its own account`, (own) =>
      own.setFlag('profile', false),
    );
  const changes = command.effect === 'change';
  // After a write, the next words typed belong to the shell, not to a pager.
  if (changes) settings.mayPage = false;
  if (settings.dryRun && command.operation === undefined && !command.freeForm && !changes)
    problems.add(
      `--${settings.curl ? 'curl' : 'dry-run'} doesn't work with this command, because it is not a single request`,
    );
  if (settings.noCheck && !settings.dryRun)
    problems.add('--no-check only works with --dry-run and --curl', (own) => own.setFlag('no-check', false));
  if (settings.format === 'ics' && !command.calendar)
    problems.value(
      'output',
      'ics',
      `-o ics only works with events list, events get and groups events. Use one of ${commonFormats.join(', ')}`,
    );
  if (settings.format === 'ics' && settings.fields !== undefined) problems.add("--fields can't be used with -o ics");
  if (settings.jq !== undefined) {
    const { jqProblem } = await import('../output/jq.ts');
    const problem = await jqProblem(settings.jq, runtime.interrupted);
    if (problem !== undefined) problems.add(problem);
  }

  const isBackground = command.background?.(typed);
  const context = createContext(runtime, settings, notes, findUser, command.operation, isBackground, frontend);
  if (!command.freeForm) {
    // `_sched` holds everything that sched adds to a record.
    const known = [...new Set([...knownFields(command), ...(command.operation === undefined ? [] : ['_sched'])])];
    checkSelected(context, known, command.operation, parsed);
  }
  const { method = changes ? 'PATCH' : 'GET' } = command.operation ?? {};
  const isWrite = method !== 'GET' && !settings.dryRun;
  try {
    const invocation = await complete(command, { context, help, ...parsed });
    await command.run(invocation);
    if (invocation.isAsked && problems.own?.line !== undefined) notes.info(`For a script: ${problems.own.line}`);
    // A signal that came while waiting for the reply to a write takes effect now.
    if (isWrite) throwIfInterrupted(runtime.interrupted, 'applied');
  } catch (error) {
    const isAnswered = error instanceof SchedError && error.facts.answered === true;
    if (context.printer.isUnfinished && context.printer.rows > 0 && !isAnswered && !(error instanceof ClosedPipe)) {
      const { rows } = context.printer;
      notes.warn(`incomplete: ${counted(rows, 'row')} written`);
    }
    // The write was applied; only its reply could not be printed.
    if (error instanceof OutputFailure && isWrite) throw new OutputFailure(error.facts.reason!, 'applied');
    throw await suggest(error, settings.here);
  } finally {
    noteHidden(notes, context.printer.hiddenColumns);
    await context.close();
    await notes.flush();
    await runtime.status?.end();
  }
};
