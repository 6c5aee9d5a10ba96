import { describe, expect, test } from 'vitest';
import type { LogEntry } from '../../src/sandbox/admin/log-admin.ts';
import { fleet, fleetPages, fleetUser } from '../e2e/fleet.ts';
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
