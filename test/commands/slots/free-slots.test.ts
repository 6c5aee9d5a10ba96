import { expect, test } from 'vitest';
import { eventTypes } from '../../../src/api/event-types.ts';
import { events } from '../../../src/api/events.ts';
import type { Json } from '../../../src/base/json.ts';
import type { Context } from '../../../src/cli/session/context.ts';
import { findFreeTimes } from '../../../src/commands/slots/free-slots.ts';

const [type, ada] = ['https://api.example.com/event_types/TEA', 'https://api.example.com/users/ADA'];
const at = (clock: string) => `2027-01-04T${clock}:00Z`;
const eventAt = (id: string, start: string, end: string): Json => ({
  uri: `https://api.example.com/scheduled_events/${id}`,
  name: 'Tea',
  event_type: type,
  start_time: at(start),
  end_time: at(end),
  invitees_counter: { total: 1, active: 1, limit: 3 },
  event_memberships: [{ user: ada }],
});
const booked = [eventAt('OLD', '09:00', '10:00'), eventAt('OTHER', '10:00', '11:00')];

const contextWith = (rows: (operation: unknown) => Json[]): Context =>
  ({
    client: async () => ({
      pages: async function* (operation: unknown) {
        yield rows(operation);
      },
    }),
    identity: { mayBeOther: async () => false },
    now: () => Date.parse('2027-01-01T00:00:00Z'),
  }) as unknown as Context;

test('a time is judged without events that are moved away, and with those that are moved there', async () => {
  const context = contextWith((operation) => {
    if (operation === eventTypes.hosts) return [{ member: { uri: ada, name: 'Ada' } }];
    if (operation === events.list) return booked;
    const rules = [{ type: 'wday', wday: 'monday', intervals: [{ from: '09:00', to: '12:00' }] }];
    return [{ user: ada, timezone: 'UTC', rules }];
  });
  const [old, other] = booked.map(({ uri }) => String(uri)) as [string, string];
  const judge = async (kind: string, without: string[], also: Json[] = []) => {
    const window = { since: Date.parse(at('00:00')), until: Date.parse(at('23:00')) };
    const times = await findFreeTimes(context, { type: { uri: type, duration: 60, kind }, ...window });
    const judged = (clock: string) => times.judge(Date.parse(at(clock)), { without: new Set(without), also });
    return ['09:30', '10:30'].map((clock) => judged(clock).map(({ code }) => code));
  };
  const there = { ...booked[0]!, start_time: at('10:30'), end_time: at('11:30'), event_memberships: [{ user: ada }] };
  expect(await judge('solo', [])).toEqual([['busy', 'busy'], ['busy']]);
  expect(await judge('solo', [old])).toEqual([['busy'], ['busy']]);
  expect(await judge('solo', [old, other])).toEqual([[], []]);
  expect(await judge('solo', [old, other], [there])).toEqual([[], ['busy']]);
  expect(await judge('group', [old, other], [there])).toEqual([[], []]);
});
