import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HttpReply, Send } from '../../../src/http/message.ts';
import { leaksIn } from '../../support/canary.ts';
import { bookingLine, plainType, slot } from '../../support/lost-replies.ts';
import { createWorld, outputs } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const person = 'canary-octavia@people.example';
const name = 'Octavia Canarini';

/** Files below a folder that have the person's address or name in any spelling. */
const filesAbout = (folder: string, own: readonly string[]): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((each) => join(folder, each))
    .filter((path) => statSync(path).isFile() && !own.includes(path))
    .filter((path) => leaksIn(readFileSync(path).toString('utf8'), [person, name]).length > 0)
    .map((path) => path.slice(folder.length + 1).replace(/[0-9a-f]{32,}/g, 'HASH'));

test('after a deletion, no byte of a person is left in what sched keeps', { timeout: 120_000 }, async () => {
  const world = await createWorld();
  const home = temporaryDirectory('kept');
  const [csv, keyFile] = [join(home, 'bookings.csv'), join(home, 'hooks.key')];
  const type = await plainType(world);
  writeFileSync(keyFile, 'the-key-of-this-handler\n');
  const received: string[] = [];
  const handler: Send = async (request) => {
    if (!request.url.startsWith('http://127.0.0.1:3999')) return world.service(request);
    received.push(request.body!);
    return { status: 204, headers: {}, body: '' };
  };
  const run = async (line: string, more = {}) => {
    const result = await world.run(line, { home, ...more });
    expect([result.code, line, result.stderr]).toEqual([expect.any(Number), line, expect.any(String)]);
    return result;
  };
  expect((await run('events follow --org current --once --until +365d -o jsonl')).code).toBe(0);
  const booked = await run(bookingLine(type, 3).replace('ada@engine.example', person).replace('Ada Byron', name));
  expect(booked.code).toBe(0);
  const { event } = JSON.parse(booked.stdout);
  // A run in which the service refuses a line, and says whose.
  const refuses: Send = async (request): Promise<HttpReply> =>
    request.method === 'POST' && request.url.endsWith('/invitees')
      ? {
          status: 400,
          headers: {},
          body: JSON.stringify({
            title: 'Invalid Argument',
            message: `${person} (${name}) is on our list`,
            details: [],
          }),
        }
      : world.service(request);
  writeFileSync(csv, `event_type,start,email,name,timezone\n${type},${slot(7)},${person},${name},UTC\n`);
  expect((await run(`invitees create --from ${csv} --yes --json`, { send: refuses })).code).toBe(11);
  const lists = ['events list --org current --with invitees', `invitees list ${event.split('/').at(-1)}`];
  for (const line of lists) expect((await run(line, { terminals: outputs })).code).toBe(0);
  expect((await run(`events move ${event.split('/').at(-1)} --to ${slot(5)} --yes`)).code).toBe(0);
  expect((await run('mirror sync --yes --since -1d')).code).toBe(0);
  expect((await run('events follow --org current --once --until +365d -o jsonl')).stdout).toContain(person);
  const target = `--forward-to http://127.0.0.1:3999/ --signing-key-file ${keyFile}`;
  await world.clock.sleep(60_000);
  expect((await run(`webhooks backfill --since -1h --org current ${target} --yes`, { send: handler })).code).toBe(0);
  expect(received.join()).toContain(person);
  const own = [csv];
  expect(filesAbout(home, own).map((path) => path.replace(/-wal$|-shm$/, '').replace(/\/[^/]*\.db$/, '/DB'))).toEqual(
    expect.arrayContaining(['.cache/sched/mirror/DB', '.cache/sched/reasons-HASH.json']),
  );

  expect((await run(`compliance delete ${person} --yes --json`)).code).toBe(0);
  // What guards the booking is a digest, and stays.
  expect(filesAbout(home, own)).toEqual([]);
  expect(readdirSync(join(home, '.local/state/sched')).toSorted()).toEqual(
    expect.arrayContaining(['backfills', 'bookings', 'follow', 'moves', 'receipts']),
  );
  await world.clock.sleep(8 * 86_400_000);
  const { receipt } = JSON.parse((await run(`compliance delete ${person} --yes --json --again`)).stdout);
  const from = join(home, 'in.txt');
  writeFileSync(from, `${person}\n`);
  await world.clock.sleep(8 * 86_400_000);
  const result = await run(`compliance recheck ${receipt} --from ${from} --json`);
  expect([result.code, JSON.parse(result.stdout).gone]).toEqual([0, 1]);
  expect(filesAbout(home, [...own, from])).toEqual([]);
});
