import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Send } from '../../src/http/message.ts';
import { clock as realClock } from '../../src/node/clock.ts';
import { identityOf } from '../../src/state/processes.ts';
import { openConnection } from '../../src/state/redis/redis-client.ts';
import { connect } from '../support/mcp-client.ts';
import { redis, startRedis } from '../support/redis.ts';
import { createWorld, type Result, type TestWorld, terminals, type WorldOptions } from '../support/run.ts';
import { isDeep } from '../support/tier.ts';
import { describeWith } from '../support/tools.ts';
import { copyOf, filesIn } from './old-files.ts';

/*
 * Homes in which commands of an older version were killed. `write-unfinished.js` wrote them; this version goes on. In
 * `npm test`, only with the newest.
 */

interface Move {
  name: string;
  event: string;
  from: string;
  to: string;
  flags: string[];
}

interface Facts {
  now: number;
  moves: Move[];
  deletion: { run: string; head: string };
  /** URIs of invitees. */
  followed: string[];
  backfill: { since: string; delivered: string[] };
  bulk: { people: string[]; starts: string[] };
  bulkMove: { events: string[]; to: string[] };
  digest: string;
  off: string;
  lost: string;
  lostOnRedis: string;
  moveOnRedis: Move;
}

const folderOf = new URL('unfinished/', import.meta.url).pathname;
const [minute, day] = [60_000, 24 * 3_600_000];
const phases = ['Planned', 'Booked', 'Canceling', 'Canceled', 'CancelFirst', 'Booking', 'BookedLast'];

/** A text, or members of a sorted set, each with its score behind it. */
interface RedisKey {
  ttl: number;
  value: string | string[];
}

const versions = readdirSync(folderOf).sort(new Intl.Collator('en', { numeric: true }).compare);

describe.each(isDeep ? versions : versions.slice(-1))('unfinished work of version %s', (version) => {
  let folder: string;
  let facts: Facts;
  let world: TestWorld;
  let run: TestWorld['run'];
  beforeEach(async () => {
    folder = copyOf(version, folderOf);
    const { host, boot, space } = await identityOf({ platform: 'linux', host: 'test', pid: 1, isAlive: () => true });
    for (const path of filesIn(folder)) {
      if (path.endsWith('.gz')) {
        writeFileSync(path.replace(/\.gz$/, ''), gunzipSync(readFileSync(path)), { mode: 0o600 });
        rmSync(path);
        continue;
      }
      const text = readFileSync(path, 'utf8');
      const names = { MACHINE: host, BOOT: boot, SPACE: space, '"host":"HOST"': '"host":"test"' };
      writeFileSync(
        path,
        Object.entries(names).reduce((rest, [name, mine]) => rest.replaceAll(name, mine), text),
      );
    }
    facts = JSON.parse(readFileSync(join(folder, 'facts.json'), 'utf8'));
    const directories = ['config', 'state', 'cache'].map((kind) => [
      `SCHED_${kind.toUpperCase()}_DIR`,
      join(folder, kind),
    ]);
    world = await createWorld({
      file: join(folder, 'sandbox.db'),
      start: facts.now + 10 * minute,
      // The times in the files are those of a machine whose clock was right.
      clockAheadMs: 0,
      home: folder,
      env: { ...Object.fromEntries(directories), SCHED_TOKEN: 'sandbox_owner', TZ: 'UTC' },
      systemZone: 'UTC',
    });
    run = world.run;
  });

  /** When each person has active bookings, as the service shows it. */
  const bookings = async (): Promise<Record<string, string[]>> => {
    const { stdout } = await run('events list --any-time --rows invitees --all -o tsv');
    const found: Record<string, string[]> = {};
    for (const line of stdout.trim().split('\n')) {
      const [start = '', , status, , , , name = ''] = line.split('\t');
      found[name] = [...(found[name] ?? []), ...(status === 'active' ? [start.replace('.000Z', 'Z')] : [])];
    }
    return found;
  };

  const inFolder = (name: string) => join(folder, name);

  test('opens the sandbox, restores the snapshot, and reads the exported world', async () => {
    const sandbox = (words: string) => run(`sandbox ${words} --data ${inFolder('sandbox.db')}`);
    const before = await bookings();
    expect(before).toMatchObject({ Rex: [facts.moveOnRedis.from, facts.moveOnRedis.to], Fay: [facts.bulk.starts[0]] });
    const deleted = await run(`events cancel ${facts.bulkMove.events[1]} --yes`);
    expect([deleted.code, (await bookings()).Pia]).toEqual([0, []]);
    const restored = await sandbox('snapshot restore base --yes');
    expect([restored.code, await bookings()], restored.stderr).toEqual([0, before]);
    const again = await sandbox(`reset --seed ${inFolder('exported-world.yaml')} --yes`);
    expect([again.code, Object.keys(await bookings()).sort()], again.stderr).toEqual([0, Object.keys(before).sort()]);
  });

  /** Runs a command until it says what happened: a booking on its way is looked up again after some minutes. */
  const finish = async (line: string[], more: WorldOptions = {}) => {
    let result = await run(line, more);
    for (let again = 0; result.code === 10 && again < 3; again += 1) {
      await world.clock.sleep(5 * minute);
      // A newer booking shows that the list doesn't lag behind.
      const start = new Date(facts.now + (40 + again) * day).toISOString();
      await run(
        `invitees create --event-type Review --start ${start} --name New --email new@example.com --timezone UTC`,
      );
      result = await run(line, more);
    }
    return result;
  };

  const move = ({ event, to, flags }: Move, more?: WorldOptions) =>
    finish(['events', 'move', event, '--to', to, ...flags, '--yes', '--json'], more);

  test.each(phases)('finishes a move that was killed at: %s', async (name) => {
    const killed = facts.moves.find((each) => each.name === name)!;
    const { code, stderr } = await move(killed);
    expect([code, (await bookings())[name]], stderr).toEqual([0, [killed.to]]);
  });

  const sent = ({ requests }: Pick<Result, 'requests'>, path: RegExp) =>
    requests.filter(({ method, url }) => method !== 'GET' && path.test(url)).length;

  const lists = ({ requests }: Result) => requests.filter(({ url }) => /\/invitees\?/.test(url)).length;

  describe.runIf(existsSync(join(folderOf, version, 'mcp.log')))('of newer kinds', () => {
    const inviteesIn = (lines: string) =>
      [...lines.matchAll(/"uri":"([^"]*\/invitees\/[^"]+)"/g)].map(([, uri]) => uri!);
    const rows = 'events list --any-time --all --rows invitees -o tsv';
    /** The URIs of all invitees. */
    const shown = async (ask: TestWorld['run']) =>
      [...(await ask(rows)).stdout.matchAll(/\S+\/invitees\/\S+/g)].map(([uri]) => uri).sort();
    const find = (name: string) => facts.moves.find((each) => each.name === name)!;

    test.each(['Back', 'Ended'])('a move whose new time was refused: %s', async (name) => {
      const { code, requests } = await move(find(name));
      expect([code, sent({ requests }, /./), (await bookings())[name]]).toEqual([7, 0, [find(name).from]]);
    });

    test('a move that has ended', async () => {
      const { code, stdout, requests } = await move(find('Done'));
      expect([code, JSON.parse(stdout)._sched.already, sent({ requests }, /./)]).toEqual([0, true, 0]);
    });

    test('a protected profile asks before each write', async () => {
      const own = { env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' } };
      const line = `events cancel ${find('Planned').event} --yes -p prod`;
      const [asked, said] = [await run(line, own), await run(`${line} --profile-is prod`, own)];
      expect([asked.code, sent(asked, /./), said.code, sent(said, /./)]).toEqual([12, 0, 0, 1]);
    });

    test('follows bookings where it stopped: nothing twice, nothing missing', async () => {
      const { stdout } = await run('events follow --once -o jsonl');
      const created = stdout.split('\n').filter((line) => line.includes('"event":"invitee.created"'));
      const printed = [...facts.followed, ...inviteesIn(created.join('\n'))];
      expect(printed.toSorted()).toEqual(await shown(run));
    });

    test('sends a handler what it has not accepted', async () => {
      const handler = 'http://127.0.0.1:4013/';
      const line = `webhooks backfill --since ${facts.backfill.since} --forward-to ${handler} --yes --json`;
      const delivered: string[] = [...facts.backfill.delivered];
      const send: Send = async (request) => {
        if (request.url !== handler) return world.service(request);
        if (request.body!.includes('"invitee.created"')) delivered.push(...inviteesIn(request.body!));
        return { status: 204, headers: {}, body: '' };
      };
      const { stdout, stderr } = await run(`${line} --signing-key-file ${inFolder('hooks.key')}`, { send });
      expect(stderr).toContain('3 accepted earlier');
      expect(JSON.parse(stdout)).toMatchObject({ failed: 0, left: 0 });
      expect(delivered.toSorted()).toEqual(await shown(run));
    });

    test('continues a look for deleted people', async () => {
      const send: Send = (request) =>
        world.service({ ...request, url: request.url.replace(/invitee_email=[^&]*&?/, '') });
      const line = `compliance recheck ${facts.deletion.run} --from ${inFolder('gone.txt')} --json`;
      const continued = await run(line, { send });
      expect(continued.stderr).toContain('Resuming run');
      expect([continued.code, JSON.parse(continued.stdout)]).toEqual([11, expect.objectContaining({ present: 2 })]);
      // Three were read before the kill.
      expect(lists(await run(line, { send })) - lists(continued)).toBe(3);
    });

    test('reads a mirror, forgets who was deleted, and continues its sync', async () => {
      const read: TestWorld['run'] = (line) =>
        run(`--mirror ${line}`, { send: () => Promise.reject(new Error('a mirror sends nothing')) });
      expect((await read(rows)).code).toBe(3);
      expect((await read('events list --any-time --all -o id')).stdout.trim().split('\n')).toHaveLength(25);
      const continued = await run('mirror sync');
      expect([continued.code, continued.stderr]).toEqual([0, expect.not.stringContaining('people, event types')]);
      // What came after the killed sync had read the list of events.
      expect((await run('mirror sync')).code).toBe(0);
      expect(await shown(read)).toEqual(await shown(run));
      for (const name of ['tea', 'uwe', 'ivy']) expect((await read(rows)).stdout).not.toContain(`${name}@`);
    });

    test('continues the log of tools', async () => {
      const log = inFolder('mcp.log');
      const { close } = await connect(world, `--allow-writes --log ${log}`);
      await close();
      const { code, stdout } = await run(`compliance verify ${log} --sandbox --json`);
      expect([code, JSON.parse(stdout)]).toEqual([
        11,
        expect.objectContaining({ status: 'incomplete', total: 2, accepted: 1, unknown: 1 }),
      ]);
    });
  });

  const resumed = ({ code, stderr }: Result) => {
    expect(stderr).toMatch(/^Resuming run /m);
    expect(code, stderr).toBe(0);
  };

  test('resumes a bulk booking, a deletion, a cancellation and a move: nothing is sent again', async () => {
    const booked = await run(`invitees create --event-type Review --from ${inFolder('people.csv')} --yes`);
    resumed(booked);
    expect(sent(booked, /\/invitees$/)).toBe(1);
    const deleted = await run(`compliance delete --from ${inFolder('leave.txt')} --batch-size 1 --yes --confirm 3`);
    resumed(deleted);
    expect(sent(deleted, /invitee_deletion/)).toBe(2);
    const canceled = await run(`events cancel --from ${inFolder('cancel.txt')} --yes`);
    resumed(canceled);
    // The one that was on its way is sent again, as R34 says.
    expect(sent(canceled, /cancellation$/)).toBe(2);
    const moved = await run(`events move --from ${inFolder('moves.csv')} --yes`);
    resumed(moved);
    expect(sent(moved, /\/invitees$/)).toBe(1);
    const [{ people, starts }, found] = [facts.bulk, await bookings()];
    expect(people.map((name) => found[name])).toEqual(starts.map((start) => [start]));
    expect([found.Lea, found.Max, found.Ned, found.Oda, found.Pia]).toEqual([
      [],
      [],
      [],
      ...facts.bulkMove.to.map((start) => [start]),
    ]);
  });

  test('knows the interrupted deletion, and verifies its receipt when it is done', async () => {
    const runs = async () =>
      JSON.parse((await run('compliance runs --json')).stdout) as { run: string; status: string }[];
    expect((await runs())[0]!.status).toBe('incomplete');
    await run(`compliance delete --from ${inFolder('leave.txt')} --batch-size 1 --yes --confirm 3`);
    const id = (await runs())[0]!.run;
    const verified = await run(`compliance verify ${id} --json`);
    // A sandbox made it, so it proves nothing.
    expect([verified.code, JSON.parse(verified.stdout)]).toEqual([
      13,
      expect.objectContaining({ status: 'sandbox', total: 3, accepted: 3 }),
    ]);
  });

  test('creates what is missing of a configuration, and nothing twice', async () => {
    const { code, requests, stderr } = await run(`config apply ${inFolder('team.yaml')} --yes --allow create`);
    expect(code, stderr).toBe(0);
    expect(sent({ requests } as Result, /\/event_types$/)).toBe(1);
    const names = (await run('event-types list --all -o jsonl --jq .name')).stdout.trim().split('\n');
    expect(names.filter((name) => ['One', 'Two', 'Three'].includes(name)).sort()).toEqual(['One', 'Three', 'Two']);
  });

  test('makes the changes of a plan that was shown before', async () => {
    const { code, stderr } = await run(`config apply ${inFolder('plan.yaml')} --confirm ${facts.digest}`);
    expect(code, stderr).toBe(0);
    expect(JSON.parse((await run('event-types get Tour --json')).stdout).duration).toBe(90);
  });

  test('takes the rest of a day off', async () => {
    const { code, stderr } = await run(`availability off ${facts.off} --yes`);
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/already off: \w{3} \d+ Dec \(1 of 4 schedules\)/);
    expect((await run(`availability off ${facts.off} --yes`)).stderr).toContain('all schedules are off on');
  });

  test('finds a booking whose reply was lost', async () => {
    const again = await run(
      `invitees create --event-type Review --start ${facts.lost} --name Sue --email sue@example.com --timezone UTC --json`,
    );
    expect([again.code, sent(again, /\/invitees$/)], again.stderr).toEqual([0, 0]);
    expect(JSON.parse(again.stdout)._sched.reconciled).toBe(true);
  });

  test('takes the beginning of an ID that was shown, and completes names without a request', async () => {
    const [shown] = readdirSync(inFolder('cache')).filter((name) => name.startsWith('shown-'));
    const { records } = JSON.parse(readFileSync(join(folder, 'cache', shown!), 'utf8')) as { records: string[] };
    const id = records[0]!.split('/')[1]!;
    const { code, stdout } = await run(`events get ${id.slice(0, 6)} -o id`, { terminals });
    expect([code, stdout.trim()]).toEqual([0, expect.stringContaining(id)]);
    // The names are fresh for some minutes only.
    const inTime = { now: () => facts.now, sleep: () => new Promise<void>(() => {}) };
    const completed = await run(['__complete', 'event-types', 'get', 'Rev'], { clock: inTime });
    expect([completed.stdout, completed.requests]).toEqual([expect.stringContaining('Review'), []]);
  });

  describeWith(redis)('on Redis', () => {
    test('finds a booking and finishes a move that another machine began', async () => {
      const { url, port } = await startRedis();
      const connection = openConnection({ host: '127.0.0.1', port, isTls: false, database: 0 }, realClock);
      const keys = JSON.parse(readFileSync(inFolder('redis.json'), 'utf8')) as Record<string, RedisKey>;
      for (const [key, { ttl, value }] of Object.entries(keys)) {
        if (typeof value === 'string') await connection.command('SET', key, value);
        else await connection.command('ZADD', key, ...value.toReversed());
        await connection.command('PEXPIRE', key, String(ttl));
      }
      connection.close();
      const shared = { env: { SCHED_SHARED_STATE: url } };
      const start = facts.lostOnRedis;
      const again = await run(
        `invitees create --event-type Review --start ${start} --name Quin --email quin@example.com --timezone UTC --json`,
        shared,
      );
      expect([again.code, sent(again, /\/invitees$/)], again.stderr).toEqual([0, 0]);
      const moved = await move(facts.moveOnRedis, shared);
      expect([moved.code, (await bookings()).Rex], moved.stderr).toEqual([0, [facts.moveOnRedis.to]]);
    });
  });
});
