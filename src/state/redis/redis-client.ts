import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { adviceFor, meaningOf } from '../../base/network-errors.ts';
import type { Clock } from '../../base/system.ts';
import { hostAndPort, type RedisAddress } from './address.ts';

/** Redis can't be used. The message says why. */
export class RedisTrouble extends Error {}

export interface RedisConnection {
  /** The server, as it is named in messages. */
  readonly place: string;
  /** Runs a Lua script: one atomic step. */
  run(script: string, keys: readonly string[], args: readonly string[]): Promise<unknown>;
  command(...words: string[]): Promise<unknown>;
  close(): void;
}

/** How long connecting may take, and each command after that. */
const limitMs = 2000;
/** The last part of that time. */
const lastLookMs = 100;
/** The pause after a failed connection or a missing reply. */
const pauseMs = 30_000;

/** Replies that mean that Redis can't be used, by their first word. */
const refusals: Record<string, string> = {
  WRONGPASS: 'it refuses the user or the password',
  NOAUTH: 'it needs a password',
  NOPERM: 'its user may not run the commands that sched needs',
  OOM: 'it is out of memory',
  READONLY: 'it is a read-only replica',
  LOADING: 'it is still loading its data',
  MOVED: "it is a node of a Redis Cluster, which sched can't use",
  MISCONF: "it can't write to its disk",
  MASTERDOWN: 'it has lost its primary server',
};

const noRedis = "the replies aren't those of a Redis server";

/** The trouble with a server whose replies can't be read. */
export const nonsense = ({ place }: RedisConnection): RedisTrouble => new RedisTrouble(`${place}: ${noRedis}`);

const redisReason = (error: Error, isReply: boolean): string => {
  const meaning = meaningOf(error);
  if (meaning !== undefined) return [meaning, adviceFor(error)].filter(Boolean).join('; ');
  const word = error.message.split(' ')[0]!;
  if (refusals[word] !== undefined) return refusals[word];
  if (/^ERR (invalid password|AUTH)/i.test(error.message)) return refusals.WRONGPASS!;
  if (error.message === 'Socket closed unexpectedly') return 'the connection was closed';
  // The client fails in this way on a reply that it can't read or didn't ask for.
  if (error instanceof TypeError || error.message.startsWith('Unknown RESP type')) return noRedis;
  if (/^ERR unknown command/i.test(error.message)) return "it doesn't know a command that sched needs";
  // R12: the rest of a reply can repeat what was sent, such as a password that is too short to be redacted.
  return isReply ? `it replied ${word.slice(0, 40)}` : error.message.slice(0, 200);
};

const loadRedis = async () => {
  const { default: redis } = await import('@redis/client');
  return redis;
};

type Redis = Awaited<ReturnType<typeof loadRedis>>;

const createRedisClient = (redis: Redis, { host, port, isTls, database, username, password }: RedisAddress) => {
  const socket = { host, port, connectTimeout: limitMs, reconnectStrategy: false as const };
  return redis.createClient({
    RESP: 2,
    // A certificate for an IP address needs no server name, and Node refuses one.
    socket: isTls ? { ...socket, tls: true, ...(isIP(host) === 0 ? { servername: host } : {}) } : socket,
    // A lost connection is reported at once. The next command makes a new one.
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    database,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  });
};

type RedisClient = ReturnType<typeof createRedisClient>;

interface Link {
  client: RedisClient;
  /** Rejects when the connection breaks. */
  breakage: Promise<never>;
  /** Whether an error is a reply, so that the connection still works. */
  isReply(error: unknown): boolean;
}

class NoReply extends Error {}

/**
 * A connection that is made by the first command, and again by the first one after it broke. Connecting and each command
 * have a time limit, and the connection doesn't keep the program running.
 */
export const openConnection = (address: RedisAddress, clock: Clock): RedisConnection => {
  const place = `Redis at ${hostAndPort(address)}`;
  let link: Link | undefined;
  let connecting: Promise<Link> | undefined;
  let away: { until: number; trouble: RedisTrouble } | undefined;

  const within = async <Value>(work: Promise<Value>): Promise<Value> => {
    const end = new AbortController();
    const limit = (async () => {
      // A process that was stopped, or got no CPU time, first reads the replies that have arrived meanwhile.
      for (const part of [limitMs - lastLookMs, lastLookMs]) await clock.sleep(part, end.signal);
      throw new NoReply(`no reply within ${limitMs / 1000} s`);
    })();
    try {
      return await Promise.race([work, limit]);
    } finally {
      limit.catch(() => {});
      end.abort(new Error('done'));
    }
  };

  const troubleOf = (error: unknown, isReply: boolean): RedisTrouble =>
    new RedisTrouble(`${place}: ${redisReason(error as Error, isReply)}`);

  /** Leaves Redis alone for a while. */
  const pause = (error: unknown, isReply = false): RedisTrouble => {
    const trouble = troubleOf(error, isReply);
    away = { until: clock.now() + pauseMs, trouble };
    return trouble;
  };

  const connect = async (): Promise<Link> => {
    const redis = await loadRedis();
    const client = createRedisClient(redis, address);
    client.unref();
    const breakage = new Promise<never>((_, reject) => {
      client.on('error', (error) => {
        if (link?.client === client) link = undefined;
        reject(error);
        // After a reply that it can't read, the client would take the next reply for this one.
        client.destroy();
      });
    });
    breakage.catch(() => {});
    try {
      await within(Promise.race([client.connect(), breakage]));
    } catch (error) {
      client.destroy();
      throw pause(error, error instanceof redis.ErrorReply);
    }
    link = { client, breakage, isReply: (error) => error instanceof redis.ErrorReply };
    return link;
  };

  const connected = (): Promise<Link> => {
    if (link !== undefined) return Promise.resolve(link);
    if (away !== undefined && clock.now() < away.until) return Promise.reject(away.trouble);
    connecting ??= connect().finally(() => {
      connecting = undefined;
    });
    return connecting;
  };

  const send = async <Value>(work: (client: RedisClient) => Promise<Value>): Promise<Value> => {
    const { client, breakage, isReply } = await connected();
    try {
      return await within(Promise.race([work(client), breakage]));
    } catch (error) {
      if (isReply(error)) throw troubleOf(error, true);
      if (link?.client === client) link = undefined;
      client.destroy();
      throw error instanceof NoReply ? pause(error) : troubleOf(error, false);
    }
  };

  return {
    place,
    run: (script, keys, args) => {
      const options = { keys: [...keys], arguments: [...args] };
      const sha = createHash('sha1').update(script).digest('hex');
      return send((client) =>
        client.evalSha(sha, options).catch((error: Error) => {
          if (!error.message.startsWith('NOSCRIPT')) throw error;
          return client.eval(script, options);
        }),
      );
    },
    command: (...words) => send((client) => client.sendCommand(words)),
    close: () => {
      link?.client.destroy();
      link = undefined;
    },
  };
};
