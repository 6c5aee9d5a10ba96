import { expect, test } from 'vitest';
import { idIn, uniqueBeginnings, urlIn } from '../../src/base/uri.ts';

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

test('parses an address, or returns nothing', () => {
  expect(urlIn('http://127.0.0.1:4010/users?count=1')?.pathname).toBe('/users');
  expect(urlIn('users')).toBeUndefined();
  expect(urlIn('')).toBeUndefined();
});
