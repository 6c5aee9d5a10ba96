import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { checkSignature } from '../../../src/commands/webhooks/work-signature.ts';
import { NetworkFailure } from '../../../src/http/failure.ts';
import type { HttpReply, HttpRequest, Send } from '../../../src/http/message.ts';
import { ownerToken } from '../../../src/sandbox/oauth/ready-tokens.ts';
import { openSandbox } from '../../../src/sandbox/open.ts';
import { machineClock } from '../../support/clocks.ts';
import { monday } from '../../support/lost-replies.ts';
import { createWorld, type Result, someday, virtualClock, type WorldOptions } from '../../support/run.ts';
import { dontWaitForDisk, seededFile } from '../../support/seeded.ts';
import { closeLater, temporaryDirectory } from '../../support/temporary.ts';

export const canary = 'canary-melchior';
const key = 'signing-key-of-backfill';
export const handlerUrl = 'http://127.0.0.1:3999/hooks';

/** What a handler does with a delivery that it has received, before or instead of an answer. */
export type Answer = (number: number, request: HttpRequest) => HttpReply | 'hangs' | 'refuses' | 'loses the answer';

export interface Got {
  event: string;
  created_at: string;
  created_by: string | null;
  payload: { uri: string; status: string } & Record<string, unknown>;
}

const idOf = ({ event, created_at, payload }: Got) => [event, created_at, payload.uri].join(' ');
export const ok: HttpReply = { status: 204, headers: {}, body: '' };

/** A sandbox where things happened while the handler was down: bookings, every third of which was canceled. */
export const openMissed = async (bookings: number) => {
  const clock = virtualClock(someday);
  const usualOrigin = 'http://127.0.0.1:4010';
  const sandbox = await openSandbox({
    file: await seededFile(someday),
    clock: machineClock(clock),
    limits: false,
    usualOrigin,
  });
  const { store } = sandbox;
  dontWaitForDisk(store);
  closeLater(() => sandbox.close());
  const service: Send = async (request) => {
    const reply = await sandbox.service(request);
    return { ...reply, headers: { ...reply.headers, date: new Date(clock.now()).toUTCString() } };
  };
  const ask = async (method: string, path: string, body?: object) =>
    service({
      method,
      url: `${usualOrigin}${path}`,
      headers: { authorization: `Bearer ${ownerToken}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const read = async (path: string) => JSON.parse((await ask('GET', path)).body);
  const { resource: me } = await read('/users/me');
  const organization = me.current_organization as string;
  await ask('POST', '/webhook_subscriptions', {
    url: 'http://127.0.0.1:9/',
    events: ['invitee.created', 'invitee.canceled', 'routing_form_submission.created'],
    organization,
    scope: 'organization',
    signing_key: key,
  });
  const { collection } = await read(`/event_types?organization=${encodeURIComponent(organization)}&count=100`);
  interface Type {
    uri: string;
    kind: string;
    pooling_type: string | null;
    custom_questions: { required: boolean }[];
  }
  const types = (collection as Type[]).filter(
    ({ kind, pooling_type: pooling, custom_questions: questions }) =>
      kind === 'solo' && pooling === null && questions.every(({ required }) => !required),
  );
  const began = clock.now();
  let made = 0;
  for (let slot = 0; made < bookings && slot < 20_000; slot += 1) {
    const day = Math.floor(slot / 12);
    const start = monday + (Math.floor(day / 5) * 7 + (day % 5)) * 86_400_000 + (slot % 12) * 1_800_000 - 3_600_000;
    for (const { uri } of made < bookings ? types : []) {
      if (made >= bookings) break;
      const invitee = { email: `${canary}.${made}@people.example`, name: `Zoë ${made}`, timezone: 'Europe/Paris' };
      const reply = await ask('POST', '/invitees', {
        event_type: uri,
        start_time: new Date(start).toISOString(),
        invitee,
      });
      if (reply.status >= 300) continue;
      await clock.sleep(1_000);
      const { event } = JSON.parse(reply.body).resource;
      if (made % 3 === 2)
        await ask('POST', `/scheduled_events/${String(event).split('/').at(-1)}/cancellation`, { reason: 'ill' });
      await clock.sleep(2_000);
      made += 1;
    }
  }
  expect(made).toBe(bookings);

  const home = temporaryDirectory('backfill');
  const keyFile = join(home, 'hooks.key');
  writeFileSync(keyFile, `${key}\n`);
  const world = await createWorld();
  /** Everything that reached the handler, and what it has counted. */
  const arrived: Got[] = [];
  const counted = new Map<string, Got>();
  let number = 0;
  let answer: Answer = () => ok;
  const handle = (request: HttpRequest): HttpReply => {
    number += 1;
    const { headers, body = '' } = request;
    const signature = headers['webhook-signature'] ?? '';
    expect(
      checkSignature({ header: signature, body: Buffer.from(body) }, { key, now: machineClock(clock).now() }),
    ).toMatchObject({
      kind: 'ok',
    });
    expect(headers['sched-backfill']).toBe('1');
    expect(JSON.stringify(headers)).not.toMatch(/authorization|sandbox_|cookie/i);
    const reply = answer(number, request);
    if (reply === 'refuses') throw new NetworkFailure('127.0.0.1:3999', 'the connection was refused', false);
    const got: Got = JSON.parse(body);
    arrived.push(got);
    if (reply === 'hangs') throw new NetworkFailure('127.0.0.1:3999', 'no complete reply within 10 s', true);
    if (reply === 'loses the answer' || (reply.status >= 200 && reply.status < 300)) counted.set(idOf(got), got);
    if (reply === 'loses the answer') throw new NetworkFailure('127.0.0.1:3999', 'the connection was reset', true);
    return reply;
  };
  const backfill = async (words: string[] = [], more: WorldOptions = {}): Promise<Result> => {
    const outside = more.send ?? service;
    const usual = {
      '--since': new Date(began).toISOString(),
      '--forward-to': handlerUrl,
      '--signing-key-file': keyFile,
    };
    const given = Object.entries(usual).flatMap((pair) => (words.includes(pair[0]) ? [] : pair));
    const result = await world.run(
      ['webhooks', 'backfill', ...given, '--org', 'current', '--yes', '--json', ...words],
      {
        home,
        clock,
        ...more,
        send: async (request) => (request.url.startsWith(usualOrigin) ? outside(request) : handle(request)),
      },
    );
    expect(result.stdout + result.stderr).not.toMatch(/@|canary/);
    return result;
  };
  return {
    store,
    clock,
    home,
    keyFile,
    began,
    ask,
    service,
    backfill,
    arrived,
    counted,
    run: world.run,
    answering: (next: Answer) => {
      number = 0;
      answer = next;
    },
    /** What the sandbox would have sent itself, in its order. */
    own: (): Got[] =>
      store.all<{ body: string }>('SELECT body FROM deliveries ORDER BY number').map(({ body }) => JSON.parse(body)),
  };
};

export const recordOf = (result: Result): string => readFileSync(JSON.parse(result.stdout).record, 'utf8');
