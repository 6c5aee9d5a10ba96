import { describe, expect, test } from 'vitest';
import { limits } from '../../../src/api/limits.ts';
import type { Windows } from '../../../src/cli/session/booking-limits.ts';
import { bookingTime } from '../../../src/commands/booking/confirm-bookings.ts';

const { trial, standard, enterprise } = limits.createInvitee;
const [minute, hour, day] = [60, 3600, 86_400];

describe('bookingTime', () => {
  test.each<[number, Windows, number, object | undefined]>([
    [10, {}, 2, undefined],
    [10, standard, 2, undefined],
    [11, standard, minute + 1, { span: 'minute', limit: 10, seconds: minute }],
    [50, standard, 4 * minute + 2, { span: 'minute', limit: 10, seconds: minute }],
    [51, standard, hour + 1, { span: 'hour', limit: 50, seconds: hour }],
    [500, { hour: 50 }, 9 * hour + 10, { span: 'hour', limit: 50, seconds: hour }],
    [500, standard, 4 * day + hour + 4 * minute + 2, { span: 'day', limit: 100, seconds: day }],
    [6, trial, day + 1, { span: 'day', limit: 5, seconds: day }],
    [1000, enterprise, minute + 100, { span: 'minute', limit: 500, seconds: minute }],
  ])('of %i bookings with %j is %i s', (count, windows, seconds, slowest) => {
    expect(bookingTime(count, windows)).toEqual(slowest === undefined ? { seconds } : { seconds, slowest });
  });
});
