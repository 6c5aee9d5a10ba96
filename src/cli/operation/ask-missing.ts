import { collections } from '../../api/collections.ts';
import { capital } from '../../base/numbers.ts';
import { once } from '../../base/once.ts';
import { asFlags, spell, the } from '../../base/words.ts';
import type { Argument, ChoiceList, Command, Flag, FollowUp, Invocation } from '../command.ts';
import type { Given } from '../input/given.ts';
import { howOf } from '../input/input.ts';
import { readValue } from '../input/kind.ts';
import { createAsker } from '../session/ask.ts';
import type { Asker, Choice } from '../session/asker.ts';
import type { Shell } from '../session/context.ts';
import type { FieldFlag } from './field-flags.ts';
import { readFlags } from './input.ts';
import { missingArguments, missingFlags } from './missing-input.ts';
import { choicesOf, type NamedChoice } from './name-lookup.ts';

const isField = (flag: Flag): flag is FieldFlag => 'field' in flag;

const asksTime = (flag: Flag): boolean => flag.kind.isMoment === true;

const asChoice = (value: string): Choice => ({ value, label: value });

/** What to choose from for an argument. Undefined if the command can do without it. */
const offerFor = async ({ collection, offer }: Argument, invocation: Invocation): Promise<ChoiceList | undefined> => {
  if (offer !== undefined) return offer(invocation);
  const choices = await choicesOf(collection!, invocation.context);
  return { question: `Which ${collections[collection!].singular}?`, choices };
};

/** The values of an argument: several if it takes several, none if there is nothing to choose from. */
const askArgument = async (
  argument: Argument,
  choiceList: ChoiceList,
  ask: () => Promise<Asker>,
): Promise<string[]> => {
  const { question, choices, isClosed, ...options } = choiceList;
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
const choiceName = (choices: readonly NamedChoice[], value: string): string | undefined => {
  const [name] = choices.find((choice) => choice.value === value)?.words ?? [];
  const isOnly = choices.filter(({ words }) => words[0] === name).length === 1;
  return isOnly && !name!.startsWith('-') ? name : undefined;
};

const askFlag = async (flag: Flag, { prompts }: Command, invocation: Invocation, asker: Asker): Promise<Answer> => {
  const { context } = invocation;
  const prompt = prompts?.[flag.name];
  const { label = capital(spell(flag.description)), read: readAnswer = (text: string) => text } = prompt ?? {};
  const { collection } = flag;
  if (collection !== undefined && collections[collection].isNamed) {
    const choices = await choicesOf(collection, context);
    const value = await asker.choose(`Which ${flag.name.replaceAll('-', ' ')}?`, choices);
    return { value, name: choiceName(choices, value) };
  }
  if (flag.choices !== undefined) return { value: await asker.choose(label, flag.choices.map(asChoice)) };
  const { kind } = flag;
  const how = howOf(invocation);
  const preset = kind.preset?.(how);
  const answer = await asker.text({
    label,
    what: prompt?.what,
    ...(preset === undefined ? {} : { preset }),
    check: async (answer) => {
      const read = await readValue(kind, readAnswer(answer), how);
      return read.ok ? undefined : spell(read.problem, asFlags, the(flag.name));
    },
  });
  return { value: readAnswer(answer) };
};

const skip: Choice = { value: '', label: 'skip' };

const askFollowUp = async ({ label, choices, isOptional }: FollowUp, asker: Asker): Promise<string> =>
  choices === undefined
    ? asker.text({ label: isOptional ? `${label} (Enter skips)` : label, isOptional })
    : asker.choose(label, [...(isOptional ? [skip] : []), ...choices.map(asChoice)]);

/** Asks for everything that the command needs and that isn't given. */
export const askMissing = async (command: Command, invocation: Invocation, shell: Shell): Promise<Invocation> => {
  const { context } = invocation;
  const { own } = invocation.problems;
  // Report wrong values before the first question, so that no answers are lost.
  await readFlags(invocation, command.flags.filter(isField), howOf(invocation));
  invocation.problems.check();
  let isAsked = false;
  const ask = once(() => {
    isAsked = true;
    return createAsker(shell);
  });
  const given: Record<string, Given[string]> = { ...invocation.given };
  const filledInvocation: Invocation = { ...invocation, given };

  // First what, then when, then who: nobody enters names for a time that doesn't exist. Without free times to choose
  // from, a time can only be read once the invitee's time zone is known.
  const placeOf = (flag: Flag): number =>
    flag.collection !== undefined ? 0 : command.asks?.[flag.name] !== undefined ? 1 : asksTime(flag) ? 3 : 2;
  const flags = missingFlags(command, given).sort((a, b) => placeOf(a) - placeOf(b));
  const entered: Flag[] = [];
  const take = (flag: Flag, { value, name = value }: Answer): void => {
    given[flag.name] = value;
    own?.addFlag(flag.name, name);
  };
  for (const flag of flags) {
    const value = await command.asks?.[flag.name]?.(filledInvocation, await ask());
    if (value !== undefined) take(flag, { value });
    else if (placeOf(flag) === 1) entered.push(flag);
    else take(flag, await askFlag(flag, command, filledInvocation, await ask()));
  }
  for (const flag of entered) take(flag, await askFlag(flag, command, filledInvocation, await ask()));
  for (const argument of missingArguments(command, given)) {
    const choiceList = await offerFor(argument, filledInvocation);
    if (choiceList === undefined) break;
    const answers = await askArgument(argument, choiceList, ask);
    if (answers.length === 0) {
      context.notes.info(`${choiceList.question} There is nothing to choose from`);
      break;
    }
    const values = answers.filter((value) => value !== without);
    if (values.length > 0) given[argument.name] = argument.variadic ? values : values[0];
    for (const answer of values) own?.addArgument(answer);
  }
  const add = (flag: string, value: string): void => {
    const isList = command.flags.some(({ name, repeat }) => name === flag && repeat);
    given[flag] = isList ? ([...[given[flag] ?? []].flat(), value] as string[]) : value;
    own?.addFlag(flag, value);
  };
  for (const followUp of (await command.followUps?.(filledInvocation)) ?? []) {
    const answer = await askFollowUp(followUp, await ask());
    if (answer === '') continue;
    if (followUp.also !== undefined) add(...followUp.also);
    add(followUp.flag, followUp.valueOf(answer));
  }
  for (const [flag, value] of (await command.askMore?.(filledInvocation, ask)) ?? []) add(flag, value);
  return { ...filledInvocation, isAsked };
};
