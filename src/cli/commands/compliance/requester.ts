import { users } from '../../../api/users.ts';
import { SchedError } from '../../../errors.ts';
import { idIn } from '../../../uri.ts';
import type { Context } from '../../session/context.ts';

/** Whose token it is, as the service says now: what a file or the environment says is no evidence. */
export interface Requester {
  owner: string;
  organization: string;
}

const unknown = 'unknown';

/** Prefix of every secret that opens nothing but a sandbox. */
const sandboxPrefix = 'sandbox_';

/** A reference and nothing else: whatever looks like an address stays out of receipts. */
const referenceIn = (value: string): string => (/^https?:\/\/[\w.:[\]-]+(\/[\w.~-]+)*$/.test(value) ? value : unknown);

export const askRequester = async (context: Context): Promise<Requester> => {
  const client = await context.client();
  // R12: a receipt holds no secret, whatever the service calls a user.
  const reference = (value: unknown) => referenceIn(context.runtime.secrets.redact(String(value)));
  try {
    const { uri, current_organization } = await client.call(users.me, {});
    return { owner: reference(uri), organization: reference(current_organization) };
  } catch (error) {
    if (error instanceof SchedError && error.category === 'forbidden') return { owner: unknown, organization: unknown };
    throw error;
  }
};

/** The guard against the wrong account: `--org` must be the token's own organization, and it must be known. */
export const checkOrganization = (wanted: string, { organization }: Requester): void => {
  if (organization === unknown)
    throw new SchedError('forbidden', 'The token may not tell whose it is, so --org cannot be checked', {
      reason: 'it lacks the scope users:read',
      hint: 'use a token with users:read, or leave --org out',
      outcome: 'not-sent',
    });
  const isSame = wanted.includes('://') ? wanted === organization : wanted === idIn(organization);
  if (isSame) return;
  throw new SchedError('conflict', 'The token belongs to another organization than --org says', {
    reason: `it belongs to ${organization}`,
    outcome: 'not-sent',
  });
};

/** Whether what is done is done to a sandbox, embedded or served: its tokens say so. */
export const isSandboxed = async (context: Context): Promise<boolean> => {
  const { isSandbox, credentials } = await context.connection();
  return isSandbox || (await credentials.current()).token.startsWith(sandboxPrefix);
};
