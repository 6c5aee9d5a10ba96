import { collections } from '../../api/collections.ts';
import { capital } from '../../capital.ts';
import { once } from '../../once.ts';
import type { Argument, Command, Flag, FollowUp, Invocation, Offered, Typed } from '../command.ts';
import { howOf } from '../input/input.ts';
import { kindOf } from '../input/kinds.ts';
import { asFlags, spell, the } from '../input/words.ts';
import { createAsker } from '../session/ask.ts';
import type { Asker, Choice } from '../session/asker.ts';
import type { FieldFlag } from './field-flags.ts';
import { readFlags } from './input.ts';
import { missingArguments, missingFlags } from './missing.ts';
import { choicesOf, type NamedChoice } from './name-lookup.ts';

const isField = (flag: Flag): flag is FieldFlag => 'field' in flag;

const isTime = (flag: Flag): boolean => kindOf(flag).isMoment === true;

const asChoice = (value: string): Choice => ({ value, label: value });

/** What to choose from for an argument. Undefined if the command can do without it. */
const offerFor = async ({ collection, offer }: Argument, invocation: Invocation): Promise<Offered | undefined> => {
  if (offer !== undefined) return offer(invocation);
  const choices = await choicesOf(collection!, invocation.context);
  return { question: `Which ${collections[collection!].singular}?`, choices };
};

/** The values of an argument: several if it takes several, none if there is nothing to choose from. */
const askArgument = async (argument: Argument, offered: Offered, ask: () => Promise<Asker>): Promise<string[]> => {
  const { question, choices, isClosed, ...options } = offered;
  if (choices.length === 0)
    return options.readOther === undefined ? [] : [await (await ask()).text({ label: question })];
  if (isClosed && choices.length === 1) return [choices[0]!.value];
  const asker = await ask();
  if (argument.variadic) return asker.chooseSeveral(question, choices, options);
  return [await asker.choose(question, choices, options)];
};

/** Stands for no value: the command then means all records. */
const without = '';

/** An answer, and the name of the chosen record: people know it better than its ID. */
interface Answer {
  value: string;
  name?: string | undefined;
}

/** The name of a choice, unless others have the same one, or it would be read as a flag. */
const nameIn = (choices: readonly NamedChoice[], value: string): string | undefined => {
  const [name] = choices.find((choice) => choice.value === value)?.words ?? [];
  const isOnly = choices.filter(({ words }) => words[0] === name).length === 1;
  return isOnly && !name!.startsWith('-') ? name : undefined;
};

const askFlag = async (flag: Flag, { asks }: Command, invocation: Invocation, asker: Asker): Promise<Answer> => {
  const { context } = invocation;
  const label = capital(flag.description);
  const { collection } = flag;
  if (collection !== undefined && collections[collection].isNamed) {
    const choices = await choicesOf(collection, context);
    const value = await asker.choose(`Which ${flag.name.replaceAll('-', ' ')}?`, choices);
    return { value, name: nameIn(choices, value) };
  }
  if (flag.choices !== undefined) return { value: await asker.choose(label, flag.choices.map(asChoice)) };
  const asked = await asks?.[flag.name]?.(invocation, asker);
  if (asked !== undefined) return { value: asked };
  const kind = kindOf(flag);
  const how = howOf(invocation);
  const preset = kind.preset?.(how);
  const value = await asker.text({
    label,
    ...(preset === undefined ? {} : { preset }),
    check: async (answer) => {
      const read = await kind.read(answer, how);
      return read.ok ? undefined : spell(read.problem, asFlags, the(flag.name));
    },
  });
  return { value };
};

const skip: Choice = { value: '', label: 'skip' };

const askFollowUp = async ({ label, choices, isOptional }: FollowUp, asker: Asker): Promise<string> =>
  choices === undefined
    ? asker.text({ label: isOptional ? `${label} (Enter skips)` : label, isOptional })
    : asker.choose(label, [...(isOptional ? [skip] : []), ...choices.map(asChoice)]);

/** Asks for everything that the command needs and that wasn't typed. */
export const askMissing = async (command: Command, invocation: Invocation): Promise<Invocation> => {
  const { context } = invocation;
  const { own } = invocation.problems;
  // Report wrong values before the first question, so that no answers are lost.
  await readFlags(invocation, command.flags.filter(isField), howOf(invocation));
  invocation.problems.check();
  let isAsked = false;
  const ask = once(() => {
    isAsked = true;
    return createAsker(context);
  });
  const typed: Record<string, Typed[string]> = { ...invocation.typed };
  const filled: Invocation = { ...invocation, args: [...invocation.args], typed };

  // A time can only be read once the invitee's time zone is known.
  const flags = missingFlags(command, typed).sort((a, b) => Number(isTime(a)) - Number(isTime(b)));
  for (const flag of flags) {
    const { value, name = value } = await askFlag(flag, command, filled, await ask());
    typed[flag.name] = value;
    own?.addFlag(flag.name, name);
  }
  for (const argument of missingArguments(command, filled)) {
    const offered = await offerFor(argument, filled);
    if (offered === undefined) break;
    const answers = await askArgument(argument, offered, ask);
    if (answers.length === 0) {
      context.notes.info(`${offered.question} There is nothing to choose from`);
      break;
    }
    for (const answer of answers.filter((value) => value !== without)) {
      filled.args.push(answer);
      own?.addArgument(answer);
    }
  }
  const add = (flag: string, value: string): void => {
    const isList = command.flags.some(({ name, repeat }) => name === flag && repeat);
    typed[flag] = isList ? ([...[typed[flag] ?? []].flat(), value] as string[]) : value;
    own?.addFlag(flag, value);
  };
  for (const followUp of (await command.followUps?.(filled)) ?? []) {
    const answer = await askFollowUp(followUp, await ask());
    if (answer !== '') add(followUp.flag, followUp.valueOf(answer));
  }
  for (const [flag, value] of (await command.askMore?.(filled, ask)) ?? []) add(flag, value);
  return { ...filled, isAsked };
};
