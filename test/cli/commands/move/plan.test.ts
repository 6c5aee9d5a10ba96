import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inOrder } from '../../../../src/cli/commands/move/plan.ts';
import { overlap } from '../../../../src/time/slots.ts';
import { runs } from '../../../support/tier.ts';

const move = (from: number, to: number, length = 1, host = 'A') => ({
  name: `${from}→${to}`,
  hosts: new Set([host]),
  old: { start: from, end: from + length },
  new: { start: to, end: to + length },
});
const namesOf = (moves: readonly { name: string }[] = []) => moves.map(({ name }) => name);

test('each move comes after the one whose time it needs', () => {
  expect(namesOf(inOrder([move(1, 2), move(2, 3), move(3, 4)]).ordered)).toEqual(['3→4', '2→3', '1→2']);
  expect(namesOf(inOrder([move(1, 2), move(2, 3, 1, 'B')]).ordered)).toEqual(['1→2', '2→3']);
});

test('moves that need each other are a circle, and a move over its own time is none', () => {
  expect(namesOf(inOrder([move(9, 1), move(1, 2), move(2, 3), move(3, 1)]).circle)).toEqual(['1→2', '2→3', '3→1']);
  expect(inOrder([move(1, 2, 5)]).circle).toBeUndefined();
});

test('in that order, every move finds its new time free', () => {
  const moves = fc.uniqueArray(fc.tuple(fc.nat(12), fc.nat(12)), { selector: ([from]) => from, maxLength: 6 });
  fc.assert(
    fc.property(moves, (all) => {
      const wanted = all.map(([from, to]) => move(from, to));
      const { ordered, circle } = inOrder(wanted);
      expect(ordered).toHaveLength(wanted.length);
      if (circle !== undefined) return;
      for (const [at, one] of ordered.entries())
        expect(ordered.slice(at + 1).filter((other) => overlap(one.new, other.old))).toEqual([]);
    }),
    runs(100, 2000),
  );
});
