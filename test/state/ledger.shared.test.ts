import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clock as realClock } from '../../src/node/clock.ts';
import { fileLedger, type Ledger } from '../../src/state/ledger.ts';
import { bookings, type LedgerEntry } from '../../src/state/ledger-entry.ts';
import { ledgerKey, redisLedger } from '../../src/state/redis/ledger.ts';
import { openConnection, type RedisConnection } from '../../src/state/redis/redis-client.ts';
import { createServerClock } from '../../src/state/redis/server-clock.ts';
import { filesWith } from '../support/files-world.ts';
import { engines, startRedis } from '../support/redis.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { runs } from '../support/tier.ts';

const day = 86_400_000;
const start = Date.parse('2099-02-01T10:00:00Z');

const entry = (digit: number, more: Partial<LedgerEntry> = {}): LedgerEntry => ({
  version: 2,
  digest: String(digit).repeat(64),
  origin: 'https://api.example.com',
  event_type: 'https://api.example.com/event_types/X',
  start_time: new Date(start + digit * day).toISOString(),
  state: 'open',
  at: 1_700_000_000_000,
  timeoutMs: 30_000,
  pid: 1,
  ...more,
});

interface Place {
  name: string;
  /** Opens an empty ledger. Each call of the result is another process, or another machine with its own clock. */
  newLedger(): Promise<(skewMs?: number) => Ledger>;
}

const files: Place = {
  name: 'files',
  newLedger: async () => {
    const directory = join(temporaryDirectory(), 'bookings');
    return () => fileLedger({ directory, world: filesWith() }, bookings);
  },
};

const connections = new Map<string, Promise<RedisConnection>>();
const connectionTo = (engine: string): Promise<RedisConnection> => {
  const opened =
    connections.get(engine) ??
    startRedis([], engine).then(({ port }) =>
      openConnection({ host: '127.0.0.1', port, isTls: false, database: 0 }, realClock),
    );
  connections.set(engine, opened);
  return opened;
};

const redisPlace = (engine: string): Place => ({
  name: engine,
  newLedger: async () => {
    const connection = await connectionTo(engine);
    await connection.command('FLUSHALL');
    return (skewMs = 0) =>
      redisLedger(
        {
          connection,
          clock: createServerClock({ now: () => realClock.now() + skewMs }),
          host: `machine ${skewMs}`,
        },
        bookings,
      );
  },
});

/** What both ledgers show. Redis adds the machine, and its times are rounded. */
const shown = ({ number, entry: { host: _, at: __, ...rest } }: { number: number; entry: LedgerEntry }) => ({
  number,
  entry: rest,
});
const byNumber = (kept: { number: number; entry: LedgerEntry }[]) =>
  kept.map(shown).toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));

// R27
describe.each([files, ...engines.map(redisPlace)])('ledger in $name', ({ newLedger }) => {
  test('gives a booking to one of many processes', async () => {
    const open = await newLedger();
    for (const number of [1, 2]) {
      const claims = await Promise.all(Array.from({ length: 20 }, () => open().claim({ number, entry: entry(1) })));
      expect(claims.filter((isFirst) => isFirst)).toHaveLength(1);
    }
    expect((await open().find([entry(1).digest])).last).toBe(2);
  });

  test('shows another process what one has written', async () => {
    const open = await newLedger();
    const kept = { number: 1, entry: entry(1) };
    await open().claim(kept);
    const { attempts } = await open().find([entry(1).digest]);
    expect(attempts.map(shown)).toEqual([shown(kept)]);
    const booked = entry(1, { state: 'booked', event: 'E', invitee: 'I' });
    await open().replace({ number: 1, entry: booked });
    expect((await open().find([entry(1).digest])).attempts.map(shown)).toEqual([shown({ number: 1, entry: booked })]);
    expect(await open().find([entry(2).digest])).toEqual({ last: 0, attempts: [] });
  });

  test('shows the last attempt for each address of the service', async () => {
    const open = await newLedger();
    const elsewhere = 'https://eu.example.com';
    await open().claim({ number: 1, entry: entry(1, { state: 'refused' }) });
    await open().claim({ number: 2, entry: entry(1, { origin: elsewhere }) });
    await open().claim({ number: 3, entry: entry(1, { state: 'booked' }) });
    const { last, attempts } = await open().find([entry(1).digest]);
    expect(last).toBe(3);
    expect(attempts.map(({ number }) => number).toSorted()).toEqual([2, 3]);
    expect((await open().open(elsewhere)).map(({ number }) => number)).toEqual([2]);
    expect(await open().open('https://api.example.com')).toEqual([]);
  });

  test('finds open attempts, and bookings by the start of their meeting', async () => {
    const open = await newLedger();
    for (const digit of [1, 2, 3])
      await open().claim({ number: 1, entry: entry(digit, { at: 1e12 + digit * 60_000 }) });
    await open().replace({ number: 1, entry: entry(2, { state: 'booked' }) });
    const digits = async (found: Promise<{ entry: LedgerEntry }[]>) =>
      (await found).map((kept) => kept.entry.digest[0]);
    expect(await digits(open().open('https://api.example.com'))).toEqual(['1', '3']);
    expect((await digits(open().between(start + day, start + 3 * day))).toSorted()).toEqual(['1', '2']);
    expect(await digits(open().between(start + 3 * day, start + 3 * day))).toEqual([]);
    expect(await digits(open().between(start + 3 * day, start + 3 * day + 1))).toEqual(['3']);
  });

  test("notes when an attempt was first missed, and again after the service's clock was set back", async () => {
    const open = await newLedger();
    const kept = { number: 1, entry: entry(1) };
    await open().claim(kept);
    expect([await open().miss(kept, 500), await open().miss(kept, 900)]).toEqual([500, 500]);
    expect([await open().miss(kept, 400), await open().miss(kept, 900)]).toEqual([400, 400]);
    expect((await open().find([entry(1).digest])).attempts.map(shown)).toEqual([shown(kept)]);
  });
});

const operation = fc.record({
  what: fc.constantFrom('claim', 'replace', 'miss', 'find', 'open', 'between'),
  digit: fc.integer({ min: 1, max: 3 }),
  number: fc.integer({ min: 1, max: 3 }),
  state: fc.constantFrom('open' as const, 'booked' as const, 'refused' as const),
  origin: fc.constantFrom('https://api.example.com', 'http://localhost:4010', 'http://127.0.0.1:4010'),
  time: fc.integer({ min: 0, max: 5 }),
});

describe.each(engines.map(redisPlace))('ledger in $name', ({ name, newLedger }) => {
  test('answers as the one in files does, whatever happens', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 25 }), async (operations) => {
        const [inFiles, inRedis] = [await files.newLedger(), await newLedger()];
        for (const { what, digit, number, state, origin, time } of operations) {
          const kept = { number, entry: entry(digit, { state, origin }) };
          const answer = async (ledger: Ledger): Promise<unknown> => {
            if (what === 'claim') return ledger.claim(kept);
            if (what === 'miss') return ledger.miss(kept, time);
            if (what === 'open') return byNumber(await ledger.open(origin));
            if (what === 'between') return byNumber(await ledger.between(start + time * day, start + number * day));
            const { last, attempts } = await ledger.find([kept.entry.digest]);
            // Only an attempt that was claimed is replaced.
            if (what === 'replace' && number <= last) await ledger.replace(kept);
            return { last, attempts: byNumber(attempts) };
          };
          expect({ what, answer: await answer(inRedis()) }).toEqual({ what, answer: await answer(inFiles()) });
        }
      }),
      runs(10, 60),
    );
  }, 60_000);

  test('shows each machine the time by its own clock', async () => {
    const open = await newLedger();
    const [ahead, behind] = [open(day), open(-day)];
    const sent = realClock.now();
    await ahead.claim({ number: 1, entry: entry(1, { at: sent + day }) });
    const [kept] = (await behind.find([entry(1).digest])).attempts;
    expect(Math.abs(kept!.entry.at - (sent - day))).toBeLessThan(1000);
    expect(kept!.entry.host).toBe(`machine ${day}`);
  });

  test('lets bookings expire 30 days after their meeting, and never before it', async () => {
    const open = await newLedger();
    const connection = await connectionTo(name);
    await open().claim({ number: 1, entry: entry(1) });
    await open().claim({ number: 1, entry: entry(2, { state: 'booked' }) });
    const ttl = async (key: string) => Number(await connection.command('TTL', ledgerKey(bookings, key)));
    const left = (until: number) => (until - realClock.now()) / 1000;
    for (const digit of [1, 2])
      expect(Math.abs((await ttl(entry(digit).digest)) - left(start + digit * day + 30 * day))).toBeLessThan(60);
    // The indexes stay as long as their last booking.
    expect(await ttl('starts')).toBeGreaterThan(left(start + 2 * day + 29 * day));
    expect(await ttl('open')).toBeGreaterThan(left(start + day + 29 * day));
    // A meeting in the past, by the server's clock.
    await open().claim({ number: 1, entry: entry(3, { start_time: '2020-01-01T00:00:00Z' }) });
    expect(await ttl(entry(3).digest)).toBeGreaterThan((29 * day) / 1000);
  });

  test('keeps no bookings in its indexes that have expired', async () => {
    const open = await newLedger();
    const connection = await connectionTo(name);
    await open().claim({ number: 1, entry: entry(1, { start_time: '2020-01-01T00:00:00Z' }) });
    await connection.command('DEL', ledgerKey(bookings, entry(1).digest));
    await open().claim({ number: 1, entry: entry(2) });
    expect(await connection.command('ZRANGE', ledgerKey(bookings, 'starts'), '0', '-1')).toEqual([entry(2).digest]);
    expect(await connection.command('ZRANGE', ledgerKey(bookings, 'open'), '0', '-1')).toEqual([entry(2).digest]);
  });

  const damages: [string, string][] = [
    ['text', '{"ver'],
    ['nothing', '{}'],
    ['a number', '7'],
    ['an entry without a state', JSON.stringify({ attempts: { 1: { ...entry(1), state: undefined } }, missed: {} })],
    [
      'a time out of range',
      JSON.stringify({ attempts: { 1: entry(1) }, missed: {} }).replace('1700000000000', '1e999'),
    ],
    ['a list', JSON.stringify({ attempts: [entry(1), 2], missed: [] })],
  ];

  test.each(damages)('throws if an entry is damaged, instead of looking empty: %s', async (_, text) => {
    const open = await newLedger();
    const connection = await connectionTo(name);
    await open().claim({ number: 1, entry: entry(1) });
    await connection.command('SET', ledgerKey(bookings, entry(1).digest), text);
    const refused = { category: 'environment', message: 'A booking ledger entry is damaged' };
    await expect(open().find([entry(1).digest])).rejects.toMatchObject(refused);
    await expect(open().open('https://api.example.com')).rejects.toMatchObject(refused);
    await expect(open().claim({ number: 2, entry: entry(1) })).rejects.toMatchObject(refused);
  });

  test('throws if a key has another type', async () => {
    const open = await newLedger();
    const connection = await connectionTo(name);
    await connection.command('LPUSH', ledgerKey(bookings, entry(1).digest), 'x');
    const refused = { category: 'environment', facts: { reason: expect.stringContaining('WRONGTYPE') } };
    await expect(open().find([entry(1).digest])).rejects.toMatchObject(refused);
    await expect(open().claim({ number: 1, entry: entry(1) })).rejects.toMatchObject(refused);
  });
});
