import { describe, expect, test } from 'vitest';
import { usualServer } from '../../src/auth/auth-server.ts';
import {
  type CredentialKey,
  credentialKey,
  credentialName,
  recordFromLogin,
  recordFromToken,
} from '../../src/auth/credential.ts';
import { createSession, removeCredential, type SessionOptions, saveCredential } from '../../src/auth/session.ts';
import { createStore } from '../../src/auth/stores.ts';
import type { Vault } from '../../src/auth/vault.ts';
import { SchedError } from '../../src/base/errors.ts';
import { spell } from '../../src/base/words.ts';
import { authorize } from '../../src/http/authorize.ts';
import { NetworkFailure } from '../../src/http/failure.ts';
import type { HttpRequest, Send } from '../../src/http/message.ts';
import type { Lock } from '../../src/state/lock.ts';
import { everythingIn, memoryEntries, memoryStore, random } from './support/memory.ts';
import { canary, createOAuthServer } from './support/oauth-server.ts';

const authServer = usualServer('https://auth.example.com');
const client = { server: authServer, id: 'client-1' };
const origin = 'https://api.example.com';
const start = Date.parse('2026-11-15T18:00:00Z');
const hour = 3_600_000;

/** A lock within one process: each waiter gets it when the previous holder is done. */
const memoryLock = () => {
  let last: Promise<void> = Promise.resolve();
  const events: string[] = [];
  const lock: Lock = {
    acquire: async () => {
      const before = last;
      let free!: () => void;
      last = new Promise((resolve) => {
        free = resolve;
      });
      await before;
      events.push('taken');
      return {
        release: async () => {
          events.push('released');
          free();
        },
        keep: async () => true,
        handOver: async () => false,
      };
    },
    adopt: async () => undefined,
  };
  return { lock, events };
};

const world = async (more: Partial<SessionOptions> & { refreshable?: boolean; before?: () => void } = {}) => {
  const { refreshable = true, before, ...options } = more;
  const server = createOAuthServer();
  const { store, texts } = memoryStore(before);
  const { lock, events } = memoryLock();
  const { access, refresh } = server.start();
  const clock = {
    time: start,
    slept: [] as number[],
    now: () => clock.time,
    sleep: async (milliseconds: number) => {
      clock.slept.push(milliseconds);
      clock.time += milliseconds;
    },
  };
  const record = recordFromLogin(
    {
      accessToken: access,
      ...(refreshable ? { refreshToken: refresh } : {}),
      scope: 'users:read',
      expiresInSeconds: 7200,
      owner: `${origin}/users/U1`,
    },
    { client, origin, scopes: [], now: start },
  );
  const key = credentialKey(record);
  await store.write(key, record);
  const controller = new AbortController();
  const session = (extra: Partial<SessionOptions> = {}) =>
    createSession({
      key,
      server: authServer,
      store,
      lock,
      clock,
      sendToEnd: server.send,
      protect: (work) => work(),
      interrupted: controller.signal,
      mayRefresh: true,
      ...options,
      ...extra,
    });
  return { server, store, texts, events, clock, record, key, controller, session, lock };
};

describe('session', () => {
  test('uses a valid token without lock or network', async () => {
    const { session, server, record, events } = await world();
    expect(await session().current()).toEqual({ token: record.access_token, origin });
    expect([server.counts.refresh, events]).toEqual([0, []]);
  });

  test('refreshes before expiry, under the lock, and stores before releasing it', async () => {
    const { session, server, store, key, clock, events } = await world();
    clock.time = start + 2 * hour - 59_000;
    const one = session();
    const { token } = await one.current();
    expect((await store.read(key))?.access_token).toBe(token);
    expect((await store.read(key))?.refresh_token).toBe(server.families[0]!.refresh);
    expect(events).toEqual(['taken', 'released']);
    expect((await one.current()).token).toBe(token);
    expect(server.counts.refresh).toBe(1);
  });

  test('refreshes once for many requests of one process, and for many sessions', async () => {
    const { session, server, clock } = await world();
    clock.time = start + 3 * hour;
    const one = session();
    const tokens = await Promise.all([
      ...Array.from({ length: 10 }, () => one.current()),
      ...Array.from({ length: 10 }, () => session().current()),
    ]);
    expect(new Set(tokens.map(({ token }) => token)).size).toBe(1);
    expect(server.counts).toMatchObject({ refresh: 1, reuse: 0 });
  });

  // R15: the clock may be wrong by a day either way.
  test.each([-24, 24])('works after the clock was changed by %d hours', async (hours) => {
    const { session, server, clock, record } = await world();
    clock.time = start + hours * hour;
    server.families[0]!.accesses.delete(record.access_token);
    const api: Send = async ({ headers }) => ({
      status: server.families[0]!.accesses.has(headers.authorization!.slice(7)) ? 200 : 401,
      headers: {},
      body: '',
    });
    const reply = await authorize(session())(api)({ method: 'GET', url: `${origin}/users/me`, headers: {} });
    expect(reply.status).toBe(200);
    expect(server.counts.refresh).toBe(1);
  });

  test('uses the token that another process refreshed if its own is refused', async () => {
    const { session, server, store, key, record, events } = await world();
    const one = session();
    await one.current();
    await store.write(key, { ...record, access_token: 'newer' });
    expect((await one.refresh({ token: record.access_token, origin })).token).toBe('newer');
    expect([server.counts.refresh, events]).toEqual([0, []]);
  });

  // R23
  test('deletes nothing on invalid_grant and says to log in again', async () => {
    const { session, server, texts, record } = await world();
    server.families[0]!.revoked = true;
    const before = [...texts];
    const error = await session()
      .refresh({ token: record.access_token, origin })
      .catch((reason) => reason);
    expect(error).toMatchObject({ category: 'auth', facts: { hint: { command: ['auth', 'login'] } } });
    expect(everythingIn(error)).not.toContain(canary);
    expect([...texts]).toEqual(before);
  });

  test('on invalid_grant uses a newer credential that was stored in the meantime', async () => {
    const { session, server, store, key, record } = await world();
    server.families[0]!.revoked = true;
    const newer = { ...record, access_token: 'newer', refresh_token: 'newer-too' };
    const sendToEnd: Send = async (request) => {
      const reply = await server.send(request);
      await store.write(key, newer);
      return reply;
    };
    const { token } = await session({ sendToEnd }).refresh({ token: record.access_token, origin });
    expect(token).toBe('newer');
    expect(await store.read(key)).toEqual(newer);
  });

  // R24
  test('refreshes the token itself after a few helpers ended early', async () => {
    let started = 0;
    const helper = async () => {
      started += 1;
      if (started > 10) throw new Error('endless loop');
      return 'ended early' as const;
    };
    const { session, server, clock } = await world({ helper });
    clock.time = start + 3 * hour;
    await session().current();
    expect([started, server.counts.refresh]).toEqual([2, 1]);
  });

  // R24
  test.each([undefined, '{}'])('rejects a store that returns %s after a write', async (given) => {
    const entries = memoryEntries();
    const vault: Vault = {
      kind: 'file',
      describe: () => 'a store that forgets',
      use: (work) => work({ ...entries, get: async () => given }),
    };
    const { key, record } = await world();
    await expect(createStore(vault, random).write(key, record)).rejects.toMatchObject({
      category: 'environment',
      facts: { reason: 'the credential could not be read back' },
    });
  });

  // R24
  test('stores the tokens of a refresh even if a signal arrives, and then stops', async () => {
    const { session, server, store, key, record, controller, events } = await world();
    const sendToEnd: Send = (request) => {
      controller.abort(new SchedError('interrupted', 'Interrupted'));
      return server.send(request);
    };
    const refresh = session({ sendToEnd }).refresh({ token: record.access_token, origin });
    await expect(refresh).rejects.toMatchObject({ category: 'interrupted', facts: { outcome: 'applied' } });
    expect((await store.read(key))?.refresh_token).toBe(server.families[0]!.refresh);
    expect(events).toEqual(['taken', 'released']);
  });

  test('spends nothing if the signal arrived earlier', async () => {
    const { session, server, record, controller } = await world();
    controller.abort(new SchedError('interrupted', 'Interrupted'));
    await expect(session().refresh({ token: record.access_token, origin })).rejects.toThrow('Interrupted');
    expect(server.counts.refresh).toBe(0);
  });

  /** A store whose writes fail once it is told to. */
  const fullStore = () => {
    const entries = memoryEntries();
    let isFull = false;
    const vault: Vault = {
      kind: 'file',
      describe: () => '/home/ada/credentials',
      use: (work) =>
        work({
          ...entries,
          set: async (name, text) => {
            if (isFull) throw new SchedError('environment', 'Cannot write it', { reason: 'ENOSPC' });
            await entries.set(name, text);
          },
        }),
    };
    const fill = () => {
      isFull = true;
    };
    return { store: createStore(vault, random), texts: entries.texts, fill };
  };

  // R24
  test('spends nothing if the new token could not be stored, and says what to do', async () => {
    const { session, server, record, key, events } = await world();
    const { store, texts, fill } = fullStore();
    await store.write(key, record);
    fill();
    const before = [...texts];
    await expect(session({ store }).refresh({ token: record.access_token, origin })).rejects.toMatchObject({
      category: 'environment',
      message: 'The login was not refreshed, because the new token could not be stored',
      facts: {
        reason: 'Cannot write it: ENOSPC; the refresh token was not used',
        advice: 'free up space in /home/ada/credentials or make it writable',
        outcome: 'not-sent',
      },
    });
    expect([server.counts.refresh, [...texts], events]).toEqual([0, before, ['taken', 'released']]);
  });

  test('says that the login is lost if the store fails after the token was spent', async () => {
    const { session, server, record, key } = await world();
    const { store, fill } = fullStore();
    await store.write(key, record);
    const sendToEnd: Send = (request) => {
      fill();
      return server.send(request);
    };
    await expect(session({ store, sendToEnd }).refresh({ token: record.access_token, origin })).rejects.toMatchObject({
      category: 'environment',
      message: 'The login is lost: it was refreshed, but the new token could not be stored',
      facts: { reason: 'Cannot write it: ENOSPC', hint: { command: ['auth', 'login'] }, outcome: 'applied' },
    });
    expect(server.counts.refresh).toBe(1);
  });

  test('reserves space for the new token during the request, and frees it before the write', async () => {
    const { session, server, record, texts, key } = await world();
    let reserved: string[] = [];
    const sendToEnd: Send = (request) => {
      reserved = [...texts].filter(([name]) => name !== credentialName(key)).map(([, text]) => text);
      return server.send(request);
    };
    await session({ sendToEnd }).refresh({ token: record.access_token, origin });
    expect(reserved).toHaveLength(1);
    expect(reserved[0]!.length).toBeGreaterThanOrEqual(JSON.stringify(record).length);
    expect([...texts.keys()]).toEqual([credentialName(key)]);
  });

  test('reserves enough space for a large login', async () => {
    const { store, record, texts, key } = await world();
    const large = { ...record, access_token: 'x'.repeat(5000) };
    await store.reserve(key, large);
    const [room] = [...texts].filter(([name]) => name !== credentialName(key)).map(([, text]) => text);
    expect(room!.length).toBeGreaterThanOrEqual(JSON.stringify(large).length);
  });

  test('stores the new token only after the space is freed', async () => {
    const { session, record, key } = await world();
    const entries = memoryEntries();
    const events: string[] = [];
    const vault: Vault = {
      kind: 'file',
      describe: () => 'memory',
      use: (work) =>
        work({
          ...entries,
          set: async (name, text) => {
            if (name === credentialName(key)) events.push('stored');
            await entries.set(name, text);
          },
          delete: async (name) => {
            // Slow, like a disk.
            for (let turn = 0; turn < 100; turn += 1) await undefined;
            events.push('freed');
            return entries.delete(name);
          },
        }),
    };
    const store = createStore(vault, random);
    await store.write(key, record);
    events.length = 0;
    await session({ store }).refresh({ token: record.access_token, origin });
    expect(events).toEqual(['freed', 'stored']);
  });

  test.each([
    ['is refused', { status: 400, body: '{"error":"invalid_grant"}' }],
    ['fails', { status: 503, body: '' }],
  ])('frees the space if the refresh %s', async (_, reply) => {
    const { session, server, record, texts, key } = await world();
    server.answerWith(reply);
    await expect(session().refresh({ token: record.access_token, origin })).rejects.toBeInstanceOf(SchedError);
    expect([...texts.keys()]).toEqual([credentialName(key)]);
  });

  test('removes the space reserved by a killed refresh together with the login', async () => {
    const { store, texts, key, record, server, lock } = await world();
    await store.reserve(key, record);
    expect(texts.size).toBe(2);
    await removeCredential({ key, server: authServer, store, lock, send: server.send });
    expect(texts.size).toBe(0);
  });

  test('retries the write if the store fails briefly', async () => {
    let failures = 0;
    const { session, server, store, key, record } = await world({
      before: () => {
        if (failures > 0) {
          failures -= 1;
          throw new SchedError('environment', 'disk full');
        }
      },
    });
    const sendToEnd: Send = async (request) => {
      failures = 2;
      return server.send(request);
    };
    await session({ sendToEnd }).refresh({ token: record.access_token, origin });
    expect((await store.read(key))?.refresh_token).toBe(server.families[0]!.refresh);
  });

  test('keeps the refresh token and the scope if the reply has none', async () => {
    const { session, record, store, key } = await world();
    const sendToEnd: Send = async () => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"access_token":"a2","token_type":"bearer","expires_in":60}',
    });
    await session({ sendToEnd }).refresh({ token: record.access_token, origin });
    expect(await store.read(key)).toMatchObject({
      access_token: 'a2',
      refresh_token: record.refresh_token,
      scope: record.scope,
      owner: record.owner,
    });
  });

  test('reports a changed scope', async () => {
    const changes: string[][] = [];
    const { session, record } = await world({ onScopeChange: (...each) => changes.push(each) });
    const sendToEnd: Send = async () => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"access_token":"a2","token_type":"bearer","scope":"shares:write"}',
    });
    await session({ sendToEnd }).refresh({ token: record.access_token, origin });
    expect(changes).toEqual([['users:read', 'shares:write']]);
  });

  // R9
  test('stores nothing from a malformed reply', async () => {
    const { session, server, texts, record } = await world();
    server.answerWith({ body: `{"access_token":"${canary} x","token_type":"bearer"}` });
    const before = [...texts];
    const error = await session()
      .refresh({ token: record.access_token, origin })
      .catch((reason) => reason);
    expect(error.category).toBe('integrity');
    expect(everythingIn(error)).not.toContain(canary);
    expect([...texts]).toEqual(before);
  });

  test('repeats only requests that were never sent', async () => {
    for (const [sent, times] of [
      [false, 3],
      [true, 1],
    ] as const) {
      const { session, record, texts } = await world();
      let count = 0;
      const sendToEnd: Send = async () => {
        count += 1;
        throw new NetworkFailure('auth.example.com', 'reset', sent);
      };
      const before = [...texts];
      const renewal = session({ sendToEnd }).refresh({ token: record.access_token, origin });
      await expect(renewal).rejects.toMatchObject({ category: 'unavailable' });
      expect(count).toBe(times);
      expect([...texts]).toEqual(before);
    }
  });

  test('does not repeat a request that failed so late that others may give up waiting for the lock', async () => {
    const { session, record, clock } = await world();
    let count = 0;
    const sendToEnd: Send = async () => {
      count += 1;
      clock.time += 5_001;
      throw new NetworkFailure('auth.example.com', 'the connection timed out', false);
    };
    const renewal = session({ sendToEnd }).refresh({ token: record.access_token, origin });
    await expect(renewal).rejects.toMatchObject({ category: 'unavailable' });
    expect(count).toBe(1);
  });

  test('keeps using a valid token if an early refresh fails', async () => {
    const { session, record, clock, server } = await world();
    clock.time = start + 2 * hour - 30_000;
    server.answerWith({ status: 503, body: '' });
    expect((await session().current()).token).toBe(record.access_token);
    clock.time = start + 2 * hour + 1;
    await expect(session().current()).rejects.toMatchObject({ category: 'unavailable' });
  });

  test('spends nothing in CI, and says what to do', async () => {
    const { session, server, clock, record } = await world({ mayRefresh: false });
    clock.time = start + 3 * hour;
    const one = session();
    expect((await one.current()).token).toBe(record.access_token);
    const error = await one.refresh({ token: record.access_token, origin }).catch((reason) => reason);
    expect(error).toMatchObject({ category: 'auth' });
    expect(spell(error.facts.advice)).toMatch(/SCHED_TOKEN.*--allow-refresh/);
    expect(server.counts.refresh).toBe(0);
  });

  test('cannot refresh a login without a refresh token, or a personal access token', async () => {
    const { session, record, store, clock } = await world({ refreshable: false });
    clock.time = start + 3 * hour;
    expect((await session().current()).token).toBe(record.access_token);
    await expect(session().refresh({ token: record.access_token, origin })).rejects.toMatchObject({ category: 'auth' });
    const pat = recordFromToken('pat', { origin, now: start });
    const key = credentialKey(pat, 'someone');
    await store.write(key, pat);
    expect((await session({ key }).current()).token).toBe('pat');
    await expect(session({ key }).refresh({ token: 'pat', origin })).rejects.toMatchObject({ category: 'auth' });
  });

  test('reports that the user is not logged in', async () => {
    const { session, key } = await world();
    await expect(session({ key: { ...key, user: 'other' } }).current()).rejects.toMatchObject({
      category: 'auth',
      message: 'Not logged in',
    });
  });

  test('refreshes a token that would not last as long as requested', async () => {
    const { session, server, record } = await world();
    expect((await session().lasting(hour)).access_token).toBe(record.access_token);
    expect((await session().lasting(3 * hour)).access_token).not.toBe(record.access_token);
    expect(server.counts.refresh).toBe(1);
  });

  test('does not touch a damaged credential', async () => {
    const { session, texts, key } = await world();
    texts.set(credentialName(key), `{"access_token":"${canary}"}`);
    const error = await session()
      .current()
      .catch((reason) => reason);
    expect(error.category).toBe('environment');
    expect(error.facts.reason).toContain('version');
    expect(everythingIn(error)).not.toContain(canary);
    expect(texts.get(credentialName(key))).toContain(canary);
    texts.set(credentialName(key), canary);
    const unreadable = await session()
      .current()
      .catch((reason) => reason);
    expect(unreadable.category).toBe('environment');
    expect(everythingIn(unreadable)).not.toContain(canary);
  });
});

describe('save and remove', () => {
  test('saves a new credential under the lock, and reports that it replaced a damaged one', async () => {
    const { store: memory, lock, key, record, clock, texts, events } = await world();
    const store: typeof memory = {
      ...memory,
      write: async (...words) => {
        events.push('written');
        await memory.write(...words);
      },
    };
    const protect = async <Value>(work: () => Promise<Value>) => {
      events.push('protected');
      const value = await work();
      events.push('unprotected');
      return value;
    };
    const options = { store, lock, key, clock, protect };
    expect(await saveCredential(options, { ...record, access_token: 'new' })).toEqual({ replacedDamaged: false });
    texts.set(credentialName(key), '{');
    expect(await saveCredential(options, { ...record, access_token: 'new' })).toEqual({ replacedDamaged: true });
    expect((await store.read(key))?.access_token).toBe('new');
    // A signal while the new credential is written must not lose it.
    const steps = ['taken', 'protected', 'written', 'unprotected', 'released'];
    expect(events).toEqual([...steps, ...steps]);
  });

  test('removes and revokes a credential, and can be repeated', async () => {
    const { store, lock, key, server, texts } = await world();
    expect(await removeCredential({ server: authServer, store, lock, key, send: server.send })).toEqual({
      isRemoved: true,
      atService: 'revoked',
    });
    expect(await removeCredential({ server: authServer, store, lock, key, send: server.send })).toEqual({
      isRemoved: false,
      atService: 'nothing-to-revoke',
      why: 'no credential was stored',
    });
    expect([server.counts.revoke, texts.size]).toEqual([2, 0]);
  });

  test('removes a credential without network, and a damaged one', async () => {
    const { store, lock, key, texts } = await world();
    const send: Send = async () => {
      throw new NetworkFailure('auth.example.com', 'no such host', false);
    };
    const why = 'auth.example.com: no such host';
    expect(await removeCredential({ server: authServer, store, lock, key, send })).toEqual({
      isRemoved: true,
      atService: 'not-told',
      why,
    });
    texts.set(credentialName(key), '{');
    expect(await removeCredential({ server: authServer, store, lock, key, send })).toMatchObject({
      isRemoved: true,
      atService: 'not-told',
    });
  });

  test('removes a personal access token without a request', async () => {
    const { store, lock, key, record, server } = await world();
    await store.write(key, { ...record, kind: 'pat' });
    expect(await removeCredential({ server: authServer, store, lock, key, send: server.send })).toMatchObject({
      isRemoved: true,
      atService: 'nothing-to-revoke',
    });
    expect(server.counts.revoke).toBe(0);
  });

  test('reports that the service refused to revoke either token', async () => {
    const { store, lock, key, record, server } = await world();
    const send: Send = async (request) => {
      if (!String(request.body).includes(encodeURIComponent(record.access_token))) return server.send(request);
      const body = { error: 'invalid_client', error_description: 'not this one' };
      return { status: 400, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    };
    const ending = await removeCredential({ server: authServer, store, lock, key, send });
    expect(ending).toEqual({ isRemoved: true, atService: 'not-told', why: 'invalid_client: not this one' });
  });
});

// R15, for all methods
describe('authorize', () => {
  const key: CredentialKey = { issuer: 'i', client: 'c', user: 'u' };
  const run = async (method: string, statuses: number[], renewable = true) => {
    const requests: HttpRequest[] = [];
    let renewals = 0;
    const send = authorize({
      current: async () => ({ token: 'old', origin }),
      ...(renewable
        ? {
            refresh: async () => {
              renewals += 1;
              return { token: 'new', origin };
            },
          }
        : {}),
    })(async (request) => {
      requests.push(request);
      return { status: statuses.shift()!, headers: {}, body: '' };
    });
    const { status } = await send({ method, url: `${origin}/x`, headers: {}, body: key.user });
    return { status, renewals, tokens: requests.map(({ headers }) => headers.authorization) };
  };

  test.each(['GET', 'POST', 'PATCH', 'DELETE'])('refreshes once and repeats a refused %s once', async (method) => {
    expect(await run(method, [401, 200])).toEqual({ status: 200, renewals: 1, tokens: ['Bearer old', 'Bearer new'] });
    expect(await run(method, [401, 401, 200])).toMatchObject({ status: 401, renewals: 1 });
    expect(await run(method, [403])).toMatchObject({ status: 403, renewals: 0 });
  });

  test('returns the refusal if no refresh is possible', async () => {
    expect(await run('GET', [401], false)).toEqual({ status: 401, renewals: 0, tokens: ['Bearer old'] });
  });
});
