import { randomInt } from 'node:crypto';
import type { RedisConnection } from '../../src/state/redis/redis-client.ts';
import { type ChildProcess, spawn } from './processes.ts';
import { closeLater, temporaryDirectory } from './temporary.ts';
import { needs, pathOf } from './tools.ts';

/** For `describeWith`. Debian 12 has no package of Valkey. */
export const redis = 'redis-server|valkey-server';

/** The servers on this machine that `sched` supports. */
export const engines: readonly string[] = redis.split('|').filter((engine) => pathOf(engine) !== undefined);

/** Redis can't choose a port itself. Systems give out higher ones, to clients and to servers without a fixed port. */
const anyPort = (): number => randomInt(20_000, 32_000);

export interface RedisServer {
  port: number;
  url: string;
  /** Kills it. Its memory is lost. */
  stop(): Promise<void>;
  /** Starts it again, empty, at the same port. */
  start(): Promise<void>;
}

/** Starts a real server in a directory of its own, until the end of the test file. */
export const startRedis = async (options: string[] = [], engine = engines[0]!): Promise<RedisServer> => {
  needs(redis);
  const folder = temporaryDirectory('redis');
  let port = anyPort();
  let child: ChildProcess | undefined;

  const start = async (): Promise<void> => {
    const fixed = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
    const own = options.includes('--tls-port') ? [] : ['--port', String(port)];
    const started = spawn(engine, [...fixed, ...own, ...options.map((word) => word.replace('PORT', String(port)))], {
      env: { PATH: process.env.PATH ?? '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    await new Promise<void>((resolve, reject) => {
      let said = '';
      for (const stream of [started.stdout, started.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          said += text;
          if (/ready to accept connections/i.test(said)) resolve();
        });
      started.once('close', () => reject(new Error(`${engine} ended: ${said}`)));
    });
  };

  const stop = async (): Promise<void> => {
    const stopped = child;
    child = undefined;
    if (stopped === undefined || stopped.exitCode !== null) return;
    const ended = new Promise((resolve) => stopped.once('close', resolve));
    stopped.kill('SIGKILL');
    await ended;
  };

  closeLater(() => void stop());
  for (let tries = 1; ; tries += 1) {
    try {
      await start();
      break;
    } catch (error) {
      if (tries === 10 || !String(error).includes('Address already in use')) throw error;
      port = anyPort();
    }
  }
  return { port, url: `redis://127.0.0.1:${port}`, stop, start };
};

/** A connection whose server has the time of this clock, so that tests can pass it without waiting. */
export const withServerTime = (connection: RedisConnection, clock: { now(): number }): RedisConnection => {
  const time = () => [String(Math.floor(clock.now() / 1000)), String((clock.now() % 1000) * 1000)];
  // The time is an argument, so that the script stays the same and Redis reads it once.
  const timed = (script: string) => script.replaceAll("redis.call('TIME')", '{ ARGV[#ARGV - 1], ARGV[#ARGV] }');
  return {
    ...connection,
    run: (script, keys, args) => connection.run(timed(script), keys, [...args, ...time()]),
    command: async (...words) => (words[0] === 'TIME' ? time() : connection.command(...words)),
  };
};
