import { describe, expect, test } from 'vitest';
import type { WireReply } from '../../../src/sandbox/faults/inject.ts';
import { fetchFrom } from '../../../src/sandbox/server/fetch.ts';
import type { WireService } from '../../../src/sandbox/server/front.ts';
import { openWorld, origin } from '../world.ts';

const reply = (more: Partial<WireReply> = {}): WireReply => ({ status: 200, headers: {}, body: 'abc', ...more });

/** `fetch` of a service that always answers the same. */
const answering = (more: Partial<WireReply>, slept: number[] = []) =>
  fetchFrom(async () => reply(more), { sleep: async (milliseconds) => void slept.push(milliseconds) });

const request = (path = '/', more: RequestInit = {}) => new Request(`${origin}${path}`, more);

/** The code of the connection's error. */
const codeOf = (error: unknown) => ((error as Error).cause as NodeJS.ErrnoException).code;

describe('fetch of a sandbox', () => {
  test('carries the origin of the request in its links, whatever it is', async () => {
    const { send } = await openWorld();
    const fetch = fetchFrom(send, { sleep: async () => {} });
    for (const place of ['https://api.example.com', 'http://sandbox:8080', 'https://[2001:db8::1]']) {
      const headers = { authorization: 'Bearer sandbox_owner' };
      const me = (await (await fetch(new Request(`${place}/users/me`, { headers }))).json()) as {
        resource: { uri: string };
      };
      expect(me.resource.uri).toMatch(`${place}/users/`);
      // What it says can be sent back.
      const list = new Request(`${place}/scheduled_events?user=${encodeURIComponent(me.resource.uri)}`, { headers });
      expect((await fetch(list)).status).toBe(200);
      const metadata = await fetch(new Request(`${place}/.well-known/oauth-authorization-server`));
      expect(((await metadata.json()) as { issuer: string }).issuer).toBe(place);
    }
  });

  test('refuses a body over 1 MiB, with the headers for refusals', async () => {
    let asked = 0;
    const service: WireService = async () => {
      asked += 1;
      return reply();
    };
    const fetch = fetchFrom(service, { sleep: async () => {}, refusalHeaders: () => ({ 'x-limit': '1' }) });
    const large = await fetch(request('/', { method: 'POST', body: 'x'.repeat(2 ** 20 + 1) }));
    expect([large.status, large.headers.get('x-limit'), asked]).toEqual([413, '1', 0]);
    expect((await fetch(request('/', { method: 'POST', body: 'x'.repeat(2 ** 20) }))).status).toBe(200);
  });

  test('fails like a connection that is reset, at once or in the body', async () => {
    await expect(answering({ reset: 'at once' })(request()).catch(codeOf)).resolves.toBe('ECONNRESET');
    const cut = await answering({ reset: 2 })(request());
    const read: string[] = [];
    const reading = (async () => {
      for await (const chunk of cut.body!) read.push(Buffer.from(chunk).toString());
    })();
    await expect(reading.catch(codeOf)).resolves.toBe('ECONNRESET');
    expect(read).toEqual(['ab']);
  });

  test('sends a body piece by piece, and stops if nobody reads it', async () => {
    const slept: number[] = [];
    expect(await (await answering({ drip: 7 }, slept)(request())).text()).toBe('abc');
    expect(slept).toEqual([7, 7, 7]);
    let isOver = false;
    async function* endless() {
      try {
        for (;;) yield 'x';
      } finally {
        isOver = true;
      }
    }
    const { body } = await answering({ stream: endless() })(request());
    const reader = body!.getReader();
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('x');
    await reader.cancel();
    expect(isOver).toBe(true);
  });

  test('has no body where HTTP has none', async () => {
    for (const [method, status] of [
      ['HEAD', 200],
      ['GET', 204],
      ['GET', 304],
    ] as const)
      expect((await answering({ status })(request('/', { method }))).body).toBe(null);
  });

  test('ends when the request is aborted, before and meanwhile', async () => {
    const never = fetchFrom(() => new Promise(() => {}), { sleep: async () => {} });
    const stop = new AbortController();
    const waiting = never(request('/', { signal: stop.signal }));
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(never(request('/', { signal: AbortSignal.abort(new Error('before')) }))).rejects.toThrow('before');
  });
});
