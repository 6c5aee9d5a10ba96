import { expect, test } from 'vitest';
import { idIn, uniqueBeginnings } from '../../src/base/uri.ts';

test.each([
  ['https://api.example.com/scheduled_events/E1', 'E1'],
  ['https://api.example.com/scheduled_events/E1/invitees/I1', 'I1'],
  ['E1', 'E1'],
  ['', ''],
  [undefined, 'undefined'],
])('the ID in %j is %j', (uri, id) => {
  expect(idIn(uri)).toBe(id);
});

test('shortens IDs to beginnings that no other ID of the list has', () => {
  const ids = ['CYDGKL', 'CYDGKM', 'A6CSXX', 'CYDX', 'A6', 'A6CSXX', 'ABCD', 'ABCDE'];
  expect(Object.fromEntries(uniqueBeginnings(ids))).toEqual({
    CYDGKL: 'CYDGKL',
    CYDGKM: 'CYDGKM',
    A6CSXX: 'A6CS',
    CYDX: 'CYDX',
    A6: 'A6',
    ABCD: 'ABCD',
    ABCDE: 'ABCDE',
  });
});
