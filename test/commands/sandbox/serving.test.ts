import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { clock as realClock } from '../../../src/node/clock.ts';
import { openDatabase } from '../../../src/sandbox/store/database.ts';
import { openStore } from '../../../src/sandbox/store/store.ts';
import { isSigned, openReceiver } from '../../sandbox/webhooks/receiver.ts';
import { createWorld, network, someday } from '../../support/run.ts';
import { seededFile } from '../../support/seeded.ts';
import { startServing } from '../../support/serving.ts';
import { closeLater, temporaryDirectory } from '../../support/temporary.ts';

let world: Awaited<ReturnType<typeof createWorld>>;
let home: string;
let file: string;
beforeEach(async () => {
  home = temporaryDirectory();
  world = await createWorld({ home, env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' }, send: network });
  file = await seededFile(someday);
});

interface Delivery {
  number: number;
  url: string;
  state: string;
  attempts: object[];
}

/** A sandbox that runs. `poll` does what its timer does. */
const start = async (...flags: string[]) => {
  let poll = () => {};
  const { text, stop } = await startServing(world.run, ['--json', '--data', file, ...flags], {
    // An attempt may take ten seconds of real time. The clock itself stands still.
    clock: { now: world.clock.now, sleep: realClock.sleep },
    every: (_, call) => {
      poll = call;
      return () => {};
    },
  });
  const { base_url: url, token, admin_token: secret } = JSON.parse(text);
  const env = { SCHED_TOKEN: token, SCHED_BASE_URL: url };
  return {
    stop,
    poll: () => poll(),
    run: (line: string) => world.run(line, { env }),
    /** As a command inside `sandbox run`. */
    runInside: (line: string) => world.run(line, { env: { ...env, SCHED_SANDBOX_ADMIN: secret } }),
    admin: async (method: string, path: string, body?: object) => {
      const headers = { 'x-sandbox-admin': secret };
      const reply = await fetch(`${url}/__sandbox/${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: reply.status, body: (await reply.json()) as { deliveries: Delivery[] } };
    },
  };
};

const book =
  'invitees create --event-type "Intro call" --start 2027-02-01T10:00:00Z --email ada@engine.example --name Ada --timezone UTC';

describe('sandbox start --webhook-to', () => {
  test('delivers to the URL while it runs, signed with the key of the file', async () => {
    const { url, received, heard, bodies } = await openReceiver();
    const keyFile = join(home, 'hooks.key');
    const sandbox = await start('--webhook-to', url, '--signing-key-file', keyFile);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect((await sandbox.run(book)).code).toBe(0);
    await heard(1);
    expect(bodies()[0]).toMatchObject({ event: 'invitee.created', payload: { email: 'ada@engine.example' } });
    expect(isSigned(received[0]!, readFileSync(keyFile, 'utf8').trim(), world.machineNow())).toBe(true);
    const listed = await sandbox.run('webhooks list --org current -o json');
    expect(JSON.parse(listed.stdout).map((each: { callback_url: string }) => each.callback_url)).toContain(url);
    await sandbox.stop();
    const again = await start();
    expect((await again.run('webhooks list --org current -o json')).stdout).not.toContain(url);
  });

  test('is kept by a reset while it runs', async () => {
    const { url, heard } = await openReceiver();
    const sandbox = await start('--webhook-to', url);
    expect((await world.run(`sandbox reset --data ${file} --yes`)).code).toBe(0);
    expect((await sandbox.run(book)).code).toBe(0);
    await heard(1);
    const { code, stderr } = await world.run(`sandbox trigger invitee.canceled --to ${url} --data ${file}`);
    expect([code, stderr]).toEqual([0, '1 sample: 1 accepted\n']);
  });

  test.each([
    ['--webhook-to ftp://app:3000/', '--webhook-to must be a URL such as'],
    ['--webhook-to http://user@app:3000/', '--webhook-to must be a URL such as'],
    ['--webhook-to nonsense', '--webhook-to must be a URL such as'],
    ['--bind 127.0.0.2', '--bind needs --allow-host'],
    ['--bind 0.0.0.0', '--bind needs --allow-host'],
    ['--bind sandbox', '--bind must be an IP address of this machine'],
    ['--allow-admin', '--allow-admin needs --bind'],
    ['--base-url https://sched.test/api', '--base-url must be an origin such as https://sched.test'],
    ['--base-url sched.test', '--base-url must be an origin such as https://sched.test'],
    ['--cert package.json', '--cert needs --key'],
    ['--cert package.json --key package.json', '--cert and --key must be a certificate and its key in PEM'],
    ['--signing-key-file hooks.key', '--signing-key-file can only be used with --webhook-to'],
  ])('refuses %s', async (flags, problem) => {
    const { code, stderr } = await world.run(`sandbox start --data ${file} ${flags}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
    expect(existsSync('hooks.key')).toBe(false);
  });

  test('refuses a URL that already has a webhook', async () => {
    const { url } = await openReceiver();
    const first = await start();
    await first.run(`webhooks create --url ${url} --events invitee.created --org current`);
    await first.stop();
    expect((await world.run(`sandbox start --port 0 --data ${file} --webhook-to ${url}`)).code).toBe(7);
  });
});

describe('a running sandbox', () => {
  test('retries when its clock is moved, disables the webhook, and sends again on request', async () => {
    let status = 500;
    const { url, heard } = await openReceiver((_, response) => void response.writeHead(status).end());
    const sandbox = await start();
    const events = 'invitee.created,invitee.canceled';
    const { stdout } = await sandbox.run(`webhooks create --url ${url} --events ${events} -o id`);
    await sandbox.run(book);
    await heard(1);
    const latest = async () => {
      const { deliveries } = (await sandbox.admin('GET', 'deliveries')).body;
      return deliveries.find((each) => each.url === url)!;
    };
    const settled = async (attempts: number) => {
      while ((await latest()).attempts.length < attempts) await new Promise(setImmediate);
    };
    const waits = ['5s', '30s', '5m', '1h', '6h'];
    for (const [index, wait] of waits.entries()) {
      await settled(index + 1);
      expect((await world.run(`sandbox clock advance ${wait} --data ${file}`)).code).toBe(0);
      sandbox.poll();
      await heard(index + 2);
    }
    await settled(6);
    const shown = JSON.parse((await sandbox.run(`webhooks get ${stdout.trim()} --json`)).stdout);
    expect([shown.state, shown.retry_started_at]).toEqual(['disabled', '2026-11-15T18:00:00.000Z']);
    const { number } = await latest();
    status = 204;
    const again = await sandbox.admin('POST', 'deliveries', { number });
    expect([again.status, again.body.deliveries[0]?.state]).toEqual([200, 'delivered']);
    expect((await sandbox.admin('POST', 'deliveries', { number: 999 })).status).toBe(404);
  });

  test('writes its counts with the next poll, and the last ones when it stops', async () => {
    const sandbox = await start();
    const store = openStore(await openDatabase(file));
    closeLater(() => store.close());
    const counted = () => store.first<{ used: number }>('SELECT sum(used) AS used FROM rate_windows')!.used;
    sandbox.poll();
    sandbox.poll();
    const before = counted();
    await sandbox.run('users me');
    expect(counted()).toBe(before);
    sandbox.poll();
    const after = counted();
    expect(after).toBeGreaterThan(before ?? 0);
    await sandbox.run('users me');
    expect(counted()).toBe(after);
    await sandbox.stop();
    expect(counted()).toBeGreaterThan(after);
  });

  test('answers admin requests only with the secret', async () => {
    const sandbox = await start();
    const { stdout } = await sandbox.run('api /__sandbox/deliveries');
    expect(stdout).not.toContain('deliveries');
  });
});

describe('sandbox trigger', () => {
  test('sends a sample through the sandbox with the same data, and prints the answer', async () => {
    const { url, bodies } = await openReceiver((_, response) => void response.writeHead(202).end('thanks'));
    await start('--webhook-to', url);
    const line = `sandbox trigger invitee_no_show.created --to ${url} --data ${file}`;
    const { code, stdout, stderr } = await world.run(`${line} --json`);
    expect([code, stderr]).toEqual([0, '{"note":"1 sample: 1 accepted"}\n']);
    expect(JSON.parse(stdout)).toMatchObject([
      { url, event: 'invitee_no_show.created', state: 'delivered', status: 202, error: null },
    ]);
    expect(bodies()).toMatchObject([{ event: 'invitee_no_show.created' }]);
    expect((await world.run(`${line} --fields status,url`)).stdout).toBe(`202\t${url}\n`);
  });

  test('sends your own values and payload', async () => {
    const { url, bodies } = await openReceiver();
    await start('--webhook-to', url);
    const line = ['sandbox', 'trigger', 'invitee.created', '--to', url, '--data', file];
    const set = ['--set', 'payload.name=Zoe = 1', '--set', 'payload.email=zoe@example.com'];
    expect((await world.run([...line, ...set])).code).toBe(0);
    expect((await world.run([...line, '--body', '-'], { stdin: '{"own":["data"]}' })).code).toBe(0);
    expect(bodies().map(({ payload }) => payload)).toMatchObject([
      { name: 'Zoe = 1', email: 'zoe@example.com' },
      { own: ['data'] },
    ]);
    const wrong = await world.run([...line, '--set', 'payload.nam=Zoe']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Did you mean payload.name?')]);
    expect(wrong.stderr).not.toContain('to subscribe');
    for (const more of [
      ['--set', 'Zoe'],
      ['--body', '-'],
    ])
      expect((await world.run([...line, ...more], { stdin: '[]' })).code).toBe(2);
    expect(bodies()).toHaveLength(2);
  });

  test('uses the sandbox around it inside sandbox run', async () => {
    const { url, received } = await openReceiver();
    const sandbox = await start('--webhook-to', url);
    expect((await sandbox.runInside(`sandbox trigger invitee.created --to ${url}`)).code).toBe(0);
    expect(received).toHaveLength(1);
  });

  test('says which receivers failed', async () => {
    await start('--webhook-to', 'http://127.0.0.1:9/');
    const { code, stdout, stderr } = await world.run(`sandbox trigger routing_form_submission.created --data ${file}`);
    expect([code, stderr]).toEqual([0, '2 samples: 0 accepted, 2 not delivered\n']);
    expect(stdout).toContain('the connection was refused');
    expect(stdout).toContain('the sandbox delivers only to loopback addresses');
  });

  test('needs a running sandbox, a webhook and a known event', async () => {
    const line = `sandbox trigger invitee.created --data ${file}`;
    const idle = await world.run(line);
    expect([idle.code, idle.stderr]).toEqual([3, expect.stringContaining('No sandbox is running with this data')]);
    const sandbox = await start();
    expect((await world.run(`${line} --to http://127.0.0.1:9/`)).code).toBe(6);
    expect((await world.run(`sandbox trigger invitee.moved --data ${file}`)).code).toBe(2);
    await sandbox.stop();
    expect((await world.run(line)).code).toBe(3);
  });

  test('never sends the admin secret to another machine', async () => {
    const env = { SCHED_SANDBOX_ADMIN: 'sandbox_admin_0123456789', SCHED_BASE_URL: 'https://example.com' };
    const { code, requests } = await world.run('sandbox trigger invitee.created', { env });
    expect([code, requests]).toEqual([3, []]);
  });
});
