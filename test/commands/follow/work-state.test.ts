import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import {
  beginState,
  endRound,
  entryText,
  type FollowState,
  isShort,
  mayHaveNews,
  type News,
  newsOf,
  readState,
  rememberNews,
  rememberQuiet,
  stateText,
  windowStart,
} from '../../../src/commands/follow/work-state.ts';

const hour = 3_600_000;
const day = 24 * hour;
const start = Date.parse('2026-11-16T08:00:00Z');
const text = (at: number): string => new Date(at).toISOString();
const root = 'http://127.0.0.1:4010';

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
/** An event whose invitees don't match it. */
const read = (event: Json) => ({ kind: 'read' as const, event, isShort: true });
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

  // R55: after a reset of the service, its IDs are used again.
  test('is another booking with the ID of one that was told, also of a state in a file', () => {
    const state = afterFirstRound();
    const told = invitee('A', { created_at: text(start + 5) });
    rememberNews(state, newsOf(state, event(), [told])[0]!);
    const later = invitee('A', { created_at: text(start + 9000) });
    const stored = readState(stateText(state))!;
    expect([told, later].map((each) => words(newsOf(stored, event(), [each])))).toEqual([[], ['created A']]);
    const older = stateText(state).replace(/"A@\d+"/, '"A"');
    expect(older).not.toBe(stateText(state));
    expect(newsOf(readState(older)!, event(), [told])).toEqual([]);
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
        rememberNews(state, read(event()));
        looks.push(round);
      } else rememberQuiet(state, event());
      endRound(state, start);
    }
    expect(looks).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 21, 41, 81]);
    expect(mayHaveNews(state, event({ updated_at: text(start) }))).toBe(true);
  });

  test('stays in the window for ten rounds, however long it is over', () => {
    const state = { ...afterFirstRound(), earliest: 0 };
    rememberNews(state, read(event({ start_time: text(start - 9 * day) })));
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
    rememberNews(state, { kind: 'created', at: '', event: odd, invitee: invitee('constructor') });
    rememberNews(state, read(odd));
    expect(readState(stateText(state))).toEqual(state);
  });

  test('is read up to the last whole entry, wherever a kill cut it off', () => {
    const state = afterFirstRound();
    const told = (kind: 'created' | 'canceled', id: string): News => ({
      kind,
      at: '',
      event: event(),
      invitee: invitee(id),
    });
    const changes = [told('created', 'A'), told('created', 'Zoë'), told('canceled', 'A'), read(event())];
    let file = stateText(state);
    const whole = [{ length: file.length, state: readState(file) }];
    for (const change of changes) {
      file += entryText(rememberNews(state, change));
      whole.push({ length: file.length, state: readState(stateText(state)) });
    }
    for (let length = whole[0]!.length; length <= file.length; length += 1)
      expect(readState(file.slice(0, length))).toEqual(whole.findLast((each) => each.length <= length)!.state);
    expect(readState(file)).toEqual(state);
    // The disk appends ASCII only.
    expect(file).toMatch(/^[ -~\n]*$/);
  });

  test('is read as the first version wrote it', () => {
    const old = '{"version":1,"since":1000,"position":null,"events":[["E","d",null,[["A","created"]]]]}';
    const known = { digest: 'd', start: null, reports: new Map([['A', 'created']]), roundsWaited: null };
    expect(readState(old)).toEqual({ since: 1000, position: null, earliest: 0, events: new Map([['E', known]]) });
  });

  const stateWith = (facts: object) => JSON.stringify({ version: 1, since: 1, position: 1, events: [], ...facts });
  /** JSON has no such numbers, but reads them. */
  const withNumber = (name: string, number: string) => stateWith({ [name]: 'N' }).replace('"N"', number);

  test.each([
    ...['', 'null', '[]', '{}', '{"version":2}', stateWith({ events: [[1]] }), stateWith({ events: {} })],
    ...['{', '{}', '["E","d",1e999,[]]'].map((line) => `${stateWith({})}\n${line}\n`),
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
      rememberNews(state, read(event({ uri: `${root}/scheduled_events/${index}`, start_time: time })));
    expect(readState(stateText(state))).toEqual(state);
  });
});
