import type { Json } from '../../src/base/json.ts';
import { idIn } from '../../src/base/uri.ts';
import type { HttpReply, Send } from '../../src/http/message.ts';

/*
 * A small model of the service in memory: as much of it as the jobs use. It is lenient where that shows mistakes: it takes
 * the same person twice in a group meeting, and the same name for two event types.
 */

/** Not on this machine: a local service counts as a sandbox, which shows its bookings at once. */
export const origin = 'https://api.model.example';
export const user = `${origin}/users/ADA`;
export const organization = `${origin}/organizations/ORG`;
const seats = { solo: 1, group: 10 } as const;
const usualPage = 20;

const me = {
  uri: user,
  name: 'Ada',
  slug: 'ada',
  email: 'ada@host.example',
  scheduling_url: `${origin}/ada`,
  timezone: 'Europe/Paris',
  current_organization: organization,
  locale: 'en',
  resource_type: 'User',
};

interface ModelEvent extends Json {
  uri: string;
  event_type: string;
  start_time: string;
  status: string;
}

interface Route {
  method: string;
  /** The path without the IDs. */
  path: string;
  ids: string[];
  query: URLSearchParams;
  body: Json;
}

class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const found = <Value>(value: Value | undefined): Value => {
  if (value === undefined) throw new Refusal(404, 'The record was not found.');
  return value;
};

/** `/scheduled_events/E1/invitees` ⇒ `/scheduled_events/{}/invitees`. IDs have a capital letter. */
const isId = (part: string): boolean => /^[A-Z]/.test(part);

const routeOf = ({ method, url, body = '' }: Parameters<Send>[0]): Route => {
  const { pathname, searchParams: query } = new URL(url);
  const parts = pathname.split('/');
  return {
    method,
    path: parts.map((part) => (isId(part) ? '{}' : part)).join('/'),
    ids: parts.filter(isId),
    query,
    body: body === '' ? {} : JSON.parse(body),
  };
};

const pageOf = (rows: readonly Json[], query: URLSearchParams) => {
  const from = Number(query.get('page_token') ?? 0);
  const collection = rows.slice(from, from + Number(query.get('count') ?? usualPage));
  const next = from + collection.length;
  const token = next < rows.length ? String(next) : null;
  return { collection, pagination: { count: collection.length, next_page: null, next_page_token: token } };
};

export const createModelService = (now: () => number) => {
  const types = new Map<string, Json>();
  const schedules = new Map<string, Json & { event_type: string }>();
  const events = new Map<string, ModelEvent>();
  /** By the URI of the event. */
  const invitees = new Map<string, Json[]>();
  let count = 0;
  const newUri = (place: string): string => {
    count += 1;
    return `${place}/N${count}`;
  };
  const at = () => new Date(now()).toISOString();

  const addType = (fields: Json): Json => {
    const uri = newUri(`${origin}/event_types`);
    const type = {
      duration: 30,
      active: true,
      kind: 'solo',
      pooling_type: null,
      type: 'StandardEventType',
      color: '#0a8f6b',
      description_plain: null,
      profile: { type: 'User', name: me.name, owner: user },
      custom_questions: [],
      deleted_at: null,
      ...fields,
      uri,
      created_at: at(),
      updated_at: at(),
    };
    types.set(uri, type);
    const schedule = newUri(`${origin}/event_type_availability_schedules`);
    const rules = [{ type: 'wday', wday: 'monday', intervals: [{ from: '09:00', to: '17:00' }] }];
    const common = { default: true, name: 'Working hours', user, timezone: me.timezone, rules };
    schedules.set(schedule, { uri: schedule, event_type: uri, ...common });
    return type;
  };
  addType({ name: 'Talk' });
  addType({ name: 'Class', kind: 'group' });

  /** The event that a booking joins, or a new one. */
  const eventFor = (type: Json, start: string): ModelEvent => {
    const same = [...events.values()].find(
      ({ event_type, start_time, status }) => event_type === type.uri && start_time === start && status === 'active',
    );
    if (same !== undefined) {
      const active = invitees.get(same.uri)!.filter(({ status }) => status === 'active');
      if (active.length >= seats[type.kind as keyof typeof seats]) throw new Refusal(409, 'That time is taken.');
      return same;
    }
    const event: ModelEvent = {
      uri: newUri(`${origin}/scheduled_events`),
      name: type.name,
      status: 'active',
      start_time: start,
      end_time: new Date(Date.parse(start) + Number(type.duration) * 60_000).toISOString(),
      event_type: String(type.uri),
      location: null,
      created_at: at(),
      updated_at: at(),
      event_memberships: [{ user, user_email: me.email, user_name: me.name }],
    };
    events.set(event.uri, event);
    invitees.set(event.uri, []);
    return event;
  };

  const book = ({ event_type, start_time, invitee }: Json): Json => {
    const type = found(types.get(String(event_type)));
    if (type.active !== true) throw new Refusal(400, 'The event type is not active.');
    const event = eventFor(type, new Date(String(start_time)).toISOString());
    const { email, name, timezone } = invitee as Json;
    const common = { email, name, timezone, status: 'active', rescheduled: false, tracking: {} };
    const uri = newUri(`${event.uri}/invitees`);
    const added = { uri, event: event.uri, ...common, created_at: at(), updated_at: at() };
    invitees.get(event.uri)!.push(added);
    return added;
  };

  const eventAt = (id = ''): ModelEvent => found(events.get(`${origin}/scheduled_events/${id}`));
  const typeAt = (id = ''): Json => found(types.get(`${origin}/event_types/${id}`));

  const cancel = (event: ModelEvent): Json => {
    if (event.status === 'canceled') throw new Refusal(409, 'The event is already canceled.');
    for (const each of [event, ...invitees.get(event.uri)!])
      if (each.status === 'active') Object.assign(each, { status: 'canceled', updated_at: at() });
    return event;
  };

  const eventsIn = (query: URLSearchParams): Json[] => {
    const [since, until] = ['min_start_time', 'max_start_time'].map((name) => Date.parse(query.get(name) ?? ''));
    const status = query.get('status');
    return [...events.values()].filter((event) => {
      const start = Date.parse(event.start_time);
      return !(start < since!) && !(start >= until!) && (status ?? event.status) === event.status;
    });
  };

  const update = (record: Json, fields: Json): Json => Object.assign(record, fields, { updated_at: at() });

  const hostsOf = (uri: string | null): Json[] => [
    { uri: `${uri}/hosts/H`, event_type: uri, member: me, created_at: at(), updated_at: at() },
  ];

  /** By method and path. Each returns a record, or a list. */
  const reads: Record<string, (route: Route) => Json | Json[]> = {
    'GET /users/me': () => me,
    'GET /users/{}': () => me,
    'GET /organization_memberships': () => [{ uri: `${origin}/organization_memberships/M`, role: 'owner', user: me }],
    'GET /event_types': () => [...types.values()],
    'GET /event_types/{}': ({ ids: [id] }) => typeAt(id),
    'GET /event_type_memberships': ({ query }) => hostsOf(query.get('event_type')),
    'GET /event_type_availability_schedules': ({ query }) =>
      [...schedules.values()].filter(({ event_type }) => event_type === query.get('event_type')),
    'GET /scheduled_events': ({ query }) => eventsIn(query),
    'GET /scheduled_events/{}': ({ ids: [id] }) => eventAt(id),
    'GET /scheduled_events/{}/invitees': ({ ids: [id] }) => invitees.get(eventAt(id).uri)!,
    'GET /scheduled_events/{}/invitees/{}': ({ ids: [id, person] }) =>
      found(invitees.get(eventAt(id).uri)!.find(({ uri }) => idIn(uri) === person)),
  };

  const writes: Record<string, (route: Route) => [status: number, record: Json]> = {
    'POST /invitees': ({ body }) => [201, book(body)],
    'POST /scheduled_events/{}/cancellation': ({ ids: [id] }) => [201, cancel(eventAt(id))],
    'POST /event_types': ({ body: { owner: _, ...fields } }) => [201, addType(fields)],
    'PATCH /event_types/{}': ({ ids: [id], body }) => [200, update(typeAt(id), body)],
    'PATCH /event_type_availability_schedules/{}': ({ ids: [id], body }) => [
      200,
      update(found(schedules.get(`${origin}/event_type_availability_schedules/${id}`)), body),
    ],
  };

  const reply = (status: number, content: object): HttpReply => ({
    status,
    headers: { 'content-type': 'application/json', date: new Date(now()).toUTCString() },
    body: JSON.stringify(content),
  });

  const answer = (route: Route): HttpReply => {
    const name = `${route.method} ${route.path}`;
    if (name === 'POST /data_compliance/invitee_deletion') return reply(202, {});
    const read = reads[name];
    if (read !== undefined) {
      const shown = read(route);
      return reply(200, Array.isArray(shown) ? pageOf(shown, route.query) : { resource: shown });
    }
    const write = writes[name];
    if (write === undefined) throw new Error(`The model of the service has no ${name}`);
    const [status, resource] = write(route);
    return reply(status, { resource });
  };

  const send: Send = async (request) => {
    try {
      return answer(routeOf(request));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return reply(error.status, { title: 'Refused', message: error.message });
    }
  };

  return {
    send,
    close: () => {},
    /** The event types of that name with their schedules, for checks. */
    typesCalled: (name: string) =>
      [...types.values()]
        .filter((type) => type.name === name)
        .map((record) => ({
          record,
          schedule: [...schedules.values()].find(({ event_type }) => event_type === record.uri)!,
        })),
  };
};

export type ModelService = ReturnType<typeof createModelService>;
