import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SchedError } from '../../src/base/errors.ts';
import { authorize } from '../../src/http/authorize.ts';
import { readLimits, requestedWait } from '../../src/http/limit-headers.ts';
import type { HttpReply } from '../../src/http/message.ts';
import { budgetKey, rateLimit } from '../../src/http/rate-limit.ts';
import { createSharedBudget } from '../../src/state/shared-budget.ts';
import { someday, virtualClock } from '../support/run.ts';
import { runs, sample } from '../support/tier.ts';

const request = {
  method: 'POST',
  url: 'https://api.example.com/invitees',
  isBooking: true,
  headers: { authorization: 'Bearer x' },
  body: '{}',
};
const refused = (headers: Record<string, string> = {}): HttpReply => ({ status: 429, headers, body: '{}' });
const budgetOf = (clock: { now(): number }) =>
  createSharedBudget({ clock, holder: 'a', pid: 1, timeoutMs: 1000, pacePerMinute: 500, onTrouble: () => {} });
const fine: HttpReply = { status: 200, headers: {}, body: 'fine' };

/** Replies with these one after another, then with the last one forever. */
const answering = (replies: HttpReply[], maxWaitMs = 90_000, interrupted = new AbortController().signal) => {
  const clock = virtualClock();
  const said: number[] = [];
  let sent = 0;
  const layer = rateLimit({
    clock,
    random: () => 0,
    budget: budgetOf(clock),
    maxWaitMs,
    interrupted,
    onWait: ({ seconds }) => said.push(seconds),
  });
  const send = layer(async () => {
    // Otherwise an endless loop would hang the test instead of failing it.
    if (sent > 1000) throw new Error('a hot loop');
    return replies[Math.min(sent++, replies.length - 1)]!;
  });
  return { clock, said, send: () => send(request), sent: () => sent };
};

const failure = (promise: Promise<unknown>): Promise<SchedError> =>
  promise.then(
    () => expect.fail('it should have failed'),
    (error) => error,
  );

const epoch = someday / 1000;

test.each([undefined, 'https://api.example.com/users/U1'])(
  'rate-limit: a request uses the budgets of its credential (booker %s)',
  async (booker) => {
    const clock = virtualClock();
    const credential = { token: 'x', origin: 'https://api.example.com' };
    const budget = budgetOf(clock);
    const taken: string[] = [];
    const take: typeof budget.take = (key, ...rest) => {
      taken.push(key);
      return budget.take(key, ...rest);
    };
    const limit = rateLimit({
      clock,
      random: () => 0,
      budget: { ...budget, take },
      maxWaitMs: 0,
      interrupted: new AbortController().signal,
      booker,
      onWait: () => {},
    });
    await authorize({ current: async () => credential })(limit(async () => fine))({ ...request, headers: {} });
    expect(taken).toEqual([budgetKey('general', credential, booker), budgetKey('bookings', credential, booker)]);
    // Budgets written by other versions of sched must be found.
    expect(taken[0]).toBe('general-25f483e27f9561f40d726b78301e5887');
  },
);

describe('rate-limit: the requested wait', () => {
  test.each<[string, Record<string, string>, number | undefined]>([
    ['whole seconds', { 'x-ratelimit-reset': '17' }, 17],
    ['zero', { 'x-ratelimit-reset': '0' }, 0],
    ['a fraction, rounded up', { 'x-ratelimit-reset': '1.5' }, 2],
    ['a negative number', { 'x-ratelimit-reset': '-1' }, undefined],
    ['nothing', { 'x-ratelimit-reset': '' }, undefined],
    ['spaces', { 'x-ratelimit-reset': '   ' }, undefined],
    ['NaN', { 'x-ratelimit-reset': 'NaN' }, undefined],
    ['Infinity', { 'x-ratelimit-reset': 'Infinity' }, undefined],
    ['an exponent', { 'x-ratelimit-reset': '1e99' }, undefined],
    ['a hexadecimal number', { 'x-ratelimit-reset': '0x10' }, undefined],
    ['two values joined', { 'x-ratelimit-reset': '5, 5' }, undefined],
    ['an epoch in seconds', { 'x-ratelimit-reset': `${epoch + 30}` }, 30],
    ['an epoch in milliseconds', { 'x-ratelimit-reset': `${someday + 30_000}` }, 30],
    ['an epoch in the past', { 'x-ratelimit-reset': `${epoch - 30}` }, undefined],
    ['an epoch two days ahead', { 'x-ratelimit-reset': `${epoch + 2 * 86_400}` }, undefined],
    ['a whole day', { 'x-ratelimit-reset': '86400' }, 86_400],
    ['more than a day', { 'x-ratelimit-reset': '86401' }, undefined],
    ['10 kB of digits', { 'x-ratelimit-reset': '9'.repeat(10_000) }, undefined],
    ['10 kB of zeros', { 'x-ratelimit-reset': '0'.repeat(10_000) }, undefined],
    ['a date that is not a Retry-After', { 'x-ratelimit-reset': 'Sun, 15 Nov 2026 18:00:30 GMT' }, undefined],
    ['a Retry-After rather than the reset', { 'retry-after': '3', 'x-ratelimit-reset': '17' }, 3],
    ['a Retry-After date', { 'retry-after': 'Sun, 15 Nov 2026 18:00:30 GMT' }, 30],
    ['a Retry-After date in the past', { 'retry-after': 'Sun, 15 Nov 2026 17:00:00 GMT' }, undefined],
    // R15
    [
      "a Retry-After date by the service's clock",
      { 'retry-after': 'Mon, 16 Nov 2026 20:00:30 GMT', date: 'Mon, 16 Nov 2026 20:00:00 GMT' },
      30,
    ],
    [
      'a Retry-After date with an invalid Date header',
      { 'retry-after': 'Sun, 15 Nov 2026 18:00:30 GMT', date: 'now' },
      30,
    ],
    ['the reset, if Retry-After is invalid', { 'retry-after': 'soon', 'x-ratelimit-reset': '17' }, 17],
    ['an ISO date', { 'retry-after': '2026-11-15T18:00:30Z' }, undefined],
    ['a date that does not exist', { 'retry-after': 'Sun, 99 Nov 2026 18:00:30 GMT' }, undefined],
    ['no header at all', {}, undefined],
  ])('is read from %s', (_, headers, seconds) => {
    expect(requestedWait(refused(headers), someday)).toBe(seconds);
  });

  test('is read from the Retry-After of a 503, but not from its rate limit reset', () => {
    const away = (headers: Record<string, string>) => requestedWait({ ...refused(headers), status: 503 }, someday);
    expect(away({ 'retry-after': '3', 'x-ratelimit-reset': '17' })).toBe(3);
    expect(away({ 'retry-after': 'Sun, 15 Nov 2026 18:00:30 GMT' })).toBe(30);
    expect(away({ 'x-ratelimit-reset': '17' })).toBeUndefined();
  });

  test.each([200, 500, 302, 404])('is not read from a %d', (status) => {
    expect(requestedWait({ ...refused({ 'retry-after': '3' }), status }, someday)).toBeUndefined();
  });
});

describe('rate-limit: the three headers', () => {
  const told = (limit: string, remaining: string, reset: string) =>
    readLimits({ 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': reset }, someday);

  test('are used if they make sense together', () => {
    expect(told('500', '0', '60')).toEqual({ limit: 500, remaining: 0, resetMs: 60_000 });
    expect(told('10', '10', `${someday / 1000 + 30}`)).toEqual({ limit: 10, remaining: 10, resetMs: 30_000 });
  });

  test.each([
    ['0', '0', '60'],
    ['10', '11', '60'],
    ['-1', '1', '60'],
    ['10', '-1', '60'],
    ['NaN', '1', '60'],
    ['10', '', '60'],
    ['10', '5', 'NaN'],
    ['10', '5', '-5'],
    ['10', '5', '1e99'],
    ['1e3', '5', '60'],
    ['9'.repeat(10_000), '5', '60'],
    ['10', '5', '9'.repeat(10_000)],
  ])('are ignored otherwise: %s, %s, %s', (limit, remaining, reset) => {
    expect(told(limit, remaining, reset)).toBeUndefined();
  });
});

describe('rate-limit', () => {
  test('waits as long as requested, reports it, and sends the same request again', async () => {
    const { send, clock, said, sent } = answering([refused({ 'x-ratelimit-reset': '17' }), fine]);
    expect(await send()).toBe(fine);
    expect({ slept: clock.slept, said, sent: sent() }).toEqual({ slept: [17_000], said: [17], sent: 2 });
  });

  test('returns every other status at once', async () => {
    const { send, clock } = answering([{ ...refused({ 'retry-after': '5' }), status: 503 }]);
    expect((await send()).status).toBe(503);
    expect(clock.slept).toEqual([]);
  });

  // R28: whatever the header says, there is a wait before each repeat, from one second to the longest accepted wait.
  const digits = ['0', '00', '1', '1.5', '59.000000001', '86400', '9'.repeat(16), '9'.repeat(10_000)];
  const words = [
    '',
    ' ',
    '-1',
    '-0',
    'NaN',
    'null',
    'soon',
    '1e99',
    '1e-99',
    '0x1',
    '+3',
    '٣',
    '1,5',
    'Infinity',
    '\t7 ',
  ];
  const epochs = [-86_400, -1, 0, 0.25, 1, 30, 89, 91, 86_400, 1e7].flatMap((ahead) => [
    String(epoch + ahead),
    String(someday + ahead * 1000),
    new Date(someday + ahead * 1000).toUTCString(),
    new Date(someday + ahead * 1000).toISOString(),
  ]);
  test.each(['x-ratelimit-reset', 'retry-after'])(
    'never waits less than 1 s or more than the longest accepted wait, whatever %s says',
    async (name) => {
      for (const value of [digits, words, epochs].flatMap((values) => sample(values, 5))) {
        const { send, clock, sent } = answering([
          ...Array.from({ length: 20 }, () => refused({ [name]: value })),
          fine,
        ]);
        const outcome = await send().catch((error: SchedError) => error.category);
        expect([fine, 'rate-limited'], value.slice(0, 40)).toContain(outcome);
        expect(clock.slept.length, value.slice(0, 40)).toBe(sent() - 1);
        for (const wait of clock.slept) {
          expect(wait).toBeGreaterThanOrEqual(1000);
          expect(wait).toBeLessThanOrEqual(90_000);
          expect(Number.isInteger(wait)).toBe(true);
        }
      }
    },
  );

  const anyHeader = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.double().map(String),
    fc.maxSafeInteger().map(String),
    fc.integer({ min: -86_400, max: 90_000 }).map((ahead) => String(epoch + ahead)),
    fc.integer({ min: -86_400, max: 90_000 }).map((ahead) => new Date(someday + ahead * 1000).toUTCString()),
    fc.constantFrom(...digits, ...words, ...epochs),
  );
  test('never sends twice within a second to a refusing service, whatever its headers say', async () => {
    const headers = fc.array(
      fc.record(
        Object.fromEntries(
          ['retry-after', 'x-ratelimit-reset', 'x-ratelimit-remaining', 'x-ratelimit-limit'].map((name) => [
            name,
            anyHeader,
          ]),
        ),
        { requiredKeys: [] },
      ),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(headers, fc.double({ min: 0, max: 0.999, noNaN: true }), async (replies, chance) => {
        const clock = virtualClock();
        const times: number[] = [];
        const send = rateLimit({
          clock,
          random: () => chance,
          budget: budgetOf(clock),
          maxWaitMs: 90_000,
          interrupted: new AbortController().signal,
          onWait: () => {},
        })(async () => {
          times.push(clock.now());
          if (times.length > 100) throw new Error('a hot loop');
          return refused(replies[(times.length - 1) % replies.length] as Record<string, string>);
        });
        for (let round = 0; round < 3; round += 1) expect((await failure(send(request))).category).toBe('rate-limited');
        for (const [index, time] of times.slice(1).entries()) expect(time - times[index]!).toBeGreaterThanOrEqual(1000);
        for (const wait of clock.slept) expect(wait).toBeLessThanOrEqual(91_000);
      }),
      runs(60, 300),
    );
  });

  test.each(['91', '3600', '86400', String(epoch + 7200)])(
    'fails at once if the requested wait is too long: %s',
    async (value) => {
      const { send, clock, sent } = answering([refused({ 'x-ratelimit-reset': value }), fine]);
      const { category, facts } = await failure(send());
      expect(category).toBe('rate-limited');
      expect(facts).toMatchObject({
        retryAfterSeconds: requestedWait(refused({ 'x-ratelimit-reset': value }), someday),
        outcome: 'not-applied',
        http: { status: 429, method: 'POST', path: '/invitees' },
      });
      expect({ slept: clock.slept, sent: sent() }).toEqual({ slept: [], sent: 1 });
    },
  );

  test('waits if the requested wait is exactly the longest accepted one', async () => {
    const { send } = answering([refused({ 'x-ratelimit-reset': '90' }), fine]);
    expect(await send()).toBe(fine);
  });

  test('never waits if waiting is forbidden, not even for a reset of 0', async () => {
    const { send, clock } = answering([refused({ 'x-ratelimit-reset': '0' }), fine], 0);
    expect((await failure(send())).category).toBe('rate-limited');
    expect(clock.slept).toEqual([]);
  });

  test('gives up at the third 429 that does not say how long to wait', async () => {
    const { send, clock, sent } = answering([refused()]);
    const { category, facts } = await failure(send());
    expect(category).toBe('rate-limited');
    expect(facts).toMatchObject({ advice: 'try again in a minute' });
    expect(facts.hint).toBeUndefined();
    expect({ slept: clock.slept, sent: sent() }).toEqual({ slept: [2000, 4000], sent: 3 });
  });

  test('gives up at the sixth 429, even if each says how long to wait', async () => {
    const { send, sent } = answering([refused({ 'retry-after': '0' })]);
    expect((await failure(send())).category).toBe('rate-limited');
    expect(sent()).toBe(6);
  });

  // R28: at most one request a second, whatever headers the service sends.
  test.each(['NaN', String(epoch), '-5', '1e99', '0', '', '0.001', String(someday)])(
    'sends at most one request a second to a refusing service: reset %s',
    async (reset) => {
      const headers = { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset };
      const clock = virtualClock();
      const times: number[] = [];
      const send = rateLimit({
        clock,
        random: () => 0,
        budget: budgetOf(clock),
        maxWaitMs: 90_000,
        interrupted: new AbortController().signal,
        onWait: () => {},
      })(async () => {
        times.push(clock.now());
        return refused(headers);
      });
      for (let round = 0; round < 3; round += 1) expect((await failure(send(request))).category).toBe('rate-limited');
      const gaps = times.slice(1).map((time, index) => time - times[index]!);
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000);
    },
  );

  test('returns a request to the general budget if the bookings budget is empty', async () => {
    const given: string[] = [];
    const layer = rateLimit({
      clock: virtualClock(),
      random: () => 0,
      budget: {
        ...budgetOf({ now: () => someday }),
        take: async (key) => (key.startsWith('bookings') ? { until: someday + 86_400_000, why: 'limit' } : undefined),
        untake: async (key) => {
          given.push(key.split('-')[0]!);
        },
      },
      maxWaitMs: 90_000,
      interrupted: new AbortController().signal,
      onWait: () => {},
    });
    expect((await failure(layer(async () => fine)(request))).category).toBe('rate-limited');
    expect(given).toEqual(['general']);
  });

  test.each(['the command is interrupted', 'the request is no longer needed'])(
    'stops waiting if %s',
    async (reason) => {
      const [stop, unwanted] = [new AbortController(), new AbortController()];
      const ended = reason === 'the command is interrupted' ? stop : unwanted;
      const layer = rateLimit({
        clock: {
          now: () => someday,
          sleep: (_, signal) =>
            new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true })),
        },
        random: () => 0,
        budget: budgetOf({ now: () => someday }),
        maxWaitMs: 90_000,
        interrupted: stop.signal,
        onWait: () => queueMicrotask(() => ended.abort(new Error(reason))),
      });
      const read = { ...request, signal: unwanted.signal };
      await expect(layer(async () => refused({ 'retry-after': '60' }))(read)).rejects.toThrow(reason);
    },
  );
});
