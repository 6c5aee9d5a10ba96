import { collections } from '../../api/collections.ts';
import { isEmailAddress } from '../../api/email-address.ts';
import type { SentUser } from '../../api/users.ts';
import { SchedError } from '../../base/errors.ts';
import { isObject, textOf } from '../../base/json.ts';
import { idIn } from '../../base/uri.ts';
import { isPerson, isUri } from '../../client/ids.ts';
import type { Reference } from '../input/field-kinds.ts';
import { isSandboxOrigin } from '../session/connection.ts';
import type { Context } from '../session/context.ts';
import { addOrganization } from './default-scope.ts';
import type { LookupResult } from './name-lookup.ts';

/** Whether a text is an email address. A URI may also contain an `@`. */
export const isEmail = (text: string): boolean => isEmailAddress(text) && !isUri(text);

/** Finds the membership of the default user, of the user with a URI, or of the member with an email address. */
const memberNamed = async (who: string, context: Context): Promise<{ uri: unknown; user: SentUser }> => {
  const { members } = await import('../../api/organizations.ts');
  const { identity } = context;
  const isMe = who === collections.users.self;
  const query: Record<string, string> = {};
  if (isMe) query.user = await identity.user();
  else if (isUri(who)) query.user = `${await identity.root()}/users/${idIn(who)}`;
  if (query.user === undefined) Object.assign(query, { organization: await identity.organization(), email: who });
  else await addOrganization(query, context);
  const client = await context.client();
  for await (const page of client.pages(members.list, { query })) {
    for (const member of page) {
      const { user } = member;
      if (!isObject(user)) continue;
      const isFound =
        query.user === undefined ? textOf(user.email)?.toLowerCase() === who.toLowerCase() : user.uri === query.user;
      if (isFound) return { uri: member.uri, user };
    }
  }
  const other = isUri(who) ? `No member with the user ID ${idIn(who)}` : `No member with the email address ${who}`;
  throw new SchedError('not-found', isMe ? 'You are not a member of the organization' : other, {
    hint: { command: ['members', 'list'] },
    outcome: 'not-sent',
  });
};

/** The root of a record's URI. One that was given is the service's own; only a sandbox knows its records by several. */
const uriRootOf = async (given: string | undefined, { connection, identity, runtime }: Context): Promise<string> =>
  given === undefined || isSandboxOrigin(given, await connection(), runtime) ? identity.root() : given;

/** The record that a reference names, with its full URI. */
export const referredRecord = async (
  { id, collection, root, name }: Reference,
  context: Context,
  within?: string,
): Promise<LookupResult> => {
  const { identity } = context;
  if (name === undefined) return { uri: `${await uriRootOf(root, context)}/${collection}/${id}` };
  const { self, owner } = collections[collection];
  const isOwn = name === self;
  if (isOwn && owner !== undefined) return { uri: await identity[owner]() };
  if (collection === 'scheduled_events') return (await import('./name-lookup.ts')).findNextEvent(context);
  if (!isOwn && !(isPerson(collection) && (isEmail(name) || isUri(name))))
    return (await import('./name-lookup.ts')).findRecord(name, collection, context, within);
  const { uri, user } = await memberNamed(name, context);
  return { uri: String(collection === 'users' ? user.uri : uri) };
};

/** The URI of a user by name or email address. */
export const findUser = async (who: string, context: Context): Promise<string> =>
  (await referredRecord({ id: '', collection: 'users', name: who }, context)).uri;
