import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type MoveEntry, moves } from '../../../src/commands/move/work-record.ts';
import { clock as realClock } from '../../../src/node/clock.ts';
import { fileLedger } from '../../../src/state/ledger.ts';
import { redisLedger } from '../../../src/state/redis/ledger.ts';
import { openConnection } from '../../../src/state/redis/redis-client.ts';
import { createServerClock } from '../../../src/state/redis/server-clock.ts';
import { filesWith } from '../../support/files-world.ts';
import { redis, startRedis } from '../../support/redis.ts';
import { createWorld } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { needs } from '../../support/tools.ts';

const origin = 'http://127.0.0.1:4010';
const entry: MoveEntry = {
  version: 1,
  digest: 'a'.repeat(64),
  origin,
  start_time: '2099-02-01T10:00:00Z',
  state: 'open',
  at: 1_700_000_000_000,
  timeoutMs: 30_000,
  pid: 7,
  old: `${origin}/scheduled_events/OLD1`,
  to: '2099-02-01T15:00:00.000Z',
  order: 'cancel-first',
  invitees: [],
  phase: 'booking',
};
const command = 'sched events move OLD1 --to 2099-02-01T15:00:00.000Z';

/** Runs a command with an open move in this ledger. Bookings know nothing of it. */
const checkNamed = async (env: Record<string, string>, elsewhere: string): Promise<void> => {
  const world = await createWorld({ env });
  const reconciled = await world.run('invitees reconcile --json');
  expect([reconciled.code, reconciled.stdout.trim()]).toEqual([0, '[]']);
  expect(reconciled.stderr).toContain(`A move is not finished. To finish it: ${command}`);
  const found = JSON.parse((await world.run('doctor --json')).stdout).filter(
    ({ check }: { check: string }) => check === 'moves',
  );
  const finding = `the move of event OLD1 to ${entry.to} is not finished`;
  expect(found).toEqual([{ check: 'moves', status: 'note', finding, fix: command }]);
  const other = await world.run('invitees reconcile', { env: { SCHED_BASE_URL: elsewhere } });
  expect(other.stderr).not.toContain('A move is not finished');
};

// R56
describe('an open move is named by reconcile and doctor, with the command that finishes it', () => {
  test('in files', async () => {
    const state = temporaryDirectory('state');
    const ledger = fileLedger({ directory: join(state, moves.name), world: filesWith() }, moves);
    await ledger.claim({ number: 1, entry });
    await checkNamed({ SCHED_STATE_DIR: state, SCHED_CACHE_DIR: state }, 'http://127.0.0.1:4011');
  });

  test('in Redis', async () => {
    needs(redis);
    const { port, url } = await startRedis();
    const connection = openConnection({ host: '127.0.0.1', port, isTls: false, database: 0 }, realClock);
    await redisLedger({ connection, clock: createServerClock(realClock), host: 'elsewhere' }, moves).claim({
      number: 1,
      entry,
    });
    const keys = (await connection.command('KEYS', '*')) as string[];
    connection.close();
    // An older sched reads only the keys of bookings.
    expect(keys.toSorted()).toEqual(
      ['DIGEST', 'open', 'starts'].map((key) => `sched:1:{moves}:${key.replace('DIGEST', entry.digest)}`),
    );
    const state = temporaryDirectory('state');
    await checkNamed(
      { SCHED_STATE_DIR: state, SCHED_CACHE_DIR: state, SCHED_SHARED_STATE: url },
      'http://127.0.0.1:4011',
    );
  });
});
