import type { Send } from '../../src/http/message.ts';

const origin = 'http://127.0.0.1:4010';

/** An event as a service sends it. */
export interface SentEvent {
  name?: string;
  start: string;
  end?: string;
  status?: string;
  hosts?: readonly string[];
  type?: string;
}

let count = 0;

export const sentEvent = ({
  name = 'Intro call',
  start,
  end = start,
  status = 'active',
  hosts = ['Amara'],
  type = 'T1',
}: SentEvent) => {
  count += 1;
  return {
    uri: `${origin}/scheduled_events/E${count}`,
    name,
    status,
    start_time: start,
    end_time: end,
    event_type: `${origin}/event_types/${type}`,
    location: null,
    invitees_counter: { total: 1, active: status === 'active' ? 1 : 0, limit: 1 },
    event_memberships: hosts.map((host) => ({
      user: `${origin}/users/${host.replaceAll(/[^A-Za-z]/g, '')}`,
      user_email: 'host@example.com',
      user_name: host,
    })),
  };
};

const page = (collection: readonly object[], next?: string) => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    collection,
    pagination: { count: collection.length, next_page: null, next_page_token: next ?? null },
  }),
});

/** A service that has only these events. It ignores all filters, and everything else goes to `others`. */
export const serviceWith =
  (events: readonly object[], others: Send): Send =>
  async (request) => {
    const url = new URL(request.url);
    if (!url.pathname.endsWith('/scheduled_events')) return others(request);
    const from = Number(url.searchParams.get('page_token') ?? 0);
    const size = Number(url.searchParams.get('count') ?? 100);
    const next = from + size < events.length ? String(from + size) : undefined;
    return page(events.slice(from, from + size), next);
  };
