import { clock as realClock } from '../../src/node/clock.ts';
import { redisBudgets } from '../../src/state/redis/budgets.ts';
import { openConnection, type RedisConnection } from '../../src/state/redis/redis-client.ts';
import { createServerClock } from '../../src/state/redis/server-clock.ts';
import { engines, startRedis, withServerTime } from '../support/redis.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { holdingClocks, type Place, type SimulatedClock } from './simulation.ts';

/** A connection whose server has the time of a simulated clock, which waits for its replies. */
const simulatedServer = (
  connection: RedisConnection,
  clock: SimulatedClock,
  latency: () => number,
): RedisConnection => {
  const simulated = withServerTime(connection, clock);
  const travel = async () => {
    const milliseconds = latency();
    if (milliseconds > 0) await clock.sleep(milliseconds);
  };
  return {
    ...simulated,
    run: async (...words) => {
      await travel();
      const reply = await holdingClocks(simulated.run(...words));
      await travel();
      return reply;
    },
  };
};

const dayMs = 86_400_000;

const redisPlace = (engine: string, latency: () => number = () => 0) => {
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
          connection: simulatedServer(opened, server, latency),
          clock: createServerClock(clock),
          host: `machine ${skew}`,
        });
        return { clock, remote };
      },
    };
  };
};

/** All places for a budget. The same tests run in each, more often where a step takes less time. */
export const places: { name: string; isFast: boolean; newPlace: () => Promise<Place> }[] = [
  { name: 'files', isFast: true, newPlace: async () => temporaryDirectory() },
  ...engines.map((engine) => ({ name: engine, isFast: false, newPlace: redisPlace(engine) })),
];

/** Redis servers whose replies take up to a second, most of it on the way there or back. */
export const slowPlaces = engines.map((engine) => ({
  name: engine,
  newPlace: redisPlace(engine, () => Math.floor(Math.random() * 500)),
}));
