import fs, { mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Json, jsonText, parseJson } from '../../../src/base/json.ts';
import type { Send } from '../../../src/http/message.ts';
import { factsOf, openMirror, setFacts } from '../../../src/sandbox/mirror/open.ts';
import { failing, patched } from '../../support/files-world.ts';
import { createWorld, jsonOf, logIn, loginAddresses, type Result, someday, type TestWorld } from '../../support/run.ts';
import { usedHome } from '../../support/seeded.ts';
import { syncedHome } from '../../support/synced.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';

let world: TestWorld;
let home: string;

const offline: Send = async () => {
  throw new Error('a mirror sends nothing');
};
const sync = (flags = '', send?: Send) => world.run(`mirror sync --yes ${flags}`, { home, ...(send && { send }) });
/** Few events, so that a sync is short. */
const nearby = '--since -5d --until +5d';

const mirrored = (line: string, flags = '') => world.run(`--mirror ${flags} ${line}`, { home, send: offline });

const folder = () => join(home, '.cache/sched/mirror');
const mirrorFile = () => join(folder(), readdirSync(folder()).find((name) => name.endsWith('.db'))!);

const lists = ({ requests }: Result) =>
  requests.filter(({ url }) => /\/invitees(\?|$)/.test(url)).map(({ url }) => url.split('/').at(-2)!);

beforeEach(async () => {
  world = await createWorld();
  home = temporaryDirectory('home');
});

/** Lets so many requests through. */
const failingAfter = (count: number): Send => {
  let left = count;
  return async (request) => {
    if (left-- <= 0) return { status: 503, headers: {}, body: '' };
    return world.service(request);
  };
};

test('the sandbox has a mirror of its own, which needs no yes and forgets whom it has deleted', async () => {
  home = await usedHome(someday);
  const run = (line: string) => world.run(`--sandbox ${line}`, { home, env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' } });
  expect((await run('--mirror events list')).stderr).toContain('try: sched --sandbox mirror sync');
  const synced = await run(`mirror sync ${nearby}`);
  expect([synced.code, synced.stderr]).toEqual([0, expect.not.stringContaining('rate limit')]);
  const line = 'events list --org current --since -4d --until +4d --with invitees --json';
  const mirrored = await run(`--mirror ${line}`);
  expect(mirrored.stderr).toContain('sandbox, mirror, ');
  expect(mirrored.stdout).toBe((await run(line)).stdout);
  const [, email] = /"email": "([^"]+)"/.exec(mirrored.stdout)!;
  expect((await run(`compliance delete ${email} --yes`)).stderr).toContain('Removed from 1 mirror');
  expect((await run(`--mirror ${line}`)).stdout).not.toContain(email!);
  // The mirror of an account on the same machine is another file.
  expect((await world.run('--mirror events list', { home })).code).toBe(3);
}, 60_000);

test('a sync that was cut off continues, and reads no list of invitees twice', async () => {
  const line = 'events list --org current --with invitees --since -4d --until +4d --json';
  const seen: string[] = [];
  for (let round = 0; ; round += 1) {
    const result = await sync(round === 0 ? nearby : '', failingAfter(80));
    seen.push(...lists(result).slice(0, result.code === 0 ? undefined : -3));
    const store = await openMirror(mirrorFile());
    expect(store.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    store.close();
    if (result.code === 0) break;
    expect(result.code).toBe(9);
    expect(round).toBeLessThan(10);
    expect((await mirrored(line)).stderr).toContain('not complete');
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect((await mirrored(line)).stdout).toBe((await world.run(line, { home })).stdout);
});

test('an unexpected reply about one event is reported, and the rest is mirrored', async () => {
  const events = jsonOf(await world.run('events list --org current --since -4d --until +4d --json')) as {
    uri: string;
  }[];
  const [odd, empty] = events.map(({ uri }) => uri.split('/').at(-1)!) as [string, string];
  const strange: Send = async (request) => {
    if (request.url.includes(`${empty}/invitees`)) return { status: 200, headers: {}, body: '{"collection":5}' };
    const reply = await world.service(request);
    return { ...reply, body: reply.body.replaceAll(odd, `${odd} x`) };
  };
  const result = await sync(nearby, strange);
  expect([result.code, result.stderr]).toEqual([
    13,
    expect.stringContaining('The mirror is complete, but for 2 lists'),
  ]);
  const wrong = `an event has the ID \\"${odd} x\\", which can't be part of a path`;
  expect(result.stderr).toMatch(/uri: an event has the ID|collection/);
  const line = 'events list --org current --with invitees --since -4d --until +4d --json';
  const plain = 'events list --org current --since -4d --until +4d --json';
  expect(jsonOf(await mirrored(plain))).toHaveLength(events.length);
  // Nobody is shown as an event without people.
  const asked = await mirrored(line);
  expect([asked.code, asked.stderr]).toEqual([13, expect.stringContaining(wrong)]);
  // The service is mended.
  await world.clock.sleep(1000);
  expect((await sync()).code).toBe(0);
  const ids = (rows: { uri: string }[]) => rows.map(({ uri }) => uri);
  const mended = await mirrored(line);
  expect([mended.code, mended.stderr]).toEqual([0, expect.any(String)]);
  expect(ids(jsonOf(mended))).toEqual(ids(events));
});

test('a list of invitees that was refused is asked for again by the next sync', async () => {
  const refusing: Send = async (request) =>
    /\/invitees(\?|$)/.test(request.url)
      ? { status: 404, headers: {}, body: '{"title":"Not found"}' }
      : world.service(request);
  expect((await sync(nearby, refusing)).code).toBe(0);
  const line = 'events list --org current --with invitees --since -4d --until +4d --json';
  expect((await mirrored(line)).code).toBe(6);
  await world.clock.sleep(90_000);
  expect((await sync()).code).toBe(0);
  expect(jsonOf(await mirrored(line))).toEqual(jsonOf(await world.run(line, { home })));
});

test('a page token that expires while the events are read is no problem', async () => {
  let expired = 0;
  const stale: Send = async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (!pathname.endsWith('/scheduled_events')) return world.service(request);
    if (!searchParams.has('page_token'))
      return world.service({ ...request, url: request.url.replace('count=100', 'count=20') });
    expired += 1;
    const details = [{ parameter: 'page_token', message: 'has expired' }];
    return { status: 400, headers: {}, body: JSON.stringify({ title: 'Invalid Argument', details }) };
  };
  expect((await sync('--since -20d --until +20d', stale)).code).toBe(0);
  expect(expired).toBeGreaterThan(3);
  const line = 'events list --org current --with invitees --since -19d --until +19d --json';
  expect((await mirrored(line)).stdout).toBe((await world.run(line, { home })).stdout);
});

test('a later sync reads the invitees of events that have just ended, and of those that changed', async () => {
  const first = await sync(nearby);
  const second = await sync();
  expect(lists(first).length).toBeGreaterThan(20);
  expect(lists(second).length).toBeLessThan(lists(first).length / 4);
  const [event] = jsonOf(await world.run('events list --upcoming --limit 1 --json', { home }));
  const id = event.uri.split('/').at(-1);
  expect(lists(second)).not.toContain(id);
  expect((await world.run(`events cancel ${id} --yes`, { home })).code).toBe(0);
  expect(jsonOf(await mirrored(`events get ${id} --json`)).status).toBe('active');
  expect(lists(await sync())).toContain(id);
  expect(jsonOf(await mirrored(`events get ${id} --json`)).status).toBe('canceled');
});

test('the window can grow and shrink, and events outside of it are removed', async () => {
  home = await syncedHome(world);
  const all = jsonOf(await world.run('mirror status --json', { home }));
  await sync('--since -7d --until +7d');
  const few = jsonOf(await world.run('mirror status --json', { home }));
  expect(few.events).toBeLessThan(all.events);
  expect(few.missing_lists).toBe(0);
  expect((await mirrored('events list --since -30d --json')).code).toBe(2);
  // It reaches as far as before.
  await sync();
  expect(jsonOf(await world.run('mirror status --json', { home })).events).toBe(few.events);
});

test('a window that shrinks is smaller at once, and one that grows has all of its activity', async () => {
  await sync('--since -6d --until +1d');
  const line = 'events list --org current --since -5d --until +1h --json';
  expect((await mirrored(line)).code).toBe(0);
  await world.clock.sleep(60_000);
  const isInvitees = /\/invitees(\?|$)/;
  const failing: Send = async (request) =>
    isInvitees.test(request.url) ? { status: 503, headers: {}, body: '' } : world.service(request);
  expect((await sync('--since -4d --until +1d', failing)).code).toBe(9);
  const { code, stdout } = await mirrored(line);
  expect([code, stdout]).toEqual([2, '']);
  await sync('--since -9d --until +1d');
  const log = 'activity list --since -8d --json';
  expect((await mirrored(log)).stdout).toBe((await world.run(log, { home })).stdout);
});

test('--for ends cleanly', async () => {
  let requests = 0;
  const slow: Send = async (request) => {
    requests += 1;
    await world.clock.sleep(1000);
    return world.service(request);
  };
  const { code, stderr } = await sync(`${nearby} --for 80s`, slow);
  expect(stderr).toContain('Stopped after 1m 20s. The next sync continues');
  expect(code).toBe(0);
  expect(requests).toBeLessThan(90);
  expect((await sync()).code).toBe(0);
});

test('with 10 requests a minute it sends at most 5 in any minute, and commands beside it never wait', async () => {
  world = await createWorld({ plan: 'free' });
  const { clock } = world;
  const at: number[] = [];
  const beside: unknown[] = [];
  const send: Send = async (request) => {
    at.push(clock.now());
    const reply = await world.service(request);
    // One at a time, it needs a while for each.
    await clock.sleep(400);
    if (at.length % 7 === 0) {
      const slept = clock.slept.length;
      const { code } = await world.run('users me --json', {
        home,
        randomBytes: (size) => new Uint8Array(size).fill(1),
      });
      beside.push([code, clock.slept.length - slept]);
    }
    return reply;
  };
  expect((await sync('--since -2d --until +2d', send)).stderr).toContain('the mirror is complete');
  expect(at.length).toBeGreaterThan(60);
  for (const start of at)
    expect(at.filter((time) => time >= start && time < start + 60_000).length).toBeLessThanOrEqual(5);
  expect(beside.length).toBeGreaterThan(8);
  expect(new Set(beside.map(String))).toEqual(new Set(['0,0']));
});

test('without a terminal, the first sync needs --yes, and nothing is kept without it', async () => {
  const { code, stderr } = await world.run('mirror sync', { home });
  expect(code).toBe(12);
  expect(stderr).toContain('sched mirror sync --yes');
  expect(readdirSync(home, { recursive: true }).filter((name) => String(name).endsWith('.db'))).toEqual([]);
});

test('its files are private, whatever the umask is, and backups leave them out', async () => {
  const before = process.umask(0);
  try {
    await sync(nearby);
  } finally {
    process.umask(before);
  }
  expect(statSync(folder()).mode & 0o777).toBe(0o700);
  const modes = readdirSync(folder()).map((name) => [name, statSync(join(folder(), name)).mode & 0o777]);
  expect(modes.filter(([, mode]) => mode !== 0o600)).toEqual([]);
  expect(readdirSync(folder())).toContain('CACHEDIR.TAG');
});

test('links are refused', async () => {
  mkdirSync(join(home, '.cache/sched'), { recursive: true, mode: 0o700 });
  symlinkSync(temporaryDirectory('elsewhere'), folder());
  const { code, stderr } = await sync();
  expect(stderr).toContain('symbolic link');
  expect(code).toBe(3);
});

test('a directory that can not be written to is no internal error', async () => {
  const { writeFileSync } = fs;
  const { code, stderr } = await patched(fs, { writeFileSync: failing('ENOSPC', 1, writeFileSync) }, () => sync());
  expect(stderr).toContain("Can't write");
  expect(stderr).toContain('CACHEDIR.TAG');
  expect(code).toBe(3);
});

test('a mirror of another account is neither changed nor read', async () => {
  home = await syncedHome(world);
  const store = await openMirror(mirrorFile());
  const facts = factsOf(store)!;
  setFacts(store, { ...facts, user: 'http://127.0.0.1:4010/users/OTHER' });
  store.close();
  const { code, stderr } = await sync();
  expect(stderr).toContain('This is the mirror of http://127.0.0.1:4010/users/OTHER');
  expect(code).toBe(7);
});

test('a second sync is refused with the process that runs', async () => {
  let second: Result | undefined;
  await sync(nearby, async (request) => {
    second ??= await sync(nearby, world.service);
    return world.service(request);
  });
  expect(second!.stderr).toContain('Another process syncs this mirror');
  expect(second!.code).toBe(7);
});

test("lists have the service's own order, and records all digits of its numbers", async () => {
  const send: Send = async (request) => {
    const reply = await world.service(request);
    if (request.method !== 'GET' || !/groups|routing_forms|invitees|event_types/.test(request.url)) return reply;
    const body = parseJson(reply.body) as Json;
    const more = (record: unknown) => ({ ...(record as Json), number: 2n ** 70n });
    const changed = Array.isArray(body.collection)
      ? { ...body, collection: body.collection.reverse().map(more) }
      : { resource: more(body.resource) };
    return { ...reply, body: jsonText(changed) };
  };
  await sync('--since -5d --until +30d', send);
  const [event] = jsonOf(await world.run('event-types list --org current --json', { home }))
    .filter(({ kind }: Json) => kind === 'group')
    .map(({ uri }: Json) => uri);
  const events = jsonOf(await mirrored('events list --org current --json'));
  const full = events.find((each: Json) => each.event_type === event && (each.invitees_counter as Json).total !== 1);
  const group = jsonOf(await mirrored('groups list --json'))[0]
    .uri.split('/')
    .at(-1);
  for (const line of [
    'groups list --json',
    'routing-forms list --json',
    `groups get ${group} --json`,
    `event-types get ${event.split('/').at(-1)} --json`,
    `invitees list ${full.uri.split('/').at(-1)} --json`,
  ]) {
    const { stdout } = await world.run(line, { home, send });
    expect(stdout).toContain('1180591620717411303424');
    expect((await mirrored(line)).stdout).toBe(stdout);
  }
});

test('a login that lacks a scope mirrors the rest, and the mirror refuses what the service refuses', async () => {
  const env = { SCHED_TOKEN: '' };
  await logIn(world, loginAddresses, { home, env });
  const { code, stderr } = await world.run('mirror sync --yes --since -1d --until +1d', { home, env });
  expect(stderr).toContain('the mirror is complete');
  expect(code).toBe(0);
  expect(jsonOf(await world.run('mirror status --json', { home, env })).not_read).toEqual(['activity.list']);
  const log = await world.run('--mirror activity list', { home, env, send: offline });
  expect(log.stderr).toContain('activity_log:read');
  expect([log.code, log.stdout]).toEqual([5, '']);
  expect((await world.run('activity list', { home, env })).code).toBe(5);
});

test('logging out and removing a profile say that a mirror stays, and how to delete it', async () => {
  const env = { SCHED_TOKEN: '' };
  const note = /A mirror of this account stays on this machine. To delete it: (sched mirror delete .*)\n/;
  await logIn(world, [...loginAddresses, '--profile', 'work'], { home, env });
  await world.run('mirror sync --yes --since -1h --until +1h', { home, env });
  for (const line of ['auth logout', 'profiles remove work --yes']) {
    const { code, stderr } = await world.run(line, { home, env });
    expect(stderr).toMatch(note);
    expect(code).toBe(0);
    if (line === 'auth logout') continue;
    const deletion = note.exec(stderr)![1]!.replace('sched ', '');
    expect((await world.run(`${deletion} --yes`, { home, env })).code).toBe(0);
    expect(readdirSync(folder())).toEqual(['CACHEDIR.TAG']);
  }
  await world.run('profiles add work --base-url http://127.0.0.1:4010', { home, env });
  expect((await world.run('profiles remove work --yes', { home, env })).stderr).not.toMatch(note);
});

describe('what each sync sees', () => {
  /** Has all events of these days, so that moves and deletions show too. */
  const all = 'events list --org current --since 2026-10-20 --until 2026-12-10 --with invitees --json';
  const differs = async (line: string) => (await mirrored(line)).stdout !== (await world.run(line, { home })).stdout;
  const change = async (line: string | string[], at = home) => {
    const { code, stderr } = await world.run(line, { home: at });
    expect([code, stderr]).toEqual([0, expect.anything()]);
  };

  interface Person {
    uri: string;
    email: string;
    status: string;
    no_show: { uri: string } | null;
  }

  /** Somebody who was invited in these days, and has a no-show or none. */
  const personOf = async (days: string, isMissed: boolean): Promise<Person> => {
    const rows = jsonOf(await world.run(`events list --org current ${days} --with invitees --json`, { home }));
    return rows
      .flatMap((row: { _sched: { invitees: Person[] } }) => row._sched.invitees)
      .find(({ status, no_show }: Person) => status === 'active' && (no_show !== null) === isMissed);
  };
  const long = '--since -25d --until -15d';
  const recent = '--since -10d --until now';

  /** A token that may not read the activity log. */
  const withoutLog: Send = async (request) =>
    request.url.includes('/activity_log') ? { status: 403, headers: {}, body: '{}' } : world.service(request);

  beforeEach(async () => {
    home = await syncedHome(world);
    // What is read in the same millisecond was read by the next sync.
    await world.clock.sleep(60_000);
  });

  const changes: [what: string, change: string, line: string][] = [
    ['a removed member', 'members remove jonas.weber@northlight.example --yes', 'members list --json'],
    [
      'a changed event type',
      'event-types update "Support call" --name "Help call"',
      'event-types list --org current --json',
    ],
    ['a new invitation', 'invitations create --email new@engine.example --yes', 'invitations list --json'],
    ['a cancellation', 'events cancel next --yes', all],
    ['a move', 'events move --tomorrow --shift +3w --tz Europe/Paris --yes', all],
    [
      'a booking',
      'invitees create --event-type "Support call" --first-free --since tomorrow --email new@engine.example --name "New Person" --timezone Europe/Paris --yes',
      all,
    ],
  ];

  test.each(sample(changes, 2))('the next one sees %s', async (_, line, shown) => {
    await change(line);
    expect(await differs(shown)).toBe(true);
    expect((await sync('', withoutLog)).code).toBe(0);
    expect(await differs(shown)).toBe(false);
  });

  test('a no-show of the last 14 days, and one that is undone: the next', async () => {
    const [come, missed] = [await personOf(recent, false), await personOf(recent, true)];
    await change(['invitees', 'no-show', come.uri, '--yes']);
    await change(['api', 'DELETE', `/invitee_no_shows/${missed.no_show!.uri.split('/').at(-1)}`, '--yes']);
    await sync('', withoutLog);
    expect(await differs(all)).toBe(false);
  });

  const old = 'events list --org current --since 2026-10-20 --until 2026-11-01 --with invitees --json';
  const later: [when: string, flags: string, days: number, send: () => Send][] = [
    ['the next with the activity log', '', 0, () => world.service],
    ['--again', '--again', 0, () => withoutLog],
    ['one after 30 days', '', 30, () => withoutLog],
  ];
  test.each(sample(later, 1))('a no-show of an older event: %s', async (_, flags, days, send) => {
    await change(['invitees', 'no-show', (await personOf(long, false)).uri, '--yes']);
    if (send() === withoutLog) await sync('', withoutLog);
    expect(await differs(old)).toBe(true);
    await world.clock.sleep(days * 86_400_000);
    await sync(flags, send());
    expect(await differs(old)).toBe(false);
  });

  test('a person whom the service has deleted for somebody else: the next with the activity log', async () => {
    const { email } = await personOf(long, false);
    await change(`compliance delete ${email} --yes`, temporaryDirectory('home'));
    await world.clock.sleep(8 * 86_400_000);
    expect(await differs(all)).toBe(true);
    await sync();
    expect(await differs(all)).toBe(false);
    expect((await mirrored(all)).stdout).not.toContain(email);
  });
});
