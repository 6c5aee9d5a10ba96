import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isSigned, openReceiver } from '../sandbox/webhooks/receiver.ts';
import { spawn } from '../support/processes.ts';
import { times } from '../support/tier.ts';
import { cleanEnvironment, farMonday, program, runner, startSandbox, temporaryHome } from './program.ts';

const key = 'key-of-the-backfill';

test('a backfill that is killed again and again repeats at most one delivery each time', {
  timeout: 300_000,
}, async () => {
  const sandbox = await startSandbox('--no-limits');
  const headers = { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/json' };
  const ask = async (path: string, body?: object) =>
    (
      await fetch(`${sandbox.base_url}${path}`, {
        headers,
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      })
    ).json() as Promise<{ resource: Record<string, string>; collection: Record<string, string>[] }>;
  const { resource: me } = await ask('/users/me');
  const { collection } = await ask(`/event_types?user=${encodeURIComponent(me.uri!)}&count=100`);
  const type = collection.find(({ name }) => name === 'Intro call')!;
  const bookings = times(4, 20);
  for (let index = 0; index < bookings; index += 1) {
    const { resource } = await ask('/invitees', {
      event_type: type.uri,
      start_time: farMonday(index),
      invitee: { email: `canary.${index}@people.example`, name: 'Ada', timezone: 'UTC' },
    });
    if (index % 2 === 0) await ask(`/scheduled_events/${resource.event!.split('/').at(-1)}/cancellation`, {});
  }
  const total = bookings + Math.ceil(bookings / 2);
  let handled = 0;
  const receiver = await openReceiver((_, response) => {
    handled += 1;
    response.writeHead(handled % 3 === 2 ? 500 : 204).end();
  });
  const home = temporaryHome();
  writeFileSync(join(home, 'hooks.key'), `${key}\n`);
  const flags = ['--since', '-1h', '--signing-key-file', join(home, 'hooks.key'), '--forward-to', receiver.url];
  const words = [...program, 'webhooks', 'backfill', ...flags, '--yes', '--json'];
  const env = cleanEnvironment(home, { SCHED_TOKEN: sandbox.token, SCHED_BASE_URL: sandbox.base_url });
  let kills = 0;
  let code: number | null = null;
  let said = '';
  for (let round = 0; round < 40 && code === null; round += 1) {
    const child = spawn(runner, words, { env });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (piece) => {
        text += piece;
      });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const before = receiver.received.length;
    if (round < times(2, 12)) {
      await Promise.race([receiver.heard(before + 1 + (round % 3)), ended]);
      child.kill('SIGKILL');
    }
    code = await ended;
    if (code === null) kills += 1;
    expect(text).not.toMatch(/@|canary/);
    said += text;
  }
  expect([code, kills], said).toEqual([0, expect.any(Number)]);
  expect(kills, said).toBeGreaterThan(1);
  const counted = new Map<string, number>();
  for (const each of receiver.received) {
    expect(isSigned(each, key, Date.now())).toBe(true);
    const { event, created_at, payload } = JSON.parse(each.body);
    const id = [event, created_at, payload.uri].join(' ');
    counted.set(id, (counted.get(id) ?? 0) + 1);
  }
  expect(counted.size).toBe(total);
  // A third of the answers were failures, and each kill may have met one delivery on its way.
  expect(receiver.received.length - counted.size).toBeLessThanOrEqual(kills + Math.ceil(handled / 3));
  await sandbox.stop();
});
