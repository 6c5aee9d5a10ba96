import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Send } from '../../../src/http/message.ts';
import { type Meeting, meetingsService } from '../../support/meetings-service.ts';
import { createWorld, outputs, type WorldOptions } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';

const world = await createWorld();
let home: string;
let to: string;
beforeEach(() => {
  home = temporaryDirectory('expired');
  to = join(home, 'expired.txt');
});

const expired = (age: string, more: WorldOptions = {}) =>
  world.run(['compliance', 'expired', '--older-than', age, '--to', to, '--json'], { home, ...more });

const among = async (meetings: readonly Meeting[], more: WorldOptions = {}, ignoresFilters = false) => {
  const result = await expired('24mo', { send: meetingsService(meetings, world.service, ignoresFilters), ...more });
  expect({ code: result.code, stderr: result.stderr }).toMatchObject({ code: 0 });
  expect(result.stdout + result.stderr).not.toContain('@');
  const asked = result.requests.filter(({ url }) => url.includes('/scheduled_events'));
  expect(JSON.parse(result.stdout).requests).toBe(asked.length);
  return { ...JSON.parse(result.stdout), text: readFileSync(to, 'utf8'), stderr: result.stderr };
};

// Now is 2026-11-15T18:00:00Z, so the limit is 2024-11-15T18:00:00Z.
const old = '2024-11-15T17:59:59Z';
const edge = '2024-11-15T18:00:00Z';
const upcoming = '2027-01-10T09:00:00Z';

describe('compliance expired', () => {
  test.each([
    ['applies', false],
    ['ignores', true],
  ])('writes who has only old events, if the service %s the time filters', async (_, ignoresFilters) => {
    const meetings: Meeting[] = [
      { start: '2019-01-01T09:00:00Z', emails: ['Ann@x.example', 'bob@x.example'] },
      { start: old, emails: ['ann@x.example', 'Carla@X.example', 'dan@x.example', 'eve@x.example'] },
      { start: old, status: 'canceled', emails: ['finn@x.example'] },
      { start: edge, emails: ['BOB@x.example'] },
      { start: upcoming, emails: ['carla@x.example', 'new@x.example'] },
      { start: upcoming, status: 'canceled', emails: ['dan@x.example'] },
    ];
    const found = await among(meetings, {}, ignoresFilters);
    expect(found).toMatchObject({
      expired: 3,
      old_addresses: 6,
      events: 6,
      limit: '2024-11-15T18:00:00Z',
      scope: 'organization',
      text: 'ann@x.example\neve@x.example\nfinn@x.example\n',
    });
    expect(statSync(to).mode & 0o777).toBe(0o600);
  });

  test('keeps an address if an event of it has no readable start', async () => {
    const meetings = ['', 'soon'].map((start) => ({ start, emails: ['ann@x.example'] }));
    expect(await among([{ start: old, emails: ['ann@x.example', 'bob@x.example'] }, ...meetings])).toMatchObject({
      text: 'bob@x.example\n',
    });
  });

  test('counts invitees without an address, and addresses that nobody can have', async () => {
    const emails = [
      'deleted-7@deleted.invalid',
      'x@invalid',
      'Deleted',
      null,
      7,
      'a@x.example\nb@x.example',
      'c@x.example',
    ];
    expect(await among([{ start: old, emails }])).toMatchObject({ without_address: 6, text: 'c@x.example\n' });
  });

  test('reads events with more than a page of invitees, and none without invitees', async () => {
    const emails = Array.from({ length: 201 }, (_, index) => `p${index}@x.example`);
    const found = await among([
      { start: old, emails },
      { start: old, emails: [] },
    ]);
    // Who may be read (1), the count (1), old events (1) with three pages of invitees, newer events (1).
    expect(found).toMatchObject({ expired: 201, requests: 7 });
    expect(found.stderr).toContain('Reading the invitees of 2 events: up to 6 requests');
  });

  test('reads the invitees of an event that does not say how many it has', async () => {
    const service = meetingsService([{ start: old, emails: ['ann@x.example'] }], world.service);
    const send: Send = async (request) => {
      const reply = await service(request);
      return { ...reply, body: reply.body.replaceAll('"invitees_counter"', '"other_counter"') };
    };
    expect((await expired('24mo', { send })).code).toBe(0);
    expect(readFileSync(to, 'utf8')).toBe('ann@x.example\n');
  });

  test('writes a file that compliance delete reads in full', async () => {
    const emails = [
      '"a, b"@x.example',
      '#a@x.example',
      '{a}@x.example',
      "o'neil@x.example",
      'ü@x.example',
      '-a@x.example',
    ];
    await among([{ start: old, emails }]);
    const plan = await world.run(`compliance delete --from ${to} --dry-run --json`, { home });
    expect(JSON.parse(plan.stdout)).toMatchObject({ addresses: emails.length, invalid_lines: [], comments: 0 });
  });

  test("goes by the service's clock if the own one is ahead", async () => {
    const clockAheadMs = 10 * 365 * 86_400_000;
    const withDate: Send = async (request) => {
      const reply = await world.service(request);
      return { ...reply, headers: { ...reply.headers, date: new Date(world.clock.now()).toUTCString() } };
    };
    const { stdout } = await expired('24mo', { send: withDate, clockAheadMs });
    expect(JSON.parse(stdout)).toMatchObject({ expired: 0, limit: '2024-11-15T18:00:00Z' });
  });

  test("goes by the own clock if that of a service is ahead, which isn't a sandbox", async () => {
    const send: Send = async (request) => {
      const headers = { ...request.headers, authorization: `Bearer ${world.token}` };
      const reply = await world.service({ ...request, headers });
      const date = new Date(world.clock.now() + 10 * 365 * 86_400_000).toUTCString();
      return { ...reply, headers: { ...reply.headers, date } };
    };
    const { stdout } = await expired('24mo', { send, env: { SCHED_TOKEN: 'an-ordinary-token' } });
    expect(JSON.parse(stdout).limit).toMatch(/^2023-10-11T/);
  });

  test('reads only the own events, and says so, if the token may not read the organization', async () => {
    const { code, stdout, stderr } = await expired('24mo', { env: { SCHED_TOKEN: 'sandbox_user' } });
    expect([code, JSON.parse(stdout).scope]).toEqual([0, 'user']);
    expect(stderr).toContain('Only your own events were read');
  });

  test('writes nothing if an event cannot be read', async () => {
    const service = meetingsService([{ start: old, emails: ['ann@x.example'] }], world.service);
    const send: Send = async (request) =>
      request.url.includes('/invitees')
        ? { status: 403, headers: {}, body: '{"title":"ann@x.example is private"}' }
        : service(request);
    const { code, stdout, stderr } = await expired('24mo', { send });
    expect([code, stdout]).toEqual([5, '']);
    expect(stderr).not.toContain('ann@');
    expect(existsSync(to)).toBe(false);
  });

  test('answers in words at a terminal, and names the next command', async () => {
    const send = meetingsService([{ start: old, emails: ['ann@x.example', null] }], world.service);
    const { screen } = await world.run(['compliance', 'expired', '--older-than', '2y', '--to', to, '--tz', 'UTC'], {
      home,
      send,
      terminals: outputs,
      columns: 300,
    });
    expect(screen.replaceAll(home, '~')).toBe(`Reading the invitees of 1 event: up to 3 requests
Expired addresses            1
Addresses with old events    1
Last event before            Fri 15 Nov 2024 18:00
Invitees without an address  1
Events read                  1
Requests                     5
Whose events                 the whole organization
File                         ~/expired.txt
Nothing is deleted yet. To delete their data: sched compliance delete --from ~/expired.txt --tz UTC
`);
  });

  test('says with a small rate limit how long it takes', async () => {
    const free = await createWorld({ plan: 'free' });
    const meetings = Array.from({ length: 20 }, () => ({ start: old, emails: ['ann@x.example'] }));
    const send = meetingsService(meetings, free.service);
    const { code, stderr } = await free.run(`compliance expired --older-than 1mo --to ${to}`, { home, send });
    expect(code).toBe(0);
    expect(stderr).toMatch(/Up to \d+ requests left at 10 per minute: expect to wait about \d+m /);
  });

  test.each(sample(['24m', '0d', '2', '-3d', '1.5y', '101y', ''], 3))('rejects the age %j', async (age) => {
    const { code, stderr, requests } = await expired(age);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain('--older-than must be an age such as 90d');
  });

  test('names all flags that are missing', async () => {
    const { code, stderr } = await world.run('compliance expired', { home });
    expect([code, stderr]).toEqual([2, expect.stringContaining('Missing required flags --older-than, --to')]);
  });

  test.each([
    ['an existing file', () => writeFileSync(to, 'mine'), 'it already exists'],
    ['a directory', () => mkdirSync(to), 'it already exists'],
    ['a missing directory', () => (to = join(home, 'no', 'expired.txt')), 'no such directory'],
  ])('refuses %s before it reads anything', async (_, prepare, words) => {
    prepare();
    const { code, stderr, requests } = await expired('24mo');
    expect({ code, requests }).toEqual({ code: 3, requests: [] });
    expect(stderr).toContain(words);
    if (existsSync(to) && statSync(to).isFile()) expect(readFileSync(to, 'utf8')).toBe('mine');
  });
});
