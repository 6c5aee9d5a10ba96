import type { Database } from './database.ts';

/** How many requests a rate window has counted, and when it began. */
export interface Counter {
  opened: number;
  used: number;
}

/** A counter in memory, and how much of it the file doesn't have yet. */
interface KnownCounter extends Counter {
  added: number;
}

/**
 * The counters of the rate limits. Each count is written at once. While no other process writes to the file, a running
 * sandbox counts in memory and writes the counts together: a kill may lose the last ones.
 */
export const openCounters = (database: Database) => {
  const known = new Map<string, KnownCounter>();
  let isBatching = false;
  /** What other processes had written when this one last looked. */
  let seen = 0;

  const flush = () => {
    const changed = [...known].filter(([, { added }]) => added > 0);
    if (changed.length > 0)
      database.transaction(() => {
        for (const [key, { opened, added }] of changed)
          database.run(
            `INSERT INTO rate_windows VALUES (?1, ?2, ?3) ON CONFLICT (key) DO UPDATE
             SET used = excluded.used + iif(opened < excluded.opened, 0, used), opened = max(opened, excluded.opened)`,
            key,
            opened,
            added,
          );
      });
    known.clear();
  };

  const isAlone = () => isBatching && database.foreignVersion() === seen;

  return {
    /** Whether a count needs no write to the file now. */
    isAlone,
    flush,
    read(key: string): Counter | undefined {
      if (isBatching && !isAlone()) {
        flush();
        isBatching = false;
      }
      return known.get(key) ?? database.first<Counter>('SELECT opened, used FROM rate_windows WHERE key = ?', key);
    },
    /** Stores a counter that was read and now has one request more. */
    add(key: string, { opened, used }: Counter) {
      if (!isBatching) return void database.run('REPLACE INTO rate_windows VALUES (?, ?, ?)', key, opened, used);
      const before = known.get(key);
      known.set(key, { opened, used, added: before?.opened === opened ? before.added + 1 : 1 });
    },
    /** Starts all rate limits again. */
    clear() {
      known.clear();
      database.run('DELETE FROM rate_windows');
    },
    /** Called a few times each second: writes what was counted, and counts in memory if nobody else has written since. */
    batch() {
      try {
        flush();
        const current = database.foreignVersion();
        isBatching = current === seen;
        seen = current;
      } catch {
        // Another process has the data locked. The next call tries again.
      }
    },
  };
};

export type Counters = ReturnType<typeof openCounters>;
