import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { isDeep, runs, sample, times } from './tier.ts';

const cells = Array.from({ length: 40 }, (_, index) => ({ index, kind: index % 4 }));

describe('a sampled matrix', () => {
  test('has a few cells of each kind, in their order, and all of them in the deep tier', () => {
    const chosen = sample(cells, 2, ({ kind }) => kind);
    expect(chosen).toHaveLength(isDeep ? 40 : 8);
    expect(new Set(chosen.map(({ kind }) => kind)).size).toBe(4);
    expect(chosen).toEqual(cells.filter((cell) => chosen.includes(cell)));
    expect(sample(cells, 3)).toHaveLength(isDeep ? 40 : 3);
    expect(sample(cells.slice(0, 2), 3)).toHaveLength(2);
  });

  test('is the same again with the same seed', () => {
    expect(inject('seed')).not.toBe('');
    expect(sample(cells, 5)).toEqual(sample(cells, 5));
  });

  test('repeats as often as the tier asks for', () => expect(times(2, 50)).toBe(isDeep ? 50 : 2));

  test('tries a property with the same values again', () => {
    const tried = () => fc.sample(fc.integer(), runs(2, 50));
    expect(tried()).toHaveLength(isDeep ? 50 : 2);
    expect(tried()).toEqual(tried());
  });
});
