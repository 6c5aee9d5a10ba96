import { describe, expect, test } from 'vitest';
import { eventTypes } from '../../src/api/event-types.ts';
import { events } from '../../src/api/events.ts';
import { invitees } from '../../src/api/invitees.ts';
import { rowFilter } from '../../src/client/filter.ts';

const at = (start_time: unknown) => ({ uri: 'x', start_time });

describe('filter', () => {
  test('keeps rows from the start of a window to just before its end', () => {
    const keep = rowFilter(events.list, {
      min_start_time: '2026-11-15T10:00:00Z',
      max_start_time: '2026-11-15T12:00:00+01:00',
    });
    const rows = [
      '2026-11-15T09:59:59Z',
      '2026-11-15T10:00:00.000000Z',
      '2026-11-15T11:59:59+01:00',
      '2026-11-15T11:00:00Z',
    ];
    expect(rows.map((time) => keep(at(time)))).toEqual([false, true, true, false]);
  });

  test.each([undefined, null, 'soon', 7])('keeps a row whose time is %s, because it cannot be checked', (time) => {
    const keep = rowFilter(events.list, {
      min_start_time: '2030-01-01T00:00:00Z',
      max_start_time: '2031-01-01T00:00:00Z',
    });
    expect(keep(time === undefined ? { uri: 'x' } : at(time === 7 ? '7 o’clock' : time))).toBe(true);
  });

  test('compares words case-insensitively', () => {
    const keep = rowFilter(invitees.list, { status: 'active', email: 'ada@example.com' });
    expect(keep({ status: 'active', email: 'Ada@Example.com' })).toBe(true);
    expect(keep({ status: 'canceled', email: 'ada@example.com' })).toBe(false);
    expect(keep({ status: 'active', email: 'bea@example.com' })).toBe(false);
  });

  test('keeps a row whose field is an object, because it cannot be compared', () => {
    const keep = rowFilter(invitees.list, { status: 'active' });
    expect(keep({ status: { name: 'active' } })).toBe(true);
  });

  test('compares booleans', () => {
    const keep = rowFilter(eventTypes.list, { active: false });
    expect([keep({ active: false }), keep({ active: true }), keep({ active: null })]).toEqual([true, false, true]);
  });

  test('ignores fields that a row does not show', () => {
    const keep = rowFilter(events.list, {
      user: 'https://api.example.com/users/1',
      invitee_email: 'ada@example.com',
      sort: 'start_time:asc',
      count: 5,
    });
    expect(keep({ uri: 'x', user: 'another' })).toBe(true);
  });

  test('keeps everything without a query', () => {
    expect(rowFilter(events.list)({ status: 'canceled' })).toBe(true);
  });
});
