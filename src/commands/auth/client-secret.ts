import type { AuthServer } from '../../auth/auth-server.ts';
import { ClientSecret, type CredentialRecord } from '../../auth/credential-schema.ts';
import { the, words } from '../../base/words.ts';
import type { Call } from '../../cli/input/input.ts';
import { readTextFile } from '../../cli/json-file.ts';
import type { Profile } from '../../cli/session/profile-schema.ts';
import { rememberClientSecret } from '../../cli/session/stored-login.ts';
import type { LoginFlags } from './login-flags.ts';

const flag = the('clientSecretFile');

/** Whether the secret comes through stdin, where no question can then be answered. */
export const isSecretOnStdin = ({ clientSecretFile }: Pick<LoginFlags, 'clientSecretFile'>): boolean =>
  clientSecretFile === '-';

/** A regular expression for the end of a text takes quadratic time. */
const withoutLastBreaks = (text: string): string => {
  let end = text.length;
  while (end > 0 && '\r\n'.includes(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
};

/** Reads the client's secret from the named file. It is never printed, not even an invalid one. */
export const readClientSecret = async (
  { clientSecretFile: path }: LoginFlags,
  { context, problems }: Call,
): Promise<string | undefined> => {
  if (path === undefined) return undefined;
  const file = await readTextFile(path, flag, context.runtime, problems);
  if (file === undefined) return undefined;
  const text = withoutLastBreaks(file);
  rememberClientSecret(context.runtime, text);
  if (ClientSecret.safeParse(text).success) return text;
  const problem = text === '' ? 'the file is empty' : 'a secret is one line of printable ASCII characters';
  problems.report({ words: words`${flag}: ${problem}` });
  return undefined;
};

/** The secret of the profile's login, if the same client logs in at the same server again. */
export const storedSecret = (
  record: CredentialRecord | undefined,
  server: AuthServer,
  clientId: string,
  profile: Profile | undefined,
): string | undefined =>
  profile?.client_auth !== undefined && record?.issuer === server.issuer && record.client_id === clientId
    ? record.client_secret
    : undefined;

/**
 * The secret isn't part of `profiles export`, so a profile can know that its client has one and not have it. A user who
 * says how to send it means that there is one.
 */
export const requireSecret = (
  secret: string | undefined,
  clientId: string,
  profile: Profile | undefined,
  { clientAuth }: LoginFlags,
  { problems }: Call,
): void => {
  const isKnown = profile?.client_auth !== undefined && profile.client_id === clientId;
  if (secret !== undefined || !(isKnown || clientAuth !== undefined)) return;
  problems.add(`The client ${clientId} has a secret, which is not stored on this machine`);
  problems.missingFlag(flag.name);
  problems.check();
};
