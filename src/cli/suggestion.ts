import { type CommandLine, type NextStep, SchedError, type Suggestion } from '../errors.ts';
import type { Runtime } from '../runtime.ts';
import { idIn } from '../uri.ts';
import type { Parsed } from './command.ts';
import { hideAddresses } from './commands/compliance/hide-addresses.ts';
import { nouns } from './commands/registry.ts';
import { adviceText, flagWords, type Here, suggestedLine } from './messages/suggested-line.ts';

type SuggestedFlags = NonNullable<Suggestion['flags']>;

/** The user's own command with other flags, unless that would repeat a secret (R12) or an address (R49). */
const ownCommand = (
  { flags = {}, args }: Suggestion,
  { name, problems: { own } }: Parsed,
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

/** Says which flags to change, for a command that must not be repeated. */
const inWords = (flags: SuggestedFlags): string[] => {
  const added = flagWords(flags);
  const omitted = Object.keys(flags).filter((name) => flags[name] === false);
  return [...(added.length === 0 ? [] : [`add ${added.join(' ')}`]), ...omitted.map((name) => `omit --${name}`)];
};

const written = ({ hint, advice }: NextStep, parsed: Parsed, runtime: Runtime, here: Here): NextStep => {
  const said = advice === undefined ? {} : { advice: adviceText(advice, here) };
  if (typeof hint !== 'object') return { ...said, ...(hint === undefined ? {} : { hint }) };
  const { command, flags = {} } = hint;
  if (command !== undefined && command.join(' ') !== parsed.name)
    return { ...said, hint: suggestedLine(here, { command, flags }) };
  const line = ownCommand(hint, parsed, runtime);
  if (line !== undefined) return { ...said, hint: line };
  const words = [...Object.values(said), ...inWords(flags)];
  return words.length === 0 ? {} : { advice: words.join('; ') };
};

/** If the service doesn't know a typed ID, suggests the noun's `list` command, unless that needs arguments. */
const listHint = async ({ category, facts }: SchedError, { name, args }: Parsed): Promise<Suggestion | undefined> => {
  const segments = facts.http?.path.split('/') ?? [];
  const isTyped = args.some((arg) => segments.includes(idIn(arg)));
  if (category !== 'not-found' || !isTyped) return undefined;
  const [noun = ''] = name.split(' ');
  const list = (await nouns[noun]!.commands()).find((command) => command.name === 'list');
  return list?.arguments.length === 0 ? { command: [noun, 'list'] } : undefined;
};

/** Writes out the commands that an error suggests. `here` is the account of the command that failed. */
export const withSuggestion = async (
  error: unknown,
  parsed: Parsed,
  runtime: Runtime,
  here: Here,
): Promise<unknown> => {
  if (!(error instanceof SchedError)) return error;
  const { category, message } = error;
  const { meant, advice, hint = await listHint(error, parsed), ...facts } = error.facts;
  if (typeof hint !== 'object' && typeof advice !== 'object' && meant === undefined) return error;
  const { own } = parsed.problems;
  const corrected = meant && own?.replace(meant.from, meant.to) ? own.line : undefined;
  const suggested = written({ advice, hint: corrected ?? hint }, parsed, runtime, here);
  return Object.assign(new SchedError(category, message, { ...facts, ...suggested }), { cause: error });
};
