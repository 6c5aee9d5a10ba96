import type { Operation } from '../../api/operation.ts';
import type { SentUser } from '../../api/users.ts';
import { fallBack, SchedError } from '../../base/errors.ts';
import { idIn } from '../../base/uri.ts';
import { the, words } from '../../base/words.ts';
import { isAnySandbox, sandboxAddress } from '../../cli/session/connection.ts';
import type { Context } from '../../cli/session/context.ts';
import { readOwnUser } from '../../cli/session/identity.ts';
import { addressOf } from '../../dialects/dialect.ts';

/** Who sends a run and where to. The service says who the token belongs to: a file would be no evidence. */
export interface Requester {
  owner: string;
  organization: string;
  endpoint: string;
  /** Whether the service is a sandbox, either the built-in one or a served one, which has sandbox tokens. */
  isSandbox: boolean;
}

const unknownReference = 'unknown';

/** Accepts only a plain URI: anything that looks like an address must stay out of receipts. */
const referenceIn = (value: string): string =>
  /^https?:\/\/[\w.:[\]-]+(\/[\w.~-]+)*$/.test(value) ? value : unknownReference;

const askOwner = async (context: Context): Promise<Pick<Requester, 'owner' | 'organization'>> => {
  const client = await context.client();
  // R12: a receipt holds no secret, even if the service puts one into a user's URI.
  const reference = (value: unknown) => referenceIn(context.runtime.secrets.redact(String(value)));
  const { uri, current_organization } = await readOwnUser(client).catch(fallBack<SentUser>({}, 'forbidden'));
  // The reply to the login had them too.
  const { owner } = await context.connection();
  return {
    owner: reference(uri ?? owner?.user),
    organization: reference(current_organization ?? owner?.organization),
  };
};

export const askRequester = async (context: Context, operation: Operation): Promise<Requester> => {
  const { path } = addressOf(await context.dialect(), operation);
  const connection = await context.connection();
  const { baseUrl, isSandbox } = connection;
  return {
    ...(await askOwner(context)),
    endpoint: `${isSandbox ? sandboxAddress : baseUrl}${path}`,
    isSandbox: await isAnySandbox(connection),
  };
};

/** Guards against the wrong account: throws unless `--org` is the token's own organization. */
export const checkOrganization = (organizationFlag: string, { organization }: Requester): void => {
  if (organization === unknownReference)
    throw new SchedError('forbidden', words`Can't check ${the('org')}, because the token can't read its own user`, {
      reason: 'the token lacks the scope users:read, or the service has no /users/me',
      // Not a command to copy: without --org, nothing guards against the wrong account.
      advice: words`use a token with users:read, or omit ${the('org')}`,
    });
  const isSame = organizationFlag.includes('://')
    ? organizationFlag === organization
    : organizationFlag === idIn(organization);
  if (isSame) return;
  throw new SchedError('conflict', words`The token belongs to a different organization than ${the('org')}`, {
    reason: `it belongs to ${organization}`,
  });
};
