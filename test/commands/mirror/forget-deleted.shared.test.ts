import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect } from 'vitest';
import type { Clock } from '../../../src/base/system.ts';
import type { Send } from '../../../src/http/message.ts';
import { clock as realClock } from '../../../src/node/clock.ts';
import { openConnection } from '../../../src/state/redis/redis-client.ts';
import { filesWith } from '../../support/files-with.ts';
import { type RedisServer, redis, startRedis } from '../../support/redis.ts';
import { createWorld, jsonOf, type TestWorld } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { few } from '../../support/tier.ts';
import { describeWith } from '../../support/tools.ts';

interface Person {
  email: string;
  name: string;
  event: string;
}

/** Waits for Redis as long as it takes: a busy machine may need longer than a command waits. */
const patient: Clock = {
  now: realClock.now,
  sleep: (_, signal) => once(signal!, 'abort').then(() => signal!.throwIfAborted()),
};

describeWith(redis)('mirrors of machines that share state', { timeout: 60_000 }, () => {
  let server: RedisServer;
  let world: TestWorld;
  let home: string;
  let other: string;
  let people: Person[];

  const offline: Send = async () => {
    throw new Error('a mirror sends nothing');
  };
  const mirrored = (line: string, at: string) => world.run(`--mirror ${line}`, { home: at, send: offline });
  /** Few events, so that a sync is short. */
  const syncLine = 'mirror sync --yes --since -2d --until +1d';
  const synced = async () => {
    const at = temporaryDirectory('home');
    const { code, stderr } = await world.run(syncLine, { home: at });
    expect([code, stderr]).toEqual([0, expect.stringContaining('the mirror is complete')]);
    return at;
  };
  const forgottenIn = async (at: string, { email, name, event }: Person) => {
    const { code, stdout } = await mirrored(`invitees list ${event} --json`, at);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).map((row: Person) => row.name)).toContain('Deleted invitee');
    expect([...filesWith(at, email), ...filesWith(at, name)]).toEqual([]);
  };
  /** Sends requests, and counts those that ask for a deletion. */
  const deletionsTo = (reply: Send = world.service) => {
    const sent: string[] = [];
    const send: Send = (request) => {
      if (request.url.includes('/data_compliance/')) sent.push(request.url);
      return reply(request);
    };
    return { sent, send };
  };

  beforeEach(async () => {
    server = await startRedis();
    world = await createWorld({ randomBytes, env: { SCHED_SHARED_STATE: server.url }, redisClock: patient });
    home = await synced();
    other = temporaryDirectory('home');
    cpSync(home, other, { recursive: true });
    const rows = jsonOf(await mirrored('events list --org current --with invitees --status active --json', home));
    people = rows.flatMap((row: { uri: string; _sched: { invitees: Person[] } }) =>
      row._sched.invitees.map(({ email, name }) => ({ email, name, event: row.uri.split('/').at(-1)! })),
    );
  });

  few(2, {
    'forget a person whom another machine deletes, before they answer': async () => {
      const [person] = people as [Person];
      expect(filesWith(other, person.email)).not.toEqual([]);
      const { code, stderr } = await world.run(`compliance delete ${person.email} --yes`, { home });
      expect([code, stderr]).toEqual([0, expect.stringContaining('Removed from 1 mirror on this machine')]);
      await forgottenIn(home, person);
      await forgottenIn(other, person);
      // The service still has the person.
      expect((await world.run(`${syncLine} --again`, { home: other })).code).toBe(0);
      await forgottenIn(other, person);
      await forgottenIn(await synced(), person);
    },

    'forget a person whom a machine without a mirror deletes': async () => {
      const [person] = people as [Person];
      const alone = temporaryDirectory('home');
      expect((await world.run(`compliance delete ${person.email} --yes`, { home: alone })).code).toBe(0);
      await forgottenIn(home, person);
      await forgottenIn(other, person);
    },

    'answer mirror sql without a person whom another machine deleted': async () => {
      const [person] = people as [Person];
      expect((await world.run(`compliance delete ${person.email} --yes`, { home })).code).toBe(0);
      const query = `SELECT count(*) AS count FROM invitees WHERE email = '${person.email}'`;
      expect(jsonOf(await world.run(['mirror', 'sql', query, '--json'], { home: other }))).toEqual([{ count: 0 }]);
    },

    'keep no address in Redis, and the same marks in a file': async () => {
      const [person] = people as [Person];
      await world.run(`compliance delete ${person.email} --yes`, { home });
      const connection = openConnection({ host: '127.0.0.1', port: server.port, isTls: false, database: 0 }, realClock);
      const stored = String(await connection.command('GET', 'sched:1:forgotten'));
      connection.close();
      expect(stored).toMatch(/^[\da-f]{64}\n[\w-]{43}$/);
      const file = readFileSync(join(home, '.local/state/sched/mirror/forgotten'), 'latin1');
      expect(file.split('\n').filter(Boolean)).toEqual(stored.split('\n'));
    },

    'forget nobody less after Redis has lost its data': async () => {
      const [person, second] = people as [Person, Person];
      expect((await world.run(`compliance delete ${person.email} --yes`, { home })).code).toBe(0);
      await mirrored('users me', other);
      await server.stop();
      await server.start();
      // Another key, before anybody has given back what was lost.
      const alone = temporaryDirectory('home');
      expect((await world.run(`compliance delete ${second.email} --yes`, { home: alone })).code).toBe(0);
      expect((await world.run(`${syncLine} --again`, { home: other })).code).toBe(0);
      const late = await synced();
      for (const at of [other, late]) for (const each of [person, second]) await forgottenIn(at, each);
    },

    'a person who is deleted during the first sync of another machine does not come back': async () => {
      const [person] = people as [Person];
      const late = temporaryDirectory('home');
      let isDeleted = false;
      const send: Send = async (request) => {
        const reply = await world.service(request);
        if (isDeleted || !request.url.includes(`/${person.event}/invitees`)) return reply;
        isDeleted = true;
        await world.run(`compliance delete ${person.email} --yes`, { home });
        // A reader on the same machine applies the mark, so that the sync finds it in the file.
        await mirrored('users me', late);
        return reply;
      };
      expect((await world.run(syncLine, { home: late, send })).code).toBe(0);
      expect(isDeleted).toBe(true);
      await forgottenIn(late, person);
    },

    'answer nothing while Redis is away, and forget once it is back': async () => {
      const [person] = people as [Person];
      await server.stop();
      for (const line of ['--mirror users me', 'mirror sql "SELECT 1"', 'mirror sync --yes']) {
        const { code, stdout, stderr } = await world.run(line, { home: other });
        expect([line, code, stdout]).toEqual([line, 3, '']);
        expect(stderr).toContain("Can't use the list of deleted people");
        expect(stderr).toContain('connection refused');
        expect(stderr).toContain('check SCHED_SHARED_STATE and the server');
      }
      const { send, sent } = deletionsTo();
      const refused = await world.run(`compliance delete ${person.email} --yes`, { home, send });
      expect([refused.code, sent]).toEqual([3, []]);
      expect(refused.stderr).toContain("Can't use the list of deleted people");
      expect(refused.stderr).not.toContain(person.email);
      await server.start();
      expect((await world.run(`compliance delete ${person.email} --yes`, { home })).code).toBe(0);
      await forgottenIn(other, person);
    },

    'a deletion whose mark is lost is asked for again by the same command': async () => {
      const [person] = people as [Person];
      const { send } = deletionsTo(async (request) => {
        const reply = await world.service(request);
        if (request.url.includes('/data_compliance/')) await server.stop();
        return reply;
      });
      const line = `compliance delete ${person.email} --yes`;
      const lost = await world.run(line, { home, send });
      expect(lost.code).toBe(3);
      // Without a verdict, nobody knows that it was sent: it is sent again.
      expect(filesWith(join(home, '.local/state/sched/receipts'), '"sending"')).toHaveLength(1);
      expect(filesWith(join(home, '.local/state/sched/receipts'), '"verdict"')).toEqual([]);
      expect(lost.stderr).toContain("Can't use the list of deleted people");
      await server.start();
      const again = deletionsTo();
      expect((await world.run(line, { home, send: again.send })).code).toBe(0);
      expect(again.sent).toHaveLength(1);
      await forgottenIn(home, person);
      await forgottenIn(other, person);
    },

    'each machine without shared state forgets on its own': async () => {
      const [person] = people as [Person];
      const env = { SCHED_SHARED_STATE: '' };
      expect((await world.run(`compliance delete ${person.email} --yes`, { home, env })).code).toBe(0);
      expect(readdirSync(join(home, '.local/state/sched/mirror'))).toContain('forgotten');
      await mirrored('users me', other);
      expect(filesWith(other, person.email)).not.toEqual([]);
    },
  });
});
