import { beforeEach, describe, expect, test } from 'vitest';
import { idIn } from '../../../src/base/uri.ts';
import type { HttpRequest, Send } from '../../../src/http/message.ts';
import { visitorOf } from '../../sandbox/pages/visitor.ts';
import { type RedisServer, redis, startRedis } from '../../support/redis.ts';
import { createWorld, jsonOf, type Result, type TestWorld } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';
import { needs } from '../../support/tools.ts';

const from = '2026-12-01T09:00:00.000Z';
const to = '2026-12-01T13:00:00.000Z';

let world: TestWorld;
let env: Record<string, string>;
let home: string;
let event: string;

const bookAt = async (start: string, name: string): Promise<{ uri: string; event: string }> => {
  const line = `invitees create --event-type "Open workshop" --start ${start} --email ${name}@people.example --name ${name}`;
  return jsonOf(await world.run(`${line} --timezone UTC --json`, { home: temporaryDirectory('visitor') }));
};

/** Active bookings at that time, by name. */
const bookingsAt = async (start: string): Promise<{ name: string; uri: string }[]> => {
  const until = new Date(Date.parse(start) + 1000).toISOString();
  const flags = `--since ${start} --until ${until} --org current --status active --json`;
  const all: { name: string; uri: string; email: string }[] = [];
  for (const { uri } of jsonOf(await world.run(`events list ${flags}`)))
    all.push(...jsonOf(await world.run(`invitees list ${idIn(uri)} --status active --json`)));
  return all.filter(({ email }) => email.endsWith('@people.example'));
};

/** An invitee cancels on the page that the invitation links to. Returns whether there was something to cancel. */
const leave = async (uri: string): Promise<boolean> => {
  const visitor = visitorOf({ send: world.service }, 'http://127.0.0.1:4010');
  const page = await visitor.open(`/cancellations/${idIn(uri)}`);
  return page.body.includes('<form') && (await visitor.submit(page)).status === 303;
};

/** A moment of a move: right before its `nth` request, counted from 1, or before the first with this path. */
type Moment = number | '/invitees' | '/cancellation';

/** A network on which something happens at that moment. */
const atMoment = (moment: Moment, happen: () => Promise<unknown> = async () => {}): Send & { count: number } => {
  let isOver = false;
  const send = async (request: HttpRequest) => {
    send.count += 1;
    const isNow = request.method === 'POST' && new URL(request.url).pathname.endsWith(String(moment));
    if (!isOver && (isNow || send.count === moment)) {
      isOver = true;
      await world.clock.sleep(1000);
      await happen();
      await world.clock.sleep(1000);
    }
    return world.service(request);
  };
  send.count = 0;
  return send;
};

const move = (order: string, send: Send = world.service, flags = ''): Promise<Result> =>
  world.run(`events move ${event} --to ${to} ${order} --yes ${flags}`, { home, env, send });

/** A workshop with Ada, Ben and Cleo, from which Zed had gone before. */
const open = async (shared?: RedisServer): Promise<Record<'Ada' | 'Ben', string>> => {
  env = shared === undefined ? {} : { SCHED_SHARED_STATE: shared.url };
  home = temporaryDirectory('host');
  const [ada, ben, , zed] = [
    await bookAt(from, 'Ada'),
    await bookAt(from, 'Ben'),
    await bookAt(from, 'Cleo'),
    await bookAt(from, 'Zed'),
  ];
  await leave(zed.uri);
  event = idIn(ada.event);
  return { Ada: ada.uri, Ben: ben.uri };
};

beforeEach(async () => {
  world = await createWorld();
});

const orders = ['', '--cancel-first'];

// R56
describe('people who come and go during a move', () => {
  const moments = Array.from({ length: 25 }, (_, index) => index + 1);
  const swaps = ['leave and join', 'join and leave'];
  const happenings = { files: ['join', 'leave', ...swaps], Redis: swaps };
  const cellsOf = (all: readonly Moment[]) =>
    Object.entries(happenings).flatMap(([place, some]) =>
      orders.flatMap((order) =>
        some.flatMap((happening) => all.map((moment) => ({ place, order, happening, moment }))),
      ),
    );

  test.each(sample(orders, 1))('have a moment between any two requests: %s', async (order) => {
    await open();
    const send = atMoment(0);
    expect((await move(order, send)).code).toBe(0);
    expect(send.count).toBeLessThanOrEqual(moments.length);
  });

  test.each([
    // The moments after the last look at the people, before they are booked or canceled.
    ...sample(
      cellsOf(['/invitees', '/cancellation']).filter(
        ({ place, happening }) => place === 'files' && ['leave', 'join and leave'].includes(happening),
      ),
      1,
      ({ moment }) => moment,
    ),
    ...sample(cellsOf(moments), 1, ({ place }) => place),
  ])(
    'are never left out or booked without a word: $happening before $moment, $order, $place',
    { timeout: 60_000 },
    async ({ place, order, happening, moment }) => {
      if (place === 'Redis') needs(redis);
      const { Ada } = await open(place === 'Redis' ? await startRedis() : undefined);
      let [hasLeft, hasJoined] = [false, false];
      const steps = {
        join: async () => {
          await bookAt(from, 'Dora');
          hasJoined = true;
        },
        leave: async () => {
          hasLeft = await leave(Ada);
        },
      };
      const send = atMoment(moment, async () => {
        for (const step of happening.split(' and ')) await steps[step as 'join' | 'leave']();
      });
      const results = [await move(order, send)];
      while (results.at(-1)!.code !== 0 && results.length < 3) results.push(await move(order));
      const { code, stderr } = results.at(-1)!;
      const now = await bookingsAt(to);
      const placesOf = [
        ...(await bookingsAt(from)).map(({ name }) => `${name} old`),
        ...now.map(({ name }) => `${name} new`),
      ];
      const of = (name: string) => placesOf.filter((each) => each.startsWith(name));
      const table = `${results.map((each) => `${each.code} ${each.stderr}`).join('')}${placesOf}`;

      expect([of('Ben'), of('Cleo'), of('Zed')], table).toEqual([['Ben new'], ['Cleo new'], []]);
      // After the cancellation, the old time is another event, which the move doesn't touch.
      if (hasJoined) expect(of('Dora'), table).toHaveLength(1);
      if (!hasLeft) expect(of('Ada'), table).toEqual(['Ada new']);
      // Someone who has left is not booked, or named.
      const stray = hasLeft ? now.find(({ name }) => name === 'Ada') : undefined;
      expect(of('Ada'), table).toEqual(stray === undefined && hasLeft ? [] : ['Ada new']);
      expect(code, table).toBe(stray === undefined ? 0 : 11);
      if (stray === undefined) return;
      expect(stderr).toContain('Ada left the old event meanwhile, and is still booked at the new time');
      expect(stderr).toContain(`/cancellations/${idIn(stray.uri)}`);
      await leave(stray.uri);
      expect((await move(order)).code).toBe(0);
    },
  );
});
