import { describe, expect, test } from 'vitest';
import { editDistance, nearest } from '../../src/base/nearest.ts';

describe('nearest', () => {
  test.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['abc', '', 3],
    ['abc', 'abc', 0],
    ['abc', 'abd', 1],
    ['abc', 'ac', 1],
    ['ab', 'ba', 1],
    ['evnets', 'events', 1],
    ['kitten', 'sitting', 3],
  ])('counts the edits from %j to %j: %i', (from, to, edits) => {
    expect(editDistance(from, to)).toBe(edits);
    expect(editDistance(to, from)).toBe(edits);
  });

  const words = ['events', 'event-types', 'invitees', 'users'];
  test.each([
    ['evnets', 'events'],
    ['EVENTS', 'events'],
    ['invitee', 'invitees'],
    ['inv', 'invitees'],
    ['in', undefined],
    ['usrs', 'users'],
    ['bananas', undefined],
    ['', undefined],
  ])('finds the word probably meant by %j: %s', (word, meant) => {
    expect(nearest(word, words)).toBe(meant);
  });

  test('returns the first of two equally close words', () => {
    expect(nearest('cat', ['bat', 'cut'])).toBe('bat');
  });

  test('returns undefined if there are no candidates', () => {
    expect(nearest('x', [])).toBeUndefined();
  });
});
