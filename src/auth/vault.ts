import { SchedError } from '../base/errors.ts';

export type StoreKind = 'keychain' | 'file';

/** Texts by name. A missing name gives `undefined`; a store that can't be reached throws. */
export interface Entries {
  get(name: string): Promise<string | undefined>;
  set(name: string, text: string): Promise<void>;
  delete(name: string): Promise<boolean>;
}

/** A place that stores texts, opened for one task at a time. */
export interface Vault {
  readonly kind: StoreKind;
  /** The place, as shown to the user. */
  describe(): string;
  use<Value>(work: (entries: Entries) => Promise<Value>): Promise<Value>;
}

/** The store can't be used. `sched` never switches to another one silently, so the user has to choose it. */
export const unavailable = (what: string, reason: string): SchedError =>
  new SchedError('environment', what, {
    reason,
    advice: 'without a store, set SCHED_TOKEN',
    hint: { command: ['auth', 'login'], flags: { 'credential-store': 'file' } },
    outcome: 'not-sent',
  });

/** A stored credential that can't be read. It is left unchanged. */
export class DamagedCredential extends SchedError {
  constructor(where: string, reason: string) {
    super('environment', `The credential in ${where} is damaged`, {
      reason,
      advice: 'log out, then log in again',
      hint: { command: ['auth', 'logout'] },
      outcome: 'not-sent',
    });
  }
}
