import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { idIn } from '../../src/base/uri.ts';
import { spawn } from '../support/processes.ts';
import { createWorld } from '../support/run.ts';
import { closeLater } from '../support/temporary.ts';
import { isDeep, sample } from '../support/tier.ts';
import { slot } from './booking-kills.ts';
import {
  cleanEnvironment,
  farMonday,
  isStandalone,
  program,
  type RunningSandbox,
  runner,
  sched,
  startSandbox,
  temporaryHome,
  testClock,
  usedSandbox,
} from './program.ts';

/** Kills a process when its request of this number arrives at the service, or when the service has carried it out. */
interface Kill {
  request: number;
  how: 'before' | 'after';
}

let sandbox: RunningSandbox;
let data: string;
let proxy: string;
let me: { uri: string; current_organization: string };
let eventType: string;
let aheadMs = 0;
const clock = testClock();

let onRequest: (isDone: boolean) => boolean = () => false;

const api = async (path: string, body?: object): Promise<{ resource: never; collection: never }> => {
  const reply = await fetch(`${sandbox.base_url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
  return (await reply.json()) as never;
};

const book = async (start_time: string, email: string): Promise<string> => {
  const invitee = { email, name: 'Guest', timezone: 'Europe/Berlin' };
  return ((await api('/invitees', { event_type: eventType, start_time, invitee })).resource as { event: string }).event;
};

/** The starts of a person's active bookings. */
const startsOf = async (email: string): Promise<number[]> => {
  const query = new URLSearchParams({ organization: me.current_organization, invitee_email: email, status: 'active' });
  const found = (await api(`/scheduled_events?${query}`)).collection as { start_time: string }[];
  return found.map(({ start_time }) => Date.parse(start_time));
};

/** Waits, by both clocks, until a look-up can prove something. Another event shows that the list is current. */
const later = async (): Promise<void> => {
  const moved = await (await createWorld()).run(['sandbox', 'clock', 'advance', '3m', '--data', data]);
  if (moved.code !== 0) throw new Error(moved.stderr);
  aheadMs += 180_000;
  clock.setAhead(aheadMs);
  const event = await book(farMonday(), `newer.${aheadMs}@people.example`);
  await api(`/scheduled_events/${idIn(event)}/cancellation`, {});
};

beforeAll(async () => {
  data = await usedSandbox();
  sandbox = await startSandbox('--no-limits', '--data', data);
  // Between the program and the service, so that a kill can come at any request.
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (onRequest(false)) return response.destroy();
    const { host: _, connection: __, ...headers } = request.headers as Record<string, string>;
    const reply = await fetch(`${sandbox.base_url}${request.url}`, {
      method: request.method!,
      headers,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const text = await reply.text();
    if (onRequest(true)) return response.destroy();
    const { 'content-length': ___, 'transfer-encoding': ____, ...kept } = Object.fromEntries(reply.headers);
    return response.writeHead(reply.status, kept).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeLater(() => void server.close());
  proxy = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  me = (await api('/users/me')).resource;
  const types = (await api(`/event_types?user=${encodeURIComponent(me.uri)}`)).collection as {
    uri: string;
    name: string;
  }[];
  eventType = types.find(({ name }) => name === 'Intro call')!.uri;
}, 60_000);

afterAll(() => sandbox.stop());

/** Runs a command that is killed, and returns how many requests it sent. */
const runKilled = async (words: string[], env: Record<string, string>, home: string, { request, how }: Kill) => {
  const child = spawn(runner, [...program, ...words], { env: cleanEnvironment(home, env) });
  let count = 0;
  onRequest = (isDone) => {
    if (!isDone) count += 1;
    if (count !== request || isDone !== (how === 'after')) return false;
    child.kill('SIGKILL');
    return true;
  };
  const signal = await new Promise((resolve) => child.on('close', (_, by) => resolve(by)));
  onRequest = () => false;
  return { wasKilled: signal === 'SIGKILL', count };
};

let moved = 0;

/** Moves a meeting, killed at this request. Runs it again until it is done. */
const moveKilled = async (flags: readonly string[], kill: Kill) => {
  moved += 1;
  const email = `moved.${moved}@people.example`;
  const [from, to] = [slot(moved * 2), slot(moved * 2 + 1)];
  const words = ['events', 'move', idIn(await book(from, email)), '--to', to, '--yes', '--json', ...flags];
  const env = { SCHED_TOKEN: sandbox.token, SCHED_BASE_URL: proxy };
  const home = temporaryHome();
  const { wasKilled, count } = await runKilled(words, env, home, kill);
  const rerun = () => sched(words, home, { ...env, ...clock.env });
  let again = await rerun();
  for (let tries = 0; again.code === 10 && tries < 4; tries += 1) {
    await later();
    again = await rerun();
  }
  const { code, stderr } = again;
  return { wasKilled, count, code, stderr, starts: await startsOf(email), to: Date.parse(to) };
};

/** The requests that come before the record of the move are fewer than five. A whole move sends 14. */
const [firstRequest, lastRequest] = [5, 15];

// R56. The standalone program can't be started with a later clock.
describe.skipIf(isStandalone)('events move, killed with SIGKILL', () => {
  const cells = [[], ['--cancel-first']].flatMap((flags) =>
    Array.from({ length: lastRequest - firstRequest + 1 }, (_, index) => firstRequest + index).flatMap((request) =>
      (['before', 'after'] as const).map((how) => ({ flags, request, how })),
    ),
  );
  // In `npm test`, a request in the middle, when something was sent already.
  const chosen = isDeep
    ? cells
    : sample(
        cells.filter(({ request }) => request === 10),
        1,
      );
  test.each(chosen)(
    'at request $request ($how), $flags, leaves one booking at the new time',
    { timeout: 120_000 },
    async ({ flags, ...kill }) => {
      const { wasKilled, count, code, stderr, starts, to } = await moveKilled(flags, kill);
      expect({ code, stderr: code === 0 ? '' : stderr, starts }).toEqual({ code: 0, stderr: '', starts: [to] });
      expect(wasKilled).toBe(kill.request <= count);
    },
  );
});
