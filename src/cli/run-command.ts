import { ClosedPipe, OutputFailure, SchedError, throwIfInterrupted } from '../base/errors.ts';
import { counted } from '../base/numbers.ts';
import { colorFlagOf, colorWanted } from '../output/color.ts';
import type { Runtime } from '../runtime.ts';
import { checks, isLocal } from './checks.ts';
import type { Command, Invocation, ParsedCommand, ShowHelp } from './command.ts';
import type { Given } from './input/given.ts';
import { createNotes, type Notes, noteHidden, type ProblemLog } from './messages/notes.ts';
import type { Here } from './messages/suggested-line.ts';
import { checkSelected } from './operation/field-check.ts';
import { canAskFor } from './operation/missing-input.ts';
import { knownFields } from './parse/all-flags.ts';
import { resolveSettings } from './resolve-settings.ts';
import { createContext, type FindUser, isWatched, type Shell } from './session/context.ts';
import type { Frontend } from './session/frontend.ts';
import { type Account, hereOf, wantsSandbox } from './session/settings.ts';

/** Few commands need this, so it is loaded on first use. */
export const findUserLazily: FindUser = async (who, context) =>
  (await import('./operation/references.ts')).findUser(who, context);

/** The profile a command uses. Reads no file if the environment has both a token and a base URL, as in CI. */
export const accountForCommand = async (
  command: Pick<Command, 'local'>,
  given: Given,
  runtime: Runtime,
): Promise<Account | undefined> => {
  const { env } = runtime;
  if (isLocal(command, given) || wantsSandbox(given, runtime)) return undefined;
  const isNamed = given.profile !== undefined || Boolean(env.SCHED_PROFILE);
  if (!isNamed && (env.SCHED_TOKEN || env.SCHED_TOKEN_FILE) && env.SCHED_BASE_URL) return undefined;
  const { chosenProfile } = await import('./session/config-file.ts');
  return chosenProfile(given.profile as string | undefined, runtime);
};

interface Surroundings {
  isJson: boolean;
  help: ShowHelp;
  /** Writes out the commands that an error suggests, for this account. */
  suggest(error: unknown, here: Here): Promise<unknown>;
  frontend?: Frontend;
}

/** At a terminal, completes short IDs and asks for what the command line lacks. Elsewhere the command reports it. */
const completeInvocation = async (command: Command, given: Invocation, shell: Shell): Promise<Invocation> => {
  if (!shell.settings.canAsk) return given;
  const invocation = await (await import('./operation/short-ids.ts')).withWholeIds(command, given, shell);
  if (!canAskFor(command, invocation.given)) return invocation;
  const { askMissing } = await import('./operation/ask-missing.ts');
  return askMissing(command, invocation, shell);
};

/** On a terminal, the command has a status line that says what it waits for. */
const withStatus = async (runtime: Runtime, given: Given, isJson: boolean): Promise<Runtime> => {
  const { stderr, env } = runtime;
  if (!stderr.isTerminal || env.CI || isJson || given.quiet === true) return runtime;
  const { withStatusLine } = await import('../output/status-line.ts');
  const isSandbox = wantsSandbox(given, runtime);
  return withStatusLine(runtime, {
    isPlain: given.accessible === true || env.TERM === 'dumb',
    nameOf: (host) => (isSandbox ? 'the sandbox' : host),
  });
};

/** Notes as this terminal can show them. */
const notesOf = async (runtime: Runtime, given: Given, isJson: boolean): Promise<Notes> => {
  const { stderr, env } = runtime;
  const isAccessible = given.accessible === true;
  const color = colorWanted({ flag: colorFlagOf(given.color), env, isTerminal: stderr.isTerminal });
  const { asciiForm, needsAscii } = await import('../output/ascii.ts');
  const drawable = needsAscii(env) ? (text: string) => asciiForm(text.replace(/^✔/, 'ok')) : undefined;
  const doneMark = isAccessible ? '' : '✔ ';
  const notes = createNotes(stderr, isJson, isAccessible ? undefined : color, doneMark, runtime, drawable);
  if (runtime.status !== undefined) (await import('./messages/live.ts')).useStatusLine(notes, runtime);
  return notes;
};

/** Settles how a command runs, and reports what it and its modes can't do together. */
const settle = async (
  command: Command,
  { given, problems }: ParsedCommand,
  runtime: Runtime,
  { isJson, suggest, frontend }: Surroundings,
) => {
  const account = await accountForCommand(command, given, runtime).catch(async (error: unknown) => {
    // A wrong command line is reported before a missing profile: `-p a -p b` may name neither.
    problems.check();
    throw await suggest(error, hereOf(given, runtime));
  });
  const choices = command.freeForm && given.output === undefined ? { json: '', ...given } : given;
  const notes = frontend?.notes ?? (await notesOf(runtime, given, isJson));
  const settings = await resolveSettings(choices, runtime, problems, notes, account);
  notes.quiet = settings.quiet;
  // After a write, the next words typed belong to the shell, not to a pager.
  if (command.effect === 'change') settings.mayPage = false;
  for (const check of checks) await check({ command, given, problems, runtime, settings, account });
  return { settings, notes };
};

/** Completes an error for its reader: what to run next, and where it happened. */
const completeError = async (
  error: unknown,
  command: Command,
  invocation: Invocation,
  shell: Shell,
  suggest: Surroundings['suggest'],
): Promise<unknown> => {
  const { notes, settings } = shell;
  const { explainShortId } = await import('./operation/short-ids.ts');
  const problem = await suggest(await explainShortId(error, command, invocation, shell), settings.here);
  // An error with lines of its own has no sentence to say it in.
  const place = problem instanceof SchedError && !problem.facts.lines ? notes.takePlace() : undefined;
  if (place !== undefined) Object.assign((problem as SchedError).facts, { place });
  return problem;
};

/** Says how many rows of a list were written before it failed. */
const noteIncomplete = ({ printer, notes }: Shell, error: unknown): void => {
  const isAnswered = error instanceof SchedError && error.facts.answered === true;
  if (printer.isUnfinished && printer.rows > 0 && !isAnswered && !(error instanceof ClosedPipe))
    notes.warn(`incomplete: ${counted(printer.rows, 'row')} written`);
};

/** Leaves problems to an answer that a person sees. */
const problemsInAnswer = (notes: Notes): ProblemLog => ({
  add: async () => {},
  withoutAnswer: (texts) => {
    for (const text of texts) notes.warn(text);
  },
});

/** The context of a command, which can ask a person. It asks once before a write with a protected profile. */
const openContext = (
  command: Command,
  parsedCommand: ParsedCommand,
  { runtime, settings, notes, frontend }: Pick<Shell, 'runtime' | 'settings' | 'notes' | 'frontend'>,
): Shell => {
  const { operation, background, freeForm } = command;
  // Each command has the sandbox to itself.
  const isBackground = !settings.sandbox && background?.(parsedCommand.given);
  const context = createContext({
    runtime,
    settings,
    notes,
    findUser: findUserLazily,
    operation,
    isBackground,
    frontend,
  });
  let asked: Promise<void> | undefined;
  context.beforeWrite = (request) => {
    asked ??= import('./session/confirm.ts').then(({ confirmRequest }) => confirmRequest(context, request));
    return asked;
  };
  if (isWatched(context)) notes.problems = problemsInAnswer(notes);
  if (settings.canAsk && !settings.yes)
    context.asker = async () => (await import('./session/ask.ts')).createAsker(context);
  // `_sched` holds everything that sched adds to a record.
  const known = new Set([...knownFields(command), ...(operation === undefined ? [] : ['_sched'])]);
  if (!freeForm) checkSelected(context, [...known], operation, parsedCommand);
  return context;
};

/** The world in which the values of a call are read. */
const worldOf = ({ settings, runtime, askNow, printer, frontend }: Shell): Invocation['world'] => {
  const { stdout, stderr, keyboard, env } = runtime;
  const isDrawn = stdout.isTerminal && printer.showsPages && env.TERM !== 'dumb';
  return {
    settings,
    now: askNow,
    runtime,
    isTerminal: stderr.isTerminal && keyboard.isTerminal,
    isNoted: stderr.isTerminal,
    canAsk: settings.canAsk,
    isForPeople: settings.format === 'table' && stdout.isTerminal,
    screen: !isDrawn ? undefined : settings.accessible ? 'words' : 'pictures',
    isTool: frontend === undefined ? undefined : true,
  };
};

/** Runs a parsed command and shows its answer. However it ends, its notes are written and nothing stays open. */
export const runCommand = async (
  command: Command,
  parsedCommand: ParsedCommand,
  world: Runtime,
  surroundings: Surroundings,
): Promise<void> => {
  const { given, problems } = parsedCommand;
  const { help, suggest, frontend } = surroundings;
  const runtime = await withStatus(world, given, surroundings.isJson);
  const { settings, notes } = await settle(command, parsedCommand, runtime, surroundings);
  const context = openContext(command, parsedCommand, { runtime, settings, notes, frontend });
  const { method = command.effect === 'change' ? 'PATCH' : 'GET' } = command.operation ?? {};
  const isWrite = method !== 'GET' && !settings.dryRun;
  const called: Invocation = {
    ...parsedCommand,
    context,
    help,
    world: worldOf(context),
    checkFields: (known, operation) => checkSelected(context, known, operation, parsedCommand),
  };
  try {
    const invocation = await completeInvocation(command, called, context);
    const reply = await command.run(invocation);
    await (await import('./answer/carry-out.ts')).answer(context, reply);
    if (invocation.isAsked && problems.own?.line !== undefined) notes.info(`For a script: ${problems.own.line}`);
    // A signal that came while waiting for the reply to a write takes effect now.
    if (isWrite) throwIfInterrupted(runtime.interrupted, 'applied');
  } catch (error) {
    noteIncomplete(context, error);
    // The write was applied; only its reply could not be printed.
    if (error instanceof OutputFailure && isWrite) throw new OutputFailure(error.facts.reason!, 'applied');
    throw await completeError(error, command, called, context, suggest);
  } finally {
    noteHidden(notes, context.printer.hiddenColumns);
    await context.close();
    await notes.flush();
    await runtime.status?.end();
  }
};
