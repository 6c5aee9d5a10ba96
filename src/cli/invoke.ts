import { SchedError } from '../errors.ts';
import { checkFields } from '../output/fields.ts';
import { showText } from '../output/pager.ts';
import { ClosedPipe, type Runtime } from '../runtime.ts';
import { type Account, fieldList, resolveSettings, wantsSandbox } from '../settings.ts';
import { scanWords, splitWords } from './argv.ts';
import type { Command, Typed } from './command.ts';
import { createContext } from './context.ts';
import { nounHelp, topHelp } from './help.ts';
import { createNotes } from './notes.ts';
import { findNoun, isLeafNoun, nouns } from './nouns.ts';
import { Problems } from './problems.ts';
import { allFlags, helpOf, knownFields, leafOf, typedOf } from './program.ts';
import { sharedFlags } from './shared-flags.ts';
import { unknownFlag, unknownNoun, unknownVerb } from './slips.ts';

const asksHelp = (words: readonly string[]): boolean => {
  const end = words.indexOf('--');
  return words.slice(0, end < 0 ? words.length : end).some((word) => word === '--help' || word === '-h');
};

/** From words to a command that runs: find the noun, load it, let Commander parse what belongs to the verb. */
export const invoke = async (argv: readonly string[], runtime: Runtime, isJson: boolean): Promise<void> => {
  const helping = argv[0] === 'help';
  const { noun: word, verb, rest } = splitWords(helping ? argv.slice(1) : argv, sharedFlags, isLeafNoun);
  const wantsHelp = helping || asksHelp(rest);
  if (word === undefined) {
    const strange = rest.find(
      (flag) => flag !== '--help' && flag !== '-h' && scanWords([flag], sharedFlags, () => false).unknown.length > 0,
    );
    if (strange !== undefined)
      throw new SchedError('usage', unknownFlag(strange, sharedFlags), { hint: 'sched --help', outcome: 'not-sent' });
    return showText(runtime, `${topHelp()}\n`);
  }
  const noun = findNoun(word);
  if (noun === undefined) throw unknownNoun(word, verb);
  const commands = await nouns[noun]!.commands();
  const isLeaf = nouns[noun]!.leaf === true;
  if (verb === undefined && !isLeaf) {
    if (wantsHelp) return showText(runtime, `${nounHelp(noun, commands)}\n`);
    throw new SchedError('usage', `'sched ${noun}' needs a verb: ${commands.map(({ name }) => name).join(', ')}`, {
      hint: `sched ${noun} --help`,
      outcome: 'not-sent',
    });
  }
  const command = isLeaf ? commands[0] : commands.find(({ name }) => name === verb);
  if (command === undefined) throw unknownVerb(noun, verb!, commands);
  if (wantsHelp) {
    const words = isLeaf ? noun : `${noun} ${command.name}`;
    return showText(runtime, helpOf(words, command, runtime.stdout.columns));
  }
  await runCommand(command, rest, runtime, isJson);
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

const runCommand = async (command: Command, rest: string[], runtime: Runtime, isJson: boolean): Promise<void> => {
  const flags = allFlags(command);
  const fields = knownFields(command);
  const isField = (word: string) => fieldList(word).every((field) => fields.includes(field.split('.')[0]!));
  const scan = scanWords(rest, flags, isField);
  const problems = new Problems(`sched ${command.examples[0]}`);
  for (const flag of scan.unknown) problems.add(unknownFlag(flag, flags));
  for (const flag of scan.valueless) problems.add(`${flag} needs a value`);
  for (const flag of scan.overvalued) problems.add(`${flag} takes no value`);

  const leaf = leafOf(command);
  leaf.parse(scan.words, { from: 'user' });
  const typed = typedOf(leaf, command);
  const args = leaf.args;
  const isVariadic = command.arguments.at(-1)?.variadic === true;
  if (!isVariadic && !command.freeForm && args.length > command.arguments.length && scan.unknown.length === 0) {
    problems.add(`'${args[command.arguments.length]}' is one argument too many`);
  }
  const choices = command.freeForm && typed.output === undefined ? { json: '', ...typed } : typed;
  const account = await accountOf(command, typed, runtime);
  const settings = resolveSettings(choices, runtime, (problem) => problems.add(problem), account);
  if (!command.freeForm) for (const problem of checkFields(settings.fields ?? [], fields)) problems.add(problem);

  if (settings.jq !== undefined) {
    const { jqProblem } = await import('../output/jq.ts');
    const problem = await jqProblem(settings.jq);
    if (problem !== undefined) problems.add(problem);
  }

  const notes = createNotes(runtime.stderr, isJson);
  notes.quiet = settings.quiet;
  const context = createContext(runtime, settings, notes);
  try {
    await command.run({ context, args, typed, words: scan.words, problems });
  } catch (error) {
    if (context.printer.rows > 0 && !(error instanceof ClosedPipe)) {
      notes.insist(`incomplete: ${context.printer.rows.toLocaleString('en-US')} rows written`);
    }
    throw error;
  } finally {
    await context.close();
    await notes.flush();
  }
};
