import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { unlimitedHeaders } from '../../src/sandbox/rules/rate-limits.ts';
import { sched, temporaryHome } from '../e2e/program.ts';
import { meetingsService } from '../support/meetings-service.ts';
import { closeLater } from '../support/temporary.ts';

const day = 86_400_000;

/** Events over four years, the older half first. Every fifth person of the older half has a newer event, too. */
const meetingsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const isOld = index < count / 2;
    const person = isOld ? index % 20_000 : ((index - count / 2) % 4_000) * 5;
    const start = new Date(Date.now() - 1460 * day + (index / count) * 1460 * day + (isOld ? -day : day));
    return { start: start.toISOString(), emails: [`person.${person}@people.example`] };
  });

const serve = async (count: number) => {
  const seen = { requests: 0 };
  const resource = { uri: 'http://127.0.0.1/users/U', current_organization: 'http://127.0.0.1/organizations/O' };
  const service = meetingsService(meetingsOf(count), async () => ({
    status: 200,
    headers: {},
    body: JSON.stringify({ resource }),
  }));
  const server = createServer(async (request, response) => {
    seen.requests += 1;
    const { body } = await service({ method: 'GET', url: `http://127.0.0.1${request.url}`, headers: {} });
    response.writeHead(200, { 'content-type': 'application/json', ...unlimitedHeaders }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeLater(() => void server.close());
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

/** Too little for a tenth of the events, if they were kept. */
const mostMegabytes = 32;

test.each([1000, 100_000])(
  `finds expired addresses among %i events in ${mostMegabytes} MB`,
  { timeout: 900_000 },
  async (count) => {
    const { seen, url } = await serve(count);
    const home = temporaryHome();
    const env = { SCHED_TOKEN: 'tok', SCHED_BASE_URL: url, NODE_OPTIONS: `--max-old-space-size=${mostMegabytes}` };
    const to = join(home, 'expired.txt');
    const { code, stdout, stderr } = await sched(
      ['compliance', 'expired', '--older-than', '730d', '--to', to, '--json'],
      home,
      env,
    );
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const old = Math.min(count / 2, 20_000);
    const expected = Array.from({ length: old }, (_, person) => person).filter((person) => person % 5 !== 0);
    const found = JSON.parse(stdout);
    expect(found).toMatchObject({ old_addresses: old, expired: expected.length, events: count });
    expect(readFileSync(to, 'utf8').split('\n').filter(Boolean).toSorted()).toEqual(
      expected.map((person) => `person.${person}@people.example`).toSorted(),
    );
    // One for the user; all others are counted. One per event, and a few per hundred for the lists.
    expect(seen.requests).toBe(found.requests + 1);
    expect(found.requests).toBeLessThan(count * 1.06 + 10);
    process.stdout.write(`expired among ${count} events: ${found.requests} requests\n`);
  },
);
