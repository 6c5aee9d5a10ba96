import { describe, expect, test } from 'vitest';
import { day } from '../../../src/base/milliseconds.ts';
import { dueEvents, isDue, type KnownEvent, namedIn } from '../../../src/commands/mirror/work-plan.ts';

const began = Date.parse('2026-11-15T18:00:00Z');

/** An event of last month whose invitees were read yesterday. */
const quiet: KnownEvent = {
  event: 'A',
  digest: 'one',
  ends: began - 30 * day,
  readDigest: 'one',
  readAt: began - day,
  isShort: false,
};

const nobody: ReadonlySet<string> = new Set();

describe('the invitees of an event are read', () => {
  test.each<[why: string, known: Partial<KnownEvent>, isRead: boolean]>([
    ['nothing has changed', {}, false],
    ['its list was never read', { readAt: null, readDigest: null }, true],
    ['the event has changed', { digest: 'two' }, true],
    ['there were too few', { isShort: true }, true],
    ['it ended a week ago', { ends: began - 7 * day }, true],
    ['it ended 15 days ago', { ends: began - 15 * day }, false],
    ['it ended 20 days ago, and was read a week later', { ends: began - 20 * day, readAt: began - 13 * day }, true],
    ['it is still to come', { ends: began + day }, false],
    ['its list is 30 days old', { readAt: began - 30 * day }, true],
    ['its list is 29 days old', { ends: began - 60 * day, readAt: began - 29 * day }, false],
    ['this sync has read it', { readAt: began + 1, isShort: true, ends: began - day }, false],
    ['it has changed since this sync has read it', { readAt: began + 1, digest: 'two' }, true],
  ])('%s', (_, known, isRead) => {
    expect(isDue({ ...quiet, ...known }, nobody, began)).toBe(isRead);
  });

  test('the activity log names it, or a deletion of people', () => {
    const named = namedIn([{ details: { event: 'https://api.example.com/v2/scheduled_events/A', invitee: 'x' } }]);
    expect(named).toEqual(new Set(['A']));
    expect(isDue(quiet, named, began)).toBe(true);
    expect(isDue({ ...quiet, event: 'B' }, named, began)).toBe(false);
    expect(namedIn([{ namespace: 'InviteeData', action: 'RequestDeletion', details: {} }])).toEqual(new Set());
    expect(namedIn([{ namespace: 'InviteeData', action: 'Delete', details: { invitees: 3 } }])).toBe('all');
    expect(isDue(quiet, 'all', began)).toBe(true);
  });
});

test('events without a list come first, the newest of them first, then the oldest lists', () => {
  const events = [
    { ...quiet, event: 'old list', readAt: began - 40 * day },
    { ...quiet, event: 'older list', readAt: began - 50 * day },
    { ...quiet, event: 'past', readAt: null },
    { ...quiet, event: 'future', readAt: null, ends: began + day },
    quiet,
  ];
  expect(dueEvents(events, nobody, began).map(({ event }) => event)).toEqual([
    'future',
    'past',
    'older list',
    'old list',
  ]);
});
