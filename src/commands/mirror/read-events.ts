import { activity } from '../../api/activity.ts';
import { events, type SentEvent } from '../../api/events.ts';
import { invitees } from '../../api/invitees.ts';
import { isInside, windowQuery } from '../../api/window.ts';
import { hasCategory, type SchedError } from '../../base/errors.ts';
import { hour } from '../../base/milliseconds.ts';
import type { Client } from '../../client/client.ts';
import { isPlainId } from '../../client/ids.ts';
import { mapConcurrent } from '../../client/map-concurrent.ts';
import { gather } from '../../client/paginate.ts';
import type { Query } from '../../client/wire.ts';
import { type MirrorFacts, setFacts } from '../../sandbox/mirror/open.ts';
import {
  addActivity,
  noteList,
  noteRefusal,
  putEvents,
  putInvitees,
  rankTies,
  removeEvent,
  type Writing,
} from '../../sandbox/mirror/write.ts';
import type { Store } from '../../sandbox/store/store.ts';
import { timestampOf, utcText } from '../../time/wall.ts';
import { windowPages } from '../follow/read-news.ts';
import { isShort } from '../follow/work-state.ts';
import { type Refusal, readOrRefusal } from './read-account.ts';
import { dueEvents, type KnownEvent, type Named, namedIn } from './work-plan.ts';

/** A sync that is under way. Everything that it has stored stays if it is stopped. */
export interface Sync {
  client: Client;
  store: Store;
  facts: MirrorFacts & { begun: NonNullable<MirrorFacts['begun']> };
  /** Stores something in one transaction, without people who are forgotten by then. */
  write(work: (writing: Writing) => void): void;
  /** Unexpected replies about single lists. The rest of the account is read. */
  problems: SchedError[];
  /** Throws if the time is up. Called before each request. */
  checkTime(): void;
  now(): number;
  /** How many lists are read at once. */
  atOnce: number;
  onProgress(done: number, total: number): void;
}

/** Reads the entries of the activity log since the last complete sync, or since the begin of a window that has grown. */
export const readActivity = async ({ client, store, facts, write, now, problems }: Sync): Promise<Named> => {
  const { asOf = 0, begun } = facts;
  // Clocks may differ.
  const news = asOf - hour;
  const isKnown =
    begun.since >= facts.since &&
    store.first('SELECT 1 FROM mirror_lists WHERE list = ? AND status IS NULL', activity.list.name) !== undefined;
  const since = isKnown ? Math.max(begun.since, news) : begun.since;
  const query: Query = { organization: facts.organization, ...windowQuery('occurred_at', { since: utcText(since) }) };
  const read = () => gather(client.pages(activity.list, { query }));
  const found = await readOrRefusal(client, activity.list, { query }, read, problems);
  const entries = Array.isArray(found) ? found : [];
  const refusal = Array.isArray(found) ? undefined : found;
  write((writing) => {
    addActivity(writing, entries);
    writing.store.run('DELETE FROM activity WHERE occurred_at < ?', new Date(begun.since).toISOString());
    noteList(writing, activity.list.name, now(), entries.length, refusal);
  });
  if (facts.asOf === undefined) return new Set();
  return namedIn(entries.filter(({ occurred_at: at }) => isInside(at, 'since', utcText(news))));
};

/** Reads the list of events, in one request per hundred. Continues where an earlier process has stopped. */
export const readWindow = async (
  { client, facts, write, checkTime, now, onProgress }: Sync,
  scope: Query,
  refusal: Refusal | undefined,
): Promise<void> => {
  const { begun, pass, role } = facts;
  let reached = begun.reached ?? begun.since;
  let ties: SentEvent[] = [];
  let read = 0;
  for await (const page of windowPages(client, scope, { since: reached, until: begun.until })) {
    checkTime();
    write((writing) => {
      putEvents(writing, page, pass);
      for (const event of page) {
        ties = [...ties.filter(({ uri, start_time: start }) => start === event.start_time && uri !== event.uri), event];
        if (ties.length > 1) rankTies(writing, ties);
        reached = Math.max(reached, timestampOf(event.start_time) ?? reached);
      }
      begun.reached = reached;
      setFacts(writing.store, facts);
      read += page.length;
      onProgress(read, read);
    });
  }
  write((writing) => {
    if (refusal !== undefined) noteList(writing, events.list.name, now(), 0, refusal);
    noteList(writing, role === 'user' ? `${events.list.name}/own` : events.list.name, now(), read);
  });
};

/** Whether the service has the event no more. Nobody can ask for one whose ID can't be part of a path. */
const isGone = async (client: Client, event: string): Promise<boolean> =>
  !isPlainId(event) ||
  client.call(events.get, { path: { event } }).then(
    () => false,
    (error: unknown) => {
      if (hasCategory(error, 'not-found')) return true;
      if (hasCategory(error, 'forbidden')) return false;
      throw error;
    },
  );

/** Removes events outside of the window, and those that the list no longer shows and the service no longer has. */
export const removeMissing = async ({ client, store, facts, write, checkTime }: Sync): Promise<void> => {
  const { begun, pass } = facts;
  const edges = [begun.since, begun.until].map((time) => new Date(time).toISOString()) as [string, string];
  write(() => {
    // Also if this sync ends here: what is removed is outside for whoever reads.
    facts.since = Math.max(facts.since, begun.since);
    facts.until = Math.min(facts.until, begun.until);
    setFacts(store, facts);
    const outside = 'SELECT id FROM events WHERE start_time < ? OR start_time >= ?';
    for (const { id } of store.all<{ id: string }>(outside, ...edges)) removeEvent(store, id);
  });
  for (const { event } of store.all<{ event: string }>('SELECT event FROM mirror_events WHERE pass < ?', pass)) {
    checkTime();
    const isRemoved = await isGone(client, event);
    write(() => {
      if (isRemoved) removeEvent(store, event);
      else store.run('UPDATE mirror_events SET pass = ? WHERE event = ?', pass, event);
    });
  }
};

const known = `SELECT event, digest, ends, read_digest AS readDigest, read_at AS readAt, is_short AS isShort FROM mirror_events`;

/** Reads the invitees of all events that are due, each list whole. */
export const readInvitees = async (sync: Sync, named: Named): Promise<number> => {
  const { client, store, facts, write, problems, checkTime, now, atOnce, onProgress } = sync;
  const due = dueEvents(store.all<KnownEvent>(known), facts.begun.isAgain ? 'all' : named, facts.begun.at);
  let done = 0;
  onProgress(done, due.length);
  await mapConcurrent(
    due,
    async ({ event, digest }) => {
      checkTime();
      const input = { path: { event } };
      const read = async () => {
        // Pages overlap if somebody books or cancels meanwhile.
        const people = await gather(client.pages(invitees.list, input));
        return [...new Map(people.map((invitee) => [invitee.uri, invitee])).values()];
      };
      const found = await readOrRefusal(client, invitees.list, input, read, problems);
      const refusal = Array.isArray(found) ? undefined : found;
      const isRemoved = refusal?.status === 404 && (await isGone(client, event));
      const at = now();
      write((writing) => {
        if (isRemoved) return removeEvent(store, event);
        const text = store.text<SentEvent>('events', event);
        const people = Array.isArray(found) ? found : [];
        const isTooShort = text !== undefined && refusal === undefined && isShort(JSON.parse(text), people);
        // What was refused, or came in an unexpected form, is asked for again by the next sync.
        putInvitees(writing, event, people, { digest, at, isShort: isTooShort || refusal !== undefined });
        noteRefusal(writing, `${invitees.list.name}/${event}`, at, refusal);
      });
      onProgress(++done, due.length);
    },
    atOnce,
  );
  return done;
};
