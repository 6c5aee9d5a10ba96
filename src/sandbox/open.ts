import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Dialect } from '../dialects/dialect.ts';
import type { Send } from '../http/message.ts';
import { openClock, type SandboxClock } from './clock/sandbox-clock.ts';
import { type OAuthProfile, profiles } from './oauth/profiles.ts';
import { clientId, ownerToken, type ReadyToken, tokensIn } from './oauth/ready-tokens.ts';
import { addressHeaders, type RateLimits, unlimitedHeaders } from './rules/rate-limits.ts';
import { changeKind, changePlan, type Kind, keepOnlyOwner, type Plan } from './rules/subscription.ts';
import type { Seed } from './seed/name.ts';
import { isSeeded, isSeededWith, seed, seedAgeDays, seedOf } from './seed/seed.ts';
import { createService, type ServiceOptions } from './service.ts';
import { copyAdvice, openDatabase, rewrite, unusable } from './store/database.ts';
import { timestamp } from './store/names.ts';
import { openSnapshots, replaceData } from './store/snapshots.ts';
import { openStore, type Store } from './store/store.ts';

export interface Sandbox {
  readonly service: Send;
  /** The dialect that the service speaks. */
  readonly dialect: Dialect | undefined;
  /** The data, for a server that also sends deliveries. */
  readonly store: Store;
  /** The address of the server with this data, and the secret for its admin requests, while one runs. */
  serving: Serving | undefined;
  /** The ready-made tokens with the names of their users. A server may replace them. */
  tokens: () => Array<ReadyToken & { user: string }>;
  /** The rate limit headers for a request without a token that the service doesn't see. Counts the request. */
  refusalHeaders(): Record<string, string>;
  readonly clock: SandboxClock;
  readonly limits: RateLimits;
  /** How its authorization server behaves. */
  readonly oauth: OAuthProfile;
  /** Names that a server with this data has beside its loopback address. */
  readonly hosts: readonly string[];
  /** Age of the seeded data. After some weeks it has no upcoming events left. */
  readonly seedAgeDays: number;
  /** Seeds fresh data, as given here or on opening. Other processes can keep the data open. */
  reset(fresh?: Pick<SandboxOptions, 'world' | 'now' | 'kind'>): void;
  readonly snapshots: ReturnType<typeof openSnapshots>;
  close(): void;
}

export interface Serving {
  /** Where it listens. */
  url: string;
  secret: string;
  /** The origin in links, if it is another one. */
  base?: string | undefined;
  /** The owner's token, if it isn't the well-known one. */
  token?: string | undefined;
  /** The dialect that it speaks. */
  dialect?: string | undefined;
}

/** Variables with which `sched`, or any other program that reads them, uses this sandbox. */
export const environmentOf = ({ url, secret, token = ownerToken, dialect }: Serving): Record<string, string> => ({
  SCHED_BASE_URL: url,
  SCHED_AUTH_URL: url,
  SCHED_MCP_URL: url,
  SCHED_CLIENT_ID: clientId,
  SCHED_TOKEN: token,
  SCHED_SANDBOX_ADMIN: secret,
  ...(dialect === undefined ? {} : { SCHED_DIALECT: dialect }),
});

/** Variables with which `sched` keeps its files in this directory. What it notes of a short-lived sandbox ends with that. */
export const placesIn = (directory: string): Record<string, string> => ({
  SCHED_CONFIG_DIR: join(directory, 'config'),
  SCHED_STATE_DIR: join(directory, 'state'),
  SCHED_CACHE_DIR: join(directory, 'cache'),
});

const servingFact = 'serving';

export interface SandboxOptions extends Omit<ServiceOptions, 'store' | 'origin'> {
  /** A path, or `:memory:`. */
  file: string;
  /** Plan of the organization. By default, existing data keeps its plan and new data gets enterprise. */
  plan?: Plan | undefined;
  /** Kind of the organization. By default, existing data keeps its kind and new data is a team. */
  kind?: Kind | undefined;
  /** Seed for new data, by default `demo`. Existing data must have the same seed. */
  world?: Seed | undefined;
  /** The first moment of the clock for new data. Existing data must have been seeded for the same time. */
  now?: number | undefined;
  /** The origin of links while no server runs with the data. Default: links carry the origin that the request came to. */
  usualOrigin?: string | undefined;
}

const otherSeed = (name: string, seed: Seed): string => {
  const seedName = typeof seed === 'string' ? seed : seed.name;
  return name === seedName
    ? `The data was seeded with another version of "${name}".`
    : `The data was seeded with "${name}", not "${seedName}".`;
};

/** Opens the built-in service. Seeds new data, and adds missing seed data to files of older versions. */
export const openSandbox = async (given: SandboxOptions): Promise<Sandbox> => {
  const { file, plan, kind, world, now, usualOrigin, ...options } = given;
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
    if (database.isNew && kind === 'individual') keepOnlyOwner(store);
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
    if (kind !== undefined) store.transaction(() => changeKind(store, kind));
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
    const upgrade = async (path: string) => (await openSandbox({ file: path, clock: options.clock })).close();
    const snapshots = openSnapshots({ store, file, upgrade });
    const origin = usualOrigin === undefined ? undefined : () => serving()?.base ?? serving()?.url ?? usualOrigin;
    return {
      service: createService({ ...options, store, clock, origin }),
      dialect: options.dialect,
      refusalHeaders: () => (options.limits === false ? unlimitedHeaders : addressHeaders(store, clock.now())),
      store,
      tokens: () => tokensIn(store),
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
      limits: options.limits ?? true,
      oauth: profiles[options.oauth?.profile ?? 'default'],
      hosts: options.hosts ?? [],
      get seedAgeDays() {
        return seedAgeDays(store, clock.now());
      },
      reset(fresh = {}) {
        const start = fresh.now ?? now;
        const newKind = fresh.kind ?? kind;
        replaceData(store, () => {
          if (start !== undefined) clock.set(start);
          seed(store, start ?? clock.now(), { plan, world: fresh.world ?? world });
          if (newKind === 'individual') keepOnlyOwner(store);
          if (newKind !== undefined) changeKind(store, newKind);
        });
        // Frees the disk space of a larger seed.
        rewrite(store);
      },
      snapshots,
      close() {
        store.counters.batch();
        store.close();
        snapshots.close();
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
};
