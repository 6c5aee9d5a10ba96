import type { Command as Commander } from 'commander';
import { ClosedPipe, OutputFailure, SchedError } from '../errors.ts';
import { checkFields, mendedField } from '../output/fields.ts';
import { showText } from '../output/pager.ts';
import type { Runtime } from '../runtime.ts';
import { type Account, fieldList, resolveSettings, wantsSandbox } from '../settings.ts';
import type { Command, Parsed, Typed } from './command.ts';
import { createContext } from './context.ts';
import { nounHelp, topHelp } from './help.ts';
import { helpOf } from './help-page.ts';
import { createNotes } from './notes.ts';
import { findNoun, isLeafNoun, nouns } from './nouns.ts';
import { commandLine } from './own-command.ts';
import { knownFields } from './parse/all-flags.ts';
import { Leaf, optionOf } from './parse/leaf.ts';
import { readLeaf } from './parse/parsed.ts';
import {
  dashesTooEarly,
  unknownId,
  unknownNoun,
  unknownSharedFlag,
  unknownTopic,
  unknownVerb,
  verbMissing,
} from './parse/slips.ts';
import { buildRoot, loadVerbs } from './parse/tree.ts';
import { typedWords } from './parse/typed-words.ts';
import { type CommandWords, commandFirst } from './parse/words.ts';
import { sharedFlags } from './shared-flags.ts';
import { topics } from './topics.ts';

/** From words to a command that runs. What a private noun was given is in no error, wherever that comes from (R49). */
export const invoke = async (argv: readonly string[], runtime: Runtime, isJson: boolean): Promise<void> => {
  try {
    await start(argv, runtime, isJson);
  } catch (error) {
    const told = argv.includes('--sandbox') ? inSandbox(error) : error;
    if (!argv.some((word) => findNoun(word) === 'compliance')) throw told;
    const { withoutAddresses } = await import('./compliance/private.ts');
    throw withoutAddresses(told);
  }
};

/** What to try is to be tried there too, where nothing needs an account. */
const inSandbox = (error: unknown): unknown => {
  const command = error instanceof SchedError ? /^sched ([a-z-]+)(?= )/.exec(error.facts.hint ?? '') : null;
  const isThere = command !== null && Object.hasOwn(nouns, command[1]!) && !/ --(sandbox|help)\b/.test(command.input);
  if (!isThere || ['auth', 'profiles', 'sandbox', 'doctor', 'completion'].includes(command[1]!)) return error;
  const { category, message, facts, stack } = error as SchedError;
  const hint = command.input.replaceAll(/(^|\$\()sched /g, '$1sched --sandbox ');
  return Object.assign(new SchedError(category, message, { ...facts, hint }), { stack });
};

interface Asked extends CommandWords {
  isHelp: boolean;
}

/** `sched help events list`, `sched events help` and `sched events list --help` ask for the same pages. */
const readHelp = (words: CommandWords, split: (argv: readonly string[]) => CommandWords): Asked => {
  const { noun, verb, rest } = words;
  if (noun === 'help') {
    const about = split(verb === undefined ? rest : [verb, ...rest]);
    return { ...about, rest: ['--help', ...about.rest], isHelp: true };
  }
  return verb === 'help' ? { noun: noun!, rest: ['--help', ...rest], isHelp: true } : { ...words, isHelp: false };
};

/** Lets Commander find the noun and its verb, and runs the command or shows its help. */
const start = async (argv: readonly string[], runtime: Runtime, isJson: boolean): Promise<void> => {
  const shared = sharedFlags.map(optionOf);
  const split = (words: readonly string[]) => commandFirst(words, shared, isLeafNoun);
  const { noun: word, verb, rest, isHelp } = readHelp(split(argv), split);
  /** A pager moves the cursor about. */
  const show = (text: string) => (rest.includes('--accessible') ? runtime.stdout.write(text) : showText(runtime, text));
  if (isHelp && word !== undefined && Object.hasOwn(topics, word)) return show(`${topics[word]!.text()}\n`);
  const isComplete = verb !== undefined || (word !== undefined && isLeafNoun(word));
  if (!isComplete && rest.includes('--')) throw dashesTooEarly();

  const runLeaf = async (leaf: Leaf, noun: Commander): Promise<void> => {
    if (leaf.wantsHelp) return show(helpOf(leaf, runtime.stdout.columns));
    const name = leaf === noun ? noun.name() : `${noun.name()} ${leaf.name()}`;
    const parsed = readLeaf(leaf, name, rest);
    await runCommand(leaf.definition, parsed, runtime, isJson).catch((error: unknown) => {
      throw unknownId(error, parsed.args, noun);
    });
  };
  const withoutVerb = (noun: Commander): Promise<void> => {
    if (verb !== undefined) throw unknownVerb(noun, verb);
    if (rest.includes('--help') || rest.includes('-h')) return show(`${nounHelp(noun)}\n`);
    throw verbMissing(noun);
  };
  const withoutNoun = (): Promise<void> => {
    if (word !== undefined) throw isHelp ? unknownTopic(word) : unknownNoun(word, verb);
    const strange = unknownSharedFlag(rest);
    if (strange !== undefined) throw strange;
    return show(`${topHelp(root)}\n`);
  };

  const root = buildRoot()
    .action(withoutNoun)
    .hook('preSubcommand', async (_, noun) => {
      for (const leaf of await loadVerbs(noun)) leaf.action(() => runLeaf(leaf, noun));
      if (!(noun instanceof Leaf)) noun.action(() => withoutVerb(noun));
    });
  const words = [word, verb].filter((each) => each !== undefined);
  await root.parseAsync([...words, ...rest], { from: 'user' });
};

/** The profile a command uses. In CI a token and a base URL say everything, and no file is read. */
const accountOf = async (command: Command, typed: Typed, runtime: Runtime): Promise<Account | undefined> => {
  const { env } = runtime;
  if (command.local || wantsSandbox(typed, runtime)) return undefined;
  const isNamed = typed.profile !== undefined || Boolean(env.SCHED_PROFILE);
  if (!isNamed && (env.SCHED_TOKEN || env.SCHED_TOKEN_FILE) && env.SCHED_BASE_URL) return undefined;
  const { chosenProfile } = await import('../profiles.ts');
  return chosenProfile(typed.profile as string | undefined, runtime);
};

/** The command as it was typed, with field names that are known. */
const mendedLine = (parsed: Parsed, known: readonly string[]): string => {
  const mended = typedWords(parsed).map((word) => {
    const [, flag, list] = /^(--fields=|--json=)(.+)$/s.exec(word) ?? [];
    if (flag === undefined || list === undefined) return word;
    const fields = fieldList(list).map((field) => mendedField(field, known));
    return fields.includes(undefined) ? undefined : `${flag}${fields.join(',')}`;
  });
  return mended.includes(undefined)
    ? `sched ${parsed.name} --help`
    : commandLine(...parsed.name.split(' '), ...(mended as string[]));
};

/** A session does not know whose it is: without the profile's name another one would be logged in instead. */
const withProfile = (error: unknown, profile: string | undefined): unknown =>
  error instanceof SchedError && error.facts.hint === 'sched auth login' && profile !== undefined
    ? new SchedError(error.category, error.message, { ...error.facts, hint: `sched auth login -p ${profile}` })
    : error;

const runCommand = async (command: Command, parsed: Parsed, runtime: Runtime, isJson: boolean): Promise<void> => {
  const { typed, problems } = parsed;
  const account = await accountOf(command, typed, runtime);
  const choices = command.freeForm && typed.output === undefined ? { json: '', ...typed } : typed;
  const notes = createNotes(runtime.stderr, isJson);
  const tell = { problem: (text: string) => problems.add(text), note: notes.say };
  const settings = resolveSettings(choices, runtime, tell, account);
  notes.quiet = settings.quiet;
  if (settings.dryRun && command.operation === undefined && !command.freeForm)
    problems.add(
      `--${settings.curl ? 'curl' : 'dry-run'} has nothing to print here: the command stands for no single request`,
    );
  const fields = command.freeForm ? [] : (settings.fields ?? []);
  // What we add to a record stands under one name of ours.
  const known = [...new Set([...knownFields(command), ...(command.operation === undefined ? [] : ['_sched'])])];
  for (const problem of checkFields(fields, known)) problems.slip(problem, mendedLine(parsed, known));
  if (settings.jq !== undefined) {
    const { jqProblem } = await import('../output/jq.ts');
    const problem = await jqProblem(settings.jq, runtime.interrupted);
    if (problem !== undefined) problems.add(problem);
  }

  const online = createContext(runtime, settings, notes, command.operation);
  const context = settings.curl ? (await import('./offline.ts')).offline(online) : online;
  try {
    await command.run({ context, ...parsed });
  } catch (error) {
    const isAnswered = error instanceof SchedError && error.facts.answered === true;
    if (context.printer.isUnfinished && context.printer.rows > 0 && !isAnswered && !(error instanceof ClosedPipe)) {
      const { rows } = context.printer;
      notes.insist(`incomplete: ${rows.toLocaleString('en-US')} ${rows === 1 ? 'row' : 'rows'} written`);
    }
    // The write was carried out; only its answer could not be shown.
    const isWrite = command.operation !== undefined && command.operation.method !== 'GET' && !settings.dryRun;
    if (error instanceof OutputFailure && isWrite) throw new OutputFailure(error.facts.reason!, 'applied');
    throw withProfile(error, account?.name ?? (typed.profile as string | undefined));
  } finally {
    await context.close();
    await notes.flush();
  }
};
