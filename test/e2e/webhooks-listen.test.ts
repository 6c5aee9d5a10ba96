import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { isSigned } from '../sandbox/webhooks/receiver.ts';
import { keyFile, startHandler } from '../support/listening.ts';
import { writeSnippets } from '../support/page-snippets.ts';
import { spawn, spawnSync } from '../support/processes.ts';
import { jsonOf, type Result } from '../support/run.ts';
import { closeLater, temporaryDirectory } from '../support/temporary.ts';
import { ctrlC } from '../support/terminal.ts';
import { few, sample as sampleOf } from '../support/tier.ts';
import { describeWith, needs } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { deliver, post, sample, signed, signingKey } from '../support/webhooks.ts';
import { startListener } from './listener.ts';
import { commandsOf, commandsOn, farMonday, schedInTerminal, startSandbox, temporaryHome } from './program.ts';

const key = keyFile();
/** The Node of these tests: a standalone program has none. */
const nodeProgram = process.execPath;
const about = (id: string) => sample({ payload: { ...sample().payload, uri: id } });

describe('webhooks listen', () => {
  few(1, {
    'shows deliveries and a line that says it is alive, until Ctrl-C': async () => {
      const handler = await startHandler(204);
      const flags = ['webhooks', 'listen', '--port', '0', '--signing-key-file', key, '--forward-to', handler.url];
      const terminal = schedInTerminal(flags, temporaryHome());
      const [, url] = await terminal.until(/Listening on (http:\S+\/)\n/);
      await deliver(url!, sample(), Date.now());
      await terminal.until(/\d\d:\d\d:\d\d {2}invitee\.created {10}Ada Byron · Intro call +→ 204 in \d+ ms\n/);
      await terminal.until(/Listening\b[^\n]* · 1 received · last \d\d:\d\d:\d\d · Ctrl-C to stop/);
      terminal.type(ctrlC);
      const { code, text } = await terminal.done;
      expect(code).toBe(0);
      expect(text).toMatch(/\r\x1b\[KStopped: 1 delivery received, 0 refused\n$/);
    },
    'ends with 0 if the reader of its output is gone': async () => {
      const listener = await startListener(['--signing-key-file', key, '-o', 'jsonl'], '| head -1');
      expect((await deliver(listener.url, about('one'), Date.now())).status).toBe(200);
      await listener.printed(/\n/);
      // The first write after `head` has gone fails, and its delivery is not confirmed.
      for (let n = 0; listener.isRunning() && n < 100; n += 1)
        await deliver(listener.url, about(`more ${n}`), Date.now()).catch(() => {});
      expect(await listener.ended).toBe(0);
      expect(listener.stdout().trim().split('\n')).toHaveLength(1);
    },
    'reports a full disk, and does not confirm the delivery': async () => {
      const listener = await startListener(['--signing-key-file', key], '> /dev/full');
      await expect(deliver(listener.url, sample(), Date.now())).rejects.toThrow(/hang up|reset/);
      expect(await listener.ended).toBe(3);
      expect(listener.stderr()).toContain("error: Can't write the output\ncause: the disk is full (ENOSPC)");
    },
  });
});

/** Books, marks a no-show, cancels and sends a sample, in a sandbox that delivers to this URL. */
const useSandbox = async (url: string, key: string): Promise<{ triggered: Result; stop(): Promise<unknown> }> => {
  const sandbox = await startSandbox('--webhook-to', url, '--signing-key-file', key);
  const run = await commandsOn(sandbox);
  const person = ['--email', 'ada@engine.example', '--name', 'Zoë 🎉 Byron', '--timezone', 'UTC'];
  const book = ['invitees', 'create', '--event-type', 'Intro call', '--start', farMonday(), ...person];
  const { uri, event } = jsonOf(await run(...book, '--json'));
  jsonOf(await run('invitees', 'no-show', uri, '--yes', '--json'));
  jsonOf(await run('events', 'cancel', event, '--yes', '--json'));
  const trigger = ['sandbox', 'trigger', 'routing_form_submission.created', '--to', url];
  return { triggered: await run(...trigger, '--fields', 'status,error'), stop: sandbox.stop };
};

/** Makes a program say on stderr which port it got. */
const telling = `data:text/javascript,import net from 'node:net';
  const { listen } = net.Server.prototype;
  net.Server.prototype.listen = function (...words) {
    return listen.call(this, ...words, () => process.stderr.write(String(this.address().port)));
  };`;

const bookingEvents = ['invitee.created', 'invitee_no_show.created', 'invitee.canceled'];

describeWith('bash')('docs/webhooks.md', () => {
  const directory = temporaryDirectory('page');
  const names = writeSnippets('docs/webhooks.md', directory);
  const pageKey = join(directory, 'hooks.key');
  writeFileSync(pageKey, `${signingKey}\n`);

  let triggered: Result;
  /** The deliveries of the sandbox that `webhooks listen` has forwarded. */
  let forwarded: { event: string; body: string; headers: NodeJS.Dict<string | string[]> }[];
  beforeAll(async () => {
    const handler = await startHandler(204);
    const listener = await startListener(['--signing-key-file', pageKey, '--forward-to', handler.url]);
    const used = await useSandbox(listener.url, pageKey);
    triggered = used.triggered;
    await listener.printed(/(.*\n){4}/);
    await used.stop();
    // R42
    expect(await listener.stop('SIGTERM')).toBe(0);
    expect(listener.stderr()).toContain('Stopped: 4 deliveries received');
    forwarded = handler.requests.map(({ body, headers }) => ({ event: JSON.parse(body).event, body, headers }));
  }, 60_000);
  const real = () => {
    const { body, headers } = forwarded.find(({ event }) => event === 'invitee.created')!;
    return { body, signature: String(headers['webhook-signature']) };
  };

  test('is about deliveries that the sandbox sends and `webhooks listen` forwards, all of them signed', () => {
    const { code, stdout, stderr } = triggered;
    expect([code, stderr]).toEqual([0, expect.stringContaining('1 sample: 1 accepted')]);
    expect(stdout).toContain('200\t');
    expect(stdout + stderr).not.toContain(signingKey);
    expect(forwarded.map(({ event }) => event).sort()).toEqual(
      [...bookingEvents, 'routing_form_submission.created'].sort(),
    );
    expect(forwarded.map((each) => isSigned(each, signingKey, Date.now()))).toEqual([true, true, true, true]);
    expect(real().body).toContain('Zoë 🎉 Byron');
  });

  test('has a handler of 20 lines that gets each booking once, and nothing else', async () => {
    const handler = spawn(nodeProgram, ['--import', telling, 'handler.mjs', 'hooks.key', '0'], { cwd: directory });
    closeLater(() => void handler.kill('SIGKILL'));
    let seen = '';
    handler.stdout.on('data', (text) => {
      seen += text;
    });
    const port = await new Promise((resolve) => handler.stderr.once('data', resolve)).then(String);
    expect((await post(`http://127.0.0.1:${port}/`, '')).status).toBe(401);
    expect(readFileSync(join(directory, 'handler.mjs'), 'utf8').trim().split('\n').length).toBeLessThanOrEqual(20);

    const flags = ['--signing-key-file', pageKey, '--forward-to', `http://127.0.0.1:${port}/`, '-o', 'jsonl'];
    const listener = await startListener(flags);
    for (const { body } of forwarded.filter(({ event }) => bookingEvents.includes(event)))
      await post(listener.url, body, { 'webhook-signature': signed(body, Date.now()) });
    await listener.printed(/(.*\n){3}/);
    const shown = listener
      .stdout()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(shown.map(({ event, _sched }) => [event, _sched.status])).toEqual(
      bookingEvents.map((event) => [event, 204]),
    );

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
    await until(() => handled().length >= bookingEvents.length);
    expect(handled()).toEqual(bookingEvents);
  }, 60_000);

  test('has the programs that are tested here', () => {
    expect(names.sort()).toEqual(['handler.mjs', 'verify.mjs', 'verify.py', 'verify.sh']);
  });

  type Delivery = [signature: string, body: string];

  /** The check in Node is a function: one process tries all deliveries. */
  const node = `import { isGenuine } from './verify.mjs';
    import { readFileSync } from 'node:fs';
    const key = readFileSync('hooks.key', 'utf8').trim();
    const deliveries = JSON.parse(readFileSync(0, 'utf8'));
    console.log(JSON.stringify(deliveries.map(([signature, body]) => isGenuine(signature, Buffer.from(body), key))));`;
  const start = ([name, ...args]: string[], input: string) =>
    spawnSync(name!, args, { cwd: directory, input, env: { PATH: process.env.PATH, HOME: directory } });
  const inNode = (deliveries: Delivery[]): boolean[] =>
    JSON.parse(String(start([nodeProgram, '--input-type=module', '-e', node], JSON.stringify(deliveries)).stdout));

  /** The other checks are programs. They read a body, say `ok` or `refused`, and exit with 0 or 1. */
  const by =
    (...words: string[]) =>
    (deliveries: Delivery[]): boolean[] =>
      deliveries.map(([signature, body]) => {
        const { status, stdout } = start([...words, 'hooks.key', signature], body);
        expect([status, String(stdout)]).toEqual(status === 0 ? [0, 'ok\n'] : [1, 'refused\n']);
        return status === 0;
      });

  const checks = [
    { language: 'Node', check: inNode, isCheap: true, tools: [] },
    { language: 'Python', check: by('python3', 'verify.py'), isCheap: false, tools: ['python3'] },
    { language: 'bash', check: by('bash', 'verify.sh'), isCheap: false, tools: ['openssl'] },
  ];
  test.each(sampleOf(checks, 1, ({ isCheap }) => isCheap))(
    'has a check in $language that accepts a real delivery, and no other',
    ({ check, isCheap, tools }) => {
      needs(...tools);
      const { body, signature } = real();
      const [, time, value] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature)!;
      const genuine: Delivery[] = [
        [signature, body],
        [`v0=x, t=${time}, v1=${'0'.repeat(64)}, v1=${value}`, body],
      ];
      const forged: Delivery[] = [
        [signature, `${body}\n`],
        [signature, body.replace('Zoë', 'Eve')],
        [`t=${time},v1=${'0'.repeat(64)}`, body],
        [`t=${Number(time) + 1},v1=${value}`, body],
        [signed(body, Date.now(), 'another key'), body],
        [signed(body, (Number(time) - 181) * 1000), body],
        ...['', 'nonsense', `t=${time}`, `v1=${value}`].map((header): Delivery => [header, body]),
      ];
      const some = isCheap ? forged : sampleOf(forged, 1);
      expect(check([...genuine, ...some])).toEqual([true, true, ...some.map(() => false)]);
    },
    60_000,
  );

  test('agrees with webhooks verify', async () => {
    const { body, signature } = real();
    const flags = ['webhooks', 'verify', '--signing-key-file', pageKey, '--signature', signature];
    const ends: [body: string, code: number, stdout: string][] = [
      [body, 0, 'ok\n'],
      [`${body}\n`, 13, ''],
    ];
    const run = await commandsOf(temporaryHome());
    for (const [stdin, code, stdout] of ends) expect(await run(flags, { stdin })).toMatchObject({ code, stdout });
  });
});
