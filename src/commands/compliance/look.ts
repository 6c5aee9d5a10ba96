import { foldAddress, isPlaceholder } from '../../api/email-address.ts';
import { events, type SentEvent } from '../../api/events.ts';
import { windowQuery } from '../../api/window.ts';
import { hasCategory } from '../../base/errors.ts';
import { day } from '../../base/milliseconds.ts';
import { idIn } from '../../base/uri.ts';
import type { Context } from '../../cli/session/context.ts';
import { rowFilter } from '../../client/filter.ts';
import { gather } from '../../client/paginate.ts';
import type { Query } from '../../client/wire.ts';
import { utcText } from '../../time/wall.ts';
import type { PlannedItem } from '../bulk/work-plan.ts';
import { isApplied, supportsFilter } from '../events/filter-support.ts';
import { inviteesOf } from '../events/read-invitees.ts';
import { readableEvents } from '../events/readable-events.ts';
import { requestsForInvitees } from '../events/with-invitees.ts';
import { readInvitees, readWindow } from '../follow/read-news.ts';
import { isShort } from '../follow/work-state.ts';
import { addressesIn, eachSubmission } from './submissions.ts';
import { type Finding, judge, type Place } from './work-finding.ts';
import type { SeenEvents } from './work-seen-events.ts';

/** Who is looked for. `mark` gives the mark of a folded address, if it is looked for. */
export interface Wanted {
  mark(folded: string): string | undefined;
  seen(): Promise<SeenEvents>;
}

export interface Look {
  /** How the events are searched, and how many requests that takes for so many people. */
  isByAddress: boolean;
  requests(people: number): number;
  /** What the service shows of these people, in their order. */
  at(people: readonly PlannedItem[]): Promise<Finding[]>;
}

/** People between two proofs that the search by address works. */
export const groupSize = 100;

/** Somebody who is certainly there, and an event of theirs. */
interface Control {
  email: string;
  event: string;
}

/** Events that are read to find a control. */
const mostTried = 5;

/** Letters beyond ASCII: a service may find such an address only as it was typed. */
const isAscii = (address: string): boolean => /^[ -~]*$/.test(address);

const swapCase = (address: string): string =>
  address === address.toLowerCase() ? address.toUpperCase() : address.toLowerCase();

const lookUp = async (context: Context, query: Query, email: string, isEnough = (_: SentEvent) => true) => {
  const client = await context.client();
  for await (const page of client.pages(events.list, { query: { ...query, invitee_email: email } })) {
    const row = page.find(isEnough);
    if (row !== undefined) return row;
  }
  return undefined;
};

/** One with an active event and one with a canceled one, as far as there are any. */
const findControls = async (context: Context, query: Query, { mark }: Wanted): Promise<Control[]> => {
  const client = await context.client();
  const recent = windowQuery('start_time', { since: utcText(context.now() - 7 * day) });
  const canServe = (text: string) => {
    const address = foldAddress(text);
    return address !== undefined && isAscii(text) && !isPlaceholder(address) && mark(address) === undefined;
  };
  const controlAmong = async (search: Query): Promise<Control | undefined> => {
    const keep = rowFilter(events.list, search);
    for (const event of await gather(client.pages(events.list, { query: search }, { limit: mostTried, keep }))) {
      const person = (await readInvitees({ client }, event)).find(({ email }) => canServe(String(email)));
      if (person !== undefined) return { email: String(person.email), event: idIn(event.uri) };
    }
    return undefined;
  };
  const controls: Control[] = [];
  for (const status of ['active', 'canceled']) {
    const found = (await controlAmong({ ...query, status, ...recent })) ?? (await controlAmong({ ...query, status }));
    if (found !== undefined) controls.push(found);
  }
  return controls;
};

/**
 * Whether the search by address finds who is there, in whatever case it is written, and nobody else. Without somebody who
 * is there, nothing is known.
 */
const isProven = async (context: Context, query: Query, controls: readonly Control[]): Promise<boolean> => {
  for (const { email, event } of controls)
    if ((await lookUp(context, query, swapCase(email), ({ uri }) => idIn(uri) === event)) === undefined) return false;
  return controls.length > 0 && (await isApplied(context, 'invitee_email', query)) !== false;
};

/** Requests of a proof: each control, and somebody who doesn't exist. */
const proofRequests = (controls: readonly Control[]): number => controls.length + 1;

type Found = Map<string, Set<Place>>;

const noteFound = (found: Found, mark: string, place: Place): void =>
  void found.set(mark, (found.get(mark) ?? new Set()).add(place));

/** Searches by address, a request per person, and proves after each group that the search still works. */
const byAddress = (context: Context, query: Query, wanted: Wanted, first: readonly Control[]) => {
  let controls = first;
  return async (people: readonly PlannedItem[], found: Found, unread: Set<string>): Promise<void> => {
    for (const { text } of people) {
      const folded = foldAddress(text)!;
      const row = await lookUp(context, query, text);
      if (row === undefined) continue;
      noteFound(found, wanted.mark(folded)!, 'events');
      const invitees = await inviteesOf(context, row);
      if (invitees.some((invitee) => addressesIn(invitee).includes(folded)))
        noteFound(found, wanted.mark(folded)!, 'invitees');
    }
    if (await isProven(context, query, controls)) return;
    // Who served as a control may be gone by now.
    controls = await findControls(context, query, wanted);
    if (!(await isProven(context, query, controls))) unread.add('the search by address');
  };
};

/** The marks of wanted people in records. */
const marksIn = (records: readonly object[], { mark }: Wanted): string[] =>
  [...new Set(records.flatMap(addressesIn))].flatMap((address) => mark(address) ?? []);

/** What is kept of an event until its invitees are read: there may be many. */
interface ListedEvent {
  event: Pick<SentEvent, 'uri' | 'invitees_counter'>;
  /** Of people that the event itself names. Its hosts have nothing to do with deletions. */
  marks: string[];
}

/** Reads all events with their invitees, once for all people. */
const throughAll = (context: Context, all: readonly ListedEvent[], wanted: Wanted) => {
  let isDone = false;
  let incomplete = 0;
  return async (found: Found, unread: Set<string>): Promise<void> => {
    const client = await context.client();
    const seen = await wanted.seen();
    try {
      for (const { event, marks } of isDone ? [] : all) {
        const id = idIn(event.uri);
        if (seen.has(id)) continue;
        const records = await readInvitees({ client }, event).catch((error: unknown) => {
          if (!hasCategory(error, 'forbidden')) throw error;
          return [];
        });
        const inRecords = marksIn(records, wanted);
        const people = [
          ...inRecords.map((mark) => [mark, 'invitees'] as const),
          ...[...inRecords, ...marks].map((mark) => [mark, 'events'] as const),
        ];
        for (const [mark, place] of people) noteFound(found, mark, place);
        // If somebody is missing in the list, the next look reads it again.
        if (isShort(event, records)) incomplete += 1;
        else seen.add(id, people);
      }
      isDone = true;
      for (const [mark, where] of seen.found) for (const place of where) noteFound(found, mark, place);
      if (incomplete > 0) unread.add('the invitees of some events');
    } finally {
      await seen.close();
    }
  };
};

/** Prepares a look: whose events can be read, and how people are found in them. */
export const openLook = async (context: Context, wanted: Wanted): Promise<Look> => {
  const unread = new Set<string>();
  const found: Found = new Map();
  let isRead = false;
  const readSubmissions = async (): Promise<void> => {
    if (isRead) return;
    const parts = await eachSubmission(context, (submission) => {
      for (const mark of marksIn([submission], wanted)) noteFound(found, mark, 'submissions');
    });
    if (parts.length > 0) unread.add('submissions');
    isRead = true;
  };
  const prepare = async () => {
    const { scope, query } = await readableEvents(context);
    const { isSupported } = await supportsFilter(context, 'invitee_email', query);
    const controls = isSupported ? await findControls(context, query, wanted) : [];
    if (await isProven(context, query, controls)) return { scope, query, controls, all: [] };
    const all = new Map<string, ListedEvent>();
    const source = { client: await context.client(), query, keep: () => true, serviceNow: context.now };
    await readWindow(source, { since: 0 }, ({ event_memberships: _, ...event }) => {
      const { uri, invitees_counter } = event;
      all.set(idIn(uri), { event: { uri, invitees_counter }, marks: marksIn([event], wanted) });
    });
    return { scope, query, controls: [], all: [...all.values()] };
  };
  const { scope, query, controls, all } = await prepare().catch((error: unknown) => {
    if (!hasCategory(error, 'forbidden', 'not-found')) throw error;
    return { scope: 'none', query: {}, controls: [], all: [] };
  });
  const isByAddress = controls.length > 0;
  if (scope !== 'organization') unread.add(scope === 'none' ? 'events' : 'events of other hosts');
  const search = byAddress(context, query, wanted, controls);
  const sweep = throughAll(context, all, wanted);
  return {
    isByAddress,
    requests: (people) =>
      isByAddress
        ? people + Math.ceil(people / groupSize) * proofRequests(controls)
        : all.reduce((sum, { event }) => sum + Math.max(1, requestsForInvitees(event)), 0),
    at: async (people) => {
      await readSubmissions();
      const unreadNow = new Set(unread);
      await (isByAddress ? search(people, found, unreadNow) : sweep(found, unreadNow));
      return people.map(({ text }) => {
        const where = found.get(wanted.mark(foldAddress(text)!)!) ?? new Set();
        return judge(where, isByAddress && !isAscii(text) ? new Set([...unreadNow, 'other spellings']) : unreadNow);
      });
    },
  };
};
