import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { spawn } from '../support/processes.ts';
import { few, isDeep, times } from '../support/tier.ts';
import { cleanEnvironment, isStandalone, programIn, runner, sched, temporaryHome, testClock } from './program.ts';
import { fetching, type SmallService, smallService } from './small-service.ts';

let service: SmallService | undefined;
afterEach(() => service?.close());

const start = (args: string[], home: string, env: Record<string, string>) => {
  const child = spawn(runner, [...programIn(env), ...args], { env: cleanEnvironment(home, env) });
  const out = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    out.stderr += text;
  });
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, ...out }));
  });
  return { child, ended };
};

const minute = 60_000;

/** Each process sends two requests: more than the limit together, and no process alone. */
const crowd = times(2, 8);
const limit = crowd + 1;

// R30
describe('budget: real processes', () => {
  // The standalone program can't get another clock, so its minute can't be shortened.
  test.skipIf(isStandalone)(
    `${crowd} at once, ${crowd * 2} requests, ${limit} a minute: some wait for the next minute, no 429, all exit 0`,
    async () => {
      const clock = testClock();
      let ahead = 0;
      service = await smallService({ limit: { limit, windowMs: minute, ahead: () => ahead } });
      const { words, env } = fetching(service, 2);
      const home = temporaryHome();
      const all = Array.from({ length: crowd }, () => start(words, home, { ...env, ...clock.env }));
      // A process that need not wait prints nothing on stderr, and exits.
      const firstWords = ({ child, ended }: (typeof all)[0]) =>
        Promise.race([new Promise((resolve) => child.stderr.once('data', resolve)), ended.then(() => '')]);
      const said = (await Promise.all(all.map(firstWords))).map(String).filter((text) => text !== '');
      expect(service.seen).toMatchObject({ answered: limit, refused: 0 });
      expect(said.length).toBeGreaterThan(0);
      for (const text of said) expect(text).toMatch(/^Rate limit reached: waiting \d+ s/);
      // Those who wait come back one after another.
      ahead = minute + 1000;
      clock.setAhead(ahead);
      const results = await Promise.all(all.map(({ ended }) => ended));
      expect(results.map(({ code }) => code)).toEqual(Array(crowd).fill(0));
      expect(service.seen).toMatchObject({ answered: crowd * 2, refused: 0 });
    },
    60_000,
  );

  // e2e/fleet.test.ts has the same on several machines. The second way shows that the processes would send more.
  const ways: [title: string, isShared: boolean][] = [
    ['with a shared budget, they send no more', true],
    ['without it, the service refuses some', false],
  ];
  test.runIf(isDeep).each(ways)(
    `${crowd} that must not wait, with ${crowd * 2} requests at ${limit} a minute: %s`,
    async (_, isShared) => {
      service = await smallService({ limit: { limit, windowMs: minute } });
      const { words, env } = fetching(service, 2, '--no-wait');
      const shared = temporaryHome();
      const run = () => sched(words, isShared ? shared : temporaryHome(), { ...env, ...testClock().env });
      const results = await Promise.all(Array.from({ length: crowd }, run));
      expect(results.every(({ code }) => code === 0 || code === 8)).toBe(true);
      expect(results.some(({ code }) => code === 8)).toBe(true);
      expect(service.seen.answered).toBe(limit);
      if (isShared) expect(service.seen.refused).toBe(0);
      else expect(service.seen.refused).toBeGreaterThan(0);
    },
    60_000,
  );

  // cli/session/shared-state.test.ts shows it without processes.
  test.runIf(isDeep)('shows who waits', async () => {
    service = await smallService({ limit: { limit: 1, windowMs: minute } });
    const home = temporaryHome();
    await sched(['users', 'me'], home, service.env);
    const { child, ended } = start(['users', 'me'], home, service.env);
    await new Promise((resolve) => child.stderr.once('data', resolve));
    const [row] = JSON.parse((await sched(['ratelimit', '--json'], home, service.env)).stdout);
    expect(row.waiting).toMatchObject([{ pid: child.pid }]);
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    const [after] = JSON.parse((await sched(['ratelimit', '--json'], home, service.env)).stdout);
    expect(after.waiting).toEqual([]);
  });
});

const booking = [
  'invitees',
  'create',
  '--event-type',
  'http://127.0.0.1/event_types/YBL6DUNR9FS4PNP6',
  '--start',
  '2099-02-01T10:00:00Z',
  '--email',
  'ada@engine.example',
  '--name',
  'Ada',
  '--timezone',
  'UTC',
  '--json',
];

// R27
describe('bookings: real processes', () => {
  const kills: [when: string, isMade: boolean, code: number, facts?: object][] = [
    ['after', true, 0, { reconciled: true }],
    ['before', false, 10],
  ];
  // bookings.test.ts kills a command with many bookings in `npm test`.
  test.runIf(isDeep).each(kills)(
    'killed %s the service booked, then run again: never booked twice',
    async (_, isMade, code, facts) => {
      service = await smallService();
      const home = temporaryHome();
      service.behave((commit) => isMade && commit());
      const arrived = service.nextPost();
      const { child, ended } = start(booking, home, service.env);
      await arrived;
      child.kill('SIGKILL');
      await ended;
      service.behave((commit, response) => response.writeHead(201).end(JSON.stringify({ resource: commit() })));
      const again = await sched(booking, home, service.env);
      expect(again.code).toBe(code);
      if (facts !== undefined) expect(JSON.parse(again.stdout)._sched).toEqual(facts);
      expect([service.seen.posts, service.bookings.length]).toEqual([1, isMade ? 1 : 0]);
      const files = readdirSync(join(home, '.local/state/sched/bookings'));
      expect(readFileSync(join(home, '.local/state/sched/bookings', files[0]!), 'utf8')).not.toMatch(/\bada\b|engine/i);
    },
  );

  few(1, {
    // R42
    'SIGINT waits for the reply': async () => {
      service = await smallService();
      let answer = () => {};
      service.behave((commit, response) => {
        const resource = commit();
        answer = () => response.writeHead(201).end(JSON.stringify({ resource }));
      });
      const arrived = service.nextPost();
      const { child, ended } = start(booking, temporaryHome(), service.env);
      await arrived;
      child.kill('SIGINT');
      // The first output on stderr says that it waits.
      await new Promise((resolve) => child.stderr.once('data', resolve));
      answer();
      const { code, stdout, stderr } = await ended;
      expect(code).toBe(130);
      expect(JSON.parse(stdout).uri).toContain('/invitees/I0');
      expect(stderr).toContain('Waiting for the reply to the last request');
    },
    'a second SIGINT exits at once, and the next run finds the booking': async () => {
      service = await smallService();
      service.behave((commit) => commit());
      const home = temporaryHome();
      const arrived = service.nextPost();
      const { child, ended } = start(booking, home, service.env);
      await arrived;
      child.kill('SIGINT');
      await new Promise((resolve) => child.stderr.once('data', resolve));
      child.kill('SIGINT');
      const { code, stderr } = await ended;
      expect(code).toBe(130);
      expect(stderr).toContain('Interrupt again to quit without knowing its outcome');
      const again = await sched(booking, home, service.env);
      expect([again.code, JSON.parse(again.stdout)._sched]).toEqual([0, { reconciled: true }]);
      expect(service.seen.posts).toBe(1);
    },
  });
});
