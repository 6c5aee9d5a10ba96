import { members } from '../api/organizations.ts';
import { isObject } from '../client/reading.ts';
import { SchedError } from '../errors.ts';
import type { Context } from './context.ts';
import { isEmail, ownWords, type Reference } from './values.ts';

/** A person may be named by address: it is looked up among the members of the organization. */
const userByEmail = async (email: string, context: Context): Promise<string> => {
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

/** The full URI that the service knows a record by. */
export const referenceUri = async ({ id, collection }: Reference, context: Context): Promise<string> => {
  if (id === ownWords[collection]) {
    const { user, organization } = await context.identity();
    return collection === 'users' ? user : organization;
  }
  if (collection === 'users' && isEmail(id)) return userByEmail(id, context);
  return `${await context.root()}/${collection}/${id}`;
};
