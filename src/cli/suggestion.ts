import { type CommandLine, type NextStep, SchedError, type Suggestion } from '../base/errors.ts';
import { idIn } from '../base/uri.ts';
import { nouns } from '../commands/registry.ts';
import type { Runtime } from '../runtime.ts';
import type { ParsedCommand } from './command.ts';
import type { Given } from './input/given.ts';
import { hideAddresses } from './messages/hide-addresses.ts';
import { adviceText, flagWords, type Here, suggestedLine } from './messages/suggested-line.ts';
import { argumentsIn } from './parse/line-part.ts';

type SuggestedFlags = NonNullable<Suggestion['flags']>;

/** The user's own command with other flags, unless that would repeat a secret (R12) or an address (R49). */
const ownLine = (
  { flags = {}, args }: Suggestion,
  { name, problems: { own } }: ParsedCommand,
  { secrets }: Runtime,
): CommandLine | undefined => {
  for (const [flag, value] of Object.entries(flags)) {
    if (!own?.takes(flag)) return undefined;
    own.setFlag(flag, value);
  }
  if (args !== undefined) own?.setArguments(args);
  const line = own?.line;
  if (line === undefined || secrets.redact(line) !== line) return undefined;
  return name.startsWith('compliance ') && hideAddresses(line) !== line ? undefined : line;
};

/** Says which flags to change, for a command that must not be repeated. What is there already is not said again. */
const flagsInWords = (flags: SuggestedFlags, given: Given): string[] => {
  const isGiven = ([name, value]: [string, string | boolean]) => value !== false && given[name] === value;
  const addedFlags = flagWords(Object.fromEntries(Object.entries(flags).filter((flag) => !isGiven(flag))));
  const omittedFlags = Object.keys(flags).filter((name) => flags[name] === false);
  return [
    ...(addedFlags.length === 0 ? [] : [`add ${addedFlags.join(' ')}`]),
    ...omittedFlags.map((name) => `omit --${name}`),
  ];
};

const spellNextStep = (
  { hint, advice }: NextStep,
  parsedCommand: ParsedCommand,
  runtime: Runtime,
  here: Here,
): NextStep => {
  const adviceFacts = advice === undefined ? {} : { advice: adviceText(advice, here) };
  if (typeof hint !== 'object') return { ...adviceFacts, ...(hint === undefined ? {} : { hint }) };
  const { command, flags = {} } = hint;
  if (command !== undefined && command.join(' ') !== parsedCommand.name)
    return { ...adviceFacts, hint: suggestedLine(here, { command, flags }) };
  const line = ownLine(hint, parsedCommand, runtime);
  if (line !== undefined) return { ...adviceFacts, hint: line };
  const words = [...Object.values(adviceFacts), ...flagsInWords(flags, parsedCommand.given)];
  return words.length === 0 ? {} : { advice: words.join('; ') };
};

/** If the service doesn't know an ID of the call, suggests the noun's `list` command, unless that needs arguments. */
const listHint = async (
  { category, facts }: SchedError,
  { name, parts }: ParsedCommand,
): Promise<Suggestion | undefined> => {
  const segments = facts.http?.path.split('/') ?? [];
  const isNamed = argumentsIn(parts).some((arg) => segments.includes(idIn(arg)));
  if (category !== 'not-found' || !isNamed) return undefined;
  const [noun = ''] = name.split(' ');
  const list = (await nouns[noun]!.commands()).find((command) => command.name === 'list');
  return list?.arguments.length === 0 ? { command: [noun, 'list'] } : undefined;
};

/** Writes out the commands that an error suggests. `here` is the account of the command that failed. */
export const withSuggestion = async (
  error: unknown,
  parsedCommand: ParsedCommand,
  runtime: Runtime,
  here: Here,
): Promise<unknown> => {
  if (!(error instanceof SchedError)) return error;
  const { category, message } = error;
  const { corrections = [], advice, hint = await listHint(error, parsedCommand), ...facts } = error.facts;
  if (typeof hint !== 'object' && typeof advice !== 'object' && corrections.length === 0) return error;
  const { own } = parsedCommand.problems;
  const replaced = corrections.filter(({ from, to }) => own?.replace(from, to));
  const correctedLine = replaced.length > 0 ? own?.line : undefined;
  const nextStep = spellNextStep({ advice, hint: correctedLine ?? hint }, parsedCommand, runtime, here);
  return Object.assign(new SchedError(category, message, { ...facts, ...nextStep }), { cause: error });
};
