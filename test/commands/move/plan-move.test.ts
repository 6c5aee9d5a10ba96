import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import type { Context } from '../../../src/cli/session/context.ts';
import { checkMovable, type Move, orderMoves, whyNotFree } from '../../../src/commands/move/plan-move.ts';
import type { FreeTimes } from '../../../src/commands/slots/free-slots.ts';
import { overlap } from '../../../src/time/slots.ts';
import { runs } from '../../support/tier.ts';

const move = (from: number, to: number, length = 1, host = 'A') => ({
  name: `${from}→${to}`,
  hosts: new Set([host]),
  old: { start: from, end: from + length },
  new: { start: to, end: to + length },
});
const namesOf = (moves: readonly { name: string }[] = []) => moves.map(({ name }) => name);

test('each move comes after the one whose time it needs', () => {
  expect(namesOf(orderMoves([move(1, 2), move(2, 3), move(3, 4)]).ordered)).toEqual(['3→4', '2→3', '1→2']);
  expect(namesOf(orderMoves([move(1, 2), move(2, 3, 1, 'B')]).ordered)).toEqual(['1→2', '2→3']);
});

test('moves that need each other are a circle, and a move over its own time is none', () => {
  expect(namesOf(orderMoves([move(9, 1), move(1, 2), move(2, 3), move(3, 1)]).circle)).toEqual(['1→2', '2→3', '3→1']);
  expect(orderMoves([move(1, 2, 5)]).circle).toBeUndefined();
});

test('in that order, every move finds its new time free', () => {
  const moves = fc.uniqueArray(fc.tuple(fc.nat(12), fc.nat(12)), { selector: ([from]) => from, maxLength: 6 });
  fc.assert(
    fc.property(moves, (all) => {
      const wanted = all.map(([from, to]) => move(from, to));
      const { ordered, circle } = orderMoves(wanted);
      expect(ordered).toHaveLength(wanted.length);
      if (circle !== undefined) return;
      for (const [at, one] of ordered.entries())
        expect(ordered.slice(at + 1).filter((other) => overlap(one.new, other.old))).toEqual([]);
    }),
    runs(100, 2000),
  );
});

const start = Date.parse('2026-12-01T09:00:00Z');
const at = (now: number) => ({ settings: { zone: 'UTC' }, now: () => now }) as unknown as Context;
const type: Json = { uri: 'https://api.example.com/event_types/T1', kind: 'group', active: true };

test.each([
  [start - 1, ''],
  [start, 'has begun'],
])('an event can be moved until it begins', (now, problem) => {
  const event = { uri: 'E1', name: 'Call', status: 'active', start_time: '2026-12-01T09:00:00Z' };
  const people = [
    { invitee: {}, body: { invitee: { timezone: 'UTC' } }, droppedQuestions: [], openQuestions: [] },
  ] as never;
  const check = () => checkMovable(at(now), { event, type, people, record: undefined }, {});
  if (problem === '') expect(check).not.toThrow();
  else expect(check).toThrow(problem);
});

test.each([
  [2, undefined],
  [1, '1 free seat for 2 people'],
])('a group can take the last %i seats of an event', (seats, problem) => {
  const there = {
    uri: 'E2',
    name: 'Workshop',
    event_type: type.uri,
    start_time: '2026-12-01T09:00:00Z',
    invitees_counter: { active: 8 - seats, limit: 8 },
  };
  const times = { judge: () => [], events: [there] } as unknown as FreeTimes;
  const moved = { event: { uri: 'E1' }, type, people: [{}, {}], new: { start, end: start + 1 } } as unknown as Move;
  const refusal = whyNotFree(at(start - 1), times, moved);
  if (problem === undefined) expect(refusal).toBeUndefined();
  else expect(refusal?.message).toContain(problem);
});
