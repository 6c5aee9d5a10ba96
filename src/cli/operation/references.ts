import { isPlainId } from '../../client/ids.ts';
import { isObject, type Json } from '../../client/reading.ts';
import { SchedError } from '../../errors.ts';
import { singleQuoted } from '../../shell-quote.ts';
import type { Context } from '../session/context.ts';
import { ownOrganization } from '../session/identity.ts';
import { forSameAccount } from '../session/lost-creation.ts';
import { isPerson, selfWords } from './field-flags.ts';
import type { Found } from './name-lookup.ts';
import { isEmail, type Reference } from './values.ts';

/** Finds the organization's member with an email address, or the token's own user. */
const memberNamed = async (who: string, context: Context): Promise<Json> => {
  const { members } = await import('../../api/organizations.ts');
  const identity = await context.identity();
  const { user: own } = identity;
  const isMe = who === selfWords.users;
  const query: Record<string, string> = isMe ? { user: own } : { organization: ownOrganization(identity), email: who };
  const client = await context.client();
  for await (const page of client.pages(members.list, { query })) {
    for (const member of page) {
      const { user } = member;
      if (!isObject(user)) continue;
      if (isMe ? user.uri === own : String(user.email).toLowerCase() === who.toLowerCase()) return member;
    }
  }
  const message = isMe ? 'You are not a member of the organization' : `No member with the address ${who}`;
  throw new SchedError('not-found', message, {
    hint: 'sched members list',
    outcome: 'not-sent',
  });
};

/** The URI of a member's user, or of the membership itself. */
const memberUri = async (who: string, collection: string, context: Context): Promise<string> => {
  const isUser = collection === 'users';
  if (context.curlVariables !== undefined) {
    const filter = who === selfWords.users ? '--user me' : `--email ${singleQuoted(who)}`;
    const list = forSameAccount('sched members list', context.settings);
    const lookUp = `"$(${list} ${filter} --jq '.[0]${isUser ? '.user' : ''}.uri')"`;
    return context.curlVariables.leave(isUser ? 'USER_URI' : 'MEMBER_URI', lookUp);
  }
  const member = await memberNamed(who, context);
  return String(isUser ? (member.user as Json).uri : member.uri);
};

/** Finds a record by ID or name. With `--curl` there is no lookup: a word that could be an ID is used as one. */
const namedRecord = async (word: string, collection: string, context: Context, within?: string): Promise<Found> => {
  if (context.curlVariables !== undefined && isPlainId(word))
    return { uri: `${await context.root()}/${collection}/${word}` };
  const { findRecord, unknownName } = await import('./name-lookup.ts');
  return context.curlVariables === undefined
    ? findRecord(word, collection, context, within)
    : { uri: unknownName(word, collection, context, within) };
};

/** The record that a reference names, with its full URI. */
export const referredRecord = async (
  { id, collection, name }: Reference,
  context: Context,
  within?: string,
): Promise<Found> => {
  const word = name ?? id;
  const isOwn = word === selfWords[collection];
  if (isOwn && collection !== 'organization_memberships') {
    const identity = await context.identity();
    return { uri: collection === 'users' ? identity.user : ownOrganization(identity) };
  }
  if (isOwn || (isPerson(collection) && isEmail(word))) return { uri: await memberUri(word, collection, context) };
  if (name !== undefined) return namedRecord(name, collection, context, within);
  return { uri: `${await context.root()}/${collection}/${id}` };
};
