import { describe, expect, test } from 'vitest';
import { usualServer } from '../../src/auth/auth-server.ts';
import { type DeviceCode, type DeviceLoginOptions, loginWithDevice } from '../../src/auth/device-login.ts';
import { SchedError } from '../../src/base/errors.ts';
import { NetworkFailure } from '../../src/http/failure.ts';
import type { HttpRequest, Send } from '../../src/http/message.ts';
import { virtualClock, withLimit } from '../support/run.ts';
import { everythingIn, memoryStore } from './support/memory.ts';

const server = { ...usualServer('https://id.example'), device: 'https://id.example/device' };
const json = { 'content-type': 'application/json' };
const code = {
  device_code: 'canary-code-device',
  user_code: 'WDJB-MJHT',
  verification_uri: 'https://id.example/activate',
  expires_in: 1800,
};
const issued = { access_token: 'canary-access-device', refresh_token: 'canary-refresh-device', token_type: 'Bearer' };

/** A login whose token endpoint gives these answers, the last one forever. */
const start = (
  answers: (string | object | (() => never))[],
  {
    more = {},
    ...options
  }: Partial<DeviceLoginOptions> & { more?: { expires_in?: unknown; [key: string]: unknown } } = {},
) => {
  const clock = virtualClock(0);
  const limitMs = Math.min(300, Number(more.expires_in ?? code.expires_in)) * 1000;
  const asked: HttpRequest[] = [];
  const shown: DeviceCode[] = [];
  const send: Send = async (request) => {
    asked.push(request);
    if (request.url === server.device)
      return { status: 200, headers: json, body: JSON.stringify({ ...code, ...more }) };
    const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
    if (typeof answer === 'function') return answer();
    return typeof answer === 'string'
      ? { status: 400, headers: json, body: JSON.stringify({ error: answer }) }
      : { status: 200, headers: json, body: JSON.stringify(answer) };
  };
  const result = loginWithDevice({
    client: { server, id: 'c' },
    baseUrl: 'https://api.example.com',
    scopes: ['users:read', 'offline_access'],
    store: memoryStore().store,
    send,
    clock: withLimit(clock, limitMs),
    interrupted: new AbortController().signal,
    onCode: (each) => {
      shown.push(each);
    },
    ...options,
  });
  return { result, clock, asked, shown };
};

const formOf = ({ body }: HttpRequest) => Object.fromEntries(new URLSearchParams(body));

describe('a device login', () => {
  test('shows the code, asks at the interval, and slows down when it is told to', async () => {
    const pending = 'authorization_pending';
    const { result, clock, asked, shown } = start([pending, 'slow_down', pending, issued]);
    expect(await result).toMatchObject({ access_token: issued.access_token, origin: 'https://api.example.com' });
    expect(shown).toEqual([{ url: code.verification_uri, code: 'WDJB-MJHT', completeUrl: undefined, seconds: 300 }]);
    expect(clock.slept).toEqual([5_000, 5_000, 10_000, 10_000]);
    expect(formOf(asked[0]!)).toEqual({ client_id: 'c', scope: 'users:read offline_access' });
    expect(formOf(asked[1]!)).toMatchObject({ device_code: code.device_code, client_id: 'c' });
  });

  test.each([
    ['client_secret_post', 's3cret:&', undefined],
    ['client_secret_basic', undefined, `Basic ${Buffer.from('c:s3cret%3A%26').toString('base64')}`],
  ] as const)('sends the secret of the client by %s', async (clientAuth, field, header) => {
    const client = { server: { ...server, clientAuth }, id: 'c', secret: 's3cret:&' };
    const { result, asked } = start([issued], { client });
    expect((await result).client_secret).toBe('s3cret:&');
    for (const request of asked) {
      expect(formOf(request).client_secret).toBe(field);
      expect(request.headers.authorization).toBe(header);
    }
  });

  test('sends the secret the other way after invalid_client, also if only the token endpoint checks it', async () => {
    const client = { server, id: 'c', secret: 's3cret:&' };
    const kept: string[] = [];
    const { result, asked } = start(['invalid_client', 'authorization_pending', issued], {
      client,
      finish: async (_, { server: { clientAuth } }) => void kept.push(clientAuth),
    });
    await result;
    expect(asked.map((request) => request.headers.authorization !== undefined)).toEqual([false, false, true, true]);
    expect(kept).toEqual(['client_secret_basic']);
  });

  // R8
  test.each([
    [1800, 300_000],
    [12, 12_000],
  ])('ends after five minutes, or when its code of %i s expires', async (expires_in, limit) => {
    const { result, clock, shown } = start(['authorization_pending'], { more: { expires_in } });
    await expect(result).rejects.toMatchObject({ category: 'auth', message: 'The login timed out' });
    expect([clock.now(), shown[0]!.seconds]).toEqual([limit, limit / 1000]);
  });

  test('ends after five minutes also if the clock is set back meanwhile', async () => {
    const clock = virtualClock(0);
    const { sleep } = withLimit(clock, 300_000);
    const { result } = start(['authorization_pending'], { clock: { now: () => -clock.now(), sleep } });
    await expect(result).rejects.toMatchObject({ message: 'The login timed out' });
    expect(clock.now()).toBe(300_000);
  });

  test.each([
    [1e-9, [1_000, 1_000]],
    [2.5, [2_500, 2_500]],
  ])('with an interval of %f s asks at most once a second', async (interval, pauses) => {
    const { result, clock } = start(['authorization_pending', issued], { more: { interval } });
    await result;
    expect(clock.slept).toEqual(pauses);
  });

  test.each([
    ['access_denied', 'The login was denied'],
    ['expired_token', 'The code has expired'],
    ['invalid_client', 'The service refused to issue a token'],
  ])('ends on %s', async (error, message) => {
    await expect(start([error]).result).rejects.toMatchObject({ category: 'auth', message });
  });

  test('keeps asking, more slowly, when the network fails', async () => {
    const away = () => {
      throw new NetworkFailure('id.example', 'connection reset', true);
    };
    const { result, clock } = start([away, issued]);
    expect((await result).kind).toBe('oauth');
    expect(clock.slept).toEqual([5_000, 10_000]);
  });

  test('ends at once on a signal, and stores nothing', async () => {
    const stopped = new SchedError('interrupted', 'Interrupted');
    const controller = new AbortController();
    const kept: unknown[] = [];
    const { result } = start(['authorization_pending'], {
      interrupted: controller.signal,
      clock: {
        now: () => 0,
        sleep: async (_, signal) => {
          controller.abort(stopped);
          signal!.throwIfAborted();
        },
      },
      finish: async (record) => void kept.push(record),
    });
    await expect(result).rejects.toBe(stopped);
    expect(kept).toEqual([]);
  });

  test('says that a server without a device address offers none', async () => {
    const { result, asked } = start([issued], { client: { server: usualServer('https://id.example'), id: 'c' } });
    await expect(result).rejects.toMatchObject({
      category: 'usage',
      facts: { hint: { command: ['auth', 'login'], flags: { device: false, 'no-browser': true } } },
    });
    expect(asked).toEqual([]);
  });

  // R12
  test('prints no secret when the reply is malformed', async () => {
    for (const more of [{ verification_uri: 'javascript:x' }, { user_code: '\u001b[2J' }, { expires_in: 'soon' }]) {
      const error = await start([issued], { more }).result.catch((reason) => reason);
      expect(error).toMatchObject({ category: 'integrity' });
      expect(everythingIn(error)).not.toContain('canary');
    }
  });
});
