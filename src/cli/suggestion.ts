import { type CommandLine, type NextStep, SchedError, type Suggestion } from '../errors.ts';
import type { Runtime } from '../runtime.ts';
import { idIn } from '../uri.ts';
import type { Parsed } from './command.ts';
import { hideAddresses } from './commands/compliance/hide-addresses.ts';
import { nouns } from './commands/registry.ts';
import { commandLine } from './messages/command-lines.ts';

type SuggestedFlags = NonNullable<Suggestion['flags']>;

/** Commands that don't talk to the service, so `--sandbox` means nothing to them. */
const offline = ['auth', 'profiles', 'sandbox', 'doctor', 'completion', 'man'];

const flagWords = (flags: SuggestedFlags): string[] =>
  Object.entries(flags).flatMap(([name, value]) => {
    if (value === false) return [];
    return value === true ? [`--${name}`] : [`--${name}`, value];
  });

/** Another command, for the same account. A login always names its profile: another one may be the default. */
const otherCommand = (
  [noun = '', verb = '', ...rest]: readonly string[],
  flags: SuggestedFlags,
  { typed }: Parsed,
  profile: string | undefined,
): CommandLine => {
  const isLogin = noun === 'auth' && ['login', 'logout'].includes(verb);
  const account = isLogin ? profile : (typed.profile as string | undefined);
  return commandLine(
    ...(typed.sandbox === true && !offline.includes(noun) ? ['--sandbox'] : []),
    ...[noun, verb, ...rest].filter(Boolean),
    ...(account === undefined ? [] : ['-p', account]),
    ...flagWords(flags),
  );
};

/** The user's own command with other flags, unless that would repeat a secret (R12) or an address (R49). */
const ownCommand = (
  flags: SuggestedFlags,
  { name, problems: { own } }: Parsed,
  { secrets }: Runtime,
): CommandLine | undefined => {
  for (const [flag, value] of Object.entries(flags)) {
    if (!own?.takes(flag)) return undefined;
    own.setFlag(flag, value);
  }
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

const written = (
  { hint, advice }: NextStep,
  parsed: Parsed,
  runtime: Runtime,
  profile: string | undefined,
): NextStep => {
  if (typeof hint !== 'object') return {};
  const { command, flags = {} } = hint;
  if (command !== undefined && command.join(' ') !== parsed.name)
    return { hint: otherCommand(command, flags, parsed, profile) };
  const line = ownCommand(flags, parsed, runtime);
  if (line !== undefined) return { hint: line };
  const words = [...(advice === undefined ? [] : [advice]), ...inWords(flags)];
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

/** Writes out the command that an error suggests. `profile` is the one whose login the command uses. */
export const withSuggestion = async (
  error: unknown,
  parsed: Parsed,
  runtime: Runtime,
  profile: string | undefined,
): Promise<unknown> => {
  if (!(error instanceof SchedError)) return error;
  const { category, message } = error;
  const { meant, hint = await listHint(error, parsed), ...facts } = error.facts;
  if (typeof hint !== 'object' && meant === undefined) return error;
  const { own } = parsed.problems;
  const corrected = meant && own?.replace(meant.from, meant.to) ? own.line : undefined;
  const suggested = corrected ? { hint: corrected } : written({ ...facts, hint }, parsed, runtime, profile);
  return Object.assign(new SchedError(category, message, { ...facts, ...suggested }), { cause: error });
};
