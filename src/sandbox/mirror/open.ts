import type { Clock } from '../../base/system.ts';
import type { Caller } from '../handler.ts';
import { openDatabase, unusable } from '../store/database.ts';
import { migrations } from '../store/migrations.ts';
import { openStore, type Store } from '../store/store.ts';
import tables from './tables.sql' with { type: 'text' };

/*
 * A mirror is a sandbox file whose records came from another service. It has its own application ID: nothing seeds, resets
 * or serves it.
 */

/** `schm` in ASCII. */
const mirrorId = 0x7363686d;

/** The version of what only mirrors have. */
const format = 1;

/** What a mirror is of. Times are in milliseconds since 1970. */
export interface MirrorFacts extends Pick<Caller, 'role'> {
  baseUrl: string;
  /** The root of the service's URIs. */
  root: string;
  /** URIs. */
  user: string;
  organization: string;
  /** The window of its events. */
  since: number;
  until: number;
  /** The begin of the last complete sync. All times of a mirror are by the service's clock. */
  asOf?: number;
  /** How far that clock was ahead of this machine's at the last sync. Missing in a mirror of an older version. */
  ahead?: number;
  /** The number of the last sync that began. */
  pass: number;
  /** The sync that is not complete yet: its begin and window, and how far the list of events was read. */
  begun?: { at: number; since: number; until: number; isAgain: boolean; hasLists?: true; reached?: number } | undefined;
}

/** The service's clock, as it differed from this machine's at the last sync: the only one for what a mirror shows. */
export const mirrorClock = ({ ahead = 0 }: MirrorFacts, machine: Pick<Clock, 'now'>): Pick<Clock, 'now'> => ({
  now: () => machine.now() + ahead,
});

/** Milliseconds since the last complete sync began. If this machine's clock was set back since, it looks old, not new. */
export const mirrorAge = (facts: MirrorFacts, machine: Pick<Clock, 'now'>): number | undefined =>
  facts.asOf === undefined ? undefined : Math.abs(mirrorClock(facts, machine).now() - facts.asOf);

const factsKey = 'mirror';

export const factsOf = (store: Store): MirrorFacts | undefined => {
  const text = store.fact(factsKey);
  return text === undefined ? undefined : JSON.parse(String(text));
};

export const setFacts = (store: Store, facts: MirrorFacts): void => store.setFact(factsKey, JSON.stringify(facts));

const open = async (file: string, fill: (store: Store) => void): Promise<Store> => {
  const database = await openDatabase(file, mirrorId);
  try {
    // Deleted bytes are overwritten, and none get into a file of their own.
    database.exec('PRAGMA foreign_keys = OFF; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY');
    const make = () => {
      const store = openStore(database, migrations, mirrorId);
      fill(store);
      return store;
    };
    const store = database.isNew ? database.transaction(make) : make();
    database.useLog();
    if (store.fact('format') !== format) throw unusable('A newer version of sched made the mirror.');
    return store;
  } catch (error) {
    database.close();
    throw error;
  }
};

/** Opens a mirror to change it, or a new one. */
export const openMirror = (file: string): Promise<Store> =>
  open(file, (store) => {
    if (store.fact('format') !== undefined) return;
    store.exec(tables);
    store.setFact('format', format);
  });

/**
 * The same mirror for a reader: it can't be changed, and reading waits for nobody. Each statement sees whole lists, so no
 * transaction is needed around several: thousands of them would take a while.
 */
export const readOnly = (store: Store): Store => {
  store.exec('PRAGMA query_only = ON');
  return { ...store, transaction: (work) => work(), reading: (work) => work() };
};

/** Whether all that the mirror should have was read once. */
export const isComplete = ({ asOf }: MirrorFacts): boolean => asOf !== undefined;
