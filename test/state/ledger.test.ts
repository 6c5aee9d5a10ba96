import { createHash } from 'node:crypto';
import fs, { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Send } from '../../src/http/message.ts';
import { fileLedger } from '../../src/state/ledger.ts';
import { bookings, type LedgerEntry } from '../../src/state/ledger-entry.ts';
import { failing, filesWith, patched } from '../support/files-world.ts';
import { bookingLine, breaking, faults, isBooking, plainType, posts, slot } from '../support/lost-replies.ts';
import type { TestWorld } from '../support/run.ts';
import { createWorld } from '../support/run.ts';
import { temporaryDirectory } from '../support/temporary.ts';

let state: string;
beforeEach(() => {
  state = temporaryDirectory('booking');
});

/** A service that accepts the same booking twice: it books the second one in another slot. */
const twice =
  (some: TestWorld): Send =>
  async (request) =>
    some.service(isBooking(request) ? { ...request, body: request.body!.replace(slot(0), slot(9)) } : request);

// R27
describe('booking at a service with several addresses', () => {
  let world: TestWorld;
  let eventType: string;
  beforeEach(async () => {
    world = await createWorld({ env: { SCHED_STATE_DIR: state, SCHED_CACHE_DIR: state } });
    eventType = await plainType(world);
  });

  const booking = (index: number, more = '') => bookingLine(eventType, index, more);
  const named = (base: string) => ({ env: { SCHED_BASE_URL: base } });

  test.each(['http://localhost:4010', 'http://[::1]:4010', 'https://proxy.example'])(
    'treats %s as the same service',
    async (base) => {
      expect((await world.run(booking(0))).code).toBe(0);
      const second = await world.run(booking(0), named(base));
      expect([second.code, posts(second.requests)]).toEqual([0, 0]);
      const lostOne = await world.run(booking(1), {
        ...named(base),
        send: breaking(world, faults['500 before commit']),
      });
      expect(lostOne.code).toBe(10);
      const again = await world.run(booking(1));
      expect([again.code, posts(again.requests)]).toEqual([10, 0]);
    },
  );

  test('treats a sandbox at another port as another service', async () => {
    await world.run(booking(0), {
      ...named('http://127.0.0.1:4011'),
      send: breaking(world, faults['500 before commit']),
    });
    const other = await world.run(booking(0));
    expect([other.code, posts(other.requests)]).toEqual([0, 1]);
  });

  test('treats two local ports of one remote service as the same service', async () => {
    const remote: Send = async (request) => {
      const own = (text: string) => text.replaceAll('https://api.example.com', 'http://127.0.0.1:4010');
      const reply = await world.service({
        ...request,
        url: own(decodeURIComponent(request.url)),
        body: own(request.body ?? ''),
      });
      return { ...reply, body: reply.body.replaceAll('http://127.0.0.1:4010', 'https://api.example.com') };
    };
    const line = booking(0).replace('http://127.0.0.1:4010', 'https://api.example.com');
    expect((await world.run(line, { ...named('http://127.0.0.1:4011'), send: remote })).code).toBe(0);
    const second = await world.run(line, { ...named('http://127.0.0.1:4012'), send: remote });
    expect([second.code, posts(second.requests)]).toEqual([0, 0]);
  });

  test('reconciles attempts at another name of this machine', async () => {
    await world.run(booking(0), {
      ...named('http://localhost:4010'),
      send: breaking(world, faults['500 before commit']),
    });
    expect((await world.run('invitees reconcile')).code).toBe(10);
  });

  test('finds a booking at one address although one at another address was canceled', async () => {
    await world.run(booking(0));
    const other = { ...named('https://proxy.example'), send: twice(world) };
    const { event } = JSON.parse((await world.run(booking(0, '--allow-duplicate'), other)).stdout);
    await world.run(`events cancel ${event} --yes`);
    expect(posts((await world.run(booking(0), named('https://proxy.example'))).requests)).toBe(0);
  });

  test.each(['http://127.0.0.1:4010', 'http://localhost:4010'])(
    'still counts entries of version 1 at %s',
    async (origin) => {
      await world.run(booking(0));
      const [file] = readdirSync(join(state, 'bookings'));
      const path = join(state, 'bookings', file!);
      const entry = JSON.parse(readFileSync(path, 'utf8'));
      const key = [1, origin, eventType.split('/').at(-1), slot(0), 'ada@engine.example'];
      const digest = createHash('sha256').update(JSON.stringify(key)).digest('hex');
      rmSync(path);
      writeFileSync(path.replace(entry.digest, digest), JSON.stringify({ ...entry, version: 1, origin, digest }), {
        mode: 0o600,
      });
      const second = await world.run(booking(0));
      expect([second.code, posts(second.requests)]).toEqual([0, 0]);
      writeFileSync(
        path.replace(entry.digest, digest),
        JSON.stringify({ ...entry, version: 1, origin, digest, state: 'open' }),
      );
      const third = await world.run(booking(0));
      expect([third.code, JSON.parse(third.stdout)._sched]).toEqual([0, { reconciled: true }]);
    },
  );
});

describe('ledger', () => {
  const day = 86_400_000;
  const start = Date.parse('2027-02-01T10:00:00Z');
  const entry = (number: number, more: Partial<LedgerEntry> = {}): LedgerEntry => ({
    version: 2,
    digest: String(number).repeat(64),
    origin: 'https://api.example.com',
    event_type: 'X',
    start_time: new Date(start).toISOString(),
    state: 'booked',
    at: 0,
    timeoutMs: 30_000,
    pid: 1,
    ...more,
  });
  const open = () => fileLedger({ directory: join(state, 'bookings'), world: filesWith() }, bookings);

  describe('on a disk without hard links', () => {
    const { link, rename } = fs.promises;
    const claims = (count: number, more: object = {}) =>
      patched(fs.promises, { link: failing('EISDIR', 99, link), ...more }, () =>
        Promise.all(Array.from({ length: count }, () => open().claim({ number: 1, entry: entry(1) }))),
      );

    test('gives a booking to one of many processes, with a complete entry', async () => {
      expect((await claims(5)).filter(Boolean)).toEqual([true]);
      expect((await open().find([entry(1).digest])).attempts).toEqual([{ number: 1, entry: entry(1) }]);
      expect(readdirSync(join(state, 'bookings'))).toHaveLength(1);
      await expect(claims(1)).resolves.toEqual([false]);
    });

    test('keeps no name without an entry if the disk fails', async () => {
      await expect(claims(1, { rename: failing('ENOSPC', 1, rename) })).rejects.toMatchObject({
        facts: { reason: expect.stringContaining('ENOSPC') },
      });
      expect(readdirSync(join(state, 'bookings'))).toEqual([]);
    });

    test('sends nothing for a name that a killed process has left without an entry', async () => {
      await claims(1);
      const [name] = readdirSync(join(state, 'bookings'));
      writeFileSync(join(state, 'bookings', name!), '');
      await expect(open().find([entry(1).digest])).rejects.toMatchObject({ category: 'environment' });
      await expect(claims(1)).resolves.toEqual([false]);
    });
  });

  test('prunes entries over 30 days after their start, except open and damaged ones', async () => {
    const ledger = open();
    await ledger.claim({ number: 1, entry: entry(1) });
    await ledger.claim({ number: 1, entry: entry(2, { state: 'open' }) });
    await ledger.claim({ number: 1, entry: entry(3) });
    const files = () => readdirSync(join(state, 'bookings'));
    writeFileSync(join(state, 'bookings', files().find((name) => name.includes('333'))!), '{"ver');
    await ledger.claim({ number: 1, entry: entry(4, { start_time: new Date(start + day).toISOString() }) });
    await ledger.prune(start + 30 * day);
    expect(files()).toHaveLength(4);
    await ledger.prune(start + 30 * day + 1);
    expect(files().map((name) => name.split('-')[1]![0])).toEqual(['2', '3', '4']);
  });

  test('keeps an attempt while one for the same booking is open at another address', async () => {
    const ledger = open();
    await ledger.claim({ number: 1, entry: entry(1, { state: 'open' }) });
    await ledger.claim({ number: 2, entry: entry(1, { origin: 'https://eu.example.com' }) });
    await ledger.prune(start + 31 * day);
    expect(readdirSync(join(state, 'bookings'))).toHaveLength(2);
  });

  test('prunes an entry together with the note that it was missed', async () => {
    const ledger = open();
    const kept = { number: 1, entry: entry(1) };
    await ledger.claim(kept);
    await ledger.miss(kept, 500);
    await ledger.prune(start + 31 * day);
    expect(readdirSync(join(state, 'bookings'))).toEqual([]);
  });

  test('throws if it cannot be read, instead of looking empty', async () => {
    const loop = join(state, 'loop');
    symlinkSync(loop, loop);
    const ledger = fileLedger({ directory: loop, world: filesWith() }, bookings);
    await expect(ledger.find(['0'.repeat(64)])).rejects.toMatchObject({ category: 'environment' });
  });
});
