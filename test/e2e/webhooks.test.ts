import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openReceiver } from '../sandbox/webhooks/receiver.ts';
import { temporaryFile } from '../support/temporary.ts';
import { commandsOn, farMonday, spawnSandbox, usedSandbox } from './program.ts';

test('webhooks that a killed sandbox was sending are sent by the next one, but not to a URL of its run', async () => {
  let isSilent = true;
  const kept = await openReceiver((_, response) => {
    if (!isSilent) response.writeHead(204).end();
  });
  const ofTheRun = await openReceiver();
  const data = await usedSandbox();
  const first = await spawnSandbox(['--data', data, '--webhook-to', ofTheRun.url]);
  const keyFile = temporaryFile('hooks.key');
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
  const runFirst = await commandsOn(first);
  const created = await runFirst(...create, '-o', 'id');
  expect([created.code, existsSync(keyFile)]).toEqual([0, true]);
  const person = ['--email', 'ada@engine.example', '--name', 'Ada', '--timezone', 'UTC'];
  const book = ['invitees', 'create', '--event-type', 'Intro call', '--start', farMonday(), ...person];
  expect((await runFirst(...book)).code).toBe(0);
  await Promise.all([kept.heard(1), ofTheRun.heard(1)]);
  await first.stop('SIGKILL');

  isSilent = false;
  const second = await spawnSandbox(['--data', data]);
  await kept.heard(2);
  expect(kept.received[1]!.body).toBe(kept.received[0]!.body);
  const run = await commandsOn(second);
  const { stdout } = await run('webhooks', 'list', '--org', 'current', '--json');
  expect(stdout).not.toContain(ofTheRun.url);
  const webhook = created.stdout.trim();
  const deleted = await run('webhooks', 'delete', webhook, '--yes', '--json=callback_url');
  expect(JSON.parse(deleted.stdout)).toEqual({ callback_url: kept.url });
  expect((await run('webhooks', 'get', webhook)).code).toBe(6);
  await second.stop();
});
