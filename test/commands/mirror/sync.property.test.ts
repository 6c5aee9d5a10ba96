import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { HttpRequest, Send } from '../../../src/http/message.ts';
import { createWorld, jsonOf, type Result } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { runs } from '../../support/tier.ts';

/** Lists whose windows move along with the time. They are read as people read them. */
const moving = /^\/(scheduled_events|activity_log_entries)\?/;
/** What the service says about the token's own user, in other lists too. */
const own = /^\/(users\/me|organization_memberships)\?/;
const inside = '--since -1d --until +2d --json';
const lines = [
  `events list --org current --with invitees ${inside}`,
  `events list --with invitees ${inside}`,
  `activity list --since -1d --json`,
];

/** What is printed, without tokens of pages: only their maker can read them. */
const comparable = ({ stdout }: Result): string => stdout.replace(/(page_token=|page_token": ")[^"]+/g, '$1');

/** A record or a list of the service, without the page of it. */
const recordOf = ({ url }: Pick<HttpRequest, 'url'>): string => {
  const { pathname, searchParams } = new URL(url);
  for (const name of ['count', 'page_token']) searchParams.delete(name);
  return `${pathname}?${searchParams}`;
};

/** The words of somebody who is deleted in the end: nobody else has them. */
const gone = { name: 'Zelda Quillfeather', email: 'zelda@quillfeather.example' };
const traces = ['zelda', 'quillfeather'];
const found = (text: string): string[] => traces.filter((trace) => text.includes(trace));

const openAccount = async (token: string) => {
  const world = await createWorld();
  const [home, elsewhere] = [temporaryDirectory('home'), temporaryDirectory('elsewhere')];
  let refusal = { record: '', status: 200 };
  const send: Send = async (request) =>
    refusal.status !== 200 && request.method === 'GET' && recordOf(request) === refusal.record
      ? { status: refusal.status, headers: {}, body: '{"title":"Refused","message":"Not for this token"}' }
      : world.service(request);
  return {
    ...{ world, home },
    as: (line: string) => world.run(line, { home, send, env: { SCHED_TOKEN: token } }),
    /** The owner does something at the service, on another machine. */
    async owner(line: string | string[]) {
      const result = await world.run(line, { home: elsewhere });
      expect(result.code, `${line}: ${result.stderr}`).toBe(0);
      return result;
    },
    /** Lets the service refuse one record, or none if the status is 200. */
    refuse(record: string, status: number) {
      refusal = { record, status };
    },
    /** All that is kept on the disk of mirrors. */
    disk: () => {
      const folder = join(home, '.cache/sched/mirror');
      return readdirSync(folder)
        .map((name) => readFileSync(join(folder, name), 'latin1'))
        .join('\n')
        .toLowerCase();
    },
  };
};

type Account = Awaited<ReturnType<typeof openAccount>>;

interface Event {
  uri: string;
  invitees: { uri: string; status: string }[];
}

const step = fc.record({
  act: fc.constantFrom('book', 'cancel', 'miss', 'wait'),
  which: fc.nat(),
  /** What the service says about a record from now on. */
  status: fc.constantFrom(200, 403, 404),
  record: fc.nat(),
  isAgain: fc.boolean(),
});
const plays = fc.record({
  token: fc.constantFrom('sandbox_owner', 'sandbox_user'),
  steps: fc.array(step, { minLength: 1, maxLength: 3 }),
  /** Where else the words of the one who is deleted are: in a reason of the host. */
  trace: fc.constantFrom(undefined, gone.name, `write to ${gone.email.toUpperCase()}`),
});

const isActive = ({ status }: { status: string }): boolean => status === 'active';

/** Somebody changes the account at the service. */
const change = async ({ owner }: Account, act: string, which: number): Promise<void> => {
  const who = `--name "New ${which}" --email n${which}@x.example --timezone UTC`;
  if (act === 'book') await owner(`invitees create --event-type "Support call" --first-free ${who} --yes`);
  if (act !== 'cancel' && act !== 'miss') return;
  const days = act === 'cancel' ? '--since now --until +2d' : '--since -1d --until now';
  const events = jsonOf(
    await owner(`events list --org current --status active --with invitees ${days} --json`),
  ) as Event[];
  const records: { uri: string }[] =
    act === 'cancel' ? events : events.flatMap(({ invitees }) => invitees.filter(isActive));
  if (records.length === 0) return;
  const { uri } = records[which % records.length]!;
  await owner(act === 'cancel' ? `events cancel ${uri} --yes` : `invitees no-show ${uri} --yes`);
};

const play = fc.asyncProperty(plays, async ({ token, steps, trace }) => {
  const account = await openAccount(token);
  const { world, home, as, owner, refuse, disk } = account;
  const first = await as('mirror sync --yes --since -2d --until +3d');
  const records = [...new Set(first.requests.map(recordOf))].filter((each) => !moving.test(each) && !own.test(each));
  for (const { act, which, status, record, isAgain } of steps) {
    await world.clock.sleep(90_000);
    await change(account, act, which);
    const refused = records[record % records.length]!;
    refuse(refused, status);
    const { requests } = await as(`mirror sync ${isAgain ? '--again' : ''}`);
    // A list of an event that hasn't changed isn't read again.
    if (!requests.some((each) => recordOf(each) === refused)) refuse('', 200);
    const some = [0, 1, 2].map((skip) => records[(which + skip * 7) % records.length]!);
    for (const line of [...lines, ...[refused, ...some].map((each) => `api GET '${each}'`)]) {
      const [there, here] = [await as(line), await as(`--mirror ${line}`)];
      const where = `${line}, ${refused} is ${status}: ${here.stderr}`;
      expect([here.code, comparable(here)], where).toEqual([there.code, comparable(there)]);
    }
  }

  refuse('', 200);
  const created = `--name "${gone.name}" --email ${gone.email} --timezone UTC --yes --json`;
  const booked = jsonOf(await owner(`invitees create --event-type "Support call" --first-free ${created}`));
  if (trace !== undefined) await owner(['events', 'cancel', booked.event, '--reason', trace, '--yes']);
  await as('mirror sync --until +9d');
  // Another user may not see the meeting.
  if (token === 'sandbox_owner') expect(found(disk())).toEqual(traces);
  expect((await world.run(`compliance delete ${gone.email} --yes`, { home })).code).toBe(0);
  expect(found(disk())).toEqual([]);
  await as('mirror sync --again');
  expect(found(disk())).toEqual([]);
  world.close();
});

test('after each sync, a mirror answers as the service does, and forgets who is deleted', { timeout: 600_000 }, () =>
  fc.assert(play, { ...runs(2, 60), endOnFailure: true }),
);
