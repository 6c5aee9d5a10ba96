import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { LogEntry } from '../../src/sandbox/log-admin.ts';
import { type FaultName, faults, retryElsewhere, rightRetries } from '../cli/lost-answers.ts';
import { fleet, fleetBooking, fleetPages, fleetUser, startOn } from '../e2e/fleet.ts';
import { startSandbox } from '../e2e/program.ts';
import { smallService } from '../e2e/small-service.ts';
import { engines, startRedis } from '../support/redis.ts';

const tally = (values: unknown[]) => {
  const counts: Record<string, number> = {};
  for (const value of values) counts[String(value)] = (counts[String(value)] ?? 0) + 1;
  return counts;
};

describe.each([...engines])('twenty machines on %s', (engine) => {
  // R30
  test.each([true, false])(
    'with clocks up to a day apart, at 10 requests in four seconds (shared: %s)',
    async (isShared) => {
      const redis = await startRedis([], engine);
      const service = await smallService({ limit: { limit: 10, windowMs: 4000 } });
      try {
        const env = { ...service.env, ...fleetUser, ...(isShared ? { SCHED_SHARED_STATE: redis.url } : {}) };
        const results = await fleet(20, fleetPages(2), env);
        const codes = tally(results.map(({ code }) => code));
        process.stdout.write(`${JSON.stringify({ engine, isShared, ...service.seen, codes })}\n`);
        if (!isShared) return expect(service.seen.refused).toBeGreaterThan(0);
        expect(codes).toEqual({ 0: 20 });
        expect(service.seen).toMatchObject({ answered: 40, refused: 0 });
        expect(results.some(({ stderr }) => stderr.includes('Rate limit reached: waiting'))).toBe(true);
      } finally {
        service.close();
      }
    },
  );

  test.each([true, false])('with the 10 requests a minute of the sandbox (shared: %s)', async (isShared) => {
    const redis = await startRedis([], engine);
    const sandbox = await startSandbox('--plan', 'free');
    try {
      const account = { SCHED_TOKEN: sandbox.token, SCHED_BASE_URL: sandbox.base_url };
      const env = { ...account, ...(isShared ? { SCHED_SHARED_STATE: redis.url } : {}) };
      const codes = tally((await fleet(20, ['users', 'me', '-o', 'id'], env)).map(({ code }) => code));
      const reply = await fetch(`${sandbox.base_url}/__sandbox/log`, {
        headers: { 'x-sandbox-admin': sandbox.admin_token },
      });
      const statuses = tally(((await reply.json()) as { log: LogEntry[] }).log.map(({ status }) => status));
      process.stdout.write(`${JSON.stringify({ engine, isShared, codes, statuses })}\n`);
      if (isShared) expect({ codes, statuses }).toEqual({ codes: { 0: 20 }, statuses: { 200: 20 } });
      else expect(statuses[429]).toBeGreaterThan(0);
    } finally {
      await sandbox.stop();
    }
  });
});

// R27
describe('1,000 bookings, each retried on other machines', () => {
  const each = 112;

  test.each(Object.keys(faults) as FaultName[])(`are never made twice: ${each} times %s`, async (name) => {
    const redis = await startRedis();
    const told = await retryElsewhere(name, each, redis.url);
    process.stdout.write(`${name}: ${JSON.stringify(told)}\n`);
    expect(told).toEqual(rightRetries(name, each));
  });

  test('are never made twice: 104 times killed', async () => {
    const redis = await startRedis();
    const service = await smallService();
    const env = { ...service.env, SCHED_SHARED_STATE: redis.url };
    const codes: string[] = [];
    try {
      for (let index = 0; index < 104; index += 1) {
        const isMade = Math.random() < 0.5;
        const words = fleetBooking(`killed.${index}@people.example`);
        service.behave((commit) => isMade && commit());
        const arrived = service.nextPost();
        const { child, ended } = startOn(words, env, (Math.random() - 0.5) * 86_400_000);
        await arrived;
        await sleep(Math.random() * 10);
        child.kill('SIGKILL');
        await ended;
        service.behave((commit, response) => response.writeHead(201).end(JSON.stringify({ resource: commit() })));
        const again = await startOn(words, env, (Math.random() - 0.5) * 86_400_000).ended;
        codes.push(`${isMade ? 'booked' : 'not booked'}: ${again.code}`);
      }
      const byEmail = tally(service.bookings.map(({ email }) => email));
      const told = { posts: service.seen.posts, codes: tally(codes), bookingsEach: tally(Object.values(byEmail)) };
      process.stdout.write(`killed: ${JSON.stringify(told)}\n`);
      expect(told.posts).toBe(104);
      expect(Object.keys(told.bookingsEach)).toEqual(['1']);
      expect(Object.keys(told.codes).toSorted()).toEqual(['booked: 0', 'not booked: 10']);
    } finally {
      service.close();
    }
  });
});
