import { ClosedPipe, OutputFailure, SchedError, throwIfInterrupted } from '../base/errors.ts';
import { counted } from '../base/numbers.ts';
import { the, words } from '../base/words.ts';
import { colorFlagOf, colorWanted } from '../output/color.ts';
import { commonFormats, ownFormats } from '../output/formats.ts';
import type { Runtime } from '../runtime.ts';
import type { Command, Invocation, ParsedCommand, ShowHelp } from './command.ts';
import type { Given } from './input/given.ts';
import { createNotes, noteHidden } from './messages/notes.ts';
import type { Here } from './messages/suggested-line.ts';
import { mirrorProblem } from './mirror-answer.ts';
import { checkSelected } from './operation/field-check.ts';
import { canAskFor } from './operation/missing-input.ts';
import { knownFields } from './parse/all-flags.ts';
import { createContext, type FindUser, type Frontend } from './session/context.ts';
import { type Account, hereOf, resolveSettings, wantsSandbox } from './session/settings.ts';

/** Few commands need this, so it is loaded on first use. */
export const findUserLazily: FindUser = async (who, context) =>
  (await import('./operation/references.ts')).findUser(who, context);

const isLocal = ({ local }: Pick<Command, 'local'>, given: Given): boolean =>
  typeof local === 'function' ? local(given) : local === true;

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
const completeInvocation = async (command: Command, given: Invocation): Promise<Invocation> => {
  if (!given.context.settings.canAsk) return given;
  const invocation = await (await import('./operation/short-ids.ts')).withWholeIds(command, given);
  if (!canAskFor(command, invocation.given)) return invocation;
  const { askMissing } = await import('./operation/ask-missing.ts');
  return askMissing(command, invocation);
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

/** Runs a parsed command: resolves its settings, creates its context and reports incomplete output. */
export const runCommand = async (
  command: Command,
  parsedCommand: ParsedCommand,
  world: Runtime,
  { isJson, help, suggest, frontend }: Surroundings,
): Promise<void> => {
  const { given, problems } = parsedCommand;
  const runtime = await withStatus(world, given, isJson);
  const profileName = given.profile as string | undefined;
  const account = await accountForCommand(command, given, runtime).catch(async (error: unknown) => {
    // A wrong command line is reported before a missing profile: `-p a -p b` may name neither.
    problems.check();
    throw await suggest(error, hereOf(given, runtime));
  });
  const choices = command.freeForm && given.output === undefined ? { json: '', ...given } : given;
  const { env, stderr } = runtime;
  const color = colorWanted({ flag: colorFlagOf(given.color), env, isTerminal: stderr.isTerminal });
  const isAccessible = given.accessible === true;
  const { asciiForm, needsAscii } = await import('../output/ascii.ts');
  const drawable = needsAscii(env) ? (text: string) => asciiForm(text.replace(/^✔/, 'ok')) : undefined;
  const doneMark = async () => (isAccessible ? '' : '✔ ');
  const notes =
    frontend?.notes ?? createNotes(stderr, isJson, isAccessible ? undefined : color, doneMark, runtime, drawable);
  const settings = resolveSettings(choices, runtime, problems, notes, account);
  notes.quiet = settings.quiet;
  if (settings.sandbox && profileName !== undefined && !isLocal(command, given))
    problems.add(
      words`${the('profile')} ${profileName} can't be used with the sandbox, which has its own account`,
      (own) => own.setFlag('profile', false),
    );
  const { profileIs } = settings;
  if (profileIs !== undefined && profileIs !== account?.name && !isLocal(command, given))
    problems.add(
      words`${the('profileIs')} is "${profileIs}", but ${account === undefined ? 'no profile is in use' : `the profile in use is "${account.name}"`}`,
    );
  const noMirror = settings.mirror && mirrorProblem(command);
  if (noMirror) problems.add(noMirror, (own) => own.setFlag('mirror', false));
  const changes = command.effect === 'change';
  // After a write, the next words typed belong to the shell, not to a pager.
  if (changes) settings.mayPage = false;
  if (settings.dryRun && command.operation === undefined && !command.freeForm && !changes)
    problems.add(
      words`${the(settings.curl ? 'curl' : 'dryRun')} doesn't work with this command, because it is not a single request`,
    );
  if (settings.noCheck && !settings.dryRun)
    problems.add(words`${the('noCheck')} only works with ${the('dryRun')} and ${the('curl')}`, (own) =>
      own.setFlag('no-check', false),
    );
  const { format } = settings;
  const isOwnFormat = format === 'ics' || format === 'text';
  if (isOwnFormat && command.ownFormat !== format)
    problems.value(
      'output',
      format,
      `-o ${format} only works with ${ownFormats[format]}. Use one of ${commonFormats.join(', ')}`,
    );
  if (isOwnFormat && settings.fields !== undefined)
    problems.add(words`${the('fields')} can't be used with -o ${format}`);
  if (settings.jq !== undefined) {
    const { jqProblem } = await import('../output/jq.ts');
    const problem = await jqProblem(settings.jq, runtime.interrupted);
    if (problem !== undefined) problems.add(problem);
  }

  // Each command has the sandbox to itself.
  const isBackground = !settings.sandbox && command.background?.(given);
  const context = createContext(runtime, settings, notes, findUserLazily, command.operation, isBackground, frontend);
  let asked: Promise<void> | undefined;
  context.beforeWrite = (request) => {
    asked ??= import('./session/confirm.ts').then(({ confirmRequest }) => confirmRequest(context, request));
    return asked;
  };
  if (!command.freeForm) {
    // `_sched` holds everything that sched adds to a record.
    const knownNames = [...new Set([...knownFields(command), ...(command.operation === undefined ? [] : ['_sched'])])];
    checkSelected(context, knownNames, command.operation, parsedCommand);
  }
  const { method = changes ? 'PATCH' : 'GET' } = command.operation ?? {};
  const isWrite = method !== 'GET' && !settings.dryRun;
  try {
    const invocation = await completeInvocation(command, { context, help, ...parsedCommand });
    const reply = await command.run(invocation);
    if (reply !== undefined) await (await import('./answer/carry-out.ts')).answer(context, reply);
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
    const { explainShortId } = await import('./operation/short-ids.ts');
    const problem = await suggest(
      await explainShortId(error, command, { context, help, ...parsedCommand }),
      settings.here,
    );
    // An error with lines of its own has no sentence to say it in.
    const place = problem instanceof SchedError && !problem.facts.lines ? notes.takePlace() : undefined;
    if (place !== undefined) Object.assign((problem as SchedError).facts, { place });
    throw problem;
  } finally {
    noteHidden(notes, context.printer.hiddenColumns);
    await context.close();
    await notes.flush();
    await runtime.status?.end();
  }
};
