import { type AuthServer, type ClientAuthMethod, clientAuthWords, methodNamed } from '../../../auth/auth-server.ts';
import { ClientSecret, type CredentialRecord } from '../../../auth/credential-schema.ts';
import type { Invocation } from '../../command.ts';
import { readTextFile } from '../../json-file.ts';
import type { Profile } from '../../session/profile-schema.ts';
import { rememberClientSecret } from '../../session/stored-login.ts';

const flag = 'client-secret-file';

/** Whether the secret comes through stdin, where no question can then be answered. */
export const isSecretOnStdin = ({ typed }: Pick<Invocation, 'typed'>): boolean => typed[flag] === '-';

/** A regular expression for the end of a text takes quadratic time. */
const withoutLastBreaks = (text: string): string => {
  let end = text.length;
  while (end > 0 && '\r\n'.includes(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
};

/** Reads the client's secret from the named file. It is never printed, not even an invalid one. */
export const readClientSecret = async ({ context, typed, problems }: Invocation): Promise<string | undefined> => {
  const path = typed[flag] as string | undefined;
  if (path === undefined) return undefined;
  for (const other of ['with-token', ...(path === '-' ? ['paste'] : [])])
    if (typed[other] === true)
      problems.add(`--${flag}${path === '-' ? ' -' : ''} can't be used together with --${other}`);
  problems.check();
  const file = await readTextFile(path, `--${flag}`, context.runtime, problems);
  if (file === undefined) return undefined;
  const text = withoutLastBreaks(file);
  rememberClientSecret(context.runtime, text);
  if (ClientSecret.safeParse(text).success) return text;
  problems.add(
    `--${flag}: ${text === '' ? 'the file is empty' : 'a secret is one line of printable ASCII characters'}`,
  );
  return undefined;
};

/** How the user wants the secret to be sent. */
export const readClientAuth = ({ typed, problems }: Invocation): ClientAuthMethod | undefined => {
  const word = typed['client-auth'] as string | undefined;
  const method = methodNamed(word);
  if (word === undefined || Object.values<unknown>(clientAuthWords).includes(method)) return method as ClientAuthMethod;
  problems.value(
    'client-auth',
    word,
    `--client-auth must be ${Object.keys(clientAuthWords).join(' or ')}, not "${word}"`,
  );
  return undefined;
};

/** The secret of the profile's login, if the same client logs in at the same server again. */
export const storedSecret = (
  held: CredentialRecord | undefined,
  server: AuthServer,
  clientId: string,
  profile: Profile | undefined,
): string | undefined =>
  profile?.client_auth !== undefined && held?.issuer === server.issuer && held.client_id === clientId
    ? held.client_secret
    : undefined;

/**
 * The secret isn't part of `profiles export`, so a profile can know that its client has one and not have it. A user who
 * says how to send it means that there is one.
 */
export const requireSecret = (
  secret: string | undefined,
  clientId: string,
  profile: Profile | undefined,
  { typed, problems }: Invocation,
): void => {
  const isKnown = profile?.client_auth !== undefined && profile.client_id === clientId;
  if (secret !== undefined || !(isKnown || typed['client-auth'] !== undefined)) return;
  problems.add(`The client ${clientId} has a secret, which is not stored on this machine`);
  problems.missingFlag(flag);
  problems.check();
};
