import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openReceiver } from '../sandbox/webhooks/receiver.ts';
import { createWorld, network } from '../support/run.ts';
import { farMonday, sched, spawnSandbox, temporaryHome, usedSandbox } from './program.ts';

test('webhooks that a killed sandbox was sending are sent by the next one, but not to a URL of its run', async () => {
  let isSilent = true;
  const kept = await openReceiver((_, response) => {
    if (!isSilent) response.writeHead(204).end();
  });
  const ofTheRun = await openReceiver();
  const data = await usedSandbox();
  const home = temporaryHome();
  const first = await spawnSandbox(['--data', data, '--webhook-to', ofTheRun.url]);
  const keyFile = join(home, 'hooks.key');
  const create = [
    'webhooks',
    'create',
    '--url',
    kept.url,
    '--events',
    'invitee.created',
    '--signing-key-file',
    keyFile,
  ];
  const env = { SCHED_BASE_URL: first.base_url, SCHED_TOKEN: first.token };
  const created = await sched([...create, '-o', 'id'], home, env);
  expect([created.code, existsSync(keyFile)]).toEqual([0, true]);
  const person = ['--email', 'ada@engine.example', '--name', 'Ada', '--timezone', 'UTC'];
  const book = ['invitees', 'create', '--event-type', 'Intro call', '--start', farMonday(), ...person];
  expect((await sched(book, home, env)).code).toBe(0);
  await Promise.all([kept.heard(1), ofTheRun.heard(1)]);
  await first.stop('SIGKILL');

  isSilent = false;
  const second = await spawnSandbox(['--data', data]);
  await kept.heard(2);
  expect(kept.received[1]!.body).toBe(kept.received[0]!.body);
  // With the admin secret, as `sandbox start` prints it, the URI of the first run is known as one of a sandbox.
  const world = await createWorld({
    send: network,
    env: { SCHED_BASE_URL: second.base_url, SCHED_TOKEN: second.token, SCHED_SANDBOX_ADMIN: second.admin_token },
  });
  const run = (...words: string[]) => world.run(words);
  const { stdout } = await run('webhooks', 'list', '--org', 'current', '--json');
  expect(stdout).not.toContain(ofTheRun.url);
  const webhook = created.stdout.trim();
  const deleted = await run('webhooks', 'delete', webhook, '--yes', '--json=callback_url');
  expect(JSON.parse(deleted.stdout)).toEqual({ callback_url: kept.url });
  expect((await run('webhooks', 'get', webhook)).code).toBe(6);
  await second.stop();
});
