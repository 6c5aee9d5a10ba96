import { describe, expect, test } from 'vitest';
import { SchedError } from '../../src/base/errors.ts';
import { NetworkFailure } from '../../src/http/failure.ts';
import type { HttpReply, HttpRequest, Send } from '../../src/http/message.ts';
import { redirect } from '../../src/http/redirect.ts';
import { retry } from '../../src/http/retry.ts';
import { virtualClock } from '../support/run.ts';

const request: HttpRequest = { method: 'GET', url: 'https://api.example.com/a', headers: {} };
const reply = (status: number, headers = {}): HttpReply => ({ status, headers, body: '{}' });
const lost = (sent: boolean) => new NetworkFailure('api.example.com', 'the connection was reset', sent);

const retrying = (endings: (HttpReply | Error)[], mayRepeat = () => true, random = () => 0.5) => {
  const clock = virtualClock();
  const told: string[] = [];
  const waits: number[] = [];
  let sent = 0;
  const layer = retry({
    clock,
    interrupted: new AbortController().signal,
    random,
    maxWaitMs: 90_000,
    mayRepeat,
    onWait: (seconds) => waits.push(seconds),
    onRetry: (attempt, reason, pause) => told.push(`${attempt}: ${reason}, ${pause}`),
  });
  const send = layer(async () => {
    const ending = endings[Math.min(sent++, endings.length - 1)]!;
    if (ending instanceof Error) throw ending;
    return ending;
  });
  return { clock, told, waits, send: (more = {}) => send({ ...request, ...more }), sent: () => sent };
};

// R31
describe('retry', () => {
  test('repeats a request that may be repeated, and reports why', async () => {
    const { send, sent, told, clock } = retrying([lost(true), reply(503), reply(200)]);
    expect(await send()).toEqual(reply(200));
    expect(sent()).toBe(3);
    expect(told).toEqual(['2: the connection was reset, 500', '3: status 503, 1000']);
    expect(clock.slept).toEqual([500, 1000]);
  });

  test('tries at most three times, and returns the last result', async () => {
    const failing = retrying([lost(true)]);
    await expect(failing.send()).rejects.toMatchObject({ sent: true });
    expect(failing.sent()).toBe(3);
    const refusing = retrying([reply(503)]);
    expect((await refusing.send()).status).toBe(503);
    expect(refusing.sent()).toBe(3);
  });

  // R42
  test.each([
    ['during the pause', 'DELETE', 'unknown'],
    ['before the next attempt', 'DELETE', 'unknown'],
    ['during the pause', 'GET', undefined],
  ])('a signal %s after a lost reply: %s is %s', async (when, method, outcome) => {
    const signal = new SchedError('interrupted', 'Interrupted');
    const { clock, send } = retrying([lost(true), signal]);
    if (when === 'during the pause') clock.sleep = () => Promise.reject(signal);
    const error = await send({ method }).catch((thrown) => thrown);
    expect([error.category, error.facts.outcome]).toEqual(['interrupted', outcome]);
  });

  test('does not repeat a request that is no longer needed', async () => {
    const { clock } = retrying([]);
    let sent = 0;
    const layer = retry({
      clock,
      interrupted: new AbortController().signal,
      random: () => 0,
      maxWaitMs: 0,
      mayRepeat: () => true,
      onRetry: () => {},
      onWait: () => {},
    });
    const send = layer(async () => {
      sent += 1;
      throw lost(true);
    });
    await expect(send({ ...request, signal: AbortSignal.abort() })).rejects.toThrow('reset');
    expect(sent).toBe(1);
  });

  test('does not repeat a request that may not be repeated', async () => {
    const { send, sent } = retrying([lost(true)], () => false);
    await expect(send()).rejects.toThrow('reset');
    expect(sent()).toBe(1);
  });

  test.each(['30', 'Sun, 15 Nov 2026 18:00:30 GMT'])(
    'waits a little longer than a 503 asks, and reports the wait: %s',
    async (value) => {
      const { send, clock, waits } = retrying([reply(503, { 'retry-after': value }), reply(200)]);
      expect((await send()).status).toBe(200);
      expect({ slept: clock.slept[0], waits }).toEqual({ slept: 30_500, waits: [30] });
    },
  );

  test('waits for a 503 at most twice, and returns the wait that the last one asks for', async () => {
    const { send, clock, sent } = retrying([reply(503, { 'retry-after': '10' })]);
    expect(await send()).toMatchObject({ status: 503, retryAfterSeconds: 10 });
    expect({ slept: clock.slept, sent: sent() }).toEqual({ slept: [10_500, 11_000], sent: 3 });
  });

  test.each([
    ['GET', 'not-applied'],
    ['POST', 'unknown'],
  ])('fails at once if a 503 asks for a wait that is too long: %s', async (method, outcome) => {
    const { send, clock, sent } = retrying([reply(503, { 'retry-after': '91', 'x-request-id': 'abc' })]);
    await expect(send({ method })).rejects.toMatchObject({
      category: 'unavailable',
      facts: {
        reason: 'the service asks to wait 91 s, until 2026-11-15T18:01:31Z [request abc]',
        hint: { flags: { 'max-wait': '91s' } },
        retryAfterSeconds: 91,
        outcome,
        http: { status: 503, method, path: '/a' },
      },
    });
    expect({ slept: clock.slept, sent: sent() }).toEqual({ slept: [], sent: 1 });
  });

  test('does not repeat a request that may not be repeated, even if a 503 asks to wait', async () => {
    const { send, clock, sent } = retrying([reply(503, { 'retry-after': '1' })], () => false);
    expect(await send()).toMatchObject({ status: 503, retryAfterSeconds: 1 });
    expect({ slept: clock.slept, sent: sent() }).toEqual({ slept: [], sent: 1 });
  });

  test('has one quota for the whole command', async () => {
    const { send, sent } = retrying([lost(false)]);
    for (let requests = 0; requests < 100; requests += 1) await send().catch(() => {});
    expect(sent()).toBe(100 + 10);
  });

  test.each([0, 0.5, 0.999])('pauses for 0.5 to 1.5 times the step: %d', async (chance) => {
    const { send, clock } = retrying([lost(false)], undefined, () => chance);
    await send().catch(() => {});
    expect(clock.slept).toEqual([Math.round(500 * (0.5 + chance)), Math.round(1000 * (0.5 + chance))]);
  });

  test('remembers that an earlier attempt was sent', async () => {
    await expect(retrying([lost(true), lost(false)]).send()).rejects.toMatchObject({ sent: true });
    await expect(retrying([reply(500), lost(false)]).send()).rejects.toMatchObject({ sent: true });
    await expect(retrying([lost(false)]).send()).rejects.toMatchObject({ sent: false });
  });

  test('throws any other error at once', async () => {
    const bug = new TypeError('a bug');
    const { send, sent } = retrying([bug]);
    await expect(send()).rejects.toBe(bug);
    expect(sent()).toBe(1);
  });
});

// R10
describe('redirect', () => {
  const following = (locations: (string | undefined)[], method = 'GET', status = 302) => {
    const seen: string[] = [];
    const send: Send = async ({ url }) => {
      const location = locations[seen.push(url) - 1];
      return location === undefined
        ? reply(200)
        : { status, headers: { location, 'content-type': 'text/html' }, body: '' };
    };
    return { seen, reply: redirect(send)({ ...request, method }) };
  };

  test.each([301, 302, 303, 307, 308])('follows a read within its origin: %i', async (status) => {
    const { seen, reply } = following(['/b', 'https://api.example.com/c?x=1'], 'GET', status);
    expect((await reply).status).toBe(200);
    expect(seen).toEqual(['https://api.example.com/a', 'https://api.example.com/b', 'https://api.example.com/c?x=1']);
  });

  test('follows three hops, not four', async () => {
    expect((await following(['/1', '/2', '/3']).reply).status).toBe(200);
    const { seen, reply } = following(['/1', '/2', '/3', '/4']);
    expect((await reply).status).toBe(302);
    expect(seen).toHaveLength(4);
  });

  test.each([
    'https://evil.example/',
    'http://api.example.com/a',
    'https://api.example.com:8443/',
    '//evil.example/',
    'https://user:pass@api.example.com/',
    'javascript:alert(1)',
    'https://',
  ])('does not follow %s', async (location) => {
    const { seen, reply } = following([location]);
    expect((await reply).status).toBe(302);
    expect(seen).toHaveLength(1);
  });

  test.each(['POST', 'PATCH', 'PUT', 'DELETE'])('never follows a %s', async (method) => {
    const { seen, reply } = following(['/b'], method, 307);
    expect((await reply).status).toBe(307);
    expect(seen).toHaveLength(1);
  });
});
