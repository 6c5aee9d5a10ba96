import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { HttpReply, Send } from '../../src/http/message.ts';
import { createWorld, outputs } from '../support/run.ts';
import { usedHome } from '../support/seeded.ts';
import { temporaryDirectory } from '../support/temporary.ts';

let world: Awaited<ReturnType<typeof createWorld>>;
beforeEach(async () => {
  const directory = temporaryDirectory('ratelimit');
  world = await createWorld({ env: { SCHED_STATE_DIR: directory, SCHED_CACHE_DIR: directory } });
});

/** A service that allows this many more requests in the current minute. */
const leaving = (remaining: number, reset = 60, status = 200): Send => {
  let left = remaining;
  return async (): Promise<HttpReply> => {
    left -= 1;
    return {
      status: left < 0 ? 429 : status,
      headers: {
        'x-ratelimit-limit': '10',
        'x-ratelimit-remaining': String(Math.max(0, left)),
        'x-ratelimit-reset': String(reset),
      },
      body: JSON.stringify({ resource: { uri: 'http://127.0.0.1:4010/users/U' } }),
    };
  };
};

describe('ratelimit', () => {
  test('that ends in a day: the next command fails at once with the time to retry, and sends nothing', async () => {
    const send = leaving(1, 86_400);
    expect((await world.run('users me', { send })).code).toBe(0);
    const second = await world.run('users me --json', { send });
    expect(second).toMatchObject({ code: 8, requests: [] });
    const { error } = JSON.parse(second.stderr.trim().split('\n').at(-1)!);
    expect(error).toMatchObject({ code: 'rate-limited', retryable: true, retry_after_s: 86_400 });
    const shown = JSON.parse((await world.run('ratelimit --json', { send })).stdout);
    expect(shown).toMatchObject([{ window: 'requests a minute', limit: 10, remaining: 0 }]);
  });

  test('sends nothing, and says so when nothing is known', async () => {
    const { code, stdout, stderr, requests } = await world.run('ratelimit --json', { terminals: ['stderr'] });
    expect({ code, stdout: JSON.parse(stdout), requests }).toEqual({ code: 0, stdout: [], requests: [] });
    expect(stderr).toContain('No rate limit is known yet');
  });

  test('says that --sandbox remembers no rate limit', async () => {
    const { code, stderr } = await world.run('ratelimit --sandbox', {
      terminals: outputs,
      columns: 80,
      home: await usedHome(world.clock.now()),
      env: { SCHED_STATE_DIR: '' },
    });
    expect(code).toBe(0);
    expect(stderr).toBe('[sandbox]\nSingle --sandbox commands have no rate limit. To try one: sched sandbox start\n');
  });

  test('shows what earlier commands have learned', async () => {
    await world.run('users me', { send: leaving(7) });
    const { stdout, requests } = await world.run('ratelimit --json');
    expect(requests).toEqual([]);
    expect(JSON.parse(stdout)).toEqual([
      {
        window: 'requests a minute',
        limit: 10,
        remaining: 6,
        reset_at: '2025-10-11T18:01:00.000Z',
        reset_s: 60,
        waiting: [],
      },
    ]);
    expect((await world.run('ratelimit')).stdout).toContain('\t60\t');
    expect((await world.run('ratelimit --json=limit,remaining')).stdout).toContain('"limit": 10');
  });

  test('is a gauge on a terminal, also with several limits, and words for a screen reader', async () => {
    await world.run('users me', { send: leaving(7) });
    const book = 'invitees create --event-type "Intro call" --email ada@engine.example --name Ada --timezone UTC';
    for (const start of ['10:00', '11:00']) await world.run(`${book} --start 2027-02-01T${start}:00Z`);
    const shown = async (columns: number, more = '', env = {}) => {
      const at = { terminals: outputs, columns, env };
      return (await world.run(`ratelimit --tz UTC --color never ${more}`, at)).stdout;
    };
    const lines = (await shown(80)).trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(1);
    expect(lines[0]).toMatch(/^Requests a minute {2}█+░+ {2}\d+ of \d+ used {2}resets in 1m 00s, at 18:01:00$/);
    expect(lines.at(-1)).toMatch(/^Bookings an? \w+ +█+░+ {2}2 of \d+ used/);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(await shown(40)).not.toMatch(/█/);
    expect(await shown(80, '', { LANG: 'C' })).toMatch(/ {2}#+-+ {2}/);
    expect(await shown(80, '--accessible')).toMatch(/^Window: requests a minute\nLimit: \d+\nRemaining: /);
  });

  test('is separate for each token', async () => {
    await world.run('users me', { send: leaving(7) });
    const { stdout } = await world.run('ratelimit --json', { env: { SCHED_TOKEN: 'another' } });
    expect(JSON.parse(stdout)).toEqual([]);
  });
});

// R40
describe('a service without rate limit headers', () => {
  test('gets at most 500 requests per minute, and the wait says why', async () => {
    let page = 0;
    const send: Send = async () => {
      page += 1;
      const next = page < 501 ? `T${page}` : null;
      return {
        status: 200,
        headers: {},
        body: JSON.stringify({ collection: [{ page }], pagination: { next_page_token: next } }),
      };
    };
    const { code, stderr, requests } = await world.run('api /things --paginate -o jsonl --tz UTC', { send });
    expect([code, requests.length]).toEqual([0, 501]);
    expect(JSON.parse(stderr).note).toBe(
      'The service states no rate limit, so requests are limited to 500 per minute: waiting 60 s, until 18:01:00 UTC',
    );
  });
});

// R29
describe('an exhausted rate limit', () => {
  test('makes the command wait, and the note says until when', async () => {
    await world.run('users me', { send: leaving(1, 42) });
    const { code, stderr } = await world.run('users me --tz UTC', { send: leaving(1) });
    expect(code).toBe(0);
    expect(stderr).toBe('Rate limit reached: waiting 42 s, until 18:00:42 UTC\n');
  });

  test('is noted as a long wait if it takes more than a minute', async () => {
    await world.run('users me', { send: leaving(1, 75) });
    const { stderr } = await world.run('users me', { send: leaving(1) });
    expect(stderr).toContain('waiting 75 s (more than a minute)');
  });

  test('has its total waiting time announced once, if the number of requests is known', async () => {
    const line = 'events list --limit 40 --page-size 1 -o id --org current --tz UTC';
    const free = await createWorld({ plan: 'free' });
    const { code, stdout, stderr } = await free.run(line);
    const lines = stderr.trim().split('\n');
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(40);
    expect(lines[0]).toBe('Up to 32 requests left at 10 per minute: expect to wait about 4m 00s');
    expect(lines.filter((each) => each.includes('expect to wait'))).toHaveLength(1);
    expect(lines.filter((each) => each.startsWith('Rate limit reached: waiting'))).toHaveLength(4);
    const short = await free.run(line.replace('40', '12'));
    expect(short.stderr).not.toContain('expect to wait');
  });

  test('has its waiting time announced for a bulk run', async () => {
    const home = temporaryDirectory('ratelimit');
    const free = await createWorld({ plan: 'free', home });
    const { stdout } = await free.run('events list --status active --upcoming --limit 25 -o id');
    await free.clock.sleep(61_000);
    const file = join(home, 'events.txt');
    writeFileSync(file, stdout);
    const { code, stderr } = await free.run(`events cancel --from ${file} --yes --json`);
    expect(code).toBe(0);
    expect(stderr).toContain(' requests left at 10 per minute: expect to wait about ');
  });

  test.each([
    ['--no-wait', 30],
    ['--max-wait 20s', 30],
    ['', 100],
    ['', 86_400],
  ])('exits with 8 and the time to retry, and sends nothing: %s, %i s', async (flags, reset) => {
    await world.run('users me', { send: leaving(1, reset) });
    const { code, stderr, requests } = await world.run(`users me --json ${flags}`, { send: leaving(9) });
    expect({ code, requests }).toEqual({ code: 8, requests: [] });
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'rate-limited',
      retryable: true,
      retry_after_s: reset,
      outcome: 'not-sent',
    });
  });

  test('reports the time to retry, and does not suggest --max-wait for a whole day', async () => {
    await world.run('users me', { send: leaving(1, 86_400) });
    const { stderr } = await world.run('users me', { send: leaving(9) });
    expect(stderr).toContain('more requests are allowed in 86400 s, at 2025-10-12T18:00:00Z');
    expect(stderr).not.toContain('--max-wait');
  });

  test.each(['--no-wait', '--max-wait 0s'])('does not suggest --max-wait to a user who typed %s', async (flags) => {
    await world.run('users me', { send: leaving(1, 30) });
    const { stderr } = await world.run(`users me ${flags}`, { send: leaving(9) });
    expect(stderr).toContain('at 2025-10-11T18:00:30Z\n');
    expect(stderr).not.toContain('try:');
  });

  test("says with -v that the budget is not shared if it can't be written", async () => {
    const env = { SCHED_STATE_DIR: '/dev/null/sched' };
    const { code, stderr } = await world.run('users me -v', { env });
    expect(code).toBe(0);
    expect(stderr).toContain('The rate budget is not shared');
  });
});
