import type { Json } from '../../src/base/json.ts';
import { idIn } from '../../src/base/uri.ts';
import type { HttpReply, HttpRequest, Send } from '../../src/http/message.ts';

const root = 'http://127.0.0.1:4010';
const text = (at: number): string => new Date(at).toISOString();

/** A service with events and invitees, in the simplest possible code. */
export const createBookings = () => {
  const events: { event: Json; invitees: Json[] }[] = [];
  const happened: string[] = [];
  const touch = (index: number, now: number) => {
    const { event, invitees } = events[index]!;
    const active = invitees.filter(({ status }) => status === 'active').length;
    const invitees_counter = { total: invitees.length, active, limit: 3 };
    // The service sends a new record each time, as JSON over a network does.
    events[index]!.event = { ...event, updated_at: text(now), invitees_counter };
  };
  const join = (index: number, now: number) => {
    const { event, invitees } = events[index]!;
    const uri = `${event.uri}/invitees/I${index}-${invitees.length}`;
    invitees.push({ uri, status: 'active', created_at: text(now), updated_at: text(now) });
    happened.push(`created ${uri}`);
    touch(index, now);
  };
  return {
    events,
    happened,
    join,
    /** Returns the number of the event. */
    book(now: number, ahead: number): number {
      const uri = `${root}/scheduled_events/E${events.length}`;
      const times = { created_at: text(now), start_time: text(now + ahead), end_time: text(now + ahead) };
      events.push({ event: { uri, name: 'Intro call', status: 'active', ...times }, invitees: [] });
      join(events.length - 1, now);
      return events.length - 1;
    },
    cancel(index: number, which: number, now: number) {
      const { invitees } = events[index]!;
      const invitee = invitees[which % invitees.length]!;
      if (invitee.status === 'canceled') return;
      invitees[which % invitees.length] = { ...invitee, status: 'canceled', updated_at: text(now) };
      happened.push(`canceled ${invitee.uri}`);
      touch(index, now);
    },
  };
};

export type Bookings = ReturnType<typeof createBookings>;

interface Quirks {
  now(): number;
  /** How far its `Date` is ahead. The times in its records are right. */
  dateAheadMs?(): number;
  /** So many rows of a page are also on the next one, as with offsets while somebody books. */
  overlap?: number;
  /** Replaces the list of invitees of an event. */
  invitees?(event: string): Partial<HttpReply> | undefined;
}

/** The bookings over HTTP. */
export const serveBookings = ({ events }: Bookings, quirks: Quirks): Send => {
  const { now, dateAheadMs = () => 0, overlap = 0, invitees = () => undefined } = quirks;
  const isInside = (event: Json, query: URLSearchParams) => {
    const start = String(event.start_time);
    const [from, until] = [query.get('min_start_time'), query.get('max_start_time')].map((each) =>
      Date.parse(`${each}`),
    );
    return !(Date.parse(start) < from!) && !(Date.parse(start) >= until!);
  };
  const page = (rows: readonly Json[], query: URLSearchParams): object => {
    const [from, count] = [Number(query.get('page_token') ?? 0), Number(query.get('count') ?? 20)];
    const next = from + count < rows.length ? String(from + count - overlap) : null;
    return { collection: rows.slice(from, from + count), pagination: { next_page_token: next } };
  };
  const answer = ({ url }: HttpRequest): Partial<HttpReply> => {
    const { pathname, searchParams } = new URL(url);
    const [noun, id, below] = pathname.split('/').slice(1);
    if (noun === 'users') return { body: JSON.stringify({ resource: { uri: `${root}/users/U` } }) };
    if (below === 'invitees') {
      const found = events.find(({ event }) => idIn(event.uri) === id)!;
      return invitees(id!) ?? { body: JSON.stringify(page(found.invitees, searchParams)) };
    }
    const rows = events.map(({ event }) => event).filter((event) => isInside(event, searchParams));
    const inOrder = rows.toSorted((a, b) => Date.parse(String(a.start_time)) - Date.parse(String(b.start_time)));
    return { body: JSON.stringify(page(inOrder, searchParams)) };
  };
  return async (request) => {
    const headers = { date: new Date(now() + dateAheadMs()).toUTCString(), 'x-ratelimit-limit': '1000000' };
    const limits = { 'x-ratelimit-remaining': '1000000', 'x-ratelimit-reset': '60' };
    return { status: 200, headers: { ...headers, ...limits }, body: '{}', ...answer(request) };
  };
};
