import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isSigned, openReceiver } from '../sandbox/webhooks/receiver.ts';
import { farMonday, sched, startSandbox, temporaryHome, usedSandbox } from './program.ts';

describe('webhooks', () => {
  test('of a booking, a no-show and a cancellation reach a receiver, signed', async () => {
    const { url, received, bodies } = await openReceiver();
    const home = temporaryHome();
    const keyFile = join(home, 'hooks.key');
    const script = `set -e
      booked=$(sched invitees create --event-type "Intro call" --start ${farMonday()} --email ada@engine.example \
        --name Ada --timezone UTC --json)
      sched invitees no-show "$(jq -r .uri <<<"$booked")" --yes
      sched events cancel "$(jq -r .event <<<"$booked")" --yes
      sched sandbox trigger routing_form_submission.created --to ${url} --fields status,error`;
    const flags = ['--webhook-to', url, '--signing-key-file', keyFile];
    const { code, stdout, stderr } = await sched(['sandbox', 'run', ...flags, '--', 'bash', '-c', script], home);
    expect([code, stderr]).toEqual([0, expect.stringContaining('1 sample sent, 1 accepted')]);
    expect(stdout).toContain('204\t');
    expect(
      bodies()
        .map(({ event }) => event)
        .sort(),
    ).toEqual(['invitee.canceled', 'invitee.created', 'invitee_no_show.created', 'routing_form_submission.created']);
    const key = readFileSync(keyFile, 'utf8').trim();
    expect(received.map((each) => isSigned(each, key))).toEqual([true, true, true, true]);
    expect(stdout + stderr).not.toContain(key);
  });

  test('that a killed sandbox was sending are sent by the next one, but not to a URL of its run', async () => {
    let isSilent = true;
    const kept = await openReceiver((_, response) => {
      if (!isSilent) response.writeHead(204).end();
    });
    const ofTheRun = await openReceiver();
    const data = await usedSandbox();
    const home = temporaryHome();
    const first = await startSandbox('--data', data, '--webhook-to', ofTheRun.url);
    const env = { SCHED_BASE_URL: first.base_url, SCHED_TOKEN: first.token };
    const create = ['webhooks', 'create', '--url', kept.url, '--events', 'invitee.created'];
    expect((await sched(create, home, env)).code).toBe(0);
    const person = ['--email', 'ada@engine.example', '--name', 'Ada', '--timezone', 'UTC'];
    const book = ['invitees', 'create', '--event-type', 'Intro call', '--start', farMonday(), ...person];
    expect((await sched(book, home, env)).code).toBe(0);
    await Promise.all([kept.heard(1), ofTheRun.heard(1)]);
    await first.stop('SIGKILL');
    isSilent = false;
    const second = await startSandbox('--data', data);
    await kept.heard(2);
    expect(kept.received[1]!.body).toBe(kept.received[0]!.body);
    const list = ['webhooks', 'list', '--org', 'current', '--json'];
    const { stdout } = await sched(list, home, { SCHED_BASE_URL: second.base_url, SCHED_TOKEN: second.token });
    expect(stdout).not.toContain(ofTheRun.url);
    await second.stop();
  });

  test('are created, shown and deleted in the sandbox', async () => {
    const home = temporaryHome();
    const run = (line: string) => sched([...line.split(' '), '--sandbox'], home);
    const keyFile = join(home, 'hooks.key');
    const create = `webhooks create --url https://example.com/hooks --events invitee.created --signing-key-file ${keyFile}`;
    const { code, stdout } = await run(`${create} -o id`);
    expect([code, existsSync(keyFile)]).toEqual([0, true]);
    expect((await run(`webhooks get ${stdout.trim()} --json=callback_url`)).stdout).toContain(
      'https://example.com/hooks',
    );
    expect((await run(`webhooks delete ${stdout.trim()} --yes`)).code).toBe(0);
    expect((await run(`webhooks get ${stdout.trim()}`)).code).toBe(6);
  });
});
