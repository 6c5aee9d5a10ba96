import { events } from '../../../api/events.ts';
import type { Operation } from '../../../api/operation.ts';
import type { Input } from '../../../client/wire.ts';
import { addressOf } from '../../../dialects/dialect.ts';
import { fallBack, hasCategory, SchedError } from '../../../errors.ts';
import type { Json } from '../../../json.ts';
import { idIn } from '../../../uri.ts';
import { isAnySandbox, sandboxAddress } from '../../session/connection.ts';
import type { Context } from '../../session/context.ts';
import { readOwnUser } from '../../session/identity.ts';

/** Who sends a run and where to. The service says who the token belongs to: a file would be no evidence. */
export interface Requester {
  owner: string;
  organization: string;
  endpoint: string;
  /** Whether the service is a sandbox, either the built-in one or a served one, which has sandbox tokens. */
  isSandbox: boolean;
}

const unknown = 'unknown';

/** Accepts only a plain URI: anything that looks like an address must stay out of receipts. */
const referenceIn = (value: string): string => (/^https?:\/\/[\w.:[\]-]+(\/[\w.~-]+)*$/.test(value) ? value : unknown);

const askOwner = async (context: Context): Promise<Pick<Requester, 'owner' | 'organization'>> => {
  const client = await context.client();
  // R12: a receipt holds no secret, even if the service puts one into a user's URI.
  const reference = (value: unknown) => referenceIn(context.runtime.secrets.redact(String(value)));
  const { uri, current_organization } = await readOwnUser(client).catch(fallBack<Json>({}, 'forbidden'));
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
export const checkOrganization = (wanted: string, { organization }: Requester): void => {
  if (organization === unknown)
    throw new SchedError('forbidden', "Can't check --org, because the token can't read its own user", {
      reason: 'the token lacks the scope users:read, or the service has no /users/me',
      // Not a command to copy: without --org, nothing guards against the wrong account.
      advice: 'use a token with users:read, or omit --org',
    });
  const isSame = wanted.includes('://') ? wanted === organization : wanted === idIn(organization);
  if (isSame) return;
  throw new SchedError('conflict', 'The token belongs to a different organization than --org', {
    reason: `it belongs to ${organization}`,
  });
};

/** Whose events are read, and the query for them. */
export interface EventScope {
  scope: 'organization' | 'user';
  query: NonNullable<Input['query']>;
}

/** The events of the whole organization or, if the token may not read them, of its own user. */
export const readableEvents = async ({ identity, client }: Context): Promise<EventScope> => {
  const query = { organization: await identity.organization() };
  try {
    for await (const _ of (await client()).pages(events.list, { query }, { limit: 1 })) break;
    return { scope: 'organization', query };
  } catch (error) {
    if (!hasCategory(error, 'forbidden')) throw error;
    return { scope: 'user', query: { user: await identity.user() } };
  }
};
