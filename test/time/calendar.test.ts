import { describe, expect, test } from 'vitest';
import { hour } from '../../src/base/milliseconds.ts';
import { daysOf } from '../../src/time/calendar.ts';
import { isoWeek, wallText } from '../../src/time/wall.ts';

const dates = (date: string, period: 'day' | 'week' | 'month', zone = 'Europe/Paris') =>
  daysOf(Date.parse(`${date}T00:00:00Z`), period, zone);

describe('daysOf', () => {
  test('a week goes from Monday to Sunday', () => {
    for (const date of ['2026-11-16', '2026-11-19', '2026-11-22']) {
      const week = dates(date, 'week').map(({ midnight }) => wallText(midnight).slice(0, 10));
      expect(week).toHaveLength(7);
      expect([week[0], week[6]]).toEqual(['2026-11-16', '2026-11-22']);
    }
  });

  test('a month has all its days', () => {
    expect(dates('2028-02-10', 'month')).toHaveLength(29);
    expect(dates('2026-12-31', 'month')).toHaveLength(31);
  });

  test('days follow each other without a gap, also when clocks change', () => {
    for (const date of ['2026-03-29', '2026-10-25']) {
      const days = dates(date, 'month');
      for (const [index, day] of days.slice(1).entries()) expect(day.since).toBe(days[index]!.until);
    }
  });

  test.each([
    ['2026-03-29', 'Europe/Paris', 23],
    ['2026-10-25', 'Europe/Paris', 25],
    // Clocks go forward at midnight.
    ['2026-09-06', 'America/Santiago', 23],
    // Clocks change by half an hour.
    ['2026-10-04', 'Australia/Lord_Howe', 23.5],
    // The day was left out.
    ['2011-12-30', 'Pacific/Apia', 0],
  ])('%s in %s has %d hours', (date, zone, hours) => {
    const [day] = dates(date, 'day', zone);
    expect((day!.until - day!.since) / hour).toBe(hours);
  });
});

test.each([
  ['2026-11-16', 2026, 47],
  ['2026-12-31', 2026, 53],
  ['2027-01-03', 2026, 53],
  ['2027-01-04', 2027, 1],
  ['2024-12-30', 2025, 1],
  ['2023-01-01', 2022, 52],
])('%s is in a week of %d with number %d', (date, year, week) => {
  expect(isoWeek(Date.parse(`${date}T00:00:00Z`))).toEqual({ year, week });
});
