import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { createStore } from '../../../src/auth/stores.ts';
import type { Entries, Vault } from '../../../src/auth/vault.ts';
import type { Machine } from '../../../src/base/system.ts';

export const random = (count: number): Uint8Array => randomBytes(count);

/** Identifies a token in places where the token itself must not appear. */
export const fingerprint = (token: string): string => createHash('sha256').update(token).digest('hex');

export const memoryEntries = (texts = new Map<string, string>()): Entries & { texts: Map<string, string> } => ({
  texts,
  get: async (name) => texts.get(name),
  set: async (name, text) => {
    texts.set(name, text);
  },
  delete: async (name) => texts.delete(name),
});

/** A store in memory, with a hook that can fail before each use. */
export const memoryStore = (before: () => void | Promise<void> = () => {}) => {
  const entries = memoryEntries();
  const vault: Vault = {
    kind: 'file',
    describe: () => 'memory',
    use: async (work) => {
      await before();
      return work(entries);
    },
  };
  return { store: createStore(vault, random), texts: entries.texts };
};

export const machineIn = (accountHome: string): Machine => ({
  platform: process.platform,
  host: hostname(),
  accountHome,
  pid: process.pid,
  executable: process.execPath,
  version: process.versions.node,
  isAlive: (pid) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  },
});

/** All text that an error could print, to search it for secrets. */
export const everythingIn = (error: unknown): string => {
  const seen = new Set<unknown>();
  const walk = (value: unknown): string => {
    if (typeof value !== 'object' || value === null) return String(value);
    if (seen.has(value)) return '';
    seen.add(value);
    return Object.getOwnPropertyNames(value)
      .map((name) => walk((value as Record<string, unknown>)[name]))
      .join('\n');
  };
  return walk(error);
};
