import { ClosedPipe, OutputFailure, SchedError } from '../errors.ts';
import { correctedField } from '../output/fields.ts';
import { commonFormats } from '../output/formats.ts';
import { counted } from '../plural.ts';
import type { Runtime } from '../runtime.ts';
import type { Command, Parsed, ShowHelp, Typed } from './command.ts';
import { createNotes } from './messages/notes.ts';
import type { Fix, Problems } from './messages/problems.ts';
import { checkSelected } from './operation/field-check.ts';
import { knownFields } from './parse/all-flags.ts';
import { createContext, type FindUser } from './session/context.ts';
import { type Account, fieldList, resolveSettings, wantsSandbox } from './session/settings.ts';

/** Few commands need this, so it is loaded on first use. */
const findUser: FindUser = async (who, context) => (await import('./operation/references.ts')).findUser(who, context);

/** The profile a command uses. Reads no file if the environment has both a token and a base URL, as in CI. */
const accountOf = async (command: Command, typed: Typed, runtime: Runtime): Promise<Account | undefined> => {
  const { env } = runtime;
  if (command.local || wantsSandbox(typed, runtime)) return undefined;
  const isNamed = typed.profile !== undefined || Boolean(env.SCHED_PROFILE);
  if (!isNamed && (env.SCHED_TOKEN || env.SCHED_TOKEN_FILE) && env.SCHED_BASE_URL) return undefined;
  const { chosenProfile } = await import('./session/profiles.ts');
  return chosenProfile(typed.profile as string | undefined, runtime);
};

/** Corrects the typed field names, if all of them can be corrected. */
const fieldsFix = (typed: Typed, known: readonly string[]): Fix | undefined => {
  const lists = (['fields', 'json'] as const).flatMap((flag) => {
    const list = typed[flag];
    return typeof list === 'string' && list !== '' ? [{ flag, list }] : [];
  });
  const corrected = lists.map(({ flag, list }) => {
    const fields = fieldList(list).map((field) => correctedField(field, known));
    return { flag, list, fields };
  });
  if (corrected.some(({ fields }) => fields.includes(undefined))) return undefined;
  return (own) => {
    for (const { flag, list, fields } of corrected) own.setValue(flag, list, fields.join(','));
  };
};

/** Sets the hint of an error about a value that was probably meant differently: the user's command with that value. */
const withMeant = (error: unknown, problems: Problems): unknown => {
  if (!(error instanceof SchedError) || error.facts.meant === undefined) return error;
  const hint = problems.withValue(error.facts.meant.from, error.facts.meant.to);
  return hint === undefined ? error : new SchedError(error.category, error.message, { ...error.facts, hint });
};

/** Adds the profile to a login hint. The session doesn't know it, and without it another profile would be logged in. */
const withProfile = (error: unknown, profile: string | undefined): unknown =>
  error instanceof SchedError && error.facts.hint === 'sched auth login' && profile !== undefined
    ? new SchedError(error.category, error.message, { ...error.facts, hint: `sched auth login -p ${profile}` })
    : error;

/** Runs a parsed command: resolves its settings, creates its context and reports incomplete output. */
export const runCommand = async (
  command: Command,
  parsed: Parsed,
  runtime: Runtime,
  isJson: boolean,
  help: ShowHelp,
): Promise<void> => {
  const { typed, problems } = parsed;
  const account = await accountOf(command, typed, runtime).catch((error: unknown) => {
    // A wrong command line is reported before a missing profile: `-p a -p b` may name neither.
    problems.check();
    throw withMeant(error, problems);
  });
  const choices = command.freeForm && typed.output === undefined ? { json: '', ...typed } : typed;
  const notes = createNotes(runtime.stderr, isJson);
  const tell = {
    problem: (text: string) => problems.add(text),
    value: problems.value.bind(problems),
    note: notes.info,
  };
  const settings = resolveSettings(choices, runtime, tell, account);
  notes.quiet = settings.quiet;
  if (settings.dryRun && command.operation === undefined && !command.freeForm)
    problems.add(
      `--${settings.curl ? 'curl' : 'dry-run'} doesn't work with this command, because it is not a single request`,
    );
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

  const online = createContext(runtime, settings, notes, findUser, command.operation);
  if (!command.freeForm) {
    // `_sched` holds everything that sched adds to a record.
    const known = [...new Set([...knownFields(command), ...(command.operation === undefined ? [] : ['_sched'])])];
    checkSelected(online, known, command.operation, problems, fieldsFix(typed, known));
  }
  const context = settings.curl ? (await import('./session/curl-context.ts')).curlContext(online, findUser) : online;
  try {
    await command.run({ context, help, ...parsed });
  } catch (error) {
    const isAnswered = error instanceof SchedError && error.facts.answered === true;
    if (context.printer.isUnfinished && context.printer.rows > 0 && !isAnswered && !(error instanceof ClosedPipe)) {
      const { rows } = context.printer;
      notes.warn(`incomplete: ${counted(rows, 'row')} written`);
    }
    // The write was applied; only its reply could not be printed.
    const isWrite = command.operation !== undefined && command.operation.method !== 'GET' && !settings.dryRun;
    if (error instanceof OutputFailure && isWrite) throw new OutputFailure(error.facts.reason!, 'applied');
    throw withProfile(withMeant(error, problems), account?.name ?? (typed.profile as string | undefined));
  } finally {
    await context.close();
    await notes.flush();
  }
};
