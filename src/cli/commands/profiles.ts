import { inspect } from '../../api/inspect.ts';
import { plainErrors, problemOf } from '../../api/wording.ts';
import { readReference, waysInSentence } from '../../client/ids.ts';
import { SchedError, usageError } from '../../errors.ts';
import type { Argument, Command, Invocation, Offered } from '../command.ts';
import { readJsonFile } from '../json-file.ts';
import { commandHere, suggestedLine } from '../messages/suggested-line.ts';
import { addProfile, changeConfig, chosenName, chosenProfile, readConfig } from '../session/config-file.ts';
import { confirm } from '../session/confirm.ts';
import { nameProblem, Profile, SettableProfile, settableKeys } from '../session/profile-schema.ts';
import type { Facts } from '../session/prompt.ts';
import { addressKeys, withoutAddresses } from '../session/server-addresses.ts';
import { fileFlag, flagName, keyFlags, keyOf, organizationFlag, type SettableKey } from './profile-flags.ts';
import { view } from './profile-view.ts';

const shown = (name: string, profile: Profile, isCurrent: boolean) => ({ name, current: isCurrent, ...profile });

/** The command that logs in to a profile. */
const loginTo = (profile: string): string => suggestedLine({ sandbox: false, profile }, { command: ['auth', 'login'] });

/** The profile that a command applies to: its argument, or else the current one. */
const named = async ({ args, typed, context }: Invocation): Promise<{ name: string; profile: Profile }> => {
  const found = await chosenProfile(args[0] ?? (typed.profile as string | undefined), context.runtime);
  if (found !== undefined) return found;
  throw usageError(['No profiles yet'], { hint: addProfile });
};

/** Checks a user or organization to be set. Only the service knows whether it exists. */
const checkReference = (key: SettableKey, value: unknown, shown: string, { problems }: Invocation): void => {
  const { collection } = inspect(Profile.shape[key]);
  if (collection === undefined || typeof value !== 'string' || value === '') return;
  const read = readReference(value, collection);
  if (!read.ok) problems.add(`${shown} ${read.problem}`);
};

/**
 * The dialect to be set, as it is kept. A file decides where writes go, like a script, so it is shown and confirmed; those
 * that come with sched are not.
 */
const checkDialect = async ({ context }: Invocation, typed: unknown): Promise<string> => {
  const { dialectSetting, loadDialect, movedWrites, shippedDialects } = await import('../session/dialect-file.ts');
  const dialect = await loadDialect(String(typed), context.runtime);
  if (!Object.hasOwn(shippedDialects, dialect.place))
    await confirm(
      context,
      {
        question: `Use the dialect ${dialect.name}?`,
        action: `use the dialect ${dialect.name}`,
        facts: [['file', dialect.place]],
        list: await movedWrites(dialect),
      },
      'this machine',
    );
  return dialectSetting(String(typed));
};

const readProfile = (value: unknown, { typed, problems }: Invocation): Profile | undefined => {
  const read = SettableProfile.safeParse(value, plainErrors);
  if (read.success) return read.data;
  for (const { path, message } of read.error.issues) {
    const key = path.map(String).join('.');
    const flag = flagName(key);
    problems.add(problemOf(key === '' ? 'the profile' : typed[flag] === undefined ? key : `--${flag}`, message));
  }
  return undefined;
};

const list = async ({ context, typed, problems }: Invocation): Promise<void> => {
  problems.check();
  const config = await readConfig(context.runtime);
  const current = chosenName(typed.profile as string | undefined, context.runtime, config);
  const rows = Object.entries(config.profiles).map(([name, profile]) => shown(name, profile, name === current));
  await context.printer.list(view, [rows]);
  if (rows.length === 0)
    context.notes.footer(
      `No profiles yet. Add one: ${commandHere(context, 'auth', 'login')}, or ${suggestedLine(context.settings.here, addProfile)}`,
    );
};

const show = async (invocation: Invocation): Promise<void> => {
  const { context, problems } = invocation;
  problems.check();
  const { name, profile } = await named(invocation);
  const config = await readConfig(context.runtime);
  await context.printer.one(view, shown(name, profile, name === chosenName(undefined, context.runtime, config)));
};

const add = async (invocation: Invocation): Promise<void> => {
  const { context, args, typed, problems } = invocation;
  const [name] = args;
  if (name === undefined) problems.missingArgument('name');
  const wrong = name === undefined ? undefined : nameProblem(name);
  if (wrong !== undefined) problems.add(wrong);
  const given =
    typed.from === undefined ? {} : await readJsonFile(String(typed.from), '--from', context.runtime, problems);
  if (typed.org !== undefined && typed.organization !== undefined)
    problems.add("--org and --organization can't be used together");
  for (const key of settableKeys) {
    const flag = typed[key] === undefined ? flagName(key) : key;
    if (typed[flag] === undefined) continue;
    given[key] = typed[flag];
    checkReference(key, given[key], `--${flag}`, invocation);
  }
  if (typed.from === undefined && given.base_url === undefined) problems.missingFlag('base-url');
  problems.check();
  if (given.dialect !== undefined) given.dialect = await checkDialect(invocation, given.dialect);
  const profile = readProfile(given, invocation);
  problems.check();
  const config = await changeConfig(context.runtime, (before) => {
    if (Object.hasOwn(before.profiles, name!)) {
      throw new SchedError('conflict', `Profile "${name}" already exists`, {
        advice: ['to change it: ', { command: ['profiles', 'set', 'KEY', 'VALUE', '-p', name!] }],
        outcome: 'not-applied',
      });
    }
    return { ...before, current: before.current ?? name!, profiles: { ...before.profiles, [name!]: profile! } };
  });
  context.notes.info(
    `Added profile ${name}${config.current === name ? ', now the default' : ''}. Log in: ${loginTo(name!)}`,
  );
  await context.printer.one(view, shown(name!, profile!, config.current === name));
};

const set = async (invocation: Invocation): Promise<void> => {
  const { context, args, problems } = invocation;
  const [typedKey, value] = args;
  const key = typedKey === undefined ? undefined : (keyOf(typedKey) as SettableKey);
  if (key === undefined || value === undefined) problems.add('Missing argument: <key> and <value> are required');
  else if (!settableKeys.includes(key)) problems.add(`<key> must be one of ${settableKeys.join(', ')}, not "${key}"`);
  else checkReference(key, value, key, invocation);
  problems.check();
  const { name, profile } = await named({ ...invocation, args: [] });
  const { login, ...settable } = profile;
  const kept = key === 'dialect' && value !== '' ? await checkDialect(invocation, value) : value;
  const changed = readProfile(
    value === '' ? { ...settable, [key!]: undefined } : { ...settable, [key!]: kept },
    invocation,
  );
  problems.check();
  const one = { [key!]: changed![key!] };
  // The addresses found at the last login belong to the server that was the auth URL then.
  const isOtherServer = key === 'auth_url' && changed!.auth_url !== profile.auth_url;
  // Keep settings and logins that other processes saved in the meantime.
  await changeConfig(context.runtime, (config) => {
    const now = config.profiles[name] ?? settable;
    const rest = isOtherServer ? withoutAddresses(now) : now;
    return { ...config, profiles: { ...config.profiles, [name]: { ...rest, ...one } } };
  });
  context.notes.info(`${name}: ${key} is ${value === '' ? 'unset' : `now ${value}`}`);
  const dropped = Object.keys(addressKeys).filter((each) => profile[each as keyof Profile] !== undefined);
  if (isOtherServer && dropped.length > 0)
    context.notes.info(
      `${name}: unset ${dropped.join(', ')}, which belong to the old auth_url. Log in again: ${loginTo(name)}`,
    );
};

const use = async (invocation: Invocation): Promise<void> => {
  const { context, args, problems } = invocation;
  if (args.length === 0) problems.missingArgument('name');
  problems.check();
  const { name } = await named(invocation);
  await changeConfig(context.runtime, (config) => ({ ...config, current: name }));
  context.notes.info(`The default profile is now "${name}". For this terminal only: export SCHED_PROFILE=${name}`);
};

/** The account of a profile, for a prompt. */
const profileFacts = ({ user, organization, base_url: baseUrl, login }: Profile): Facts => [
  ...(user === undefined ? [] : [['user', user] as const]),
  ...(organization === undefined ? [] : [['organization', organization] as const]),
  ['origin', new URL(baseUrl).origin],
  ['login', login === undefined ? 'none' : `in the ${login.store === 'file' ? 'credential file' : 'keychain'}`],
];

const remove = async (invocation: Invocation): Promise<void> => {
  const { context, args, problems } = invocation;
  if (args.length === 0) problems.missingArgument('name');
  problems.check();
  const { name, profile } = await named(invocation);
  const what = `profile ${name}${profile.login === undefined ? '' : ' and its login'}`;
  await confirm(
    context,
    { question: `Remove ${what}?`, action: `remove ${what}`, facts: profileFacts(profile) },
    'this machine',
  );
  if (profile.login !== undefined) {
    const { removeLogin } = await import('../session/stored-login.ts');
    await removeLogin({ name, profile }, context.runtime, context.notes);
  }
  const after = await changeConfig(context.runtime, ({ current, profiles, ...config }) => ({
    ...config,
    ...(current === name || current === undefined ? {} : { current }),
    profiles: Object.fromEntries(Object.entries(profiles).filter(([other]) => other !== name)),
  }));
  const left = Object.keys(after.profiles);
  const isOpen = after.current === undefined && left.length > 1;
  context.notes.info(
    `Removed profile ${name}${isOpen ? `. Choose a new default: ${commandHere(context, 'profiles', 'use', left[0]!)}` : ''}`,
  );
};

/** Prints the addresses of a profile for a colleague, without personal or secret data. */
const exportProfile = async (invocation: Invocation): Promise<void> => {
  const { context, problems } = invocation;
  problems.check();
  const { profile } = await named(invocation);
  const { login, user, ...addresses } = profile;
  await context.printer.whole(addresses);
  if (addresses.client_auth !== undefined)
    context.notes.info('The secret of the client is not included. It is needed to log in: --client-secret-file FILE');
};

const fields = ['name', 'current', ...Object.keys(Profile.shape)];

const newName: Argument = { name: 'name', description: 'name of the profile', required: true };
const profileLabel = (name: string, { base_url: url, user }: Profile, isCurrent: boolean): string =>
  [name, ...(user === undefined ? [] : [user]), url, ...(isCurrent ? ['default'] : [])].join(' · ');

const offerProfiles = async ({ context }: Invocation): Promise<Offered> => {
  const { profiles, current } = await readConfig(context.runtime);
  const choices = Object.entries(profiles).map(([name, profile]) => ({
    value: name,
    label: profileLabel(name, profile, name === current),
  }));
  return { question: 'Which profile?', choices };
};

const offerKeys = async (): Promise<Offered> => ({
  question: 'Which setting?',
  choices: settableKeys.map((key) => ({ value: key, label: key })),
});

const someName: Argument = { name: 'name', description: 'name of the profile', names: 'profiles' };

const all: Omit<Command, 'local'>[] = [
  {
    name: 'list',
    summary: 'List profiles',
    arguments: [],
    flags: [],
    examples: ['profiles list', 'profiles list --json'],
    fields,
    run: list,
  },
  {
    name: 'show',
    summary: 'Show a profile',
    arguments: [someName],
    flags: [],
    examples: ['profiles show', 'profiles show work --json'],
    fields,
    run: show,
  },
  {
    name: 'add',
    summary: 'Add a profile',
    arguments: [newName],
    flags: [...keyFlags, organizationFlag, fileFlag],
    examples: [
      'profiles add work --base-url https://api.example.com --auth-url https://auth.example.com --client-id ID',
      'profiles add work2 --from work.json',
    ],
    fields,
    run: add,
  },
  {
    name: 'set',
    summary: 'Change a setting of a profile',
    arguments: [
      {
        name: 'key',
        description: settableKeys.join(', '),
        required: true,
        choices: [...settableKeys, 'org'],
        offer: offerKeys,
      },
      {
        name: 'value',
        description: "the new value; '' unsets it",
        required: true,
        offer: async ({ args: [key] }) => ({
          question: `New value of ${key}?`,
          choices: [],
          readOther: async (value) => ({ value }),
        }),
      },
    ],
    flags: [],
    examples: [
      'profiles set timezone Europe/Paris',
      'profiles set output json -p work',
      'profiles set user ada@engine.example',
    ],
    notes: [
      `user: ${waysInSentence('users')}. organization (or org): ${waysInSentence('organizations')}. An ID is fastest, because a name or an email address is looked up by each command.`,
    ],
    run: set,
  },
  {
    name: 'use',
    summary: 'Set the default profile',
    arguments: [{ ...someName, required: true, offer: offerProfiles }],
    flags: [],
    examples: ['profiles use work', 'profiles use work --quiet'],
    run: use,
  },
  {
    name: 'remove',
    summary: 'Remove a profile and its login',
    arguments: [{ ...someName, required: true, offer: offerProfiles }],
    flags: [],
    examples: ['profiles remove work', 'profiles remove work --yes'],
    run: remove,
  },
  {
    name: 'export',
    summary: 'Print a profile to share with others, without secrets',
    arguments: [someName],
    flags: [],
    examples: ['profiles export', 'profiles export work > work.json'],
    run: exportProfile,
  },
];

export const commands = all.map((command): Command => ({ ...command, local: true }));
