import type { Advice, CommandLine, OtherCommand } from '../../base/errors.ts';
import { shellWord } from '../../base/shell-quote.ts';
import { asFlags, spell } from '../../base/words.ts';

/** What a command line for pasting must name, so that it acts on the same account and in the same time zone. */
export interface Here {
  sandbox: boolean;
  /** The profile in use. */
  profile?: string | undefined;
  /** There is no other profile, and nobody named this one. */
  isOnly?: boolean;
  /** The zone, if it was given. All others come from the account or the machine, and stay. */
  zone?: string | undefined;
}

/** Outside of a command, there is no account to name. */
export const noAccount: Here = { sandbox: false };

/** Commands without an account: `-p` and `--sandbox` mean nothing to them. */
const accountless = [
  'help',
  'completion',
  'man',
  'sandbox',
  'compliance key',
  'compliance runs',
  'compliance verify',
  'profiles add',
  'profiles list',
  'profiles use',
  'config schema',
  'skill',
  'webhooks verify',
] as const;

/** Commands about a profile: its login and its settings. They don't know the sandbox. */
const aboutProfiles = ['auth login', 'auth logout', 'doctor', 'profiles'];

/** Whether a list names this command, or all commands of its noun. */
const includesCommand = (list: readonly string[], command: string): boolean =>
  list.includes(command) || list.includes(command.split(' ')[0]!);

type HasFlag = (name: string) => boolean;

/** The flags that a command lacks. `command` is noun and verb. */
const lackingFlags = (
  { sandbox, profile, isOnly = false, zone }: Here,
  command: string,
  has: HasFlag,
): { early: string[]; account: string[]; late: string[] } => {
  if (includesCommand(accountless, command)) return { early: [], account: [], late: [] };
  // `doctor --api` asks the service.
  const isAboutProfile = includesCommand(aboutProfiles, command) && !has('api');
  const isInSandbox = sandbox || has('sandbox');
  // A login always names its profile: another one may be the default by then.
  const isNamed = profile !== undefined && !isInSandbox && !has('profile') && (!isOnly || isAboutProfile);
  return {
    early: sandbox && !isAboutProfile && !has('sandbox') ? ['--sandbox'] : [],
    account: isNamed ? ['-p', profile] : [],
    late: zone === undefined || isAboutProfile || has('tz') ? [] : ['--tz', zone],
  };
};

const commandLine = (words: readonly string[]): CommandLine =>
  ['sched', ...words.map(shellWord)].join(' ') as CommandLine;

/** A command that can be pasted into a shell. Its arguments come before its flags. */
const lineFor = (here: Here, words: readonly string[]): CommandLine => {
  const [noun = '', verb = ''] = words;
  const has: HasFlag = (name) =>
    words.some(
      (word) => word === `--${name}` || word.startsWith(`--${name}=`) || (name === 'profile' && word === '-p'),
    );
  const { early, account, late } = lackingFlags(here, `${noun} ${verb}`, has);
  const firstFlag = words.findIndex((word) => /^--?[a-z]/.test(word));
  return commandLine([...early, ...words.toSpliced(firstFlag < 0 ? words.length : firstFlag, 0, ...account), ...late]);
};

/** A command for the account and the time zone of the running command. */
export const commandHere = ({ settings }: { settings: { here: Here } }, ...words: readonly string[]): CommandLine =>
  lineFor(settings.here, words);

/** A command that needs no account. */
export const localCommand = (
  name: (typeof accountless)[number] | '--version',
  ...words: readonly string[]
): CommandLine => commandLine([...name.split(' '), ...words]);

/** A line that only shows help, so it needs no account. */
export const helpLine = (...words: readonly string[]): CommandLine => commandLine(words);

/** The user's own command. `here` is what the environment chose: the variable may be set for this one command only. */
export const ownCommand = (
  here: Here,
  command: string,
  words: { early: readonly string[]; late: readonly string[] },
  has: HasFlag,
): CommandLine => {
  const { early, account, late } = lackingFlags(here, command, has);
  const end = words.late.indexOf('--');
  return commandLine([
    ...early,
    ...words.early,
    ...command.split(' '),
    ...words.late.toSpliced(end < 0 ? words.late.length : end, 0, ...account, ...late),
  ]);
};

/** Flags as words. `false` is for a flag to remove. */
export const flagWords = (flags: NonNullable<OtherCommand['flags']>): string[] =>
  Object.entries(flags).flatMap(([name, value]) => {
    if (value === false) return [];
    return value === true ? [`--${name}`] : [`--${name}`, value];
  });

export const suggestedLine = (here: Here, { command, flags = {} }: OtherCommand): CommandLine =>
  lineFor(here, [...command, ...flagWords(flags)]);

/** An advice with its commands written out. */
export const adviceText = (advice: Advice, here: Here, spelling = asFlags): string =>
  spell(
    [advice].flat().map((part) => (typeof part === 'object' && 'command' in part ? suggestedLine(here, part) : part)),
    spelling,
  );
