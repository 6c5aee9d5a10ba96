import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { spawn } from '../support/processes.ts';
import { cleanEnvironment, program, runner, sched, temporaryHome } from './program.ts';
import { fetchAtOnce, smallService } from './small-service.ts';

let service: Awaited<ReturnType<typeof smallService>> | undefined;
afterEach(() => service?.close());

// R30
describe('budget: real processes', () => {
  test('eight at once, 16 requests, 10 in a window: they meet the limit, no 429, all exit 0', async () => {
    // A slow machine sends fewer than 10 requests in a short window, so windows get longer until the limit is met.
    let isMet = false;
    for (let windowMs = 1000; !isMet && windowMs <= 16_000; windowMs *= 2) {
      service?.close();
      service = await smallService({ limit: { limit: 10, windowMs } });
      const home = temporaryHome();
      const results = await fetchAtOnce(service, 8, 2, () => home);
      expect(results.map(({ code }) => code)).toEqual(Array(8).fill(0));
      expect(service.seen).toMatchObject({ answered: 16, refused: 0 });
      isMet =
        service.seen.fullWindows > 0 && results.some(({ stderr }) => stderr.includes('Rate limit reached: waiting'));
    }
    expect(isMet).toBe(true);
  }, 120_000);

  test.each([
    ['with a shared budget, they send exactly 10', true],
    ['without it, the service refuses some', false],
  ])(
    'three that must not wait, with 15 requests at 10 a minute: %s',
    async (_, isShared) => {
      service = await smallService({ limit: { limit: 10, windowMs: 60_000 } });
      const shared = temporaryHome();
      const results = await fetchAtOnce(service, 3, 5, () => (isShared ? shared : temporaryHome()), '--no-wait');
      expect(results.every(({ code }) => code === 0 || code === 8)).toBe(true);
      expect(results.some(({ code }) => code === 8)).toBe(true);
      expect(service.seen.answered).toBe(10);
      if (isShared) expect(service.seen.refused).toBe(0);
      else expect(service.seen.refused).toBeGreaterThan(0);
    },
    60_000,
  );

  test('shows who waits', async () => {
    service = await smallService({ limit: { limit: 1, windowMs: 6000 } });
    const home = temporaryHome();
    await sched(['users', 'me'], home, service.env);
    const waiting = spawn(runner, [...program, 'users', 'me'], { env: cleanEnvironment(home, service.env) });
    await new Promise((resolve) => waiting.stderr.once('data', resolve));
    const [row] = JSON.parse((await sched(['ratelimit', '--json'], home, service.env)).stdout);
    expect(row.waiting).toMatchObject([{ pid: waiting.pid }]);
    const ended = new Promise((resolve) => waiting.once('close', resolve));
    waiting.kill('SIGINT');
    expect(await ended).toBe(130);
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

const start = (args: string[], home: string, env: Record<string, string>) => {
  const child = spawn(runner, [...program, ...args], { env: cleanEnvironment(home, env) });
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

// R27
describe('bookings: real processes', () => {
  test.each([
    ['after', true, 0, { reconciled: true }],
    ['before', false, 10, undefined],
  ])('killed %s the service booked, then run again: never booked twice', async (_, isMade, code, facts) => {
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
  });

  // R42
  test('SIGINT waits for the reply', async () => {
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
  });

  test('a second SIGINT exits at once, and the next run finds the booking', async () => {
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
  });
});
