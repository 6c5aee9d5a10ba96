import { inspect } from '../../api/inspect.ts';
import { clientAuthWords } from '../../auth/auth-server.ts';
import type { Flag } from '../command.ts';
import { referenceWords } from '../operation/field-flags.ts';
import { Profile, settableKeys } from '../session/profile-schema.ts';

/** `base_url` ⇒ `--base-url`. */
export const flagName = (key: string): string => (key === 'organization' ? 'org' : key.replaceAll('_', '-'));

export type SettableKey = (typeof settableKeys)[number];

const placeholderOf = (key: SettableKey): Pick<Flag, 'value' | 'suggestions' | 'choices'> => {
  const { collection } = inspect(Profile.shape[key]);
  if (key === 'dialect') return { value: 'NAME|FILE' };
  if (key === 'client_auth') return { value: 'METHOD', choices: Object.values(clientAuthWords) };
  if (collection !== undefined) return referenceWords(collection);
  return { value: key.endsWith('_url') || key === 'issuer' || key === 'shared_state' ? 'URL' : 'ID' };
};

/** Settings that a login finds out, or that few services need. */
const rare = ['mcp_url', 'issuer', 'authorize_url', 'token_url', 'revoke_url', 'device_url', 'client_auth', 'dialect'];

export const keyFlags: Flag[] = settableKeys
  .filter((key) => key !== 'uri_root' && key !== 'output' && key !== 'timezone')
  .map((key) => ({
    name: flagName(key),
    ...placeholderOf(key),
    description: inspect(Profile.shape[key]).description ?? '',
    ...(rare.includes(key) ? { heading: 'More flags' } : {}),
  }));

/** The setting's own name works too, as in `profiles set organization`. */
export const organizationFlag: Flag = {
  name: 'organization',
  ...placeholderOf('organization'),
  description: 'same as --org',
  heading: 'More flags',
};

/** `org` is short for `organization`, as in flags. */
export const keyOf = (word: string): string => (word === 'org' ? 'organization' : word);

export const fileFlag: Flag = {
  name: 'from',
  value: 'FILE',
  description: 'read the output of `profiles export` from a file, or - for stdin',
};
