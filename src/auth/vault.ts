import { SchedError } from '../errors.ts';

export type StoreKind = 'keychain' | 'file';

/** Named texts. A name that is not there is `undefined`; what cannot be asked throws: the two are never confused. */
export interface Entries {
  get(name: string): Promise<string | undefined>;
  set(name: string, text: string): Promise<void>;
  /** Whether there was one. */
  delete(name: string): Promise<boolean>;
}

/** A place that keeps texts, opened for one piece of work at a time. */
export interface Vault {
  readonly kind: StoreKind;
  /** Where that is, in words. */
  describe(): string;
  use<Value>(work: (entries: Entries) => Promise<Value>): Promise<Value>;
}

/** The store cannot be used. There is no silent downgrade, so the way out is named. */
export const unavailable = (what: string, reason: string): SchedError =>
  new SchedError('environment', what, {
    reason,
    hint: 'sched auth login --credential-store file, or set SCHED_TOKEN',
    outcome: 'not-sent',
  });

/** A stored credential that cannot be read. It is left as it is. */
export class DamagedCredential extends SchedError {
  constructor(where: string, reason: string) {
    super('environment', `The credential in ${where} is damaged`, {
      reason,
      hint: 'sched auth logout, then sched auth login',
      outcome: 'not-sent',
    });
  }
}
