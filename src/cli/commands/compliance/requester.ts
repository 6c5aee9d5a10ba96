import { users } from '../../../api/users.ts';
import { hasCategory, SchedError } from '../../../errors.ts';
import { idIn } from '../../../uri.ts';
import type { Context } from '../../session/context.ts';

/** The owner of the token according to the service. A file or the environment would be no evidence. */
export interface Requester {
  owner: string;
  organization: string;
}

const unknown = 'unknown';

/** Prefix of every sandbox token. */
const sandboxPrefix = 'sandbox_';

/** Accepts only a plain URI: anything that looks like an address must stay out of receipts. */
const referenceIn = (value: string): string => (/^https?:\/\/[\w.:[\]-]+(\/[\w.~-]+)*$/.test(value) ? value : unknown);

export const askRequester = async (context: Context): Promise<Requester> => {
  const client = await context.client();
  // R12: a receipt holds no secret, even if the service puts one into a user's URI.
  const reference = (value: unknown) => referenceIn(context.runtime.secrets.redact(String(value)));
  try {
    const { uri, current_organization } = await client.call(users.me, {});
    return { owner: reference(uri), organization: reference(current_organization) };
  } catch (error) {
    if (hasCategory(error, 'forbidden')) return { owner: unknown, organization: unknown };
    throw error;
  }
};

/** Guards against the wrong account: throws unless `--org` is the token's own organization. */
export const checkOrganization = (wanted: string, { organization }: Requester): void => {
  if (organization === unknown)
    throw new SchedError('forbidden', "Can't check --org, because the token can't read its own user", {
      reason: 'the token lacks the scope users:read',
      // Not a command to copy: without --org, nothing guards against the wrong account.
      advice: 'use a token with users:read, or omit --org',
      outcome: 'not-sent',
    });
  const isSame = wanted.includes('://') ? wanted === organization : wanted === idIn(organization);
  if (isSame) return;
  throw new SchedError('conflict', 'The token belongs to a different organization than --org', {
    reason: `it belongs to ${organization}`,
    outcome: 'not-sent',
  });
};

/** Whether the command talks to a sandbox, either the built-in one or a served one, which has sandbox tokens. */
export const isSandboxed = async (context: Context): Promise<boolean> => {
  const { isSandbox, credentials } = await context.connection();
  return isSandbox || (await credentials.current()).token.startsWith(sandboxPrefix);
};
