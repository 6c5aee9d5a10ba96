import { expect, test } from 'vitest';
import { sched, startSandbox, temporaryHome } from '../e2e/program.ts';

const strange = { 'users.me': 'NaN', 'orgs.get': '1763229600', 'groups.list': '-5', 'members.list': '1e99' };

// R28, R29
test('retries at most once a second after refusals without a usable reset time', async () => {
  const faults = Object.entries({ ...strange, 'locations.list': '86400' });
  const sandbox = await startSandbox(
    ...faults.flatMap(([operation, reset]) => [
      '--fault',
      `${operation} 429 header.x-ratelimit-reset=${reset} count=all`,
    ]),
  );
  try {
    const { base_url, token, admin_token } = sandbox;
    const env = {
      SCHED_BASE_URL: base_url,
      SCHED_TOKEN: token,
      SCHED_USER: 'http://127.0.0.1:4010/users/XYCWQX76WEER7A9Y',
      SCHED_ORG: 'http://127.0.0.1:4010/organizations/GHDAK7KT3RW2W9R9',
    };
    const started = performance.now();
    const results = await Promise.all(
      faults.map(async ([operation]) => {
        const { code, stderr } = await sched([...operation.split('.'), '--json'], temporaryHome(), env);
        const { error } = JSON.parse(stderr.trim().split('\n').at(-1)!);
        const took = Math.round(performance.now() - started);
        return { operation, code, retryAfter: error.retry_after_s, took };
      }),
    );
    const reply = await fetch(`${base_url}/__sandbox/log`, { headers: { 'x-sandbox-admin': admin_token } });
    const { log } = (await reply.json()) as { log: { operation: string; at: string }[] };
    for (const { operation, code, retryAfter, took } of results) {
      const times = log.filter((entry) => entry.operation === operation).map(({ at }) => Date.parse(at));
      const gaps = times.slice(1).map((time, index) => time - times[index]!);
      process.stdout.write(`${JSON.stringify({ operation, code, retryAfter, took, gaps })}\n`);
      expect(code).toBe(8);
      for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(1000);
      expect(times).toHaveLength(operation === 'locations.list' ? 1 : 3);
    }
  } finally {
    await sandbox.stop();
  }
});
