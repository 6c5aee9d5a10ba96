import type { Ledger, StoredEntry } from '../state/ledger.ts';
import { type CommonEntry, isCommonEntry, type LedgerKind } from '../state/ledger-entry.ts';

export type MoveOrder = 'book-first' | 'cancel-first';

/**
 * How far a move has come. Before each request that changes something, `sched` claims the next number of the record with
 * the phase of that request.
 *
 * - `planned`: nothing was sent. With `book-first`, the people are being booked at the new time.
 * - `canceling`: the cancellation of the old event is being sent. With `book-first`, everybody is booked.
 * - `booking`: only with `cancel-first`. The old event is canceled, and the people are being booked.
 * - `back`: only with `cancel-first`. The new time was refused, and the people are being booked at the old one.
 * - `done`: moved.
 * - `ended`: not moved. The record doesn't count any more.
 */
export type MovePhase = 'planned' | 'canceling' | 'booking' | 'back' | 'done' | 'ended';

/** A move of an event. Its digest is of the ID of the old event, whose start is `start_time`. It has no address. */
export interface MoveEntry extends CommonEntry {
  version: 1;
  state: 'open' | 'closed';
  /** URI of the old event. */
  old: string;
  /** The new start. */
  to: string;
  order: MoveOrder;
  /** URIs of those invitees of the old event who are moved. After the cancellation, it shows all as canceled. */
  invitees: string[];
  phase: MovePhase;
  /** URI of the new event, as soon as it is known. */
  event?: string;
}

export type MoveLedger = Ledger<MoveEntry>;
export type StoredMove = StoredEntry<MoveEntry>;

const phases: readonly unknown[] = ['planned', 'canceling', 'booking', 'back', 'done', 'ended'];

export const moves: LedgerKind<MoveEntry> = {
  name: 'moves',
  isEntry: (value): value is MoveEntry => {
    const entry = (value ?? {}) as Partial<MoveEntry>;
    return (
      isCommonEntry(entry) &&
      entry.version === 1 &&
      ['open', 'closed'].includes(entry.state!) &&
      ['book-first', 'cancel-first'].includes(entry.order!) &&
      phases.includes(entry.phase) &&
      typeof entry.old === 'string' &&
      !Number.isNaN(Date.parse(entry.to!)) &&
      Array.isArray(entry.invitees)
    );
  },
  damaged: { message: 'The record of a move is damaged', advice: 'check both times (sched events list)' },
  unusable: { message: "Can't record the move, so nothing more was sent", else: '' },
};
