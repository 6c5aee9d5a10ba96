import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { withAdmin } from '../../src/sandbox/admin/admin.ts';
import { createLog, logCalls } from '../../src/sandbox/admin/log-admin.ts';
import { createFaultScript, readFault } from '../../src/sandbox/faults/faults.ts';
import { withFaults } from '../../src/sandbox/faults/with-faults.ts';
import { serve } from '../../src/sandbox/server/http-server.ts';
import { openWorld } from './world.ts';

export const secret = 'sandbox_admin_test';

/** What a plain socket received: the reply, and how the connection ended. */
export interface Seen {
  head: string;
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** The error code of the connection, such as `ECONNRESET`. */
  error: string | undefined;
}

interface Exchange {
  /** After this, the client closes its side of the connection, whether or not it has a reply. */
  patience?: Promise<unknown>;
  /** Called with the size of the body so far. */
  onBody?: (bytes: number) => void;
}

/** Sends text over a plain socket and reads until the other side closes the connection. */
export const raw = (port: number, text: string | Buffer, { patience, onBody }: Exchange = {}): Promise<Seen> =>
  new Promise((resolve) => {
    let all = Buffer.alloc(0);
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.setNoDelay(true);
    patience?.then(() => socket.end());
    const done = (error?: string) => {
      socket.destroy();
      const end = all.indexOf('\r\n\r\n');
      const head = all.subarray(0, Math.max(end, 0)).toString('latin1');
      const lines = head.split('\r\n').slice(1);
      resolve({
        head,
        status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0),
        headers: Object.fromEntries(
          lines.map((line) => [line.split(': ')[0]!.toLowerCase(), line.split(': ')[1] ?? '']),
        ),
        body: end < 0 ? Buffer.alloc(0) : all.subarray(end + 4),
        error,
      });
    };
    socket.on('data', (chunk) => {
      all = Buffer.concat([all, chunk]);
      const end = all.indexOf('\r\n\r\n');
      onBody?.(end < 0 ? 0 : all.length - end - 4);
    });
    socket.on('end', () => done()).on('error', ({ code }: NodeJS.ErrnoException) => done(code));
  });

/** Serves a test world on a socket, with faults in their short form. */
export const openWire = async (...faults: string[]) => {
  const world = await openWorld({ limits: true });
  const script = createFaultScript(faults.map(readFault));
  const slept: number[] = [];
  let cutAt = 0;
  let arrived = 0;
  // A reset discards what the client has not read yet. So the server's pause before a reset ends when the client has all.
  const sleep = async (milliseconds: number) => {
    slept.push(milliseconds);
    while (arrived < cutAt) await new Promise(setImmediate);
  };
  const context = { script, log: createLog() };
  const faulty = withFaults(world.send, { ...context, clock: { now: world.clock.now, sleep } });
  const service = withAdmin(faulty, { secret, calls: logCalls, context });
  const watched: typeof service = async (request) => {
    const reply = await service(request);
    arrived = 0;
    cutAt = typeof reply.reset === 'number' ? reply.reset : 0;
    return reply;
  };
  const server = await serve(watched, { port: 0, sleep });
  onTestFinished(() => server.close());

  const ask = (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
    const all: Record<string, string> = {
      host: `127.0.0.1:${server.port}`,
      authorization: 'Bearer sandbox_owner',
      connection: 'close',
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    return raw(server.port, `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body ?? ''}`, {
      onBody: (bytes) => {
        arrived = bytes;
      },
    });
  };
  const get = (path: string) => ask('GET', path);
  const admin = async (method: string, path: string, body?: unknown) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const seen = await ask(method, `/__sandbox/${path}`, text, { 'x-sandbox-admin': secret });
    return { status: seen.status, body: JSON.parse(seen.body.toString()) };
  };
  const log = async () => (await admin('GET', 'log')).body.log;
  return { ...world, port: server.port, slept, ask, get, admin, log };
};
