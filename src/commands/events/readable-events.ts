import { events } from '../../api/events.ts';
import { hasCategory } from '../../base/errors.ts';
import type { Context } from '../../cli/session/context.ts';
import type { Input } from '../../client/wire.ts';

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
