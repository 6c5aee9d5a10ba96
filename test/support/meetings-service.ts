import type { HttpReply, Send } from '../../src/http/message.ts';

const origin = 'http://127.0.0.1:4010';

/** An event with its start and the addresses of its invitees, as a service shows them. */
export interface Meeting {
  start: string;
  emails: readonly unknown[];
  status?: string;
}

const json = (body: object): HttpReply => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** A page of a list. The token is the position of the next row. */
const page = (rows: readonly object[], { searchParams }: URL): HttpReply => {
  const from = Number(searchParams.get('page_token') ?? 0);
  const to = from + Number(searchParams.get('count'));
  const next = to < rows.length ? String(to) : null;
  return json({ collection: rows.slice(from, to), pagination: { next_page: null, next_page_token: next } });
};

/** A service with only these events and invitees. Everything else goes to `others`. */
export const meetingsService = (meetings: readonly Meeting[], others: Send, ignoresFilters = false): Send => {
  const events = meetings.map(({ start, emails, status = 'active' }, index) => ({
    uri: `${origin}/scheduled_events/E${index}`,
    name: 'Intro call',
    status,
    start_time: start,
    invitees_counter: { total: emails.length, active: emails.length, limit: 9 },
  }));
  const inviteesOf = (index: number) =>
    meetings[index]!.emails.map((email, at) => ({
      uri: `${origin}/scheduled_events/E${index}/invitees/I${index}-${at}`,
      email,
      status: 'active',
    }));
  const windows = new Map<string, typeof events>();
  const within = (since: string | null, until: string | null) => {
    const [from, to] = [since, until].map((time) => Date.parse(time ?? ''));
    const found =
      windows.get(`${since} ${until}`) ??
      events.filter(({ start_time: start }) => !(Date.parse(start) < from! || Date.parse(start) >= to!));
    windows.set(`${since} ${until}`, found);
    return found;
  };
  return async (request) => {
    const url = new URL(request.url);
    const { searchParams: query } = url;
    const [, index] = /^\/scheduled_events\/E(\d+)\/invitees$/.exec(url.pathname) ?? [];
    if (index !== undefined) return page(inviteesOf(Number(index)), url);
    if (url.pathname !== '/scheduled_events') return others(request);
    return page(ignoresFilters ? events : within(query.get('min_start_time'), query.get('max_start_time')), url);
  };
};
