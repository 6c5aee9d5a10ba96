import { isObject } from '../client/reading.ts';
import { SchedError } from '../errors.ts';
import type { Context } from './context.ts';
import { isPlainId } from './ids.ts';
import { isEmail, ownWords, type Reference } from './values.ts';

/** A person may be named by address: it is looked up among the members of the organization. */
const userByEmail = async (email: string, context: Context): Promise<string> => {
  if (context.unknowns !== undefined) {
    const lookUp = `"$(sched members list --email '${email.replaceAll("'", "'\\''")}' --jq '.[0].user.uri')"`;
    return context.unknowns.leave('USER_URI', lookUp);
  }
  const { members } = await import('../api/organizations.ts');
  const { organization } = await context.identity();
  const client = await context.client();
  for await (const page of client.pages(members.list, { query: { organization, email } })) {
    for (const { user } of page) {
      if (isObject(user) && String(user.email).toLowerCase() === email.toLowerCase()) return String(user.uri);
    }
  }
  throw new SchedError('not-found', `No member of the organization has the address ${email}`, {
    hint: 'sched members list',
    outcome: 'not-sent',
  });
};

/** A record by its name. Where nothing may be asked, a word that could be an ID is taken as one. */
export const namedUri = async (
  name: string,
  collection: string,
  context: Context,
  within?: string,
): Promise<string> => {
  if (context.unknowns !== undefined && isPlainId(name)) return `${await context.root()}/${collection}/${name}`;
  const { unknownName, uriOfName } = await import('./names.ts');
  return context.unknowns === undefined
    ? uriOfName(name, collection, context, within)
    : unknownName(name, collection, context, within);
};

/** The full URI that the service knows a record by. */
export const referenceUri = async ({ id, collection, name }: Reference, context: Context): Promise<string> => {
  if (id === ownWords[collection]) {
    const { user, organization } = await context.identity();
    return collection === 'users' ? user : organization;
  }
  if (collection === 'users' && isEmail(id)) return userByEmail(id, context);
  if (name !== undefined) return namedUri(name, collection, context);
  return `${await context.root()}/${collection}/${id}`;
};
