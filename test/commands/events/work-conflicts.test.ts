import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { idIn } from '../../../src/base/uri.ts';
import { conflictsIn } from '../../../src/commands/events/work-conflicts.ts';
import { timestamp } from '../../../src/sandbox/store/names.ts';
import { scheduleHours } from '../../../src/time/from-records.ts';
import { type Hours, judge } from '../../../src/time/slots.ts';
import { openWorld } from '../../sandbox/world.ts';
import { type Case, cases, kindOf, minute, refusalAt, storeCase } from '../../support/slot-cases.ts';
import { sample } from '../../support/tier.ts';

const at = (clock: string) => `2026-11-18T${clock}:00Z`;

const eventAt = (id: string, from: string, to: string, hosts = ['ADA'], status = 'active'): Json => ({
  uri: `https://api.example.com/scheduled_events/${id}`,
  status,
  start_time: at(from),
  end_time: at(to),
  event_memberships: hosts.map((host) => ({ user: `https://api.example.com/users/${host}` })),
});

const codesIn = (events: Json[], hours?: readonly Hours[], buffer = 0) =>
  Object.fromEntries(
    [...conflictsIn(events, () => hours, buffer * minute)].map(([id, conflicts]) => [
      id,
      conflicts.map((each) => (each.code === 'overlap' ? idIn(each.event.uri) : each.code)),
    ]),
  );

const hoursOf = (...rules: object[]): Hours[] => [scheduleHours({ timezone: 'UTC', rules }) as Hours];
const nineToFive = { type: 'wday', wday: 'wednesday', intervals: [{ from: '09:00', to: '17:00' }] };
const dayOff = { type: 'date', date: '2026-11-18', intervals: [] };

describe('conflicts', () => {
  it.each<[string, Json[], Record<string, string[]>, number?]>([
    ['none between events that touch', [eventAt('A', '09:00', '10:00'), eventAt('B', '10:00', '11:00')], {}],
    [
      'between all events at the same time',
      [eventAt('A', '09:00', '12:00'), eventAt('B', '10:00', '11:00'), eventAt('C', '10:30', '10:45')],
      { A: ['B', 'C'], B: ['A', 'C'], C: ['A', 'B'] },
    ],
    ['none of different hosts', [eventAt('A', '09:00', '10:00', ['ADA']), eventAt('B', '09:00', '10:00', ['BOB'])], {}],
    [
      'one for each host in common',
      [eventAt('A', '09:00', '10:00', ['ADA', 'BOB']), eventAt('B', '09:30', '10:00', ['BOB', 'ADA'])],
      { A: ['B', 'B'], B: ['A', 'A'] },
    ],
    [
      'none with a canceled event',
      [eventAt('A', '09:00', '10:00'), eventAt('B', '09:00', '10:00', ['ADA'], 'canceled')],
      {},
    ],
    [
      'a buffer that is too short',
      [eventAt('A', '09:00', '10:00'), eventAt('B', '10:09', '11:00')],
      { A: ['B'], B: ['A'] },
      10,
    ],
    ['a buffer that is long enough', [eventAt('A', '09:00', '10:00'), eventAt('B', '10:10', '11:00')], {}, 10],
    ['no times', [{ ...eventAt('A', '09:00', '10:00'), end_time: null }, eventAt('B', '09:00', '10:00')], {}],
  ])('%s', (_, events, expected, buffer) => {
    expect(codesIn(events, undefined, buffer)).toEqual(expected);
  });

  it.each<[string, Hours[] | undefined, string[] | undefined]>([
    ['inside the hours', hoursOf(nineToFive), undefined],
    ['a day off', hoursOf(nineToFive, dayOff), ['day-off']],
    ['a day off in one schedule, open in another', [...hoursOf(dayOff), ...hoursOf(nineToFive)], undefined],
    ['outside the hours of a day', hoursOf({ ...nineToFive, intervals: [{ from: '09:00', to: '09:45' }] }), ['hours']],
    ['a weekday without hours', hoursOf(), ['hours']],
    ['unknown hours', undefined, undefined],
  ])('%s', (_, hours, expected) => {
    expect(codesIn([eventAt('A', '09:00', '10:00')], hours)).toEqual(expected ? { A: expected } : {});
  });

  /** One host and one length, as the booking check sees them. */
  const soloOf = (given: Case): Case => {
    const [host] = given.hosts as [string];
    const events = given.events.map((event) => ({ ...event, host, minutes: given.duration, isOfType: true }));
    return {
      ...given,
      hosts: [host],
      pooling: null,
      isGroup: false,
      schedules: given.schedules.filter((each) => each.host === host),
      events,
    };
  };

  it.each(sample(cases, 2, kindOf))('are events that could not be booked again: $index', async ({ index, given }) => {
    const solo = soloOf(given);
    const [{ timezone, rules }] = solo.schedules as [Case['schedules'][number]];
    const hours = [scheduleHours({ timezone, rules })] as Hours[];
    const records = solo.events.map(
      ({ start, minutes, isCanceled }, number): Json => ({
        ...eventAt(String(number), '00:00', '00:00', ['ADA'], isCanceled ? 'canceled' : 'active'),
        start_time: timestamp(start),
        end_time: timestamp(start + minutes * minute),
      }),
    );
    const found = conflictsIn(records, () => hours, 0);
    expect([...found.keys()].filter((id) => solo.events[Number(id)]?.isCanceled !== false)).toEqual([]);
    for (const [number, { start, isCanceled }] of solo.events.entries()) {
      if (isCanceled) continue;
      const rest = { ...solo, events: solo.events.filter((_, other) => other !== number) };
      const world = await openWorld();
      const type = `T${index}`;
      storeCase(world, type, rest);
      const codes = [...new Set((found.get(String(number)) ?? []).map(({ code }) => code))];
      const refusal = refusalAt(world, type, start, start - minute);
      expect([index, number, codes.length > 0]).toEqual([index, number, refusal !== undefined]);
      expect(codes.includes('hours') || codes.includes('day-off')).toBe(refusal === 'hours');
      // What `slots` and `why` would say.
      const busy = rest.events
        .filter((event) => !event.isCanceled)
        .map((event) => ({ start: event.start, end: event.start + event.minutes * minute, event: {}, isFull: false }));
      const facts = { isActive: true, now: start - minute, needsAll: true, duration: solo.duration, step: 30 };
      const reasons = judge({ ...facts, since: start, until: start, hosts: [{ hours, busy }] }, start);
      expect(codes.includes('overlap')).toBe(reasons.some(({ code }) => code === 'busy'));
    }
  });
});
