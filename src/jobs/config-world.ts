import { availability } from '../api/availability.ts';
import { eventTypes } from '../api/event-types.ts';
import { groups } from '../api/groups.ts';
import { members } from '../api/organizations.ts';
import { users } from '../api/users.ts';
import { type WebhookScope, webhooks } from '../api/webhooks.ts';
import type { Client } from '../client/client.ts';
import { mapConcurrent } from '../client/map-concurrent.ts';
import { gather } from '../client/paginate.ts';
import type { Reach, UserReach, World, WorldType, WorldUser } from '../config/model.ts';
import { fallBack } from '../errors.ts';
import { isObject, type Json } from '../json.ts';
import type { Clock } from '../system.ts';
import { dateText } from '../time/days.ts';
import { wallClock } from '../time/show.ts';
import { readZone } from '../time/zone.ts';
import { idIn } from '../uri.ts';

export interface WorldSource {
  client: Client;
  /** The address of the service, as `serviceName` writes it. */
  origin: string;
  identity: {
    user(): Promise<string>;
    organization(): Promise<string>;
    /** Whether a user may be another than the token's. */
    mayBeOther(user: string): Promise<boolean>;
  };
  clock: Pick<Clock, 'now'>;
  /** The `Date` of the service's last reply, if it had one. */
  serviceTime(): number | undefined;
  /** Called with the number of requests to come, as far as it is known. */
  onAhead?(requests: number): void;
}

const isSame = (one: unknown, other: unknown): boolean => idIn(one) === idIn(other);

const ownerOf = ({ profile }: Json): unknown => (isObject(profile) ? profile.owner : undefined);

/** Deleted types can't be changed. One-offs are meetings, not configuration. */
const isManageable = ({ deleted_at, type }: Json): boolean => !deleted_at && type !== 'AdhocEventType';

const typesIn = ({ client }: WorldSource, query: Record<string, string>): Promise<Json[]> =>
  gather(client.pages(eventTypes.list, { query }));

/** The types that a list of this user shows: own ones and those of other owners. */
export const readTypes = async (
  source: WorldSource,
  user: string,
  organization: string,
): Promise<Pick<WorldUser, 'types' | 'shared'>> => {
  const listed = await typesIn(source, {
    user,
    ...((await source.identity.mayBeOther(user)) ? { organization } : {}),
  });
  const own = listed.filter((type) => isSame(ownerOf(type), user));
  return {
    types: own.filter(isManageable).map((record) => ({ record })),
    shared: listed.filter((type) => isManageable(type) && !own.includes(type)).map(ownerOf),
  };
};

export const readSchedules = ({ client }: WorldSource, eventType: unknown): Promise<Json[]> =>
  gather(client.pages(availability.list, { query: { event_type: String(eventType) } }));

/** The webhooks of one list. A service that ignores the filter shows others too: they are not managed. */
export const readWebhooks = async (
  { client }: WorldSource,
  organization: string,
  scope: WebhookScope,
  owner: string,
): Promise<Json[]> => {
  const whose = scope === 'organization' ? {} : { [scope]: owner };
  const all = await gather(client.pages(webhooks.list, { query: { organization, scope, ...whose } }));
  return all.filter((webhook) => (webhook.scope ?? scope) === scope && isSame(webhook[scope] ?? owner, owner));
};

const readUser = ({ client }: WorldSource, uri: string): Promise<Json> =>
  client.call(users.get, { path: { user: idIn(uri) } });

const worldUser = (user: Json, key: string, types: Json[] = []): WorldUser => ({
  key,
  uri: String(user.uri),
  email: String(user.email),
  types: types.map((record) => ({ record })),
  shared: [],
});

const whole: Omit<UserReach, 'key'> = { types: true, hours: 'all', webhooks: true };

type Reached = { user: WorldUser; reach: Omit<UserReach, 'key'> };

/** Every user who owns a type. `emails` gets the addresses of all users. */
const everyUser = async (
  source: WorldSource,
  organization: string,
  emails: Map<string, string>,
): Promise<Reached[]> => {
  const types = (await typesIn(source, { organization })).filter(isManageable);
  const all = await gather(source.client.pages(members.list, { query: { organization } }));
  const people = all.map(({ user }) => user).filter(isObject);
  for (const { uri, email } of people) emails.set(String(uri), String(email));
  return people
    .map((user) =>
      worldUser(
        user,
        String(user.email),
        types.filter((type) => isSame(ownerOf(type), user.uri)),
      ),
    )
    .filter((user) => user.types.length > 0)
    .map((user) => ({ user, reach: whole }));
};

const isEmail = (one: unknown, other: unknown): boolean => String(one).toLowerCase() === String(other).toLowerCase();

const namedUsers = async (
  source: WorldSource,
  organization: string,
  named: readonly UserReach[],
): Promise<Reached[]> => {
  if (named.length === 0) return [];
  const me = await readUser(source, await source.identity.user());
  const found = await mapConcurrent(named, async (reach): Promise<Reached[]> => {
    const { key } = reach;
    const isMe = key === 'me' || isEmail(key, me.email);
    const query = { organization, email: key };
    const listed = isMe ? [] : await gather(source.client.pages(members.list, { query }));
    const user = isMe ? me : listed.map((member) => member.user as Json).find((each) => isEmail(each?.email, key));
    if (user === undefined) return [];
    const types = reach.types ? await readTypes(source, String(user.uri), organization) : {};
    return [{ user: { ...worldUser(user, key), ...types }, reach }];
  });
  return found.flat();
};

const needsHours = ({ record }: WorldType, { hours }: Pick<UserReach, 'hours'>): boolean =>
  hours === 'all' || hours.some((named) => named === record.name || isSame(named, record.uri));

const namedGroups = async ({ client }: WorldSource, organization: string, named: Reach['groups']): Promise<Json[]> => {
  if (named.length === 0) return [];
  const all = await gather(client.pages(groups.list, { query: { organization } }));
  return all.filter(({ name }) => named === 'all' || named.includes(String(name)));
};

/** Adds the email addresses of hosts, as far as the token may read them. */
const addHosts = async (
  source: WorldSource,
  reached: readonly Reached[],
  emails: Map<string, string>,
): Promise<void> => {
  for (const { user } of reached) emails.set(user.uri, user.email);
  const schedules = reached.flatMap(({ user }) => user.types.flatMap((type) => type.schedules ?? []));
  const unknown = new Set(schedules.map(({ user }) => String(user)).filter((uri) => !emails.has(uri)));
  const found = await mapConcurrent([...unknown], (uri) =>
    readUser(source, uri).catch(fallBack(undefined, 'forbidden', 'not-found')),
  );
  for (const [index, uri] of [...unknown].entries())
    if (typeof found[index]?.email === 'string') emails.set(uri, found[index].email);
};

/** Reads what a configuration file is compared with. */
export const readWorld = async (source: WorldSource, reach: Reach): Promise<World> => {
  const organization = await source.identity.organization();
  const emails = new Map<string, string>();
  const reached =
    reach.users === 'all'
      ? await everyUser(source, organization, emails)
      : await namedUsers(source, organization, reach.users);
  const found = await namedGroups(source, organization, reach.groups);
  const listOf = (scope: WebhookScope, owner: string) => readWebhooks(source, organization, scope, owner);
  const groupsNow: World['groups'] = [];
  let ofOrganization: Json[] | undefined;
  const reads: (() => Promise<unknown>)[] = [
    ...reached.flatMap(({ user, reach: { hours } }) =>
      user.types
        .filter((type) => needsHours(type, { hours }))
        .map((type) => async () => Object.assign(type, { schedules: await readSchedules(source, type.record.uri) })),
    ),
    ...reached
      .filter((each) => each.reach.webhooks)
      .map(
        ({ user }) =>
          async () =>
            Object.assign(user, { webhooks: await listOf('user', user.uri) }),
      ),
    ...found.map(({ name, uri }) => async () => {
      groupsNow.push({ name: String(name), uri: String(uri), webhooks: await listOf('group', String(uri)) });
    }),
    ...(reach.organization
      ? [
          async () => {
            ofOrganization = await listOf('organization', organization);
          },
        ]
      : []),
  ];
  let left = reads.length;
  await mapConcurrent(reads, (read) => {
    source.onAhead?.(left--);
    return read();
  });
  await addHosts(source, reached, emails);
  const now = source.serviceTime() ?? source.clock.now();
  return {
    service: source.origin,
    organization,
    users: reached.map(({ user }) => user),
    organizationWebhooks: ofOrganization,
    groups: groupsNow.sort((one, other) => (one.name < other.name ? -1 : 1)),
    emails,
    today: (zone) => {
      const read = readZone(zone);
      return dateText(wallClock(read.ok ? read.zone : 'UTC')(now));
    },
  };
};
