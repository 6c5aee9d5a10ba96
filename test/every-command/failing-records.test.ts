import { randomBytes } from 'node:crypto';
import fs, { constants, writeFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HttpRequest, Send } from '../../src/http/message.ts';
import { patched } from '../support/files-world.ts';
import { lost } from '../support/lost-replies.ts';
import { redis, startRedis } from '../support/redis.ts';
import { createWorld, isWrite, lastJson, type Result, type TestWorld } from '../support/run.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { sample } from '../support/tier.ts';
import { describeWith } from '../support/tools.ts';

/*
 * Each record that `availability off` and `config apply` write, on a disk that is full: what the error says, what the
 * service has then, and what the same command does later.
 */

type Write = 'writes' | 'removes';

/** Runs work on a disk on which the nth write of such a file (path and text) fails, or that one and all later writes. */
const onFullDisk = <Value>(
  { file, nth = 1, what = 'writes' }: { file: RegExp; nth?: number; what?: Write },
  times: 'once' | 'from then on',
  work: () => Promise<Value>,
  onFull: () => void,
): Promise<Value> => {
  let [count, isFull] = [0, false];
  const check = (path: unknown, call: Write): void => {
    if (call === what && file.test(String(path))) count += 1;
    const isIt = count === nth && call === what && file.test(String(path)) && !isFull;
    isFull ||= isIt;
    if (!isIt && !(isFull && times === 'from then on' && call === 'writes')) return;
    onFull();
    throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' });
  };
  const { writeFileSync: writeSync } = fs;
  const { open, rm } = promises;
  const isCreated = (flags: unknown) => (Number(flags) & constants.O_CREAT) !== 0;
  const synchronous = {
    writeFileSync: (...words: Parameters<typeof writeSync>) => {
      check(`${words[0]} ${words[1]}`, 'writes');
      writeSync(...words);
    },
  };
  const promised = {
    open: async (...words: Parameters<typeof open>) => {
      if (isCreated(words[1])) check(words[0], 'writes');
      return open(...words);
    },
    rm: async (...words: Parameters<typeof rm>) => {
      check(words[0], 'removes');
      return rm(...words);
    },
  };
  return patched(fs, synchronous, () => patched(promises, promised, work));
};

const isCreation = ({ method, url }: HttpRequest) => method === 'POST' && url.endsWith('/event_types');

const file = join(temporaryDirectory('config'), 'team.yaml');
const event_types = {
  // A type is deactivated before a new one is created.
  old: { name: 'Consultation', active: false },
  intro: { name: 'Intro call', availability: { dates: { '2027-02-01': 'off' } } },
  fresh: { name: 'Design review', duration: 45, active: true },
};
writeFileSync(file, JSON.stringify({ sched: 1, users: { me: { event_types } } }));

const off = async () => 'availability off 2027-02-01 --yes --json';
const apply = async ({ run }: TestWorld) => {
  const { digest } = JSON.parse((await run(`config diff ${file} --json`)).stdout);
  return `config apply ${file} --confirm ${digest} --json`;
};

/** The same after a run whose creation was lost on its way. */
const applyAgain = async (world: TestWorld) => {
  const line = await apply(world);
  const send: Send = async (request) => {
    if (isCreation(request)) throw lost();
    return world.service(request);
  };
  expect((await world.run(line, { send })).code).toBe(10);
  return line;
};

/** What a command said: its error with the outcome, or its last note above the way back. */
const saidBy = ({ stderr }: Result): string => {
  const { error, note } = lastJson(stderr.replace(/\n\{"note":"Undo: .*\n$/, '\n'));
  return error === undefined ? note : `${error.outcome}: ${error.message}`;
};

const recorded = {
  'the lock is taken': { file: /\/locks\/\d+\./ },
  'the holder shows that it works': { file: /\/locks\/\d+\./, nth: 2 },
  'the lock is released': { file: /\/locks\/\S+ \{\}$/ },
  'the plan is kept': { file: /\/plans\// },
  'the plan is forgotten': { file: /\/plans\/\w+\.json$/, what: 'removes' as const },
  'a creation is claimed': { file: /\/creations\// },
  'a creation is settled': { file: /\/creations\//, nth: 2 },
  'an earlier creation is missed': { file: /\/creations\/.*missed/ },
};

const unlocked = 'Other sched processes may change the same at the same time';
const done = 'off: Mon 1 Feb 2027 on 10 schedules (10 event types)';
const notKept = /^not-sent: Can't write \S+\/plans\/\w+\.json$/;
const notClaimed = "applied: Can't record the new event type, so it was not created";

type Times = 'once' | 'from then on';

/** The exit code, what was said, and the number of writes that the service got; then the same for the same command. */
interface Row {
  record: keyof typeof recorded;
  command: 'availability off' | 'config apply';
  lineOf?: (world: TestWorld) => Promise<string>;
  times?: Times;
  first: [code: number, said: string | RegExp, writes: number];
  again: [code: number, writes: number];
}

const isOff: Pick<Row, 'command' | 'first' | 'again'> = {
  command: 'availability off',
  first: [0, done, 10],
  again: [0, 0],
};
const isApplied: typeof isOff = { command: 'config apply', first: [0, 'applied: 3 of 3', 4], again: [0, 0] };
const isNotSent: typeof isOff = { command: 'config apply', first: [3, notKept, 0], again: [0, 4] };

const rows: Row[] = [
  { record: 'the lock is taken', ...isOff },
  { record: 'the holder shows that it works', ...isOff },
  { record: 'the lock is released', ...isOff },
  { record: 'the lock is taken', ...isApplied, times: 'once' },
  { record: 'the lock is taken', ...isNotSent, times: 'from then on' },
  { record: 'the plan is kept', ...isNotSent },
  { record: 'a creation is claimed', command: 'config apply', first: [3, notClaimed, 1], again: [0, 3] },
  { record: 'a creation is settled', ...isApplied },
  { record: 'the plan is forgotten', ...isApplied },
  { record: 'the lock is released', ...isApplied },
  {
    record: 'an earlier creation is missed',
    command: 'config apply',
    lineOf: applyAgain,
    first: [10, /^unknown: Can't tell/, 0],
    again: [10, 0],
  },
];

const cells = rows.flatMap(({ times, ...row }) =>
  (times === undefined ? (['once', 'from then on'] as const) : [times]).map((each) => ({ ...row, times: each })),
);

// R57, R66
test.each(sample(cells, 1, ({ record, command }) => `${record} ${command}`))(
  'a disk that is full $times when $record ($command)',
  async ({ record, command, times, first, again, ...more }) => {
    const { lineOf = command === 'config apply' ? apply : off } = more;
    const world = await createWorld({ home: temporaryDirectory('home'), randomBytes });
    const line = await lineOf(world);
    const slow: Send = async (request) => {
      // The holder of a lock that works for long shows it.
      if (isWrite(request)) await world.clock.sleep(25_000);
      return world.service(request);
    };
    let isFull = false;
    const result = await onFullDisk(
      recorded[record],
      times,
      () => world.run(line, { send: slow }),
      () => {
        isFull = true;
      },
    );
    expect(isFull).toBe(true);
    const writes = ({ requests }: Result) => requests.filter(isWrite).length;
    const [code, said, count] = first;
    expect([result.code, saidBy(result), writes(result)]).toEqual([
      code,
      typeof said === 'string' ? said : expect.stringMatching(said),
      count,
    ]);
    expect(result.stderr.includes(unlocked)).toBe(record === 'the lock is taken');
    // Another directory would hide the records of this run.
    expect(result.stderr).not.toContain('SCHED_STATE_DIR');
    const later = await world.run(line);
    expect([later.code, writes(later)]).toEqual(again);
    if (again[0] !== 10) return;
    await world.clock.sleep(151_000);
    expect((await world.run(line)).code).toBe(0);
  },
);

describeWith(redis)('a Redis that goes away', { timeout: 60_000 }, () => {
  const cells = [
    ['before availability off', off, 0, [0, done, 10], 1],
    ['during availability off', off, 1, [0, done, 10], 1],
    ['before config apply', apply, 0, [3, notClaimed, 1], 1],
    // It can't look for earlier creations.
    ['during config apply', apply, 1, [3, notClaimed, 1], 0],
  ] as const;
  test.each(sample(cells, 1, ([, line]) => line))(
    '%s is told, and the same command works later',
    async (_, lineOf, when, first, notes) => {
      const server = await startRedis();
      const env = { SCHED_SHARED_STATE: server.url };
      const world = await createWorld({ home: temporaryDirectory('home'), randomBytes, env });
      const line = await lineOf(world);
      if (when === 0) await server.stop();
      let left = when;
      const send: Send = async (request) => {
        if (isWrite(request) && left-- === 1) await server.stop();
        return world.service(request);
      };
      const result = await world.run(line, { send });
      expect([result.code, saidBy(result), result.requests.filter(isWrite).length]).toEqual(first);
      expect(result.stderr.split(unlocked)).toHaveLength(1 + notes);
      await server.start();
      await world.clock.sleep(31_000);
      expect((await world.run(line)).code).toBe(0);
    },
  );
});
