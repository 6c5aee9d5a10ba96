import { expect, test } from 'vitest';
import type { HttpReply } from '../../src/http/message.ts';
import { serviceClock } from '../../src/http/service-time.ts';

const request = { method: 'GET', url: 'http://127.0.0.1:4010/', headers: {} };

/** The service's time after replies with these dates. */
const after = async (...dates: (string | undefined)[]): Promise<number | undefined> => {
  const { layer, now } = serviceClock();
  for (const date of dates) {
    const reply: HttpReply = { status: 200, headers: date === undefined ? {} : { date }, body: '' };
    expect(await layer(async () => reply)(request)).toBe(reply);
  }
  return now();
};

test("the service's time is the Date of its last reply", async () => {
  expect(await after('Sun, 15 Nov 2026 18:00:00 GMT', 'Sun, 15 Nov 2026 18:00:01 GMT')).toBe(
    Date.parse('2026-11-15T18:00:01Z'),
  );
});

test("the service's time is unknown before the first reply, and after one without a Date", async () => {
  expect(await after()).toBeUndefined();
  expect(await after('Sun, 15 Nov 2026 18:00:00 GMT', undefined)).toBeUndefined();
});

test.each(['', '0', '2026', '2026-11-15T18:00:00Z', 'Sun, 99 Foo 2026 18:00:00 GMT', 'Sun Nov 15 18:00:00 2026'])(
  "the service's time is unknown after the Date '%s'",
  async (date) => {
    expect(await after(date)).toBeUndefined();
  },
);
