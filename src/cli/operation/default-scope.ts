import { catalogue, type Noun } from '../../api/catalogue.ts';
import type { Operation } from '../../api/operation.ts';
import type { Input } from '../../client/client.ts';
import { SchedError } from '../../errors.ts';
import type { Context } from '../session/context.ts';
import { ownOrganization } from '../session/identity.ts';

/** Filters that already say whose records are wanted. */
const narrowing = ['user', 'organization', 'group', 'owner'];

/**
 * Fills in whose records are wanted if the operation needs it and the user gave none: the token's own user, or the
 * whole organization if only that makes sense. Listing another user's records needs the organization too.
 * Returns a text for the footer.
 */
export const fillScope = async (
  operation: Operation,
  input: Input,
  noun: Noun,
  context: Context,
): Promise<string | undefined> => {
  const fields = operation.query?.shape ?? {};
  const query = input.query!;
  const isOpen = !narrowing.some((name) => query[name] !== undefined);
  if (isOpen && fields.organization !== undefined && catalogue[noun].whose === 'organization') {
    query.organization = ownOrganization(await context.identity());
    return undefined;
  }
  if (isOpen && fields.user !== undefined) {
    query.user = (await context.identity()).user;
    return fields.organization === undefined
      ? undefined
      : `Showing your ${noun.replaceAll('-', ' ')}. For the whole organization: --org current`;
  }
  if (query.user !== undefined && query.organization === undefined && fields.organization !== undefined) {
    const own = await context.identity().catch((error: unknown) => {
      // A token that may not read its own user can still list that user's records. The service refuses those of others.
      if (error instanceof SchedError && error.category === 'forbidden') return undefined;
      throw error;
    });
    if (own !== undefined && query.user !== own.user) query.organization = ownOrganization(own);
  }
  return undefined;
};
