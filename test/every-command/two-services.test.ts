import { expect, test } from 'vitest';
import { bookingLine, breaking, faults, plainType, slot } from '../support/lost-replies.ts';
import { createWorld, jsonOf, type Result, type TestWorld, writes } from '../support/run.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { sample } from '../support/tier.ts';

/*
 * R27, R56: two services on one machine, as two sandboxes are, have records with the same IDs. What a command did at one of
 * them says nothing about the other.
 */

const open = async () => {
  const world = await createWorld();
  const type = await plainType(world);
  const events = jsonOf(await world.run('events list --status active --since 2026-11-17 --limit 1 --json=uri'));
  return { world, type, event: String(events[0].uri).split('/').at(-1)! };
};

type Place = Awaited<ReturnType<typeof open>>;

const raw = ({ type }: Place) =>
  `api POST /invitees -f event_type=${type} -f start_time=${slot(0)} -f invitee[email]=ada@engine.example -f invitee[name]=Ada -f invitee[timezone]=UTC`;
const firstFree = ({ type }: Place) =>
  `invitees create --event-type ${type.split('/').at(-1)} --first-free --since 2027-02-01 --until 2027-02-03 --email ada@engine.example --name Ada --timezone UTC --json`;
const move = ({ event }: Place) => `events move ${event} --to ${slot(10)} --yes --json`;

/** What is done at the first service, and the command at the second one. */
const cases: [title: string, first: (place: Place) => string, second: (place: Place) => string][] = [
  ['invitees create', ({ type }) => bookingLine(type, 0), ({ type }) => bookingLine(type, 0)],
  [
    'invitees create --if-absent',
    ({ type }) => bookingLine(type, 0),
    ({ type }) => bookingLine(type, 0, '--if-absent'),
  ],
  ['invitees create --first-free', firstFree, firstFree],
  ['api POST /invitees', raw, raw],
  ['invitees reconcile', ({ type }) => bookingLine(type, 0), () => 'invitees reconcile --json'],
  ['events move', move, move],
  ['events move to another time', move, ({ event }) => `events move ${event} --to ${slot(12)} --yes --json`],
  [
    'events move --shift',
    ({ event }) => `events move ${event} --to 2027-02-01T09:00:00Z --yes --json`,
    () => 'events move --shift +1h --since 2026-11-15 --until 2027-03-01 --org current --dry-run -o csv',
  ],
];

const cells = cases.flatMap((each) => ['done', 'lost'].map((how) => [how, ...each] as const));

const told = ({ code, stdout, requests }: Result) => ({
  code,
  stdout: stdout.replaceAll(/:40\d\d/g, ''),
  sent: writes({ requests }).map(({ url, body }) => [new URL(url).pathname, body]),
});

test.each(sample(cells, 1, ([how]) => how))(
  'what was %s at one service is not known at another: %s',
  { timeout: 60_000 },
  async (how, _, first, second) => {
    const [one, other, alone] = await Promise.all([open(), open(), open()]);
    const run = (
      { world }: Place,
      line: string,
      port: number,
      home: string,
      more: Parameters<TestWorld['run']>[1] = {},
    ) => world.run(line, { home, ...more, env: { SCHED_BASE_URL: `http://127.0.0.1:${port}` } });
    const [home, empty] = [temporaryDirectory('two'), temporaryDirectory('alone')];
    const send = how === 'lost' ? { send: breaking(one.world, faults['reset before commit']) } : {};
    expect((await run(one, first(one), 4010, home, send)).code).toBe(how === 'lost' ? 10 : 0);
    expect(told(await run(other, second(other), 4011, home))).toEqual(
      told(await run(alone, second(alone), 4011, empty)),
    );
  },
);
