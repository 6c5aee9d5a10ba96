import { inspect } from '../../api/inspect.ts';
import { plainErrors, problemOf } from '../../api/wording.ts';
import { clientAuthWords } from '../../auth/auth-server.ts';
import { type Name, self, the, type Words, words } from '../../base/words.ts';
import type { ChoiceList, Invocation } from '../../cli/command.ts';
import { type Entry, entry } from '../../cli/input/entry.ts';
import { referenceKind } from '../../cli/input/field-kinds.ts';
import { both, type Input, input, related } from '../../cli/input/input.ts';
import { accept, type Kind, refuse } from '../../cli/input/kind.ts';
import { file, refuseChoice } from '../../cli/input/kinds.ts';
import { apart } from '../../cli/input/relations.ts';
import { readJsonFile } from '../../cli/json-file.ts';
import { nameProblem, Profile, settableKeys } from '../../cli/session/profile-schema.ts';
import { readReference } from '../../client/ids.ts';

export type SettableKey = (typeof settableKeys)[number];

/** `base_url` ⇒ `base-url` */
const settingFlag = (key: SettableKey): string => (key === 'organization' ? 'org' : key.replaceAll('_', '-'));

/** What is wrong with the value of a setting. Only the service knows whether a user or an organization exists. */
const problemWith = (key: SettableKey, raw: string, subject: Name | string): Words | undefined => {
  const { collection } = inspect(Profile.shape[key]);
  const reading = collection === undefined || raw === '' ? undefined : readReference(raw, collection);
  if (reading?.ok === false) return words`${subject} ${reading.problem}`;
  const { error } = Profile.shape[key].safeParse(raw, plainErrors);
  return error && words`${subject}${problemOf('', error.issues[0]!.message)}`;
};

const shownOf = (key: SettableKey): Omit<Kind, 'read'> => {
  const { collection } = inspect(Profile.shape[key]);
  if (key === 'dialect') return { value: 'NAME|FILE', json: 'string', isProse: true };
  if (key === 'protected') return { value: 'WORD', json: 'string', choices: ['yes', 'no'] };
  if (key === 'client_auth') return { value: 'METHOD', json: 'string', choices: Object.values(clientAuthWords) };
  if (collection !== undefined) return referenceKind(collection);
  const isUrl = key.endsWith('_url') || key === 'issuer' || key === 'shared_state';
  return { value: isUrl ? 'URL' : 'ID', json: 'string' };
};

const settingKind = (key: SettableKey): Kind<string> => ({
  ...shownOf(key),
  read: (raw) => {
    const problem = problemWith(key, raw, self);
    return problem === undefined ? accept(raw) : refuse(problem);
  },
});

/** Settings that a login finds out, or that few services need. */
const rare = [
  'mcp_url',
  'issuer',
  'authorize_url',
  'token_url',
  'revoke_url',
  'device_url',
  'client_auth',
  'dialect',
  'protected',
];

const flagKeys = settableKeys.filter((key) => key !== 'uri_root' && key !== 'output' && key !== 'timezone');

const settings: Record<string, Entry<string | undefined>> = {
  ...Object.fromEntries(
    flagKeys.map((key) => [
      settingFlag(key),
      entry(
        settingKind(key),
        inspect(Profile.shape[key]).description ?? '',
        rare.includes(key) ? { heading: 'More flags' } : {},
      ),
    ]),
  ),
  // The setting's own name works too, as in `profiles set organization`.
  organization: entry(settingKind('organization'), words`same as ${the('org')}`, { heading: 'More flags' }),
};

const files = { from: file('read the output of `profiles export` from a file, or - for stdin') };

/** The settings of flags, over those of a file. */
const settingsInput: Input<{ settings: { dialect?: unknown } }> = {
  ...both(input(settings), input(files)),
  draft: async (invocation, how) => {
    const { context, problems } = invocation;
    const finish = await both(input(settings), input(files)).draft(invocation, how);
    const { from, org, organization = org, ...flags } = await finish(context);
    const given = from === undefined ? {} : await readJsonFile(from, the('from'), context.runtime, problems);
    const values: Record<string, string | undefined> = { ...flags, org: organization };
    for (const key of flagKeys) if (values[settingFlag(key)] !== undefined) given[key] = values[settingFlag(key)];
    if (from === undefined && how.given['base-url'] === undefined) problems.missingFlag('base-url');
    return async () => ({ settings: given });
  },
};

const newNameKind: Kind<string> = {
  json: 'string',
  read: (raw) => {
    const problem = nameProblem(raw);
    return problem === undefined ? accept(raw) : refuse(words`${problem}`);
  },
};

export const addInput = both(
  input({ name: entry(newNameKind, 'name of the profile', { place: 'argument', needed: true }) }),
  related(settingsInput, apart(['org', 'organization'])),
);

/** `org` is short for `organization`, as in flags. */
const settingKey = (word: unknown): SettableKey | undefined =>
  settableKeys.find((key) => key === (word === 'org' ? 'organization' : word));

const keyKind: Kind<SettableKey> = {
  json: 'string',
  choices: [...settableKeys, 'org'],
  read: (raw) => {
    const key = settingKey(raw);
    if (key !== undefined) return accept(key);
    return refuseChoice(raw, settableKeys);
  },
};

/** The key says what its value can be. */
const valueKind: Kind<string> = {
  json: 'string',
  read: (raw, { given }) => {
    const key = settingKey(given.key);
    const problem = key === undefined || raw === '' ? undefined : problemWith(key, raw, key);
    return problem === undefined ? accept(raw) : refuse(problem);
  },
};

const offerKeys = async (): Promise<ChoiceList> => ({
  question: 'Which setting?',
  choices: settableKeys.map((key) => ({ value: key, label: key })),
});

const offerValue = async ({ given: { key } }: Invocation): Promise<ChoiceList> => ({
  question: `New value of ${key}?`,
  choices: [],
  readOther: async (value) => ({ value }),
});

export const setInput = input({
  key: entry(keyKind, settableKeys.join(', '), { place: 'argument', needed: true, offer: offerKeys }),
  value: entry(valueKind, "the new value; '' unsets it", {
    place: 'argument',
    needed: true,
    offer: offerValue,
  }),
});

const nameKind: Kind<string> = { json: 'string', offers: 'profiles', read: (raw) => accept(raw) };

/** A profile, or else the one in use. */
export const someProfile = input({ name: entry(nameKind, 'name of the profile', { place: 'argument' }) });

export const oneProfile = (offer: (invocation: Invocation) => Promise<ChoiceList>) =>
  input({ name: entry(nameKind, 'name of the profile', { place: 'argument', needed: true, offer }) });
