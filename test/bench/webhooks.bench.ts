import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freeTimes } from './free-times.ts';
import { load } from './load.ts';
import { beside, interleave, type Measurement } from './measurement.ts';

const rounds = 15;
const bookingsPerRound = 40;

/** Many short rounds in turn, so that other load on the machine affects both. */
const readRounds = 61;
const readMilliseconds = 150;

/** Enough for the engine to compile its hot code. */
const warmUp = { requests: 10_000 };

/** Accepts connections and never answers. */
const openSlowReceiver = async () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.resume();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, stop };
};

const startSandbox = async (home: string, ...flags: string[]) => {
  const words = ['sandbox', 'start', '--port', '0', '--no-limits', '--json', ...flags];
  const child = spawn(process.execPath, [join(process.cwd(), 'bin/sched.js'), ...words], {
    env: { PATH: process.env.PATH, HOME: home, TZ: 'UTC' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const { base_url: url, token } = JSON.parse(await new Promise((resolve) => child.stdout.once('data', resolve)));
  const ask = async (path: string, body?: object, method = body === undefined ? 'GET' : 'POST') => {
    const reply = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(text);
    return JSON.parse(text || '{}');
  };
  return { port: Number(new URL(url).port), ask, stop: () => child.kill() };
};

/** Removes the webhooks of the seed. */
const withoutWebhooks = async ({ ask }: Sandbox) => {
  const { resource: me } = await ask('/users/me');
  for (const scope of ['organization', 'user', 'group']) {
    const query = new URLSearchParams({ scope, organization: me.current_organization });
    for (const { uri, callback_url: to } of (await ask(`/webhook_subscriptions?${query}`)).collection)
      if (!to.startsWith('http://127.0.0.1')) await ask(new URL(uri).pathname, undefined, 'DELETE');
  }
  return me;
};

type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/** Bookings per second, one after another. */
const booker = async ({ ask }: Sandbox) => {
  const { resource: me } = await ask('/users/me');
  const types = await ask(`/event_types?user=${encodeURIComponent(me.uri)}&count=100`);
  const type = types.collection.find(({ name }: { name: string }) => name === 'Intro call').uri;
  const free = freeTimes();
  return async () => {
    const started = performance.now();
    for (let each = 0; each < bookingsPerRound; each += 1)
      await ask('/invitees', {
        event_type: type,
        start_time: free.next().value,
        invitee: { email: 'ada@engine.example', name: 'Ada', timezone: 'UTC' },
      });
    return (bookingsPerRound * 1000) / (performance.now() - started);
  };
};

/** A sandbox whose webhooks go to a receiver that never answers and to one that is down, beside one without webhooks. */
export const measure = async (): Promise<Measurement[]> => {
  const home = mkdtempSync(join(tmpdir(), 'sched-bench-'));
  const slow = await openSlowReceiver();
  const plain = await startSandbox(home, '--data', join(home, 'plain.db'));
  const failing = await startSandbox(home, '--data', join(home, 'failing.db'), '--webhook-to', slow.url);
  try {
    await withoutWebhooks(plain);
    const me = await withoutWebhooks(failing);
    await failing.ask('/webhook_subscriptions', {
      url: 'http://127.0.0.1:9/',
      events: ['invitee.created'],
      organization: me.current_organization,
      scope: 'organization',
    });
    const bookings = await interleave({ failing: await booker(failing), plain: await booker(plain) }, rounds);
    const read = ({ port }: Sandbox) => load(port, '/users/me', { milliseconds: readMilliseconds });
    for (const { port } of [failing, plain]) await load(port, '/users/me', warmUp);
    const reads = await interleave({ failing: () => read(failing), plain: () => read(plain) }, readRounds);
    return [
      beside('sandbox: reads with slow and dead receivers, beside none', 'requests/s', reads.failing, reads.plain, {
        least: 0.9,
      }),
      beside(
        'sandbox: bookings with slow and dead receivers, beside none',
        'requests/s',
        bookings.failing,
        bookings.plain,
        // Queueing two deliveries is part of a booking, whatever their receivers do.
        { least: 0.6 },
      ),
    ];
  } finally {
    plain.stop();
    failing.stop();
    slow.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
};
