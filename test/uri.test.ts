import { expect, test } from 'vitest';
import { idIn } from '../src/uri.ts';

test.each([
  ['https://api.example.com/scheduled_events/E1', 'E1'],
  ['https://api.example.com/scheduled_events/E1/invitees/I1', 'I1'],
  ['E1', 'E1'],
  ['', ''],
  [undefined, 'undefined'],
])('the ID in %j is %j', (uri, id) => {
  expect(idIn(uri)).toBe(id);
});
