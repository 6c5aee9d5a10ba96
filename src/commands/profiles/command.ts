import { plainErrors, problemOf } from '../../api/wording.ts';
import { SchedError, usageError } from '../../base/errors.ts';
import type { Json } from '../../base/json.ts';
import type { ChoiceList, Command, Invocation } from '../../cli/command.ts';
import { type Call, input, taking } from '../../cli/input/input.ts';
import type { Problems } from '../../cli/messages/problems.ts';
import { commandHere, suggestedLine } from '../../cli/messages/suggested-line.ts';
import { addProfile, changeConfig, chosenName, chosenProfile, readConfig } from '../../cli/session/config-file.ts';
import { confirm } from '../../cli/session/confirm.ts';
import type { Context } from '../../cli/session/context.ts';
import { Profile, SettableProfile } from '../../cli/session/profile-schema.ts';
import type { Facts } from '../../cli/session/prompt.ts';
import { addressKeys, withoutServerAddresses } from '../../cli/session/server-addresses.ts';
import { waysInSentence } from '../../client/ids.ts';
import { addInput, oneProfile, type SettableKey, setInput, someProfile } from './input.ts';
import { profileView } from './profile-view.ts';

const profileRecord = (name: string, profile: Profile, isCurrent: boolean) => ({
  name,
  current: isCurrent,
  ...profile,
});

/** The command that logs in to a profile. */
const loginTo = (profile: string): string => suggestedLine({ sandbox: false, profile }, { command: ['auth', 'login'] });

/** The profile that a command applies to: its argument, or else the one in use. */
const profileNamed = async (
  { runtime, settings }: Context,
  name = settings.here.profile,
): Promise<{ name: string; profile: Profile }> => {
  const match = await chosenProfile(name, runtime);
  if (match !== undefined) return match;
  throw usageError(['No profiles yet'], { hint: addProfile });
};

/**
 * The dialect to be set, as it is kept. A file decides where writes go, like a script, so it is shown and confirmed; those
 * that come with sched are not.
 */
const checkDialect = async (context: Context, dialectName: string): Promise<string> => {
  const { dialectSetting, loadDialect, movedWrites } = await import('../../cli/session/dialect-file.ts');
  const { shippedDialects } = await import('../../dialects/read.ts');
  const dialect = await loadDialect(dialectName, context.runtime);
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
  return dialectSetting(dialectName);
};

/** Checks the settings as a whole. Those of flags are known to be right. */
const readProfile = (settings: Json, problems: Problems): Profile => {
  const reading = SettableProfile.safeParse(settings, plainErrors);
  for (const { path, message } of reading.error?.issues ?? [])
    problems.add(problemOf(path.length === 0 ? 'the profile' : path.map(String).join('.'), message));
  problems.check();
  return reading.data!;
};

const listProfiles = async ({ context }: Call): Promise<void> => {
  const { runtime, settings } = context;
  const config = await readConfig(runtime);
  const current = chosenName(settings.here.profile, runtime, config);
  const rows = Object.entries(config.profiles).map(([name, profile]) => profileRecord(name, profile, name === current));
  await context.printer.list(profileView, [rows]);
  if (rows.length === 0)
    context.notes.footer(
      `No profiles yet. Add one: ${commandHere(context, 'auth', 'login')}, or ${suggestedLine(settings.here, addProfile)}`,
    );
};

const showProfile = async (profileName: string | undefined, { context }: Call): Promise<void> => {
  const { name, profile } = await profileNamed(context, profileName);
  const config = await readConfig(context.runtime);
  await context.printer.one(
    profileView,
    profileRecord(name, profile, name === chosenName(undefined, context.runtime, config)),
  );
};

const add = async (name: string, settings: Json, { context, problems }: Call): Promise<void> => {
  const { dialect } = settings;
  const checkedDialect = dialect === undefined ? {} : { dialect: await checkDialect(context, String(dialect)) };
  const profile = readProfile({ ...settings, ...checkedDialect }, problems);
  const config = await changeConfig(context.runtime, (before) => {
    if (Object.hasOwn(before.profiles, name)) {
      throw new SchedError('conflict', `Profile "${name}" already exists`, {
        advice: ['to change it: ', { command: ['profiles', 'set', 'KEY', 'VALUE', '-p', name] }],
        outcome: 'not-applied',
      });
    }
    return { ...before, current: before.current ?? name, profiles: { ...before.profiles, [name]: profile } };
  });
  context.notes.info(
    `Added profile ${name}${config.current === name ? ', now the default' : ''}. Log in: ${loginTo(name)}`,
  );
  await context.printer.one(profileView, profileRecord(name, profile, config.current === name));
};

/** What is done to a protected profile needs its name again, or an answer. */
const keepProtected = ({ settings }: Context, { name, profile }: { name: string; profile: Profile }): void => {
  if (profile.protected && settings.profileIs !== name) settings.yes = false;
};

const set = async (key: SettableKey, value: string, { context, problems }: Call): Promise<void> => {
  const { name, profile } = await profileNamed(context);
  const { login, ...settable } = profile;
  if (key === 'protected' && value !== 'yes' && profile.protected) {
    keepProtected(context, { name, profile });
    const action = `end the protection of profile ${name}`;
    const flags = { yes: true, 'profile-is': name };
    await confirm(context, { question: `End the protection of profile ${name}?`, action, flags }, 'this machine');
  }
  const storedValue = key === 'dialect' && value !== '' ? await checkDialect(context, value) : value;
  const changedProfile = readProfile({ ...settable, [key]: value === '' ? undefined : storedValue }, problems);
  const one = { [key]: changedProfile[key] };
  // The addresses found at the last login belong to the server that was the auth URL then.
  const isOtherServer = key === 'auth_url' && changedProfile.auth_url !== profile.auth_url;
  // Keep settings and logins that other processes saved in the meantime.
  await changeConfig(context.runtime, (config) => {
    const now = config.profiles[name] ?? settable;
    const rest = isOtherServer ? withoutServerAddresses(now) : now;
    return { ...config, profiles: { ...config.profiles, [name]: { ...rest, ...one } } };
  });
  context.notes.info(`${name}: ${key} is ${value === '' ? 'unset' : `now ${value}`}`);
  const unsetKeys = Object.keys(addressKeys).filter((each) => profile[each as keyof Profile] !== undefined);
  if (isOtherServer && unsetKeys.length > 0)
    context.notes.info(
      `${name}: unset ${unsetKeys.join(', ')}, which belong to the old auth_url. Log in again: ${loginTo(name)}`,
    );
};

const use = async (profileName: string, { context }: Call): Promise<void> => {
  const { name } = await profileNamed(context, profileName);
  await changeConfig(context.runtime, (config) => ({ ...config, current: name }));
  const {
    SCHED_PROFILE: chosen,
    SCHED_TOKEN: token,
    SCHED_TOKEN_FILE: tokenFile,
    SCHED_BASE_URL: url,
  } = context.runtime.env;
  const isDefault = `The default profile is now "${name}"`;
  if (chosen && chosen !== name)
    context.notes.warn(
      `${isDefault}, but in this shell SCHED_PROFILE decides: "${chosen}". To end that: unset SCHED_PROFILE`,
    );
  else if (!chosen && url && (token || tokenFile))
    context.notes.warn(
      `${isDefault}, but in this shell ${token ? 'SCHED_TOKEN' : 'SCHED_TOKEN_FILE'} and SCHED_BASE_URL decide`,
    );
  else context.notes.info(`${isDefault}. For this terminal only: export SCHED_PROFILE=${name}`);
};

/** The account of a profile, for a prompt. */
const profileFacts = ({ user, organization, base_url: baseUrl, login }: Profile): Facts => [
  ...(user === undefined ? [] : [['user', user] as const]),
  ...(organization === undefined ? [] : [['organization', organization] as const]),
  ['origin', new URL(baseUrl).origin],
  ['login', login === undefined ? 'none' : `in the ${login.store === 'file' ? 'credential file' : 'keychain'}`],
];

const remove = async (profileName: string, { context }: Call): Promise<void> => {
  const { name, profile } = await profileNamed(context, profileName);
  keepProtected(context, { name, profile });
  const what = `profile ${name}${profile.login === undefined ? '' : ' and its login'}`;
  await confirm(
    context,
    {
      question: `Remove ${what}?`,
      action: `remove ${what}`,
      facts: profileFacts(profile),
      ...(profile.protected ? { flags: { yes: true, 'profile-is': name } } : {}),
    },
    'this machine',
  );
  if (profile.login !== undefined) {
    const { removeLogin } = await import('../../cli/session/stored-login.ts');
    await removeLogin({ name, profile }, context.runtime, context.notes);
  }
  const after = await changeConfig(context.runtime, ({ current, profiles, ...config }) => ({
    ...config,
    ...(current === name || current === undefined ? {} : { current }),
    profiles: Object.fromEntries(Object.entries(profiles).filter(([other]) => other !== name)),
  }));
  const { noteMirror } = await import('../../cli/session/open-mirror.ts');
  noteMirror(context, profileName);
  const remaining = Object.keys(after.profiles);
  const isOpen = after.current === undefined && remaining.length > 1;
  context.notes.info(
    `Removed profile ${name}${isOpen ? `. Choose a new default: ${commandHere(context, 'profiles', 'use', remaining[0]!)}` : ''}`,
  );
};

/** Prints the addresses of a profile for a colleague, without personal or secret data. */
const exportProfile = async (profileName: string | undefined, { context }: Call): Promise<void> => {
  const { profile } = await profileNamed(context, profileName);
  const { login, user, ...addresses } = profile;
  await context.printer.whole(addresses);
  if (addresses.client_auth !== undefined)
    context.notes.info('The secret of the client is not included. It is needed to log in: --client-secret-file FILE');
};

const fields = ['name', 'current', ...Object.keys(Profile.shape)];

const profileLabel = (name: string, { base_url: url, user }: Profile, isCurrent: boolean): string =>
  [name, ...(user === undefined ? [] : [user]), url, ...(isCurrent ? ['default'] : [])].join(' · ');

const offerProfiles = async ({ context }: Invocation): Promise<ChoiceList> => {
  const { profiles, current } = await readConfig(context.runtime);
  const choices = Object.entries(profiles).map(([name, profile]) => ({
    value: name,
    label: profileLabel(name, profile, name === current),
  }));
  return { question: 'Which profile?', choices };
};

const all: Omit<Command, 'local'>[] = [
  {
    name: 'list',
    summary: 'List profiles',
    ...taking(input({}), (_, call) => listProfiles(call)),
    examples: ['profiles list', 'profiles list --json'],
    fields,
  },
  {
    name: 'show',
    summary: 'Show a profile',
    ...taking(someProfile, ({ name }, call) => showProfile(name, call)),
    examples: ['profiles show', 'profiles show work --json'],
    fields,
  },
  {
    name: 'add',
    summary: 'Add a profile',
    ...taking(addInput, ({ name, settings }, call) => add(name, settings, call)),
    examples: [
      'profiles add work --base-url https://api.example.com --auth-url https://auth.example.com --client-id ID',
      'profiles add work2 --from work.json',
    ],
    fields,
  },
  {
    name: 'set',
    summary: 'Change a setting of a profile',
    ...taking(setInput, ({ key, value }, call) => set(key, value, call)),
    examples: [
      'profiles set timezone Europe/Paris',
      'profiles set output json -p work',
      'profiles set user ada@engine.example',
      'profiles set protected yes -p work',
    ],
    notes: [
      'With a protected profile, every write asks first, also with --yes, with a confirmed count or digest, or in `sched api`. Without a terminal it fails with exit code 12, unless --profile-is repeats the name of the profile. Tools of `sched mcp serve` then only read.',
      `user: ${waysInSentence('users')}. organization (or org): ${waysInSentence('organizations')}. An ID is fastest, because a name or an email address is looked up by each command.`,
    ],
  },
  {
    name: 'use',
    summary: 'Set the default profile',
    ...taking(oneProfile(offerProfiles), ({ name }, call) => use(name, call)),
    examples: ['profiles use work', 'profiles use work --quiet'],
  },
  {
    name: 'remove',
    summary: 'Remove a profile and its login',
    ...taking(oneProfile(offerProfiles), ({ name }, call) => remove(name, call)),
    examples: ['profiles remove work', 'profiles remove work --yes'],
  },
  {
    name: 'export',
    summary: 'Print a profile to share with others, without secrets',
    ...taking(someProfile, ({ name }, call) => exportProfile(name, call)),
    examples: ['profiles export', 'profiles export work > work.json'],
  },
];

export const profileCommands = all.map((command): Command => ({ ...command, local: true }));
