import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { keyFile, startHandler } from '../support/listening.ts';
import { writeSnippets } from '../support/page-snippets.ts';
import { spawn, spawnSync } from '../support/processes.ts';
import { closeLater, temporaryDirectory } from '../support/temporary.ts';
import { ctrlC } from '../support/terminal.ts';
import { until } from '../support/until.ts';
import { deliver, post, sample, signed, signingKey } from '../support/webhooks.ts';
import { startListener } from './listener.ts';
import { farMonday, sched, schedInTerminal, temporaryHome } from './program.ts';

const key = keyFile();
/** The Node of these tests: a standalone program has none. */
const nodeProgram = process.execPath;
const about = (id: string) => sample({ payload: { ...sample().payload, uri: id } });

describe('webhooks listen', () => {
  test('shows deliveries and a line that says it is alive, until Ctrl-C', async () => {
    const handler = await startHandler(204);
    const flags = ['webhooks', 'listen', '--port', '0', '--signing-key-file', key, '--forward-to', handler.url];
    const terminal = schedInTerminal(flags, temporaryHome());
    const [, url] = await terminal.until(/Listening on (http:\S+\/) \(Ctrl-C/);
    await deliver(url!, sample(), Date.now());
    await terminal.until(/\d\d:\d\d:\d\d {2}invitee\.created {10}Ada Byron · Intro call +→ 204 in \d+ ms\n/);
    await terminal.until(/Listening on \S+ · 1 received · last \d\d:\d\d:\d\d/);
    terminal.type(ctrlC);
    const { code, text } = await terminal.done;
    expect(code).toBe(0);
    expect(text).toMatch(/\r\x1b\[KStopped: 1 delivery received, 0 refused\n$/);
  });

  test('ends with 0 if the reader of its output is gone', async () => {
    const listener = await startListener(['--signing-key-file', key, '-o', 'jsonl'], '| head -1');
    expect((await deliver(listener.url, about('one'), Date.now())).status).toBe(200);
    await listener.printed(/\n/);
    // The first write after `head` has gone fails, and its delivery is not confirmed.
    for (let n = 0; listener.isRunning() && n < 100; n += 1)
      await deliver(listener.url, about(`more ${n}`), Date.now()).catch(() => {});
    expect(await listener.ended).toBe(0);
    expect(listener.stdout().trim().split('\n')).toHaveLength(1);
  });

  test('reports a full disk, and does not confirm the delivery', async () => {
    const listener = await startListener(['--signing-key-file', key], '> /dev/full');
    await expect(deliver(listener.url, sample(), Date.now())).rejects.toThrow(/hang up|reset/);
    expect(await listener.ended).toBe(3);
    expect(listener.stderr()).toContain("error: Can't write the output\ncause: ENOSPC");
  });

  test('ends after SIGTERM too', async () => {
    const listener = await startListener(['--signing-key-file', key]);
    expect(await listener.stop('SIGTERM')).toBe(0);
    expect(listener.stderr()).toContain('Stopped: 0 deliveries received');
  });
});

/** Books, marks a no-show and cancels in a sandbox that delivers to this URL. */
const useSandbox = async (url: string, key: string): Promise<void> => {
  const script = `set -e
    booked=$(sched invitees create --event-type "Intro call" --start ${farMonday()} --email ada@engine.example \
      --name "Zoë 🎉 Byron" --timezone UTC --json)
    sched invitees no-show "$(jq -r .uri <<<"$booked")" --yes
    sched events cancel "$(jq -r .event <<<"$booked")" --yes`;
  const flags = ['sandbox', 'run', '--webhook-to', url, '--signing-key-file', key, '--', 'bash', '-c', script];
  const { code, stderr } = await sched(flags, temporaryHome());
  expect(code, stderr).toBe(0);
};

const freePort = async (): Promise<number> => {
  const { port, close } = await startHandler();
  close();
  return port;
};

describe('docs/webhooks.md', () => {
  const directory = temporaryDirectory('page');
  const names = writeSnippets('docs/webhooks.md', directory);
  const pageKey = join(directory, 'hooks.key');
  writeFileSync(pageKey, `${signingKey}\n`);

  /** A delivery of the sandbox that `webhooks listen` has forwarded. */
  let real: { body: string; signature: string };
  beforeAll(async () => {
    const handler = await startHandler(204);
    const listener = await startListener(['--signing-key-file', pageKey, '--forward-to', handler.url]);
    await useSandbox(listener.url, pageKey);
    await listener.stop();
    const { headers, body } = handler.requests[0]!;
    real = { body, signature: String(headers['webhook-signature']) };
    expect(body).toContain('Zoë 🎉 Byron');
  }, 60_000);

  test('has a handler of 20 lines that gets each booking once, and nothing else', async () => {
    const port = await freePort();
    const handler = spawn(nodeProgram, ['handler.mjs', 'hooks.key', String(port)], { cwd: directory });
    closeLater(() => void handler.kill('SIGKILL'));
    let seen = '';
    handler.stdout.on('data', (text) => {
      seen += text;
    });
    const statusOf = () =>
      post(`http://127.0.0.1:${port}/`, '').then(
        ({ status }) => status,
        () => 'not started',
      );
    await until(async () => (await statusOf()) === 401);
    expect(readFileSync(join(directory, 'handler.mjs'), 'utf8').trim().split('\n').length).toBeLessThanOrEqual(20);

    const flags = ['--signing-key-file', pageKey, '--forward-to', `http://127.0.0.1:${port}/`, '-o', 'jsonl'];
    const listener = await startListener(flags);
    await useSandbox(listener.url, pageKey);
    await listener.printed(/(.*\n){3}/);
    const shown = listener
      .stdout()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const events = ['invitee.created', 'invitee_no_show.created', 'invitee.canceled'];
    expect(shown.map(({ event, _sched }) => [event, _sched.status])).toEqual(events.map((event) => [event, 204]));

    const { _sched, ...first } = shown[0];
    const body = JSON.stringify(first);
    const send = async (signature: string, text = body) =>
      (await post(listener.url, text, { 'webhook-signature': signature })).status;
    const large = JSON.stringify({ ...first, text: 'x'.repeat(1024 * 1024) });
    expect([
      await send(signed(body, Date.now(), 'another key')),
      await send(signed(body, Date.now() - 181_000)),
      await send(signed(large, Date.now()), large),
      // A double is confirmed, but neither shown nor forwarded.
      await send(signed(body, Date.now())),
    ]).toEqual([401, 401, 413, 200]);
    expect(await listener.stop()).toBe(0);
    expect(listener.stderr()).toContain('3 deliveries received, 3 refused');
    expect(listener.stdout().trim().split('\n')).toHaveLength(3);
    const handled = () =>
      seen
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[0]);
    await until(() => handled().length >= events.length);
    expect(handled()).toEqual(events);
  }, 60_000);

  test('has the programs that are tested here', () => {
    expect(names.sort()).toEqual(['handler.mjs', 'verify.mjs', 'verify.py', 'verify.sh']);
  });

  const node = `import { isGenuine } from './verify.mjs';
    import { readFileSync } from 'node:fs';
    const isOk = isGenuine(process.argv[2], readFileSync(0), readFileSync(process.argv[1], 'utf8').trim());
    console.log(isOk ? 'ok' : 'refused');
    process.exitCode = isOk ? 0 : 1;`;
  const programs: Record<string, string[]> = {
    Node: [nodeProgram, '--input-type=module', '-e', node, '--'],
    Python: ['python3', 'verify.py'],
    bash: ['bash', 'verify.sh'],
  };

  describe.each(Object.keys(programs))('in %s', (language) => {
    const check = (signature: string, body: string) => {
      const [name, ...args] = programs[language]!;
      const input = Buffer.from(body);
      const env = { PATH: process.env.PATH, HOME: directory };
      const end = spawnSync(name!, [...args, 'hooks.key', signature], { cwd: directory, input, env });
      return [end.status, String(end.stdout)];
    };
    test('accepts a real delivery, and no other', () => {
      const { body, signature } = real;
      const [, time, value] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature)!;
      const old = signed(body, (Number(time) - 181) * 1000);
      expect(check(signature, body)).toEqual([0, 'ok\n']);
      expect(check(`v0=x, t=${time}, v1=${'0'.repeat(64)}, v1=${value}`, body)).toEqual([0, 'ok\n']);
      const refused = [1, 'refused\n'];
      expect(check(signature, `${body}\n`)).toEqual(refused);
      expect(check(signature, body.replace('Zoë', 'Eve'))).toEqual(refused);
      expect(check(`t=${time},v1=${'0'.repeat(64)}`, body)).toEqual(refused);
      expect(check(`t=${Number(time) + 1},v1=${value}`, body)).toEqual(refused);
      expect(check(signed(body, Date.now(), 'another key'), body)).toEqual(refused);
      expect(check(old, body)).toEqual(refused);
      for (const header of ['', 'nonsense', `t=${time}`, `v1=${value}`]) expect(check(header, body)).toEqual(refused);
    }, 60_000);
  });

  test('agrees with webhooks verify', async () => {
    const { body, signature } = real;
    const flags = ['webhooks', 'verify', '--signing-key-file', pageKey, '--signature', signature];
    expect(await sched(flags, temporaryHome(), {}, body)).toMatchObject({ code: 0, stdout: 'ok\n' });
    expect(await sched(flags, temporaryHome(), {}, `${body}\n`)).toMatchObject({ code: 13, stdout: '' });
  });
});
