import { catalogue } from '../../api/catalogue.ts';
import type { Shape } from '../../api/field.ts';
import { nounOf, type Operation } from '../../api/operation.ts';
import { fallBack, hasCategory } from '../../base/errors.ts';
import { the, words } from '../../base/words.ts';
import { gather } from '../../client/paginate.ts';
import type { Input } from '../../client/wire.ts';
import type { View } from '../../output/view.ts';
import type { Scope } from '../answer/answer.ts';
import type { Context } from '../session/context.ts';

const forEveryone = 'For everyone: --org current';

/** The footer of a list that shows less than the whole organization. */
export const scopeLines = (rows: string | undefined): string[] =>
  rows === undefined ? [] : [`Showing ${rows}. ${forEveryone}`];

/** The name of an operation's records: `event types`. */
const rowsNoun = ({ reply }: Operation): string => `${reply.of.name}s`.replace(/ys$/, 'ies');

/** The rows of a list in its title and footer: the default ones, or all, which a view may name itself. */
export const scopeOf = (operation: Operation, rows: string | undefined, view?: View): Scope =>
  rows === undefined ? { rows: view?.rows ?? rowsNoun(operation) } : { rows, hints: [forEveryone] };

/** Filters that already say whose records are wanted. */
const narrowing = ['user', 'organization', 'group', 'owner'];

/**
 * The default organization. If the token can't read its own user, it may lack the operation's scope as well: then --org
 * doesn't help, and the service says so.
 */
const ownOrganization = (operation: Operation, { identity, client }: Context): Promise<string> =>
  identity.organization().catch(async (error: unknown) => {
    if (!hasCategory(error, 'forbidden')) throw error;
    await gather((await client()).pages(operation, { query: {} }, { limit: 1 })).catch((refusal: unknown) => {
      if (hasCategory(refusal, 'forbidden', 'interrupted')) throw refusal;
    });
    throw error.with({ advice: words`add ${the('org')} ID, or set SCHED_ORG` });
  });

/** The default user, or undefined if the token may not read it and the operation can list an organization instead. */
const ownUser = (fields: Shape, { identity }: Context): Promise<string | undefined> =>
  fields.organization === undefined ? identity.user() : identity.user().catch(fallBack(undefined, 'forbidden'));

/** Adds the organization to a query for another user's records: the service needs it. */
export const addOrganization = async (
  query: NonNullable<Input['query']>,
  { identity }: Pick<Context, 'identity'>,
): Promise<void> => {
  if (!(await identity.mayBeOther(String(query.user)))) return;
  // A token that may not read its own user can still list that user's records. The service refuses those of others.
  const organization = await identity.organization().catch(fallBack(undefined, 'forbidden'));
  if (organization !== undefined) query.organization = organization;
};

/**
 * Fills in whose records are wanted if the operation needs it and the user gave none: the token's own user, or the
 * whole organization if only that makes sense. Listing another user's records needs the organization too.
 * Returns the rows that are listed by default, such as `your events`, if they are not all.
 */
export const fillScope = async (operation: Operation, input: Input, context: Context): Promise<string | undefined> => {
  const noun = nounOf(operation);
  const fields = operation.query?.shape ?? {};
  const query = input.query!;
  const isOpen = !narrowing.some((name) => query[name] !== undefined);
  if (isOpen && fields.organization !== undefined && catalogue[noun].whose === 'organization') {
    query.organization = await ownOrganization(operation, context);
    return undefined;
  }
  if (isOpen && fields.user !== undefined) {
    const user = await ownUser(fields, context);
    if (user === undefined) {
      query.organization = await context.identity.organization();
      context.notes.info("The token can't read its own user, so this lists the whole organization");
      return undefined;
    }
    query.user = user;
    if (fields.organization === undefined) return undefined;
    await addOrganization(query, context);
    const rows = noun.replaceAll('-', ' ');
    return (await context.identity.isTokenUser()) ? `your ${rows}` : `${rows} of the default user`;
  }
  if (query.user !== undefined && query.organization === undefined && fields.organization !== undefined)
    await addOrganization(query, context);
  return undefined;
};
