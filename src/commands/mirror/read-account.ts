import { availability, moreAvailability } from '../../api/availability.ts';
import { eventTypes } from '../../api/event-types.ts';
import { events } from '../../api/events.ts';
import { groups } from '../../api/groups.ts';
import { locations } from '../../api/locations.ts';
import type { Operation } from '../../api/operation.ts';
import { invitations, members, orgs } from '../../api/organizations.ts';
import { routingForms } from '../../api/routing-forms.ts';
import { type SentUser, users } from '../../api/users.ts';
import { hasCategory, SchedError } from '../../base/errors.ts';
import { isObject, type Json } from '../../base/json.ts';
import { idIn } from '../../base/uri.ts';
import { type Client, isRead } from '../../client/client.ts';
import { gather } from '../../client/paginate.ts';
import type { Input } from '../../client/wire.ts';
import { isSuccess } from '../../http/message.ts';
import type { Caller } from '../../sandbox/handler.ts';

/*
 * The lists of an account besides its events. Each is read whole or not at all, and a refusal of the service is kept: it
 * answers whoever asks the mirror for that list.
 */

export interface Refusal {
  status: number;
  body: string;
}

/** A list as it was read: its name, with the record that it belongs to. */
interface ReadList {
  list: string;
  operation: Operation;
  /** The ID of the record that it belongs to, or of the own user. */
  about: string;
  records: Json[];
  refusal?: Refusal;
}

/** Whether the service will say the same again: the token's scope, role or plan, or a path that it doesn't have. */
const isRefusal = (error: unknown): error is SchedError => {
  // A stored login is known to lack a scope before anything is sent.
  if (hasCategory(error, 'forbidden')) return true;
  const status = error instanceof SchedError ? (error.facts.http?.status ?? 0) : 0;
  return status >= 400 && status < 500 && ![401, 408, 429].includes(status);
};

/** Whoever asks the mirror for a list that came in an unexpected form gets a reply in one, too. */
const unexpected: Refusal = { status: 200, body: '{}' };

/** Reads something, or the service's own words for a refusal. With `problems`, an unexpected reply is one of them. */
export const readOrRefusal = async <Item>(
  client: Client,
  operation: Operation,
  input: Input,
  read: () => Promise<Item[]>,
  problems?: SchedError[],
): Promise<Item[] | Refusal> => {
  try {
    return await read();
  } catch (error) {
    if (problems !== undefined && hasCategory(error, 'integrity')) {
      problems.push(error);
      return unexpected;
    }
    if (!isRefusal(error)) throw error;
    const reply = await client.send(await client.prepare(operation, input));
    if (isSuccess(reply)) throw error;
    return { status: reply.status, body: reply.body };
  }
};

const uriOf = ({ uri }: SentUser): string => String(uri);

/** All lists but those of events, one after another: the rate limit belongs to other commands first. */
export async function* readLists(
  client: Client,
  { user, organization }: Record<'user' | 'organization', string>,
  problems: SchedError[],
) {
  const readList = async (operation: Operation, input: Input, about?: string, name?: string): Promise<ReadList> => {
    const read = async () => {
      if (operation.reply.kind === 'many') return gather(client.pages(operation, input));
      return isRead(operation) ? [await client.call(operation, input)] : [];
    };
    const found = await readOrRefusal(client, operation, input, read, problems);
    const list = name ?? (about === undefined ? operation.name : `${operation.name}/${about}`);
    const facts = { list, operation, about: about ?? idIn(user) };
    return Array.isArray(found) ? { ...facts, records: found } : { ...facts, records: [], refusal: found };
  };
  const ofOrganization = { query: { organization } };
  /** If the list of the organization is refused, that of the own user. */
  async function* withOwn(operation: Operation): AsyncGenerator<ReadList, Json[]> {
    const whole = await readList(operation, ofOrganization);
    yield whole;
    if (whole.refusal === undefined) return whole.records;
    const own = await readList(operation, { query: { user } }, undefined, `${operation.name}/own`);
    yield own;
    return own.records;
  }
  const own = await readList(users.me, {});
  yield own;
  yield await readList(orgs.get, { path: { organization: idIn(organization) } });
  const team = yield* withOwn(members.list);
  const people = team.flatMap(({ user: each }) => (isObject(each) ? [each] : []));
  const fields = Object.keys(own.records[0] ?? {});
  // A service may show less of a user inside a membership.
  for (const each of people)
    if (!fields.every((name) => name in each) && uriOf(each) !== user)
      yield await readList(users.get, { path: { user: idIn(each.uri) } }, idIn(each.uri));
  for (const operation of [invitations.list, groups.list, groups.relationships])
    yield await readList(operation, ofOrganization);
  const types = yield* withOwn(eventTypes.list);
  for (const operation of [eventTypes.hosts, availability.list])
    for (const type of types) yield await readList(operation, { query: { event_type: uriOf(type) } }, idIn(type.uri));
  const perUser: Operation[] = [locations.list, moreAvailability['list-user']].filter((each) => client.offers(each));
  for (const operation of perUser)
    for (const each of new Set([user, ...people.map(uriOf)]))
      yield await readList(operation, { query: { user: each } }, idIn(each));
  const forms = await readList(routingForms.list, ofOrganization);
  yield forms;
  for (const form of forms.records)
    yield await readList(routingForms.submissions, { query: { form: uriOf(form) } }, idIn(form.uri));
}

/** Whose events the token may list: those of the organization, or its own. Also what the service says if not all. */
export const readRole = async (
  client: Client,
  { user, organization }: Record<'user' | 'organization', string>,
): Promise<{ role: Caller['role']; refusal: Refusal | undefined }> => {
  const query = { organization };
  const read = () => gather(client.pages(events.list, { query }, { limit: 1 }));
  const found = await readOrRefusal(client, events.list, { query }, read);
  const refusal = Array.isArray(found) ? undefined : found;
  const mine = await gather(client.pages(members.list, { query: { user } })).catch((error: unknown) => {
    if (isRefusal(error)) return [];
    throw error;
  });
  const role = mine.find(({ user: each }) => isObject(each) && idIn(each.uri) === idIn(user))?.role;
  if (role === 'owner' || role === 'admin' || role === 'user') return { role, refusal };
  return { role: refusal === undefined ? 'admin' : 'user', refusal };
};
