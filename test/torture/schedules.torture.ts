import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startOn } from '../e2e/fleet.ts';
import { commandsOn, type Finished, type RunningSandbox, sched, startSandbox, temporaryHome } from '../e2e/program.ts';
import { redis, startRedis } from '../support/redis.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { describeWith } from '../support/tools.ts';

const rounds = 20;
const dayMs = 86_400_000;

/** A date far away, another one for each number. */
const dateOf = (number: number) => new Date(Date.UTC(2030, 0, 1) + number * dayMs).toISOString().slice(0, 10);

type Run = (words: string[]) => Promise<Finished>;

/** The dates that are off, and on how many of the own schedules. */
const datesOff = async (sandbox: RunningSandbox): Promise<Record<string, string>> => {
  const { stdout } = await (await commandsOn(sandbox))('availability', 'off', '--list', '--json');
  const rows = JSON.parse(stdout) as { date: string; schedules: string }[];
  return Object.fromEntries(rows.map(({ date, schedules }) => [date, schedules]));
};

const introDates = async (sandbox: RunningSandbox): Promise<string[]> => {
  const { stdout } = await (await commandsOn(sandbox))('availability', 'list', '--event-type', 'Intro call', '--json');
  return JSON.parse(stdout)[0].rules.map(({ date }: { date?: string }) => date);
};

const off = (date: string) => ['availability', 'off', date, '--yes'];
const update = (date: string) => ['availability', 'update', '--event-type', 'Intro call', '--day-off', date, '--yes'];
const apply = (date: string) => {
  const file = join(temporaryDirectory('config'), 'team.json');
  const event_types = { intro: { name: 'Intro call', availability: { dates: { [date]: 'off' } } } };
  writeFileSync(file, JSON.stringify({ sched: 1, users: { me: { event_types } } }));
  return ['config', 'apply', file, '--yes'];
};

/** A service whose changes take a while, and how a command is run there. */
const open = async (shared?: string) => {
  const sandbox = await startSandbox('--no-limits', '--fault', 'availability.update delay ms=20 count=all');
  const env = { SCHED_TOKEN: sandbox.token, SCHED_BASE_URL: sandbox.base_url };
  const home = temporaryHome();
  const here: Run = (words) => sched(words, home, env);
  // Each process is on a machine of its own, whose clock may be a day wrong.
  const elsewhere: Run = (words) =>
    startOn(words, { ...env, SCHED_SHARED_STATE: shared! }, Math.round((Math.random() - 0.5) * dayMs)).ended;
  return { sandbox, run: shared === undefined ? here : elsewhere };
};

const testsOf = (redisUrl: () => Promise<string | undefined>): void => {
  test(`${rounds} times six days off at once`, async () => {
    const { sandbox, run } = await open(await redisUrl());
    const told: Record<string, number> = {};
    const wrong: unknown[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const dates = Array.from({ length: 6 }, (_, index) => dateOf(round * 6 + index));
      const results = await Promise.all(dates.map((date) => run(off(date))));
      const found = await datesOff(sandbox);
      for (const [index, { code, stderr }] of results.entries()) {
        const state = found[dates[index]!] ?? 'no schedule';
        const words = `exit ${code}, off on ${state}`;
        told[words] = (told[words] ?? 0) + 1;
        // All of them take the lock, so there is nothing to find when they are read back.
        const isRefused = code === 7 && stderr.includes('Another process is changing');
        if (code === 0 ? state !== 'all schedules' : !isRefused) wrong.push({ round, words, stderr });
      }
    }
    process.stdout.write(`${JSON.stringify(told)}\n`);
    await sandbox.stop();
    expect(wrong).toEqual([]);
  });

  test(`${rounds} times days off, updates and configurations at once`, async () => {
    const { sandbox, run } = await open(await redisUrl());
    const told: Record<string, number> = {};
    const wrong: unknown[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const lines = [off, update, apply, off, update, apply].map((line, index) => {
        const date = dateOf(round * 6 + index);
        return { date, words: line(date) };
      });
      const results = await Promise.all(lines.map(({ words }) => run(words)));
      const [found, intro] = [await datesOff(sandbox), await introDates(sandbox)];
      for (const [index, { code, stderr }] of results.entries()) {
        const { date, words } = lines[index]!;
        const isThere = words[1] === 'off' ? found[date] === 'all schedules' : intro.includes(date);
        const said = `${words.slice(0, 2).join(' ')}: exit ${code}, ${isThere ? 'done' : 'not done'}`;
        told[said] = (told[said] ?? 0) + 1;
        // An application that was refused is not done. One that was told about changes by others isn't, either.
        if (isThere !== (code === 0)) wrong.push({ round, said, stderr });
        if (code !== 0 && code !== 7) wrong.push({ round, said, stderr });
      }
    }
    process.stdout.write(`${JSON.stringify(told)}\n`);
    await sandbox.stop();
    expect(wrong).toEqual([]);
  });
};

// R66
describe('processes with one home', () => testsOf(async () => undefined));

// R66
describeWith(redis)('machines with one Redis', () => {
  let server: Promise<string> | undefined;
  testsOf(() => {
    server ??= startRedis().then(({ url }) => url);
    return server;
  });
});
