import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ConfigFile, WantedType } from '../../src/config/model.ts';
import {
  cleanEnvironment,
  programIn,
  runner,
  sched,
  startSandbox,
  temporaryHome,
  testClock,
  usedSandbox,
} from '../e2e/program.ts';
import { type ChildProcess, spawn } from '../support/processes.ts';
import { createWorld } from '../support/run.ts';
import { closeLater } from '../support/temporary.ts';

const added: WantedType[] = Array.from({ length: 12 }, (_, index) => ({
  name: `New ${index}`,
  duration: 15 + index,
  active: true,
  availability: { timezone: 'Europe/Paris', hours: ['mon-thu 09:00-12:30'], dates: { '2030-12-24': 'off' } },
}));

/** 30 changes: 12 new types with their hours, 3 changed ones, 2 new webhooks and a deleted one. */
const team: ConfigFile = {
  sched: 1,
  users: {
    me: {
      event_types: Object.fromEntries(
        [
          ...added,
          ...['Intro call', 'Strategy session', 'Consultation'].map((name) => ({ name, color: '#123456' })),
        ].map((type, index) => [`type-${index}`, type]),
      ),
      webhooks: ['a', 'b'].map((name) => ({
        url: `https://${name}.example.com/hook`,
        events: ['invitee.created'],
        signing_key: 'none' as const,
      })),
    },
  },
};

/** A proxy that kills a process at its next write: before the service gets it, or before the process gets the reply. */
const killingProxy = async (service: string) => {
  let victim: { child: ChildProcess; how: 'before' | 'after' } | undefined;
  const delivered: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = 'GET', url = '/', headers } = request;
    const target = method === 'GET' ? undefined : victim;
    if (target) victim = undefined;
    if (target?.how === 'before') return void target.child.kill('SIGKILL');
    if (method !== 'GET') delivered.push(`${method} ${url.split('/')[1]}`);
    const { authorization = '', accept = '' } = headers;
    const type: Record<string, string> = chunks.length === 0 ? {} : { 'content-type': 'application/json' };
    const reply = await fetch(`${service}${url}`, {
      method,
      headers: { authorization, accept, ...type },
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    });
    if (target) return void target.child.kill('SIGKILL');
    const {
      'content-encoding': _,
      'content-length': __,
      'transfer-encoding': ___,
      ...kept
    } = Object.fromEntries(reply.headers);
    response.writeHead(reply.status, kept).end(await reply.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeLater(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    delivered,
    aim: (next: typeof victim) => {
      victim = next;
    },
  };
};

// R57
test.each(['--confirm', '--yes'])(
  'an apply that is killed at each of its writes, before and after it, with %s',
  async (consent) => {
    const data = await usedSandbox();
    const sandbox = await startSandbox('--no-limits', '--data', data);
    const { url, delivered, aim } = await killingProxy(sandbox.base_url);
    const home = temporaryHome();
    const clock = testClock();
    const env = { SCHED_TOKEN: sandbox.token, SCHED_BASE_URL: url, ...clock.env };
    const file = join(home, 'team.yaml');
    writeFileSync(file, JSON.stringify(team));
    const diff = async () => JSON.parse((await sched(['config', 'diff', file, '--json'], home, env)).stdout);
    const planned = await diff();
    const allowed = consent === '--yes' ? ['--allow', 'create,delete'] : [planned.digest];
    const words = ['config', 'apply', file, consent, ...allowed];

    let passed = 0;
    const later = async () => {
      passed += 1;
      const moved = await (await createWorld()).run(['sandbox', 'clock', 'advance', '3m', '--data', data]);
      expect(moved.code).toBe(0);
      clock.setAhead(passed * 180_000);
    };
    const once = (how: 'before' | 'after'): Promise<number | null> =>
      new Promise((resolve) => {
        const child = spawn(runner, [...programIn(env), ...words], {
          env: cleanEnvironment(home, env),
          stdio: 'ignore',
        });
        aim({ child, how });
        child.on('close', resolve);
      });

    let kills = 0;
    for (let code: number | null = null; code !== 0; ) {
      for (const how of ['before', 'after'] as const) {
        code = await once(how);
        // A creation that may still be carried out is not sent again for a while.
        if (code === 10) {
          await later();
          code = await once(how);
        }
        if (code === null) kills += 1;
        else expect(code).toBe(0);
      }
    }
    aim(undefined);
    const left = await diff();
    process.stdout.write(`${consent}: ${planned.changes.length} changes, ${kills} kills, ${delivered.length} writes\n`);
    expect(planned.changes.length).toBeGreaterThanOrEqual(30);
    expect(kills).toBe(2 * delivered.length);
    expect(left.changes).toEqual([]);
    expect(delivered.filter((each) => each === 'POST event_types')).toHaveLength(added.length);
    const listed = await sched(['event-types', 'list', '--json'], home, env);
    const names = JSON.parse(listed.stdout).map(({ name }: { name: string }) => name) as string[];
    expect(names.filter((name) => name.startsWith('New ')).sort()).toEqual(added.map(({ name }) => name).sort());
    await sandbox.stop();
  },
);
