import type { Ledger, StoredEntry } from '../../state/ledger.ts';
import { type CommonEntry, isCommonEntry, type LedgerKind } from '../../state/ledger-entry.ts';

/** A new event type. Its digest is of the owner and the name. `start_time` is always the same. */
export interface CreationEntry extends CommonEntry {
  version: 1;
  /** `open`: sent or about to be sent, without a reply yet. */
  state: 'open' | 'created' | 'refused';
  uri?: string;
}

export type CreationLedger = Ledger<CreationEntry>;
export type StoredCreation = StoredEntry<CreationEntry>;

export const creations: LedgerKind<CreationEntry> = {
  name: 'creations',
  isEntry: (value): value is CreationEntry => {
    const entry = (value ?? {}) as Partial<CreationEntry>;
    return isCommonEntry(entry) && entry.version === 1 && ['open', 'created', 'refused'].includes(entry.state!);
  },
  damaged: {
    message: 'The record of a new event type is damaged',
    advice: ['check whether it was created (', { command: ['event-types', 'list'] }, ')'],
  },
  unusable: { message: "Can't record the new event type, so it was not created" },
};
