import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { SchedError } from '../../../src/base/errors.ts';
import { NetworkFailure } from '../../../src/http/failure.ts';
import type { HttpRequest, Send } from '../../../src/http/message.ts';
import { fileVersions } from '../../../src/state/versions.ts';
import { gate } from '../../support/gate.ts';
import { callTool, connect } from '../../support/mcp-client.ts';
import { redis, startRedis } from '../../support/redis.ts';
import { createWorld, lastJson, type TestWorld, type WorldOptions } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';
import { describeWith } from '../../support/tools.ts';

/* R66: several processes change the schedules of one account at the same time. */

let world: TestWorld;
let home: string;
beforeEach(async () => {
  home = temporaryDirectory('home');
  world = await createWorld({ home, randomBytes });
});

interface Schedule {
  uri: string;
  rules: { type: string; date?: string; intervals: object[] }[];
}

const isPatch = ({ method }: HttpRequest) => method === 'PATCH';
const off = (date: string) => `availability off ${date} --yes --json`;
const update = (change: string) => `availability update --event-type "Intro call" ${change} --yes --json`;

/** A file that takes a date off, beside the dates that it doesn't name. */
const apply = (date: string, more: object = {}): string => {
  const file = join(temporaryDirectory('config'), 'team.yaml');
  const event_types = { intro: { name: 'Intro call', availability: { dates: { [date]: 'off' } }, ...more } };
  writeFileSync(file, JSON.stringify({ sched: 1, users: { me: { event_types } } }));
  return `config apply ${file} --yes --json`;
};

/** The dates that are off on the schedule of "Intro call", and on how many schedules each of them is. */
const datesOff = async () => {
  const listed: Schedule[] = JSON.parse((await world.run('availability list --event-type "Intro call" --json')).stdout);
  const rows = JSON.parse((await world.run('availability off --list --json')).stdout);
  return {
    intro: listed[0]!.rules.filter(({ type, intervals }) => type === 'date' && intervals.length === 0),
    all: Object.fromEntries(rows.map((row: Record<string, string>) => [row.date, row.schedules])),
  };
};

/** Starts a command, and resolves when it has read a schedule and is about to write it. `go` lets it. */
const startOne = async (line: string, options: WorldOptions) => {
  const [arrived, leaving] = [gate(), gate()];
  let isFirst = true;
  const send: Send = async (request) => {
    if (isPatch(request) && isFirst) {
      isFirst = false;
      arrived.release();
      await leaving.promise;
    }
    return world.service(request);
  };
  const done = world.run(line, { ...options, send });
  await Promise.race([arrived.promise, done]);
  return { done, go: leaving.release };
};

/** Runs two commands: the second one while the first has read a schedule and not yet written it. */
const runBoth = async (one: string, other: string, [first, second]: [WorldOptions, WorldOptions]) => {
  const { done, go } = await startOne(one, first);
  // The second one goes on when the first has ended, or at once if it doesn't wait.
  const sleep = async () => {
    go();
    await done;
  };
  const result = await world.run(other, { ...second, clock: { now: world.clock.now, sleep } });
  go();
  return [await done, result] as const;
};

const both: [title: string, one: string, other: string, dates: string[]][] = [
  ['off and off', off('2027-02-01'), off('2027-02-02'), ['2027-02-01', '2027-02-02']],
  ['off and update', off('2027-02-01'), update('--day-off 2027-02-02'), ['2027-02-01', '2027-02-02']],
  ['update and off', update('--day-off 2027-02-01'), off('2027-02-02'), ['2027-02-01', '2027-02-02']],
  ['update and update', update('--day-off 2027-02-01'), update('--day-off 2027-02-02'), ['2027-02-01', '2027-02-02']],
  ['config apply and off', apply('2027-02-01'), off('2027-02-02'), ['2027-02-01', '2027-02-02']],
  ['off and off --undo', off('2027-02-01'), `${off('2027-03-01')} --undo`, ['2027-02-01']],
  ['off --undo and update', `${off('2027-03-01')} --undo`, update('--day-off 2027-02-02'), ['2027-02-02']],
];

/** Two processes and what they do: so many of the kinds, and one of each. */
const testsOf = (count: number, optionsOf: () => [WorldOptions, WorldOptions]): void => {
  const kinds = sample(['lose nothing', 'configuration', 'replace'], count);
  const ifChosen = (kind: string) => test.runIf(kinds.includes(kind));

  ifChosen('lose nothing').each(sample(both, 1))('%s lose nothing', async (_, one, other, dates) => {
    await world.run(off('2027-03-01'));
    const results = await runBoth(one, other, optionsOf());
    expect(results.map(({ code }) => code)).toEqual([0, 0]);
    const waited = expect.stringMatching(/Waiting for process \d+, which is changing schedules or settings/);
    expect(results.map(({ stderr }) => stderr)).toEqual([expect.not.stringContaining('Waiting'), waited]);
    const { intro, all } = await datesOff();
    const found = intro.map(({ date }) => date).filter((date = '') => date >= '2027');
    const others = [one, other].some((line) => line.includes('--undo')) ? [] : ['2027-03-01'];
    expect(found.sort()).toEqual([...dates, ...others]);
    for (const date of dates)
      if ([off(date)].includes(one) || off(date) === other) expect(all[date]).toBe('all schedules');
  });

  ifChosen('configuration')(
    'a configuration is not applied meanwhile, and the process that works is named',
    async () => {
      const line = apply('2027-02-02');
      const results = await runBoth(off('2027-02-01'), line, optionsOf());
      expect(results.map(({ code }) => code)).toEqual([0, 7]);
      expect(lastJson(results[1].stderr).error).toMatchObject({
        message: 'Another process is changing schedules or settings of the same organization',
        cause: expect.stringMatching(/^process \d+ has been running since /),
        outcome: 'not-sent',
      });
      expect((await world.run(line)).code).toBe(0);
      expect((await datesOff()).intro.map(({ date }) => date)).toEqual(
        expect.arrayContaining(['2027-02-01', '2027-02-02']),
      );
    },
  );

  ifChosen('replace')('rules that others have set meanwhile are not replaced', async () => {
    const line = update('--replace --rule "mon-fri 09:00-17:00"');
    const results = await runBoth(off('2027-02-01'), line, optionsOf());
    expect(results.map(({ code }) => code)).toEqual([0, 7]);
    expect(results[1].requests.filter(isPatch)).toEqual([]);
    expect(lastJson(results[1].stderr).error.message).toMatch(
      /was changed by someone else meanwhile, so nothing was sent$/,
    );
    expect((await datesOff()).all['2027-02-01']).toBe('all schedules');
    expect((await world.run(line)).code).toBe(0);
  });
};

describe('two processes with one home', () => {
  testsOf(3, () => [{}, {}]);

  test('wait 30 seconds for each other, and then name the other one', async () => {
    const { done, go } = await startOne(off('2027-02-01'), {});
    const began = world.machineNow();
    const late = await world.run(off('2027-02-02'));
    expect([late.code, late.requests.filter(isPatch)]).toEqual([7, []]);
    expect(lastJson(late.stderr).error.cause).toBe(
      `process ${process.pid} has been running since ${new Date(began).toISOString()}`,
    );
    expect(Math.floor((world.machineNow() - began) / 1000)).toBe(30);
    go();
    expect((await done).code).toBe(0);
    expect((await world.run(off('2027-02-02'))).code).toBe(0);
    expect((await datesOff()).all).toMatchObject({ '2027-02-01': 'all schedules', '2027-02-02': 'all schedules' });
  });

  test.each([
    ['service', { SCHED_BASE_URL: 'https://api.example.com' }],
    ['organization', { SCHED_ORG: 'OTHER' }],
  ])("don't wait for a process at another %s", async (_, env) => {
    const { done, go } = await startOne(off('2027-02-01'), {});
    const other = await world.run(off('2027-02-02'), { env });
    expect([other.code, other.stderr]).toEqual([0, expect.not.stringContaining('Waiting')]);
    go();
    await done;
  });

  test('work without the lock where no file can be written, and say so', async () => {
    const { code, stderr } = await world.run('availability off 2027-02-01 --yes', { home: '/dev/null/home' });
    expect([code, stderr]).toEqual([0, expect.stringContaining('Other sched processes may change the same')]);
    const plain = await world.run('availability off 2027-02-02 --yes');
    expect(plain.stderr).not.toContain('Other sched processes');
  });
});

test('two calls of a tool take turns', async () => {
  const sleep = () => new Promise<void>((resolve) => setImmediate(resolve));
  const { client, close } = await connect(world, '--allow-writes=availability.off', {
    answer: () => 'yes',
    clock: { now: world.clock.now, sleep },
  });
  const dates = ['2027-02-01', '2027-02-02', '2027-02-03'];
  const results = await Promise.all(dates.map((date) => callTool(client, 'availability_off', { date: [date] })));
  await close();
  expect(results.map(({ error }) => error)).toEqual(dates.map(() => undefined));
  const { all } = await datesOff();
  expect(dates.map((date) => all[date])).toEqual(dates.map(() => 'all schedules'));
});

const patch = (uri: string, rules: unknown) =>
  world.service({
    method: 'PATCH',
    url: uri,
    headers: { authorization: `Bearer ${world.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ rules }),
  });

/** A network on which somebody who takes no lock sets the old rules again after each change of these schedules. */
const undoing = async (type: string, isUndone: (index: number) => boolean): Promise<Send> => {
  const listed: Schedule[] = JSON.parse((await world.run(`availability list --event-type "${type}" --json`)).stdout);
  let count = 0;
  return async (request) => {
    const reply = await world.service(request);
    if (isPatch(request) && isUndone(count++)) for (const { uri, rules } of listed) await patch(uri, rules);
    return reply;
  };
};

const notShown = "The service accepted the change, but doesn't show it";

describe('a change that is no longer there at the end', () => {
  test('of some schedules is a part, and the rest is done by the same command', async () => {
    const send = await undoing('Intro call', (index) => index === 9);
    const some = await world.run(off('2027-02-01'), { send });
    expect([some.code, JSON.parse(some.stdout).length]).toEqual([11, 9]);
    expect(some.stderr).toMatch(new RegExp(`failed: Working hours \\(\\w+\\): ${notShown}`));
    expect(lastJson(some.stderr).error).toMatchObject({
      message: '1 of 10 schedules not changed, or not known to be',
      outcome: 'applied',
    });
    const rest = await world.run(off('2027-02-01'));
    expect([rest.code, rest.requests.filter(isPatch).length]).toEqual([0, 1]);
  });

  test('of the only schedule is a conflict, not a part', async () => {
    await world.run(off('2027-02-01'));
    await world.run(update('--remove 2027-02-01'));
    const send = await undoing('Intro call', () => true);
    const none = await world.run(off('2027-02-01'), { send });
    expect([none.code, none.stdout, lastJson(none.stderr).error.message]).toEqual([7, '', notShown]);
    const changed = await world.run(update('--day-off 2027-02-05'), { send });
    expect([changed.code, changed.stdout]).toEqual([7, '']);
    expect(lastJson(changed.stderr).error).toMatchObject({ message: notShown, outcome: 'unknown' });
    const applied = await world.run(apply('2027-02-05'), { send });
    expect(applied.code).toBe(11);
    expect(JSON.parse(applied.stdout).changes[0]).toMatchObject({
      outcome: 'failed',
      cause: expect.stringContaining(notShown),
    });
  });

  test('is a conflict where others have set special hours', async () => {
    const send: Send = async (request) => {
      const reply = await world.service(request);
      const { uri, rules } = isPatch(request) ? JSON.parse(reply.body).resource : {};
      const special = [{ from: '09:00', to: '10:00' }];
      const withHours = (rule: Schedule['rules'][0]) =>
        rule.date === '2027-02-01' ? { ...rule, intervals: special } : rule;
      if (uri) await patch(uri, rules.map(withHours));
      return reply;
    };
    const none = await world.run(off('2027-02-01'), { send });
    expect([none.code, lastJson(none.stderr).error.message]).toEqual([7, notShown]);
  });

  test('is not reported where others have set more days meanwhile', async () => {
    const adding = (date: string): WorldOptions => ({
      send: async (request) => {
        const reply = await world.service(request);
        const { uri, rules } = isPatch(request) ? JSON.parse(reply.body).resource : {};
        if (uri)
          expect(await patch(uri, [...rules, { type: 'date', date, intervals: [] }])).toMatchObject({ status: 200 });
        return reply;
      },
    });
    expect((await world.run(off('2027-02-01'), adding('2027-05-05'))).code).toBe(0);
    const { uri } = JSON.parse((await world.run('availability list --event-type "Intro call" --json')).stdout)[0];
    const one = `availability update ${uri} --event-type "Intro call" --day-off 2027-02-02 --yes`;
    expect((await world.run(one, adding('2027-05-06'))).code).toBe(0);
  });
});

test.each([
  ['availability off', off('2027-02-01'), 10],
  ['availability update', update('--day-off 2027-02-01'), 1],
  ['config apply', apply('2027-02-01'), 1],
])('schedules that can no longer be read are changed, and a note says so: %s', async (_, line, count) => {
  let patches = 0;
  const send: Send = async (request) => {
    if (isPatch(request)) patches += 1;
    const isOver = patches === count && !isPatch(request);
    return isOver ? { status: 403, headers: {}, body: '{}' } : world.service(request);
  };
  const { code, stderr } = await world.run(line, { send });
  expect([code, stderr.split('changed, but not read back: ').length - 1]).toEqual([0, count]);
});

describe('a process that was taken for dead', () => {
  /** A network on which another process has taken over the lock, and has ended, after so many changes. */
  const robbing = (count: number): Send => {
    let patches = 0;
    return async (request) => {
      const reply = await world.service(request);
      if (isPatch(request) && ++patches === count)
        fileVersions(join(home, '.local/state/sched/locks'), 'test').update(() => ({ state: {}, value: undefined }));
      return reply;
    };
  };
  const robbed = 'Another process has taken over the lock, so nothing more was sent';

  test('takes no more days off', async () => {
    const { code, requests, stderr } = await world.run(off('2027-02-01'), { send: robbing(3) });
    expect([code, requests.filter(isPatch).length]).toEqual([11, 3]);
    expect(stderr).toContain(robbed);
    expect(lastJson(stderr).error.message).toBe('7 of 10 schedules not changed');
  });

  test('applies nothing more of a configuration', async () => {
    const line = apply('2027-02-01', { duration: 20 });
    const { code, requests, stderr } = await world.run(line, { send: robbing(1) });
    expect([code, requests.filter(isPatch).length]).toEqual([7, 1]);
    expect(lastJson(stderr).error).toMatchObject({ message: robbed, outcome: 'applied' });
    expect((await world.run(line)).code).toBe(0);
  });

  test('does not change a schedule that it has read before', async () => {
    let reads = 0;
    const send: Send = async (request) => {
      // To plan, and right before the change.
      if (request.url.includes('/event_type_availability_schedules?') && ++reads === 2)
        fileVersions(join(home, '.local/state/sched/locks'), 'test').update(() => ({ state: {}, value: undefined }));
      return world.service(request);
    };
    const { code, requests, stderr } = await world.run(update('--day-off 2027-02-01'), { send });
    expect([code, requests.filter(isPatch)]).toEqual([7, []]);
    expect(lastJson(stderr).error).toMatchObject({ message: robbed, outcome: 'not-sent' });
  });
});

test('an interruption says how many schedules are changed', async () => {
  const controller = new AbortController();
  let patches = 0;
  const send: Send = async (request) => {
    const reply = await world.service(request);
    if (isPatch(request) && ++patches === 3) controller.abort(new SchedError('interrupted', 'Interrupted'));
    return reply;
  };
  const { code, stderr } = await world.run(off('2027-02-01'), { send, interrupted: controller.signal });
  expect(code).toBe(130);
  expect(lastJson(stderr).error).toMatchObject({ cause: '3 of 10 schedules changed', outcome: 'applied' });
  expect((await world.run(off('2027-02-01'))).requests.filter(isPatch)).toHaveLength(7);
});

test('an interruption says that a schedule may be changed', async () => {
  const controller = new AbortController();
  let isLost = false;
  const send: Send = async (request) => {
    if (isLost) {
      controller.abort(new SchedError('interrupted', 'Interrupted'));
      throw new NetworkFailure('127.0.0.1', 'reset', true);
    }
    isLost = isPatch(request);
    const reply = await world.service(request);
    if (isLost) throw new NetworkFailure('127.0.0.1', 'reset', true);
    return reply;
  };
  const { code, stderr } = await world.run(off('2027-02-01'), { send, interrupted: controller.signal });
  expect([code, lastJson(stderr).error.outcome]).toEqual([130, 'unknown']);
});

let server: Promise<string> | undefined;
describeWith(redis)('two machines with shared state', { timeout: 60_000 }, () => {
  let env: Record<string, string>;
  beforeEach(async () => {
    server ??= startRedis().then(({ url }) => url);
    env = { SCHED_SHARED_STATE: await server };
  });
  testsOf(1, () => [{ env }, { env, home: temporaryDirectory('home') }]);
});
