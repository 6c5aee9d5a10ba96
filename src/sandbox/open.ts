import { existsSync, statSync } from 'node:fs';
import type { Send } from '../http/message.ts';
import { openClock, type SandboxClock } from './sandbox-clock.ts';
import type { Seed } from './seed/name.ts';
import { isSeeded, isSeededWith, seed, seedAgeDays, seedOf } from './seed/seed.ts';
import { createService, type ServiceOptions } from './service.ts';
import { copyAdvice, openDatabase, type SqlValue, unusable } from './store/database.ts';
import { timestamp } from './store/names.ts';
import { openStore, type Store } from './store/store.ts';
import { changePlan, type Plan } from './subscription.ts';
import { addressHeaders, unlimitedHeaders } from './throttle.ts';

export interface Sandbox {
  readonly service: Send;
  /** The data, for a server that also sends deliveries. */
  readonly store: Store;
  /** The address of the server with this data, and the secret for its admin requests, while one runs. */
  serving: Serving | undefined;
  /** The rate limit headers for a request that the server refuses before the service sees it. */
  refusalHeaders(): Record<string, string>;
  readonly clock: SandboxClock;
  /** Age of the seeded data. After some weeks it has no upcoming events left. */
  readonly seedAgeDays: number;
  /** Seeds fresh data, with `another` seed and time or those given on opening. Other processes can keep the data open. */
  reset(another?: Seed, now?: number): void;
  close(): void;
}

export interface Serving {
  url: string;
  secret: string;
}

const servingFact = 'serving';

export interface SandboxOptions extends Omit<ServiceOptions, 'store' | 'origin'> {
  /** A path, or `:memory:`. */
  file: string;
  /** Plan of the organization. By default, existing data keeps its plan and new data gets enterprise. */
  plan?: Plan | undefined;
  /** Seed for new data, by default `demo`. Existing data must have the same seed. */
  world?: Seed | undefined;
  /** The first moment of the clock for new data. Existing data must have been seeded for the same time. */
  now?: number | undefined;
  /** The origin of links while no server runs with the data. Default: links carry the origin that the request came to. */
  usualOrigin?: string | undefined;
}

const otherSeed = (name: string, seed: Seed): string => {
  const wanted = typeof seed === 'string' ? seed : seed.name;
  return name === wanted
    ? `The data was seeded with another version of "${name}".`
    : `The data was seeded with "${name}", not "${wanted}".`;
};

/** Opens the built-in service. Seeds new data, and adds missing seed data to files of older versions. */
export const openSandbox = async ({
  file,
  plan,
  world,
  now,
  usualOrigin,
  ...options
}: SandboxOptions): Promise<Sandbox> => {
  const hadLog = existsSync(`${file}-wal`);
  const database = await openDatabase(file);
  const fill = () => {
    const store = openStore(database);
    const clock = openClock(store, options.clock);
    // Checked again inside the transaction: another process may have seeded the file meanwhile.
    const fillNew = () => {
      if (now !== undefined && store.fact('seeded_at') === undefined) clock.set(now);
      seed(store, now ?? clock.now(), { plan, world });
    };
    if (!isSeeded(store)) store.transaction(() => isSeeded(store) || fillNew());
    return { store, clock };
  };
  try {
    // A new file gets all its content at once: nobody can see or copy a part of it.
    const { store, clock } = database.isNew ? database.transaction(fill) : fill();
    database.useLog();
    if (world !== undefined && !isSeededWith(store, world)) throw unusable(otherSeed(seedOf(store), world));
    if (now !== undefined && now !== store.fact('seeded_at'))
      throw unusable(`The data was seeded for ${timestamp(Number(store.fact('seeded_at')))}, not ${timestamp(now)}.`);
    if (plan !== undefined) store.transaction(() => changePlan(store, plan));
    const serving = (): (Serving & { inode?: string }) | undefined => {
      const text = store.fact(servingFact);
      return text ? JSON.parse(String(text)) : undefined;
    };
    const stopServing = () => void store.run('DELETE FROM meta WHERE key = ?', servingFact);
    const inode = file === ':memory:' ? '' : String(statSync(file, { bigint: true }).ino);
    const { inode: servedInode = inode } = serving() ?? {};
    if (servedInode !== inode && !hadLog)
      throw unusable('The file is a copy of a sandbox that was running, without its latest changes.', {
        advice: copyAdvice,
      });
    if (servedInode !== inode) stopServing();
    const origin = usualOrigin === undefined ? undefined : () => serving()?.url ?? usualOrigin;
    return {
      service: createService({ ...options, store, clock, origin }),
      refusalHeaders: () => (options.limits === false ? unlimitedHeaders : addressHeaders(store, clock.now())),
      store,
      get serving() {
        return serving();
      },
      set serving(next) {
        if (next === undefined) stopServing();
        // With the inode, a copy of the file can be told from the file itself.
        else store.setFact(servingFact, JSON.stringify({ ...next, inode }));
        // Moves the fact from the log to the file, where a copy has it too.
        store.all('PRAGMA wal_checkpoint(PASSIVE)');
      },
      clock,
      get seedAgeDays() {
        return seedAgeDays(store, clock.now());
      },
      reset(another = world, start = now) {
        store.transaction(() => {
          // A server that runs keeps its address and its webhook.
          const kept = store.fact(servingFact);
          const temporary = store.all<Record<string, SqlValue>>(
            'SELECT id, doc, organization, owner, signing_key, pid FROM webhooks WHERE pid IS NOT NULL',
          );
          store.clear();
          if (start !== undefined) clock.set(start);
          seed(store, start ?? clock.now(), { plan, world: another });
          if (kept !== undefined) store.setFact(servingFact, kept);
          for (const webhook of temporary) store.add('webhooks', webhook);
        });
        // Frees the disk space of a larger seed.
        store.exec('VACUUM');
      },
      close: () => store.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
};
