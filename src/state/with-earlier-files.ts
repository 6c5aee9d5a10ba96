import { type Ledger, type StoredEntry, serviceName } from './ledger.ts';

const marked = (entries: StoredEntry[]): StoredEntry[] => entries.map((kept) => ({ ...kept, isInFiles: true }));

/**
 * A ledger that several machines share, and the one that this machine used before in files. New attempts are shared. An
 * attempt in the files stays there, but still counts: its booking must not be made again (R27).
 */
export const withEarlierFiles = (shared: Ledger, files: Ledger): Ledger => {
  const homeOf = ({ isInFiles }: StoredEntry): Ledger => (isInFiles ? files : shared);
  const both = async (find: (ledger: Ledger) => Promise<StoredEntry[]>): Promise<StoredEntry[]> =>
    [...(await find(shared)), ...marked(await find(files))].sort((a, b) => a.entry.at - b.entry.at);
  return {
    ...shared,
    find: async (digests) => {
      const { last, attempts } = await shared.find(digests);
      const services = new Set(attempts.map(({ entry }) => serviceName(entry.origin)));
      // A shared attempt is newer. It doesn't settle an open one.
      const earlier = (await files.find(digests)).attempts.filter(
        ({ entry }) => entry.state === 'open' || !services.has(serviceName(entry.origin)),
      );
      return { last, attempts: [...attempts, ...marked(earlier)] };
    },
    replace: (kept) => homeOf(kept).replace(kept),
    miss: (kept, serviceTime) => homeOf(kept).miss(kept, serviceTime),
    open: (origin) => both((ledger) => ledger.open(origin)),
    between: (since, until) => both((ledger) => ledger.between(since, until)),
  };
};
