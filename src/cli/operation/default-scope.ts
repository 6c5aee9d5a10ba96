import { catalogue, type Noun } from '../../api/catalogue.ts';
import type { Operation } from '../../api/operation.ts';
import type { Input } from '../../client/client.ts';
import { SchedError } from '../../errors.ts';
import type { Context } from '../session/context.ts';
import { ownOrganization } from '../session/identity.ts';

/** Filters that say well enough whose records are meant. */
const narrowing = ['user', 'organization', 'group', 'owner'];

/**
 * Fills in whose records are meant where the operation asks and nothing was typed: the token's own user, or the whole
 * organization where only that makes sense. Another user's records need the organization named too.
 * Returns words for the footer.
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
      : `your ${noun.replaceAll('-', ' ')} · whole organization: --org current`;
  }
  if (query.user !== undefined && query.organization === undefined && fields.organization !== undefined) {
    const own = await context.identity().catch((error: unknown) => {
      // A token that may not tell whose it is may still list its own user's: the service says no to another's.
      if (error instanceof SchedError && error.category === 'forbidden') return undefined;
      throw error;
    });
    if (own !== undefined && query.user !== own.user) query.organization = ownOrganization(own);
  }
  return undefined;
};
