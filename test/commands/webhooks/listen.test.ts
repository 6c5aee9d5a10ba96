import { readFileSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SchedError } from '../../../src/base/errors.ts';
import { NetworkFailure } from '../../../src/http/failure.ts';
import { gate } from '../../support/gate.ts';
import { heldClock } from '../../support/held-clock.ts';
import { keyFile, startHandler, startListening } from '../../support/listening.ts';
import {
  createWorld,
  machineDay,
  type network,
  someday,
  terminals,
  virtualClock,
  type WorldOptions,
} from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { deliver, post, sample, signed, signingKey } from '../../support/webhooks.ts';

/** No account at all: neither a token nor a base URL. */
const world = await createWorld({ env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' } });
const start = (flags: string[] = [], more: WorldOptions = {}, keyFlags?: string[]) =>
  startListening(world.run, flags, more, keyFlags);

/** Deliveries differ by their payload's URI. */
const about = (id: string, more: object = {}) => sample({ payload: { ...sample().payload, uri: id, ...more } });

describe('webhooks listen', () => {
  test('needs no account, and says how to subscribe', async () => {
    const listening = await start();
    expect(listening.stderr()).toMatch(/^Listening on http:\/\/127\.0\.0\.1:\d+\/ \(Ctrl-C to stop\)\n/);
    const { code, stderr } = await listening.stop();
    expect(code).toBe(0);
    expect(stderr).toContain('sched webhooks create --url https://YOUR-TUNNEL.example/ --events ');
    expect(stderr).toMatch(/\nStopped: 0 deliveries received, 0 refused\n$/);
  });

  test('says how to try it in the sandbox', async () => {
    const listening = await start(['--sandbox']);
    const { stderr } = await listening.stop();
    expect(stderr).toContain('[sandbox]');
    expect(stderr).toContain(`sched sandbox start --webhook-to ${listening.url} --signing-key-file `);
    expect(stderr).toContain('sched sandbox trigger invitee.created');
  });

  test('makes a key for a person who names none, in a private file that it names, and never shows it', async () => {
    const env = { SCHED_TOKEN: '', SCHED_BASE_URL: '', SCHED_STATE_DIR: temporaryDirectory('listen-key') };
    const path = `${env.SCHED_STATE_DIR}/webhooks/signing.key`;
    const first = await start([], { terminals, env }, []);
    const key = readFileSync(path, 'utf8').trim();
    expect([key.length, statSync(path).mode & 0o777]).toEqual([64, 0o600]);
    const { stderr } = await first.stop();
    expect(stderr).toMatch(/A new signing key is in\s+\//);
    expect(stderr.split(path)).toHaveLength(3);
    expect(stderr).not.toContain(key);
    const second = await start([], { terminals, env }, []);
    expect((await deliver(second.url, sample(), machineDay, key)).status).toBe(200);
    expect((await second.stop()).stderr).toMatch(/The signing key is in\s+\//);
    expect(readFileSync(path, 'utf8').trim()).toBe(key);
  });

  test('makes no key for a script, which must name one', async () => {
    const { code, stderr } = await world.run('webhooks listen');
    expect([code, stderr]).toEqual([2, expect.stringContaining('error: Missing required flag --signing-key-file\n')]);
  });

  test('prints one line per delivery on a terminal, in local time', async () => {
    const listening = await start([], { terminals });
    expect((await deliver(listening.url)).status).toBe(200);
    expect(listening.stdout()).toBe('20:00:00  invitee.created          Ada Byron · Intro call\n');
    await listening.stop();
  });

  test('prints tab-separated lines in a pipe', async () => {
    const listening = await start(['--header']);
    await deliver(listening.url);
    await listening.stop();
    const [header, line] = listening.stdout().split('\n');
    expect(header!.split('\t')).toEqual([
      ...['_sched.received_at', 'event', 'payload.name', 'payload.email'],
      ...['_sched.status', '_sched.duration_ms', '_sched.error', 'payload.uri'],
    ]);
    expect(line!.split('\t')).toEqual([
      ...['2025-10-11T18:00:00.000Z', 'invitee.created', 'Ada Byron', 'ada@engine.example', '', '', ''],
      sample().payload.uri,
    ]);
  });

  test('prints the whole delivery as JSON, with additions under _sched', async () => {
    const { url: handler } = await startHandler(202);
    const listening = await start(['-o', 'jsonl', '--forward-to', handler]);
    await deliver(listening.url, { ...sample(), extra: [1, { a: null }] });
    await listening.stop();
    expect(JSON.parse(listening.stdout())).toEqual({
      ...sample(),
      extra: [1, { a: null }],
      _sched: { received_at: '2025-10-11T18:00:00.000Z', attempt: 1, status: 202, duration_ms: 0 },
    });
  });

  test.each([
    ['-o json', (text: string) => JSON.parse(text).length],
    ['-o csv', (text: string) => text.trim().split('\n').length - 1],
    ['-o yaml', (text: string) => text.match(/^- event: /gm)!.length],
    ['-o id', (text: string) => text.trim().split('\n').length],
    ['-o jsonl --jq .payload.name', (text: string) => text.match(/^Ada Byron$/gm)!.length],
    ['--jq .payload.name', (text: string) => text.match(/^Ada Byron$/gm)!.length],
    ['--fields event,payload.email', (text: string) => text.match(/^invitee.created\tada@engine.example$/gm)!.length],
    ['-o table --fields event', (text: string) => text.match(/^event +invitee.created$/gm)!.length],
    ['-o table --accessible', (text: string) => text.match(/^Name: Ada Byron$/gm)!.length],
  ])('prints %s as other lists do', async (flags, count) => {
    const listening = await start(flags.split(' '));
    await deliver(listening.url, about('one'));
    await deliver(listening.url, about('two'));
    await listening.stop();
    expect(count(listening.stdout())).toBe(2);
  });

  test('prints each delivery at once', async () => {
    for (const flags of [['-o', 'json'], ['-o', 'csv'], ['--jq', '.event'], []]) {
      const listening = await start(flags);
      await deliver(listening.url);
      expect(listening.stdout()).toContain('invitee.created');
      await listening.stop();
    }
  });

  test('makes text of a delivery safe for terminals and CI runners', async () => {
    const listening = await start(['-o', 'table'], { env: { CI: '1' } });
    const name = 'A\x1b]0;x\x07\n##[error]b\n::warning::c\u202e';
    await deliver(listening.url, { ...about('one', { name }), event: '::error::x' });
    await listening.stop();
    const text = listening.stdout();
    expect(text.trimEnd()).not.toMatch(/[\x00-\x1f\u202e]|##\[/);
    expect(text).toContain('A\\x1b]0;x\\x07\\n# #[error]b');
  });

  test('shows deliveries with odd content', async () => {
    const listening = await start(['-o', 'table']);
    const odd = [{}, { event: 5, payload: 'x' }, { payload: { name: ['a'], uri: 7 } }, { event: 'x'.repeat(900_000) }];
    for (const content of odd) expect((await deliver(listening.url, content)).status).toBe(200);
    await listening.stop();
    expect(listening.stdout().trim().split('\n')).toHaveLength(4);
    expect(
      Math.max(
        ...listening
          .stdout()
          .split('\n')
          .map(({ length }) => length),
      ),
    ).toBeLessThan(300);
  });

  test('leaves deliveries without an ID out of -o id, and prints deep ones in every format', async () => {
    for (const format of ['id', 'yaml', 'json', 'jsonl', 'csv', 'tsv', 'table']) {
      const listening = await start(['-o', format]);
      const deep = `{"payload":{"uri":"deep"},"a":${'['.repeat(99)}${']'.repeat(99)}}`;
      expect((await post(listening.url, deep, { 'webhook-signature': signed(deep) })).status).toBe(200);
      expect((await deliver(listening.url, { event: 'no payload' })).status).toBe(200);
      expect((await deliver(listening.url)).status).toBe(200);
      expect(listening.stdout()).toContain(format === 'id' ? sample().payload.uri : 'invitee.created');
      expect((await listening.stop()).code).toBe(0);
    }
  });

  test('keeps the signing key out of everything it prints', async () => {
    const listening = await start(['-o', 'jsonl']);
    await deliver(listening.url, about('one', { name: `key ${signingKey}` }));
    const { stdout, stderr } = await listening.stop();
    expect(stdout + stderr).not.toContain(signingKey);
    expect(JSON.parse(stdout).payload.name).toBe('key [signing key]');
  });
});

describe('webhooks listen, started again', () => {
  /** How many of two deliveries each process shows. They are signed again by the time of the process. */
  const shownBy = async (waits: number[], more: WorldOptions) => {
    const flags = ['--signing-key-file', keyFile(), '-o', 'id'];
    const results = [];
    const first = await start(flags);
    await first.stop();
    const { port } = new URL(first.url);
    for (const ms of waits) {
      const clock = { ...heldClock(), now: () => someday + ms };
      const listening = await start(['--port', port, ...flags], { ...more, clock });
      const sent = ['one', 'two'].map((id) => deliver(listening.url, about(id), machineDay + ms));
      expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200]);
      results.push(await listening.stop());
    }
    return { shown: results.map(({ stdout }) => stdout.split('\n').length - 1), stderr: results[0]!.stderr };
  };

  test('shows no delivery again at the same port, for as long as its signature may be valid', async () => {
    const { shown } = await shownBy([0, 100_000, 350_000, 370_000, 380_000], { home: temporaryDirectory('home') });
    expect(shown).toEqual([2, 0, 0, 2, 0]);
  });

  test('works without a directory for its state, and says so once', async () => {
    const readOnly = await shownBy([0, 0], { env: { SCHED_STATE_DIR: '/dev/null/x' } });
    expect(readOnly.shown).toEqual([2, 2]);
    expect(readOnly.stderr.match(/After a restart, sched may show deliveries again/g)).toHaveLength(1);
    expect((await shownBy([0, 0], {})).shown).toEqual([2, 2]);
  });
});

describe('webhooks listen: refused requests', () => {
  test('are never shown, but counted by reason', async () => {
    const listening = await start();
    const body = JSON.stringify(about('secret text'));
    const send = (header: string) => post(listening.url, body, { 'webhook-signature': header });
    expect((await send(signed(body, machineDay, 'another key'))).status).toBe(401);
    expect((await send(signed(body, machineDay, 'another key'))).status).toBe(401);
    expect((await send(signed(body, machineDay - 200_000))).status).toBe(401);
    expect((await send('secret text')).status).toBe(400);
    const { stdout, stderr } = await listening.stop();
    expect(stdout).toBe('');
    expect(stderr).not.toContain('secret text');
    // Each reason is reported at most every ten seconds, and this clock stands still.
    expect(stderr.match(/Refused 1 request: .*/g)).toEqual([
      "Refused 1 request: the signature doesn't match the signing key",
      "Refused 1 request: the time of the signature is too far from this machine's clock (see --tolerance)",
      'Refused 1 request: not a signed delivery',
    ]);
    expect(stderr).toContain('Stopped: 0 deliveries received, 4 refused');
  });

  test('are old ones, unless --tolerance allows them', async () => {
    const listening = await start(['--tolerance', '10m']);
    expect((await deliver(listening.url, about('one'), machineDay - 500_000)).status).toBe(200);
    expect((await deliver(listening.url, about('two'), machineDay - 700_000)).status).toBe(401);
    await listening.stop();
  });
});

describe('webhooks listen --forward-to', () => {
  test('sends the exact bytes and headers, and answers when the handler has', async () => {
    const handler = await startHandler(204);
    const listening = await start(['--forward-to', `${handler.url}?a=b`], { terminals });
    const body = `${JSON.stringify(sample(), null, 3)}\n`;
    const headers = { 'webhook-signature': signed(body), 'x-sender': 'Zo\xeb', authorization: 'Bearer abc' };
    expect((await post(`${listening.url}some/path`, body, headers)).status).toBe(200);
    expect(handler.requests).toMatchObject([{ method: 'POST', url: '/hook?a=b', body }]);
    expect(handler.requests[0]!.headers).toMatchObject({
      'webhook-signature': headers['webhook-signature'],
      'x-sender': headers['x-sender'],
      host: `127.0.0.1:${handler.port}`,
    });
    expect(handler.requests[0]!.headers.authorization).toBeUndefined();
    expect(listening.stdout()).toMatch(/ {2}Ada Byron · Intro call {8}→ 204 in \d+ ms\n$/);
    await listening.stop();
  });

  test('forwards nothing that is refused', async () => {
    const handler = await startHandler(204);
    const listening = await start(['--forward-to', handler.url]);
    const body = JSON.stringify(sample());
    await post(listening.url, body, { 'webhook-signature': signed(body, machineDay, 'another key') });
    await post(listening.url, body, { 'webhook-signature': signed(body, machineDay - 181_000) });
    await post(listening.url, body);
    await listening.stop();
    expect(handler.requests).toEqual([]);
  });

  test('forwards and shows a double once, and answers 200', async () => {
    const handler = await startHandler(200);
    const listening = await start(['--forward-to', handler.url]);
    const statuses = [(await deliver(listening.url)).status];
    // The sender signs the delivery again.
    statuses.push((await deliver(listening.url, sample(), machineDay + 5_000)).status);
    await listening.stop();
    expect([statuses, handler.requests.length]).toEqual([[200, 200], 1]);
    expect(listening.stdout().trim().split('\n')).toHaveLength(1);
  });

  test('answers 502 if the handler fails, so that the sender repeats it, and forwards it then', async () => {
    const handler = await startHandler(500, 200);
    const listening = await start(['--forward-to', handler.url, '-o', 'jsonl']);
    expect((await deliver(listening.url)).status).toBe(502);
    expect((await deliver(listening.url, sample(), machineDay + 5_000)).status).toBe(200);
    expect((await deliver(listening.url, sample(), machineDay + 30_000)).status).toBe(200);
    expect(handler.requests).toHaveLength(2);
    const { stdout, stderr } = await listening.stop();
    const shown = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)._sched);
    expect(shown).toMatchObject([
      { attempt: 1, status: 500 },
      { attempt: 2, status: 200 },
    ]);
    expect(stderr).toContain('Stopped: 1 delivery received');
  });

  test('names a handler that is down once, and says when it answers again', async () => {
    let isDown = true;
    const send: typeof network = async () => {
      if (isDown) throw new NetworkFailure('127.0.0.1:3000', 'connection refused', false);
      return { status: 200, headers: {}, body: '' };
    };
    const more = { send, clock: virtualClock(), terminals };
    const listening = await start(['--forward-to', 'http://127.0.0.1:3000/hook?key=abc'], more);
    expect((await deliver(listening.url, about('one'))).status).toBe(502);
    expect((await deliver(listening.url, about('two'))).status).toBe(502);
    isDown = false;
    expect((await deliver(listening.url, about('three'))).status).toBe(200);
    const { stdout, stderr } = await listening.stop();
    expect(stderr.match(/The handler at http:\/\/127\.0\.0\.1:3000\/hook (is down|answers)/g)).toHaveLength(2);
    expect(stderr).not.toContain('key=abc');
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => line.split('→ ')[1]);
    expect(answers).toEqual(['connection refused', 'connection refused', '200 in 0 ms']);
  });

  test('keeps the sender waiting no longer than an interruption', async () => {
    const clock = heldClock();
    const send: typeof network = async () => {
      throw new NetworkFailure('127.0.0.1:3000', 'connection refused', false);
    };
    const listening = await start(['--forward-to', 'http://127.0.0.1:3000/'], { clock, send });
    const sent = deliver(listening.url).catch((error: Error) => error.message);
    await listening.said(/is down/);
    expect(clock.sleeping()).toEqual([500]);
    const { code, stdout } = await listening.stop();
    expect([code, stdout]).toEqual([0, '']);
    expect(await sent).toMatch(/hang up|reset/);
  });

  test('forwards many deliveries at once, without a warning of Node', async () => {
    const warnings: string[] = [];
    const warn = ({ message }: Error) => warnings.push(message);
    process.on('warning', warn);
    const held = gate();
    let waiting = 0;
    const send: typeof network = async ({ signal }) => {
      signal!.addEventListener('abort', () => {});
      waiting += 1;
      if (waiting === 20) held.release();
      await held.promise;
      return { status: 200, headers: {}, body: '' };
    };
    const listening = await start(['--forward-to', 'http://127.0.0.1:3000/'], { send });
    const sent = Array.from({ length: 20 }, (_, n) => deliver(listening.url, about(`${n}`)));
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(Array(20).fill(200));
    await listening.stop();
    process.off('warning', warn);
    expect(warnings).toEqual([]);
  });

  test('refuses its own address', async () => {
    const first = await start();
    const { port } = new URL(first.url);
    await first.stop();
    const { code, stderr } = await world.run([
      ...['webhooks', 'listen', '--port', port, '--signing-key-file', keyFile()],
      ...['--forward-to', `http://localhost:${port}/x`],
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain('error: --forward-to is the address of this listener');
    expect(stderr).not.toContain('Stopped');
  });
});

describe('webhooks listen never stops silently', () => {
  test('exits with 0 if the reader of its output is gone, and does not confirm that delivery', async () => {
    const listening = await start(['-o', 'jsonl'], { closeAfter: 0 });
    await expect(deliver(listening.url)).rejects.toThrow(/hang up|reset/);
    expect((await listening.ended).code).toBe(0);
  });

  test('reports a full disk, and does not confirm that delivery', async () => {
    const onStdout = () => {
      throw new SchedError('environment', "Can't write the output", { reason: 'ENOSPC' });
    };
    const listening = await start([], { onStdout });
    await expect(deliver(listening.url)).rejects.toThrow(/hang up|reset/);
    const { code, stderr } = await listening.ended;
    expect(code).toBe(3);
    expect(stderr).toContain("error: Can't write the output\ncause: ENOSPC");
  });

  test('shows on a terminal that it is alive', async () => {
    let tick = () => {};
    const every: WorldOptions['every'] = (milliseconds, call) => {
      if (milliseconds === 1000) tick = call;
      return () => {};
    };
    const listening = await start([], { terminals, every });
    await listening.said(/\r\x1b\[KListening on http:\/\/127\.0\.0\.1:\d+\/ · 0 received · Ctrl-C to stop/);
    await deliver(listening.url);
    await post(listening.url, '');
    tick();
    await listening.said(/\r\x1b\[KListening · 1 received · 1 refused · last 20:00:00 · Ctrl-C to stop$/);
    expect((await listening.stop()).stderr).toMatch(/\r\x1b\[KStopped: 1 delivery received, 1 refused\n$/);
  });

  test('says now and then that it is alive if the line can not be erased', async () => {
    const ticks: { milliseconds: number; call: () => void }[] = [];
    const every: WorldOptions['every'] = (milliseconds, call) => {
      ticks.push({ milliseconds, call });
      return () => {};
    };
    const listening = await start(['--accessible'], { terminals, every });
    await deliver(listening.url);
    ticks.find(({ milliseconds }) => milliseconds === 600_000)!.call();
    await listening.said(/\nListening on \S+ · 1 received · last 20:00:00\n/);
    expect((await listening.stop()).stderr).not.toContain('\r');
  });

  test('says that the machine was asleep', async () => {
    let now = someday;
    const ticks: (() => void)[] = [];
    const every: WorldOptions['every'] = (_, call) => {
      ticks.push(call);
      return () => {};
    };
    const listening = await start([], { every, clock: { ...heldClock(), now: () => now } });
    now += 5_000;
    for (const tick of ticks) tick();
    now += 12 * 60_000;
    for (const tick of ticks) tick();
    await listening.said(/This machine was asleep for about 12 minutes/);
    const { stderr } = await listening.stop();
    expect(stderr.match(/asleep/g)).toHaveLength(1);
  });
});

describe('webhooks listen reports', () => {
  test('everything that is wrong with its flags at once', async () => {
    const { code, stderr } = await world.run(
      'webhooks listen --port 70000 --bind example.com --forward-to ftp://a --tolerance soon',
    );
    expect(code).toBe(2);
    for (const flag of ['--port', '--bind', '--forward-to', '--tolerance', '--signing-key-file'])
      expect(stderr).toContain(flag);
  });

  test.each(['http://user:secret@127.0.0.1/', 'nonsense', 'file:///etc/passwd'])('a wrong handler: %s', async (url) => {
    const { code } = await world.run(['webhooks', 'listen', '--signing-key-file', keyFile(), '--forward-to', url]);
    expect(code).toBe(2);
  });

  test('a missing key, and the command that makes it', async () => {
    const { code, stderr } = await world.run('webhooks listen --signing-key-file /dev/null/none.key');
    expect(code).toBe(3);
    const missing = await world.run('webhooks listen --signing-key-file none.key');
    expect(missing.code).toBe(3);
    expect(stderr + missing.stderr).toContain('No signing key in none.key');
    expect(missing.stderr).toContain('try: sched webhooks create --url');
  });

  test('that the port is in use', async () => {
    const first = await start();
    const { port } = new URL(first.url);
    const { code, stderr } = await world.run(['webhooks', 'listen', '--port', port, '--signing-key-file', keyFile()]);
    expect(code).toBe(3);
    expect(stderr).toContain(`error: Can't listen on port ${port}\ncause: the port is in use\n`);
    expect(stderr).not.toContain('Stopped');
    await first.stop();
  });

  test('that other machines can reach it', async () => {
    const listening = await start(['--bind', '0.0.0.0']);
    expect((await listening.stop()).stderr).toContain('Other machines can reach 0.0.0.0');
  });
});
