import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/client/reading.ts';
import {
  beginState,
  byChange,
  endRound,
  type FollowState,
  isShort,
  mayHaveNews,
  type News,
  newsOf,
  readState,
  rememberEvent,
  rememberQuiet,
  rememberTold,
  stateText,
  windowStart,
} from '../../src/jobs/follow-state.ts';
import { type Bookings, createBookings } from '../support/bookings.ts';
import { runs } from '../support/tier.ts';

const hour = 3_600_000;
const day = 24 * hour;
const start = Date.parse('2026-11-16T08:00:00Z');
const text = (at: number): string => new Date(at).toISOString();
const root = 'http://127.0.0.1:4010';

/** A process with the state on disk. `killAt` counts the steps that it takes before it is killed. */
const createProcess = (service: Bookings, since: number) => {
  let disk = stateText(beginState(since));
  const told: string[] = [];
  let repeatable = 0;
  return {
    told,
    /** Kills between printing an item and remembering it: only they may lead to a second line. */
    get repeatable() {
      return repeatable;
    },
    round(now: number, killAt = Number.POSITIVE_INFINITY) {
      const state = readState(disk)!;
      let steps = 0;
      const isKilled = () => ++steps > killAt;
      const from = windowStart(state, now);
      const until = now + 60 * day;
      const changed: Json[] = [];
      for (const { event } of service.events) {
        const at = Date.parse(String(event.start_time));
        if (at < from || at >= until) continue;
        if (mayHaveNews(state, event)) changed.push(event);
        else rememberQuiet(state, event);
      }
      for (const event of byChange(changed)) {
        const { invitees } = service.events.find((each) => each.event.uri === event.uri)!;
        for (const news of newsOf(state, event, invitees)) {
          if (isKilled()) return;
          told.push(`${news.kind} ${news.invitee.uri}`);
          if (isKilled()) {
            repeatable += 1;
            return;
          }
          rememberTold(state, news);
          disk = stateText(state);
        }
        rememberEvent(state, event, isShort(event, invitees));
      }
      if (isKilled()) return;
      endRound(state, now);
      disk = stateText(state);
    },
  };
};

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('book' as const), ahead: fc.integer({ min: 1, max: 50 * day }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('join' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), which: fc.nat(), who: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('round' as const), killAt: fc.option(fc.nat(12)) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 3 * hour }) }) },
);

// R55
describe('a follower that is killed at any moment', () => {
  test('tells everything that happens in its window, in order, and twice only if killed before it remembers', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const service = createBookings();
        const follower = createProcess(service, start);
        let now = start;
        /** Nobody books or cancels an event that has started. */
        const open = () =>
          service.events.flatMap(({ event }, index) => (Date.parse(String(event.start_time)) > now ? [index] : []));
        for (const each of steps) {
          const indexes = open();
          if (each.do === 'wait') now += each.ms;
          if (each.do === 'book') service.book(now, each.ahead);
          if (each.do === 'round') follower.round(now, each.killAt ?? undefined);
          if (indexes.length === 0) continue;
          if (each.do === 'join') service.join(indexes[each.which % indexes.length]!, now);
          if (each.do === 'cancel') service.cancel(indexes[each.which % indexes.length]!, each.who, now);
        }
        follower.round(now);
        const { told, repeatable } = follower;
        expect([...new Set(told)].toSorted()).toEqual(service.happened.toSorted());
        expect(told.length - new Set(told).size).toBeLessThanOrEqual(repeatable);
        for (const line of told.filter((each) => each.startsWith('canceled')))
          expect(told.indexOf(line.replace('canceled', 'created'))).toBeLessThan(told.indexOf(line));
        // A further round finds nothing, also if a clock shows the past again.
        const before = told.length;
        for (const later of [now, now + 100 * day, now]) follower.round(later);
        expect(told).toHaveLength(before);
      }),
      runs(100, 500),
    );
  });
});

const event = (facts: Json = {}): Json => ({
  uri: `${root}/scheduled_events/E`,
  status: 'active',
  start_time: text(start + day),
  created_at: text(start - day),
  updated_at: text(start - day),
  invitees_counter: { total: 1, active: 1, limit: 1 },
  ...facts,
});
const invitee = (id: string, facts: Json = {}): Json => ({
  uri: `${root}/scheduled_events/E/invitees/${id}`,
  status: 'active',
  created_at: text(start - day),
  updated_at: text(start - day),
  ...facts,
});
const words = (news: readonly News[]): string[] =>
  news.map(({ kind, invitee }) => `${kind} ${String(invitee.uri).slice(-1)}`);
const afterFirstRound = (): FollowState => ({ ...beginState(start), position: start });

describe('what is news', () => {
  test('is nothing from before the start, also when the window reaches it later', () => {
    const state = afterFirstRound();
    expect(mayHaveNews(state, event())).toBe(false);
    expect(newsOf(state, event(), [invitee('A')])).toEqual([]);
  });

  test('is the new invitee of a group event, and none of the earlier ones', () => {
    const state = afterFirstRound();
    rememberQuiet(state, event());
    const fuller = event({ updated_at: text(start + 5), invitees_counter: { total: 2, active: 2 } });
    expect(mayHaveNews(state, fuller)).toBe(true);
    expect(words(newsOf(state, fuller, [invitee('A'), invitee('B', { created_at: text(start + 5) })]))).toEqual([
      'created B',
    ]);
  });

  test('is the cancellation of an invitee who booked before the start', () => {
    const canceled = invitee('A', { status: 'canceled', updated_at: text(start + 5) });
    expect(words(newsOf(afterFirstRound(), event(), [canceled]))).toEqual(['canceled A']);
  });

  test('is a change of the counter alone', () => {
    const state = afterFirstRound();
    rememberQuiet(state, event());
    expect(mayHaveNews(state, event({ invitees_counter: { total: 2, active: 2, limit: 3 } }))).toBe(true);
  });

  test('tells a booking before its cancellation, even if their times say otherwise', () => {
    const odd = invitee('A', { status: 'canceled', created_at: text(start + 9000), updated_at: text(start + 1000) });
    const other = invitee('B', { created_at: text(start + 5000) });
    expect(words(newsOf(beginState(start), event(), [odd, other]))).toEqual(['created B', 'created A', 'canceled A']);
  });

  test('includes the second in which it began, because the service may send whole seconds', () => {
    const state = beginState(start + 900);
    expect(words(newsOf(state, event(), [invitee('A', { created_at: '2026-11-16T08:00:00Z' })]))).toEqual([
      'created A',
    ]);
  });

  test.each([undefined, null, 7, 'soon'])('without readable times (%s) is what comes after the first round', (time) => {
    const unclear = event({ created_at: time, updated_at: time });
    const someone = invitee('A', { created_at: time, updated_at: time });
    expect(mayHaveNews(beginState(start), unclear)).toBe(false);
    expect(mayHaveNews(afterFirstRound(), unclear)).toBe(true);
    expect(words(newsOf(afterFirstRound(), unclear, [someone]))).toEqual(['created A']);
    expect(newsOf(beginState(start), unclear, [someone])).toEqual([]);
  });
});

describe('the window', () => {
  test('starts where the last complete round began, however long ago, and before that at the first start', () => {
    expect(windowStart(beginState(start), start + 9 * day)).toBe(start - hour);
    expect(windowStart({ ...beginState(start), position: start + day }, start + 9 * day)).toBe(start + day - hour);
  });

  test('starts earlier if the clock was set back', () => {
    expect(windowStart({ ...beginState(start), position: start + day }, start)).toBe(start - hour);
  });
});

describe('an event whose invitees do not match its counter', () => {
  const counter = (total: unknown, active: unknown) => event({ invitees_counter: { total, active } });
  const canceled = invitee('B', { status: 'canceled' });

  test.each([
    ['fewer than the total', counter(2, 2), [invitee('A')], true],
    ['none, of an event without a counter', event({ invitees_counter: null }), [], true],
    ['none, of an event with a counter that is no number', counter('1e999', Number.NaN), [], true],
    ['more active ones than counted', counter(2, 1), [invitee('A'), invitee('B')], true],
    ['none, as counted', counter(0, 0), [], false],
    ['all, with one who canceled', counter(2, 1), [invitee('A'), canceled], false],
    ['more than the total', counter(1, 1), [invitee('A'), canceled], false],
    ['some, of an event without a counter', event({ invitees_counter: undefined }), [invitee('A')], false],
  ])('%s', (_, shown, people, is) => {
    expect(isShort(shown, people)).toBe(is);
  });

  test('is read again in ten rounds, then after ever longer pauses, and at once if it changes', () => {
    const state = afterFirstRound();
    const looks: number[] = [];
    for (let round = 1; round <= 100; round += 1) {
      if (mayHaveNews(state, event({ created_at: text(start) }))) {
        rememberEvent(state, event(), true);
        looks.push(round);
      } else rememberQuiet(state, event());
      endRound(state, start);
    }
    expect(looks).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 21, 41, 81]);
    expect(mayHaveNews(state, event({ updated_at: text(start) }))).toBe(true);
  });

  test('stays in the window for ten rounds, however long it is over', () => {
    const state = { ...afterFirstRound(), earliest: 0 };
    rememberEvent(state, event({ start_time: text(start - 9 * day) }), true);
    for (let round = 1; round <= 10; round += 1) {
      expect(windowStart(state, start)).toBe(start - 9 * day - hour);
      endRound(state, start);
    }
    expect(windowStart(state, start)).toBe(start - hour);
  });
});

describe('events that are over', () => {
  test('are forgotten from the earliest on, if there are more than a thousand, and are not read again', () => {
    const state = { ...afterFirstRound(), earliest: 0 };
    const over = Array.from({ length: 1002 }, (_, index) => start - hour - 1 - index);
    for (const at of [...over, start - hour, start + day])
      rememberQuiet(state, event({ uri: `${root}/scheduled_events/E${at}`, start_time: text(at) }));
    endRound(state, start);
    expect(state.events.size).toBe(1000 + 2);
    expect(windowStart(state, 0)).toBe(over[1000]! + 1);
    expect([...state.events.values()].every((known) => known.start! > over[1000]!)).toBe(true);
  });
});

describe('the state as text', () => {
  test('comes back the same, with IDs that are names of object properties', () => {
    const state = afterFirstRound();
    const odd = event({ uri: `${root}/scheduled_events/__proto__`, start_time: 'soon' });
    rememberTold(state, { kind: 'created', at: '', event: odd, invitee: invitee('constructor') });
    rememberEvent(state, odd, true);
    expect(readState(stateText(state))).toEqual(state);
  });

  test('is read as the first version wrote it', () => {
    const old = '{"version":1,"since":1000,"position":null,"events":[["E","d",null,[["A","created"]]]]}';
    const known = { digest: 'd', start: null, told: new Map([['A', 'created']]), waited: null };
    expect(readState(old)).toEqual({ since: 1000, position: null, earliest: 0, events: new Map([['E', known]]) });
  });

  const stateWith = (facts: object) => JSON.stringify({ version: 1, since: 1, position: 1, events: [], ...facts });
  /** JSON has no such numbers, but reads them. */
  const withNumber = (name: string, number: string) => stateWith({ [name]: 'N' }).replace('"N"', number);

  test.each([
    ...['', 'null', '[]', '{}', '{"version":2}', stateWith({ events: [[1]] })],
    ...['since', 'position', 'earliest'].flatMap((name) =>
      ['1e999', '1e308', '-1', '"1"'].map((number) => withNumber(name, number)),
    ),
    ...['[["E","d",1e999,[]]]', '[["E","d",1e308,[]]]', '[["E","d",1,[],1e999]]', '[["E","d",1,[],-1]]'].map((events) =>
      withNumber('events', events),
    ),
  ])('is refused if it is not a state: %s', (broken) => {
    expect(readState(broken)).toBeUndefined();
  });

  test('can be read, whatever times the service sent', () => {
    const state = beginState(-1e15);
    for (const [index, time] of ['-000001-01-01T00:00:00Z', '+012345-01-01T00:00:00Z', '1e999'].entries())
      rememberEvent(state, event({ uri: `${root}/scheduled_events/${index}`, start_time: time }), true);
    expect(readState(stateText(state))).toEqual(state);
  });
});
