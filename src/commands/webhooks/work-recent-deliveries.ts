import { hash } from 'node:crypto';

/** How many deliveries are remembered. Each takes about 200 bytes. */
export const mostRemembered = 10_000;

/** Identifies a delivery. The sender repeats it with the same values, but with a new signature. */
export const deliveryKey = (content: object, body: string): string => {
  const { event, created_at, payload } = content as Record<string, unknown>;
  const uri = (payload as { uri?: unknown } | null | undefined)?.uri;
  const names = [event, uri, created_at];
  const isNamed = names.every((name) => typeof name === 'string');
  // A digest, because the names can be a megabyte long. Without names, only the same bytes are the same delivery.
  return hash('sha256', isNamed ? JSON.stringify(names) : body, 'base64');
};

interface Remembered {
  attempts: number;
  /** Whether the delivery was accepted. Undefined after a failure, so that the next one is tried again. */
  accepted: Promise<boolean> | undefined;
}

/** What an earlier process of the same listener has accepted. */
export interface KeptDeliveries {
  keys: readonly string[];
  /** Keeps the key of an accepted delivery for the next process. */
  add(key: string): Promise<void>;
}

const nothingKept: KeptDeliveries = { keys: [], add: async () => {} };

/** Handles each delivery once. R51: a delivery that comes twice is shown and forwarded once, unless that failed. */
export const createRecent = (keptDeliveries = nothingKept, most = mostRemembered) => {
  const entries = new Map<string, Remembered>();
  for (const key of keptDeliveries.keys) entries.set(key, { attempts: 1, accepted: Promise.resolve(true) });
  const remember = (key: string): Remembered => {
    const entry = entries.get(key) ?? { attempts: 0, accepted: undefined };
    entries.delete(key);
    entries.set(key, entry);
    if (entries.size > most) entries.delete(entries.keys().next().value!);
    return entry;
  };
  return {
    /** `isDouble`: another request had the same delivery, and its result is used. */
    async handle(key: string, work: (attempt: number) => Promise<boolean>) {
      const entry = remember(key);
      if (entry.accepted !== undefined) return { accepted: await entry.accepted, isDouble: true };
      entry.attempts += 1;
      entry.accepted = work(entry.attempts);
      try {
        const accepted = await entry.accepted;
        if (accepted) await keptDeliveries.add(key);
        else entry.accepted = undefined;
        return { accepted, isDouble: false };
      } catch (error) {
        entry.accepted = undefined;
        throw error;
      }
    },
  };
};
