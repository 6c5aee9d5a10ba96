import type { Operation } from '../api/operation.ts';
import { fieldsOf, isOptional } from '../api/schema.ts';
import type { Input } from '../client/client.ts';
import type { Context } from './context.ts';

/**
 * Fills in whose records are meant where the operation asks and nothing was typed: the token's own user, or the whole
 * organization where only that makes sense. Another user's records need the organization named too.
 * Returns words for the footer.
 */
export const fillScope = async (
  operation: Operation,
  input: Input,
  noun: string,
  context: Context,
): Promise<string | undefined> => {
  const fields = operation.query === undefined ? {} : fieldsOf(operation.query)!;
  const query = input.query!;
  if (fields.organization === undefined) return undefined;
  if (fields.user === undefined) {
    if (query.organization === undefined && !isOptional(fields.organization))
      query.organization = (await context.identity()).organization;
    return undefined;
  }
  if (query.user === undefined && query.organization === undefined && query.group === undefined) {
    query.user = (await context.identity()).user;
    return `your ${noun.replaceAll('-', ' ')} · whole organization: --org current`;
  }
  if (query.user !== undefined && query.organization === undefined) {
    const { user, organization } = await context.identity();
    if (query.user !== user) query.organization = organization;
  }
  return undefined;
};
