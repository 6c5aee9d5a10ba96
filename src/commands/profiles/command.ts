import { plainErrors, problemOf } from '../../api/wording.ts';
import { SchedError } from '../../base/errors.ts';
import type { FileAnswer, NoAnswer, RecordAnswer, RowsAnswer } from '../../cli/answer/answer.ts';
import { ownPlan, type Plan, type Question } from '../../cli/answer/plan.ts';
import type { ChoiceList, Command, Invocation } from '../../cli/command.ts';
import { type Call, input, taking } from '../../cli/input/input.ts';
import type { Problems } from '../../cli/messages/problems.ts';
import { commandHere, suggestedLine } from '../../cli/messages/suggested-line.ts';
import { addProfile, changeConfig, chosenName, readConfig } from '../../cli/session/config-file.ts';
import type { Context } from '../../cli/session/context.ts';
import { Profile, SettableProfile } from '../../cli/session/profile-schema.ts';
import { addressKeys, withoutServerAddresses } from '../../cli/session/server-addresses.ts';
import { waysInSentence } from '../../client/ids.ts';
import { addInput, oneProfile, type SettableKey, setInput, someProfile } from './input.ts';
import { type NamedProfile, profileNamed } from './named-profile.ts';
import { profileView } from './profile-view.ts';
import { remove } from './remove.ts';

const profileRecord = (name: string, profile: Profile, isCurrent: boolean) => ({
  name,
  current: isCurrent,
  ...profile,
});

/** The command that logs in to a profile. */
const loginTo = (profile: string): string => suggestedLine({ sandbox: false, profile }, { command: ['auth', 'login'] });

interface ChosenDialect {
  /** As it is kept. */
  setting: string;
  question: Question | undefined;
}

/**
 * The dialect to be set. A file decides where writes go, like a script, so it is shown and confirmed; those that come with
 * sched are not.
 */
const readDialect = async (context: Context, dialectName: string): Promise<ChosenDialect> => {
  const { dialectSetting, loadDialect, movedWrites } = await import('../../cli/session/dialect-file.ts');
  const { shippedDialects } = await import('../../dialects/read.ts');
  const dialect = await loadDialect(dialectName, context.runtime);
  const question = async (): Promise<Question> => ({
    question: `Use the dialect ${dialect.name}?`,
    action: `use the dialect ${dialect.name}`,
    facts: [['file', dialect.place]],
    list: await movedWrites(dialect),
  });
  const isShipped = Object.hasOwn(shippedDialects, dialect.place);
  return { setting: dialectSetting(dialectName), question: isShipped ? undefined : await question() };
};

/** Checks the settings as a whole. Those of flags are known to be right. */
const readProfile = (settings: object, problems: Problems): Profile => {
  const reading = SettableProfile.safeParse(settings, plainErrors);
  for (const { path, message } of reading.error?.issues ?? [])
    problems.add(problemOf(path.length === 0 ? 'the profile' : path.map(String).join('.'), message));
  problems.check();
  return reading.data!;
};

const listProfiles = async ({ context }: Call): Promise<RowsAnswer> => {
  const { runtime, settings } = context;
  const config = await readConfig(runtime);
  const current = chosenName(settings.here.profile, runtime, config);
  const rows = Object.entries(config.profiles).map(([name, profile]) => profileRecord(name, profile, name === current));
  const none = `No profiles yet. Add one: ${commandHere(context, 'auth', 'login')}, or ${suggestedLine(settings.here, addProfile)}`;
  return { kind: 'rows', view: profileView, pages: [rows], footers: rows.length === 0 ? [none] : [] };
};

const showProfile = async (profileName: string | undefined, { context }: Call): Promise<RecordAnswer> => {
  const { name, profile } = await profileNamed(context, profileName);
  const config = await readConfig(context.runtime);
  const isCurrent = name === chosenName(undefined, context.runtime, config);
  return { kind: 'record', view: profileView, record: profileRecord(name, profile, isCurrent) };
};

const saveNew = async (name: string, settings: object, { context, problems }: Call): Promise<RecordAnswer> => {
  const profile = readProfile(settings, problems);
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
  return { kind: 'record', view: profileView, record: profileRecord(name, profile, config.current === name) };
};

/** A plan to set a dialect, which may have to be confirmed. */
const planDialect = (
  name: string,
  context: Context,
  save: (setting: string) => Promise<RecordAnswer | NoAnswer>,
): Plan =>
  ownPlan({
    read: () => readDialect(context, name),
    question: ({ question }) => question,
    send: ({ setting }) => save(setting),
  });

const add = (name: string, settings: { dialect?: unknown }, call: Call): Promise<RecordAnswer> | Plan => {
  const { dialect } = settings;
  if (dialect === undefined) return saveNew(name, settings, call);
  return planDialect(String(dialect), call.context, (setting) =>
    saveNew(name, { ...settings, dialect: setting }, call),
  );
};

const save = async (
  { name, profile }: NamedProfile,
  key: SettableKey,
  value: string,
  { context, problems }: Call,
  storedValue = value,
): Promise<NoAnswer> => {
  const { login, ...settable } = profile;
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
  const unsetKeys = Object.keys(addressKeys).filter((each) => profile[each as keyof Profile] !== undefined);
  const unset = `${name}: unset ${unsetKeys.join(', ')}, which belong to the old auth_url. Log in again: ${loginTo(name)}`;
  return {
    kind: 'nothing',
    hints: [
      `${name}: ${key} is ${value === '' ? 'unset' : `now ${value}`}`,
      ...(isOtherServer && unsetKeys.length > 0 ? [unset] : []),
    ],
  };
};

const set = async (key: SettableKey, value: string, call: Call): Promise<Plan | NoAnswer> => {
  const named = await profileNamed(call.context);
  const { name, profile } = named;
  if (key === 'dialect' && value !== '')
    return planDialect(value, call.context, (setting) => save(named, key, value, call, setting));
  if (key !== 'protected' || value === 'yes' || !profile.protected) return save(named, key, value, call);
  return ownPlan({
    guards: name,
    question: () => ({
      question: `End the protection of profile ${name}?`,
      action: `end the protection of profile ${name}`,
      flags: { yes: true, 'profile-is': name },
    }),
    send: () => save(named, key, value, call),
  });
};

const use = async (profileName: string, { context }: Call): Promise<NoAnswer> => {
  const { name } = await profileNamed(context, profileName);
  await changeConfig(context.runtime, (config) => ({ ...config, current: name }));
  const {
    SCHED_PROFILE: chosen,
    SCHED_TOKEN: token,
    SCHED_TOKEN_FILE: tokenFile,
    SCHED_BASE_URL: url,
  } = context.runtime.env;
  const isDefault = `The default profile is now "${name}"`;
  const butHere = (decides: string): NoAnswer => ({
    kind: 'nothing',
    done: { warnings: [`${isDefault}, but in this shell ${decides}`] },
  });
  if (chosen && chosen !== name) return butHere(`SCHED_PROFILE decides: "${chosen}". To end that: unset SCHED_PROFILE`);
  if (!chosen && url && (token || tokenFile))
    return butHere(`${token ? 'SCHED_TOKEN' : 'SCHED_TOKEN_FILE'} and SCHED_BASE_URL decide`);
  return { kind: 'nothing', hints: [`${isDefault}. For this terminal only: export SCHED_PROFILE=${name}`] };
};

/** Prints the addresses of a profile for a colleague, without personal or secret data. */
const exportProfile = async (profileName: string | undefined, { context }: Call): Promise<FileAnswer> => {
  const { profile } = await profileNamed(context, profileName);
  const { login, user, ...addresses } = profile;
  const secret = 'The secret of the client is not included. It is needed to log in: --client-secret-file FILE';
  return { kind: 'file', value: addresses, hints: addresses.client_auth === undefined ? [] : [secret] };
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
    ...taking(addInput, async ({ name, settings }, call) => add(name, settings, call)),
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
