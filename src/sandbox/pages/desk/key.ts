import type { Clock, RandomBytes } from '../../../system.ts';
import { fingerprint } from '../../ready-tokens.ts';

/** How long a key works that is given to a browser: other users of the machine may see a browser's arguments. */
export const browserKeySeconds = 60;

/** Keys that nobody used are forgotten above this number. */
const mostKeys = 100;

/** The keys and sessions of the desk. They end with the process. */
export const createKeys = (system: Pick<Clock, 'now'>, randomBytes: RandomBytes) => {
  /** When each key expires, by its hash. */
  const keys = new Map<string, number>();
  const sessions = new Set<string>();
  const secret = () => Buffer.from(randomBytes(24)).toString('base64url');
  return {
    /** A key that works once, within the seconds. */
    issue(seconds = Number.POSITIVE_INFINITY): string {
      const key = secret();
      keys.set(fingerprint(key), system.now() + seconds * 1000);
      if (keys.size > mostKeys) keys.delete(keys.keys().next().value!);
      return key;
    },
    /** Trades a key for a session. Undefined if the key is unknown, used or too old. */
    trade(key: string): string | undefined {
      const expires = keys.get(fingerprint(key));
      keys.delete(fingerprint(key));
      if (expires === undefined || expires <= system.now()) return undefined;
      const session = secret();
      sessions.add(fingerprint(session));
      return session;
    },
    isSession: (text: string): boolean => sessions.has(fingerprint(text)),
  };
};
