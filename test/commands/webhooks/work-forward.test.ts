import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createForward, forwardedHeaders } from '../../../src/commands/webhooks/work-forward.ts';
import { NetworkFailure } from '../../../src/http/failure.ts';
import type { HttpReply, HttpRequest, Send } from '../../../src/http/message.ts';
import { network, virtualClock } from '../../support/run.ts';
import { closeLater } from '../../support/temporary.ts';

const reply = (status: number): HttpReply => ({ status, headers: {}, body: '' });
const refused = () => new NetworkFailure('127.0.0.1:3000', 'connection refused', false);

/** A handler that gives these answers in turn, and the last one from then on. Each takes this long. */
const forwarding = (answers: (HttpReply | Error)[], takesMs = 12) => {
  const clock = virtualClock();
  const requests: HttpRequest[] = [];
  const retries: string[] = [];
  const over = new AbortController();
  const send: Send = async (request) => {
    requests.push(request);
    await clock.sleep(takesMs);
    const answer = answers[Math.min(requests.length, answers.length) - 1]!;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const forward = createForward({
    url: 'http://127.0.0.1:3000/hook?a=b',
    send,
    clock,
    over: over.signal,
    onRetry: (problem) => retries.push(problem),
  });
  const run = () => forward({ body: '{ "a" : 1 }', headers: { 'x-a': 'b' } });
  return { run, requests, retries, slept: clock.slept, stop: () => over.abort(new Error('stopped')) };
};

describe('forward', () => {
  test('posts the body as it came', async () => {
    const { run, requests } = forwarding([reply(204)]);
    expect(await run()).toEqual({ status: 204, attempts: 1, durationMs: 12, accepted: true });
    expect(requests).toEqual([
      {
        method: 'POST',
        url: 'http://127.0.0.1:3000/hook?a=b',
        headers: { 'x-a': 'b' },
        body: '{ "a" : 1 }',
        timeoutMs: 9000,
        signal: expect.any(AbortSignal),
      },
    ]);
  });

  test.each([302, 404, 500])('accepts no %i, and does not repeat it', async (status) => {
    const { run, requests } = forwarding([reply(status)]);
    expect(await run()).toEqual({ status, attempts: 1, durationMs: 12, accepted: false });
    expect(requests).toHaveLength(1);
  });

  test('tries again if the handler is down', async () => {
    const { run, retries, slept } = forwarding([refused(), refused(), reply(200)]);
    expect(await run()).toEqual({ status: 200, attempts: 3, durationMs: 12, accepted: true });
    expect(retries).toEqual(['connection refused', 'connection refused']);
    expect(slept).toEqual([12, 500, 12, 1000, 12]);
  });

  test('gives up after the fourth attempt', async () => {
    const { run, retries } = forwarding([refused()]);
    expect(await run()).toEqual({ problem: 'connection refused', attempts: 4, durationMs: 12, accepted: false });
    expect(retries).toHaveLength(3);
  });

  test('answers before the sender gives up, however slow the handler is', async () => {
    const { run, requests } = forwarding([new NetworkFailure('127.0.0.1:3000', 'no complete reply', true)], 4000);
    expect(await run()).toMatchObject({ attempts: 2, accepted: false });
    expect(requests.map(({ timeoutMs }) => timeoutMs)).toEqual([9000, 4500]);
  });

  test('does not try again after the end', async () => {
    const { run, requests, retries, stop } = forwarding([refused()]);
    const forwarded = run();
    stop();
    await expect(forwarded).rejects.toThrow('stopped');
    expect([requests.length, retries]).toEqual([1, []]);
  });

  test('passes any other error on', async () => {
    await expect(forwarding([new Error('interrupted')]).run()).rejects.toThrow('interrupted');
  });
});

describe('forwarded headers', () => {
  test('are those of the delivery, without those of the connection', () => {
    expect(
      forwardedHeaders({
        host: 'tunnel.example',
        connection: 'keep-alive, X-Hop',
        'x-hop': '1',
        'keep-alive': 'timeout=5',
        'transfer-encoding': 'chunked',
        'content-length': '5',
        expect: '100-continue',
        upgrade: 'h2c',
        te: 'trailers',
        trailer: 'x',
        'content-type': 'application/json',
        'user-agent': 'sender/1',
        'webhook-signature': 't=1,v1=00',
        'x-request-id': 'r1',
      }),
    ).toEqual({
      'content-type': 'application/json',
      'user-agent': 'sender/1',
      'webhook-signature': 't=1,v1=00',
      'x-request-id': 'r1',
    });
  });

  test('never have a token', () => {
    const headers = { authorization: 'Bearer x', 'proxy-authorization': 'Basic x', cookie: 'a=b', 'x-a': 'b' };
    expect(forwardedHeaders(headers)).toEqual({ 'x-a': 'b' });
  });

  test('and the body arrive byte for byte, through the real transport', async () => {
    const seen: { body: Buffer; raw: string[] }[] = [];
    const server = createServer(async (message, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of message) chunks.push(chunk);
      seen.push({ body: Buffer.concat(chunks), raw: message.rawHeaders });
      response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closeLater(() => server.close());
    const forward = createForward({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
      send: network,
      clock: virtualClock(),
      over: new AbortController().signal,
      onRetry: () => {},
    });
    const body = '{ "name" : "Zoë 🎉\\u0000" ,\r\n"x":1.0}\n';
    const headers = { 'x-latin': 'Zo\xeb', 'content-type': 'application/json', 'accept-encoding': 'identity' };
    // A redirect is not followed.
    expect(await forward({ body, headers })).toMatchObject({ status: 302, accepted: false });
    expect(seen[0]!.body.equals(Buffer.from(body))).toBe(true);
    const pairs = seen[0]!.raw.flatMap((name, index, all) => (index % 2 ? [] : [[name.toLowerCase(), all[index + 1]]]));
    expect(Object.fromEntries(pairs)).toEqual({
      ...headers,
      host: expect.any(String),
      connection: expect.any(String),
      'content-length': String(Buffer.byteLength(body)),
    });
  });
});
