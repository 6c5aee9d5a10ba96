import type { Plan } from '../../src/sandbox/rules/subscription.ts';
import { createService, type ServiceOptions } from '../../src/sandbox/service.ts';
import { openDatabase } from '../../src/sandbox/store/database.ts';
import { makeId, uri as storedUri } from '../../src/sandbox/store/names.ts';
import { openStore } from '../../src/sandbox/store/store.ts';
import { bothWays } from '../support/both-ways.ts';
import { checked, rethrow } from '../support/checked.ts';
import { machineClock } from '../support/clocks.ts';
import { dontWaitForDisk, seededFile } from '../support/seeded.ts';
import { closeLater } from '../support/temporary.ts';

/** A Wednesday; the seeded events range from the end of January to the end of April. */
export const noon = Date.parse('2026-03-11T12:00:00Z');

/** The clock of the computer with a sandbox that shows noon. */
export const system = machineClock({ now: () => noon });

/** A Monday after all seeded events: every host is free. 09:00 in Berlin is 07:00Z. */
export const freeMonday = '2026-05-04';
export const at = (time: string) => `${freeMonday}T${time}:00Z`;

/** Where the requests of these tests go. */
export const origin = 'http://127.0.0.1:4010';

/** URIs as the service shows them there. */
export const uri = (...of: Parameters<typeof storedUri>) => `${origin}${storedUri(...of)}`;

export const group = (name: string) => uri('groups', makeId(`seed/group/${name}`));
export const user = (key: string) => uri('users', makeId(`seed/user/${key}`));
export const amara = user('amara');
export const jonas = user('jonas');
export const tomas = user('tomas');
export const organization = uri('organizations', makeId('seed/organization'));
export const membership = (key: string) => uri('organization_memberships', makeId(`seed/membership/${key}`));
export const eventType = (slug: string) => uri('event_types', makeId(`seed/event-type/${slug}`));

// biome-ignore lint/suspicious/noExplicitAny: a test reads any body
type Body = any;

export interface Asked {
  token?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

/**
 * A seeded service that checks every reply against its row. Rate limits are off by default. With `isSentBothWays`, each
 * request goes over a socket and through `fetch`, and both must get the same bytes.
 */
export const openWorld = async (options: Partial<ServiceOptions> & { file?: string; isSentBothWays?: true } = {}) => {
  const { file = await seededFile(noon), isSentBothWays, ...service } = options;
  const clock = { now: () => clock.time, time: noon, offset: 0 };
  const store = openStore(await openDatabase(file));
  dontWaitForDisk(store);
  closeLater(() => store.close());
  const direct = createService({ store, clock, onError: rethrow, limits: false, ...service });
  const send = checked(isSentBothWays ? bothWays(direct, new URL(origin).host) : direct);

  const call = async (method: string, path: string, { token = 'sandbox_owner', body, headers = {} }: Asked = {}) => {
    const reply = await send({
      method,
      url: path.startsWith('http') ? path : `${origin}${path}`,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: reply.status, headers: reply.headers, body: JSON.parse(reply.body || '{}') as Body };
  };

  const get = (path: string, query: Record<string, string> = {}, asked: Asked = {}) =>
    call('GET', Object.keys(query).length > 0 ? `${path}?${new URLSearchParams(query)}` : path, asked);

  /** Every record of a list, page by page. */
  const walk = async (path: string, query: Record<string, string>, way = 'next_page_token'): Promise<Body[]> => {
    const pages: Body[][] = [];
    for (let token = query.page_token; ; ) {
      const { status, body } = await get(path, { ...query, ...(token ? { page_token: token } : {}) });
      if (status !== 200) throw new Error(JSON.stringify(body));
      pages.push(body.collection);
      token = body.pagination[way];
      if (!token) return (way === 'next_page_token' ? pages : pages.reverse()).flat();
    }
  };

  const book = (slug: string, start: string, more: Record<string, unknown> = {}, asked: Asked = {}) =>
    call('POST', '/invitees', {
      ...asked,
      body: {
        event_type: eventType(slug),
        start_time: start,
        invitee: { email: 'ada@engine.example', name: 'Ada Lovelace', timezone: 'Europe/London' },
        ...more,
      },
    });

  const setPlan = (plan: Plan) => store.run("UPDATE organizations SET doc = json_set(doc, '$.plan', ?)", plan);

  /** The newest entry of the activity log. */
  const lastActivity = async (): Promise<Body> =>
    (await get('/activity_log_entries', { organization, count: '1' })).body.collection[0];

  return { file, store, clock, send, call, get, walk, book, setPlan, lastActivity };
};

export type World = Awaited<ReturnType<typeof openWorld>>;

/** The path of a record's URI. */
export const pathOf = (reference: string) => new URL(reference).pathname;

export const parametersOf = (body: Body): string[] => body.details.map(({ parameter }: Body) => parameter);
