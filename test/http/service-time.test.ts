import { expect, test } from 'vitest';
import type { HttpReply } from '../../src/http/message.ts';
import { serviceClock } from '../../src/http/service-time.ts';

const request = { method: 'GET', url: 'http://127.0.0.1:4010/', headers: {} };

/** The service's time after replies with these dates. */
const after = async (...dates: (string | undefined)[]): Promise<number | undefined> => {
  const { layer, told } = serviceClock({ now: () => 0 });
  for (const date of dates) {
    const reply: HttpReply = { status: 200, headers: date === undefined ? {} : { date }, body: '' };
    expect(await layer(async () => reply)(request)).toBe(reply);
  }
  return told();
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

test("the service's time runs on with this machine's clock, also after a reply without a Date", async () => {
  let machine = Date.parse('2026-11-01T00:00:00Z');
  const { layer, now } = serviceClock({ now: () => machine });
  expect(now()).toBe(machine);
  await layer(async () => ({ status: 200, headers: { date: 'Sun, 15 Nov 2026 18:00:00 GMT' }, body: '' }))(request);
  expect(now()).toBe(Date.parse('2026-11-15T18:00:00Z'));
  machine += 90_000;
  await layer(async () => ({ status: 200, headers: {}, body: '' }))(request);
  expect(now()).toBe(Date.parse('2026-11-15T18:01:30Z'));
});
