import { clock as realClock } from '../../src/node/clock.ts';
import { redisBudgets } from '../../src/state/redis/budgets.ts';
import { openConnection, type RedisConnection } from '../../src/state/redis/connection.ts';
import { createServerClock } from '../../src/state/redis/server-clock.ts';
import { engines, startRedis, withServerTime } from '../support/redis.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { holdingClocks, type Place, type SimulatedClock } from './simulation.ts';

/** A connection whose server has the time of a simulated clock, which waits for its replies. */
const simulatedServer = (connection: RedisConnection, clock: SimulatedClock): RedisConnection => {
  const simulated = withServerTime(connection, clock);
  return { ...simulated, run: (...words) => holdingClocks(simulated.run(...words)) };
};

const dayMs = 86_400_000;

const redisPlace = (engine: string) => {
  let connection: RedisConnection | undefined;
  return async (): Promise<Place> => {
    if (connection === undefined) {
      const { port } = await startRedis([], engine);
      connection = openConnection({ host: '127.0.0.1', port, isTls: false, database: 0 }, realClock);
    }
    await connection.command('FLUSHALL');
    const opened = connection;
    return {
      machine: (server) => {
        // Each process runs on a machine whose clock is up to a day off.
        const skew = Math.round((Math.random() * 2 - 1) * dayMs);
        const clock = { ...server, now: () => server.now() + skew };
        const remote = redisBudgets({
          connection: simulatedServer(opened, server),
          clock: createServerClock(clock),
          host: `machine ${skew}`,
        });
        return { clock, remote };
      },
    };
  };
};

/** All places for a budget. The same tests run in each. */
export const places: { name: string; newPlace: () => Promise<Place> }[] = [
  { name: 'files', newPlace: async () => temporaryDirectory() },
  ...engines.map((engine) => ({ name: engine, newPlace: redisPlace(engine) })),
];
