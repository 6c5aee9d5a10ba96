import { expect, it } from 'vitest';
import { onceEach } from '../../src/base/once.ts';

it('makes a value once for each key, and forgets all of them above a number', () => {
  const made: string[] = [];
  const of = onceEach((key: string) => made.push(key), 2);
  for (const key of ['a', 'b', 'a', 'b', 'c', 'c', 'a']) of(key);
  expect(made).toEqual(['a', 'b', 'c', 'a']);
});
