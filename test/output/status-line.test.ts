import { describe, expect, test } from 'vitest';
import { SchedError } from '../../src/base/errors.ts';
import { createSecrets } from '../../src/base/redact.ts';
import type { Clock } from '../../src/base/system.ts';
import type { Send } from '../../src/http/message.ts';
import { withStatusLine } from '../../src/output/status-line.ts';
import type { Runtime } from '../../src/runtime.ts';
import { createWorld, outputs, replying, someday, type WorldOptions } from '../support/run.ts';

/** A clock whose timers fire each second, and that advances only if a test lets time pass. */
const tickingClock = () => {
  let now = someday;
  const calls = new Set<() => void>();
  const pass = (seconds: number): void => {
    const end = now + seconds * 1000;
    for (let next = now - (now % 1000) + 1000; next <= end; next += 1000) {
      now = next;
      for (const call of calls) call();
    }
    now = end;
  };
  const clock: Clock = {
    now: () => now,
    sleep: async (milliseconds) => pass(milliseconds / 1000),
  };
  const every: Runtime['every'] = (_, call) => {
    calls.add(call);
    return () => calls.delete(call);
  };
  return { clock, every, pass, calls };
};

const clearLine = '\r\x1b[K';

/** The lines that a terminal shows in the end. */
const screenOf = (written: string): string[] => written.split('\n').map((line) => line.split(clearLine).at(-1)!);

/** What the status line showed, one text after another. */
const frames = (written: string): string[] =>
  written
    .split(clearLine)
    .slice(1)
    .filter((text) => text !== '' && !text.includes('\n'));

const world = await createWorld();

/** Runs a command against the sandbox, where each reply takes this many seconds. */
const runSlowly = async (line: string, seconds: number, more: WorldOptions = {}) => {
  const { clock, every, pass, calls } = tickingClock();
  const send: Send = async (request) => {
    pass(seconds);
    return (more.send ?? world.service)(request);
  };
  const result = await world.run(line, { terminals: ['stderr'], clock, every, ...more, send });
  expect(calls.size).toBe(0);
  return result;
};

const me = 'users me -o id';

describe('the status line', () => {
  test('says after a second which service the command waits for, counts the seconds, and is erased', async () => {
    const { stdout, stderr } = await runSlowly(me, 3);
    expect(frames(stderr)).toEqual([1, 2, 3].map((second) => `waiting for 127.0.0.1:4010… ${second} s`));
    expect(screenOf(stderr)).toEqual(['']);
    expect(stdout).toMatch(/^\S+\n$/);
  });

  test('is not shown for a request that takes less than a second', async () => {
    expect((await runSlowly(me, 0)).stderr).toBe('');
  });

  test.each<[string, WorldOptions, string]>([
    ['in a pipe', { terminals: [] }, me],
    ['in CI', { env: { CI: 'true' } }, me],
    ['with --quiet', {}, `${me} --quiet`],
    ['with JSON errors', { env: { SCHED_ERROR_FORMAT: 'json' } }, me],
  ])('is not shown %s', async (_, options, line) => {
    expect((await runSlowly(line, 30, options)).stderr).toBe('');
  });

  test('is erased before an error', async () => {
    const send = replying({ status: 404, body: '{}' });
    const { code, stderr } = await runSlowly('events get NOSUCHEVENT', 2, { send });
    expect(code).toBe(6);
    expect(frames(stderr)).toHaveLength(2);
    expect(screenOf(stderr).join('\n')).toMatch(/^error: .*\n/);
    expect(screenOf(stderr).join('\n')).not.toContain('waiting');
  });

  test('is erased when the command is interrupted', async () => {
    const controller = new AbortController();
    const send: Send = async () => {
      controller.abort(new SchedError('interrupted', 'Interrupted'));
      throw controller.signal.reason;
    };
    const { code, stderr } = await runSlowly(me, 2, { send, interrupted: controller.signal });
    expect(code).toBe(130);
    expect(frames(stderr)).toHaveLength(2);
    expect(screenOf(stderr)).toEqual(['error: Interrupted', '']);
  });

  test('is erased before output on the same terminal', async () => {
    const { screen } = await runSlowly('users me --fields name', 2, {
      terminals: outputs,
    });
    expect(frames(screen)).toHaveLength(2);
    expect(screenOf(screen).join('\n')).toMatch(/^name\s+Amara/);
  });

  test('counts the rows of a long list that goes to a file', async () => {
    const { stderr } = await runSlowly('events list -o id --org current --page-size 10 --limit 40', 1);
    expect(frames(stderr)).toContain('10 rows, waiting for 127.0.0.1:4010… 1 s');
    expect(frames(stderr)).toContain('20 rows, waiting for 127.0.0.1:4010… 1 s');
    expect(screenOf(stderr)).toEqual(['Showing 40 of the events. For more: --all or --limit N', '']);
  });

  test('shows the number of rows alone while rows keep arriving', async () => {
    let page = 0;
    const rows = Array.from({ length: 600 }, (_, index) => ({ uri: `https://api.example.com/things/${index}` }));
    const send: Send = async (request) => {
      if (!request.url.includes('/scheduled_events')) return world.service(request);
      page += 1;
      const body = { collection: rows, pagination: { next_page_token: page < 6 ? `page${page}` : null } };
      return replying({ body: JSON.stringify(body) })(request);
    };
    const { code, stderr } = await runSlowly('events list --org current -o jsonl', 0.4, { send });
    expect(code).toBe(0);
    expect(frames(stderr)).toEqual(['waiting for 127.0.0.1:4010… 1 s', '1,200 rows…']);
    expect(screenOf(stderr)).toEqual(['']);
  });

  test('prints plain lines with --accessible: one at first, then one every 10 seconds', async () => {
    const { stderr } = await runSlowly(`${me} --accessible`, 25);
    expect(stderr).toBe([1, 11, 21].map((second) => `waiting for 127.0.0.1:4010… ${second} s\n`).join(''));
    expect((await runSlowly(me, 25, { env: { TERM: 'dumb' } })).stderr).toBe(stderr);
  });

  test('counts down a wait for the rate limit, and names the zone of its end', async () => {
    let requests = 0;
    const send: Send = async (request) => {
      requests += 1;
      return requests === 1
        ? replying({ status: 429, headers: { 'retry-after': '3' } })(request)
        : world.service(request);
    };
    const { code, stderr } = await runSlowly(`${me} --tz Europe/Paris`, 0, { send });
    expect(code).toBe(0);
    expect(frames(stderr)).toEqual(
      [3, 2, 1].map((left) => `Rate limit reached: waiting ${left} s, until 20:00:03 Europe/Paris`),
    );
    expect(screenOf(stderr)).toEqual(['']);
    requests = 0;
    const narrow = await runSlowly(`${me} --tz Europe/Paris`, 0, { send, columns: 40 });
    expect(frames(narrow.stderr)[0]).toBe('waiting 3 s');
    requests = 0;
    const plain = await runSlowly(`${me} --tz Europe/Paris --accessible`, 0, { send });
    expect(plain.stderr).toBe('Rate limit reached: waiting 3 s, until 20:00:03 Europe/Paris\n');
  });
});

describe('a draft', () => {
  const draftOf = (frame: string): string[] =>
    frame
      .replaceAll(/\x1b\[(K|J|\d+A)/g, '')
      .split('\n')
      .slice(0, -1);
  const erased = /^\r\x1b\[\d+A\x1b\[J$/;

  /** Every text on the terminal, with the requests and the seconds before it. */
  const watchDrafts = async (line: string, more: WorldOptions = {}) => {
    const { clock, every, pass } = tickingClock();
    const { run, service } = await createWorld();
    const texts: { text: string; requests: number; seconds: number }[] = [];
    let requests = 0;
    const send: Send = async (request) => {
      requests += 1;
      pass(1);
      return (more.send ?? service)(request);
    };
    const see = (text: string) => texts.push({ text, requests, seconds: (clock.now() - someday) / 1000 });
    const options = { terminals: outputs, rows: 40, clock, every, send, onStdout: see, onStderr: see };
    const result = await run(line, { ...options, ...more, send });
    const drafts = texts.filter(({ text }) => text.endsWith('\x1b[J') && !erased.test(text));
    return { ...result, drafts, texts, seconds: (clock.now() - someday) / 1000 };
  };

  test.each([
    ['events list --limit 12', /Intro call|Consultation|Strategy/],
    ['events agenda --since tomorrow', /Week 47/],
    ['members list', /Amara Lindqvist/],
    ['groups list', /Leadership/],
  ])('shows the first rows of %s before what is only added to them is read', async (line, row) => {
    const { drafts, stdout, requests } = await watchDrafts(line);
    const [first] = drafts;
    expect(first!.text).toMatch(row);
    expect(first!.requests).toBeLessThanOrEqual(2);
    expect(first!.seconds).toBeLessThanOrEqual(2);
    expect(requests.length).toBeGreaterThan(first!.requests);
    expect(stdout).toMatch(row);
  });

  test('fills in names as they come, and is erased before the list is printed', async () => {
    const { drafts, texts, stdout } = await watchDrafts('events list --limit 12');
    const named = drafts.map(({ text }) => draftOf(text).filter((line) => / \d+ invitees? /.test(line)).length);
    expect(named[0]).toBeGreaterThan(4);
    expect(named.at(-1)).toBeLessThan(3);
    expect(named).toEqual(named.toSorted((a, b) => b - a));
    const last = texts.findIndex(({ text }) => text.startsWith('Your events'));
    expect(texts[last - 1]!.text).toMatch(erased);
    expect(stdout.split('\n').map((line) => line.trimEnd())).toEqual(
      expect.arrayContaining(draftOf(drafts.at(-1)!.text).slice(1, 3)),
    );
  });

  test('fits the screen, so that all of it can be erased', async () => {
    const { drafts } = await watchDrafts('events list', { rows: 12, env: { PAGER: 'cat' } });
    expect(drafts.map(({ text }) => draftOf(text).length)).toEqual(drafts.map(() => 10));
  });

  test.each<[string, string, WorldOptions]>([
    ['in a pipe', '', { terminals: ['stderr'] }],
    ['with --accessible', '--accessible', {}],
    ['in CI', '', { env: { CI: 'true' } }],
    ['with JSON', '--json', {}],
    ['on a screen of five lines', '', { rows: 5 }],
  ])('is not shown %s', async (_, flag, more) => {
    expect((await watchDrafts(`events list --limit 12 ${flag}`, more)).drafts).toEqual([]);
  });

  test('leaves ten requests a minute to other commands, and waits for nothing', async () => {
    const { service } = await createWorld();
    let left = 10;
    const send: Send = async (request) => {
      left -= 1;
      const reply = await service(request);
      const limit = { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': String(left), 'x-ratelimit-reset': '60' };
      return { ...reply, headers: { ...reply.headers, ...limit } };
    };
    for (const line of ['events list', 'events agenda', 'members list', 'groups list']) {
      left = 10;
      const { requests, seconds, stdout } = await watchDrafts(line, { send });
      expect(requests.length).toBeLessThanOrEqual(5);
      // Each request takes a second, and nothing else does.
      expect(seconds).toBe(requests.length);
      expect(stdout).not.toBe('');
    }
  });
});

describe('withStatusLine', () => {
  /** A runtime whose terminal and requests a test controls. */
  const open = (options: { columns?: number; nameOf?: (host: string) => string } = {}) => {
    const { every, clock, pass } = tickingClock();
    let written = '';
    const output = {
      isTerminal: true,
      columns: options.columns ?? 80,
      write: async (text: string) => {
        written += text;
      },
    };
    let reply: () => void = () => {};
    const send: Send = () =>
      new Promise((resolve) => {
        reply = () => resolve({ status: 200, headers: {}, body: '' });
      });
    const keyboard = {
      isTerminal: true,
      line: async () => {
        pass(5);
        return 'y';
      },
    };
    const base = { every, clock, keyboard, stdout: output, stderr: output, send, sendToEnd: send };
    const pager = { ...output, write: async () => {}, close: async () => {} };
    const runtime = withStatusLine(
      { ...base, secrets: createSecrets(), openPager: async () => pager } as unknown as Runtime,
      { isPlain: false, nameOf: options.nameOf ?? ((host) => host) },
    );
    const ask = () => runtime.send({ method: 'GET', url: 'https://api.example.com/x', headers: {} });
    return { runtime, ask, pass, reply: () => reply(), written: () => written };
  };

  test('starts again with a second of silence after other output', async () => {
    const { runtime, ask, pass, reply, written } = open();
    const asked = ask();
    pass(2);
    await runtime.stderr.write('a note\n');
    pass(1);
    reply();
    await asked;
    await runtime.status!.end();
    expect(frames(written())).toEqual([
      'waiting for api.example.com… 1 s',
      'waiting for api.example.com… 2 s',
      'waiting for api.example.com… 1 s',
    ]);
    expect(screenOf(written())).toEqual(['a note', '']);
  });

  test('keeps away from prompts and pagers', async () => {
    const { runtime, ask, pass, written } = open();
    void ask();
    await runtime.keyboard.line();
    const pager = (await runtime.openPager!(['less']))!;
    pass(5);
    expect(written()).toBe('');
    await pager.close();
    pass(1);
    expect(frames(written())).toEqual(['waiting for api.example.com… 1 s']);
  });

  test('is erased while no request is in flight', async () => {
    const { ask, pass, reply, written } = open();
    const asked = ask();
    pass(1);
    reply();
    await asked;
    pass(1);
    expect(screenOf(written())).toEqual(['']);
  });

  test('contains no control byte of a host, and is never wider than the terminal', async () => {
    const hostile = `a\x1b]0;x\x07\n\r\x9b2J\u202e${'long.'.repeat(40)}`;
    for (const columns of [1, 5, 20, 40, 300]) {
      const { runtime, ask, pass, written } = open({ columns, nameOf: () => hostile });
      void ask();
      pass(1);
      runtime.status!.countDown(60, (left) => [`${hostile}: ${left} s`]);
      for (const frame of written().split(clearLine)) {
        expect(frame).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/);
        expect(frame.length).toBeLessThan(Math.max(columns, 2));
      }
    }
  });
});
