import { SchedError, sameCommand } from '../../base/errors.ts';
import { counted } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import type { Ledger, StoredEntry } from '../../state/ledger.ts';
import { type CommonEntry, isCommonEntry, type LedgerKind, limitOf } from '../../state/ledger-entry.ts';
import type { BookingContext } from '../booking/work-attempt.ts';

export type MoveOrder = 'book-first' | 'cancel-first';

/**
 * How far a move has come. Right before each request that changes something, and when the phase changes, `sched` claims
 * the next number of the record. So two processes never advance one move, and the last claim says when the last request
 * was sent.
 *
 * - `planned`: nothing was sent. With `book-first`, the people are being booked at the new time.
 * - `canceling`: the cancellation of the old event is being sent. With `book-first`, everybody is booked.
 * - `booking`: the old event is canceled, and the people are being booked: with `book-first`, those who joined it last.
 * - `back`: only with `cancel-first`. The new time was refused, and the people are being booked at the old one.
 * - `done`: moved.
 * - `ended`: not moved. The record doesn't count any more.
 */
const phases = ['planned', 'canceling', 'booking', 'back', 'done', 'ended'] as const;
type MovePhase = (typeof phases)[number];

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
  /** URIs of its other invitees right before the cancellation: they had left. Missing before that. */
  left?: string[];
  phase: MovePhase;
  /** URI of the new event, as soon as it is known. */
  event?: string | undefined;
}

export type MoveLedger = Ledger<MoveEntry>;
export type StoredMove = StoredEntry<MoveEntry>;

export const moves: LedgerKind<MoveEntry> = {
  name: 'moves',
  isEntry: (value): value is MoveEntry => {
    const entry = (value ?? {}) as Partial<MoveEntry>;
    return (
      isCommonEntry(entry) &&
      entry.version === 1 &&
      ['open', 'closed'].includes(entry.state!) &&
      ['book-first', 'cancel-first'].includes(entry.order!) &&
      phases.includes(entry.phase!) &&
      typeof entry.old === 'string' &&
      !Number.isNaN(Date.parse(entry.to!)) &&
      Array.isArray(entry.invitees) &&
      (entry.left === undefined || Array.isArray(entry.left))
    );
  },
  damaged: {
    message: 'The record of a move is damaged',
    advice: ['check both times (', { command: ['events', 'list'] }, ')'],
  },
  unusable: { message: "Can't record the move, so nothing more was sent" },
};

/** The words of the command that ends an open move. */
export const endsMove = ({ old, to }: Pick<MoveEntry, 'old' | 'to'>): string[] => [
  'events',
  'move',
  idIn(old),
  '--to',
  to,
];

interface MoveWorld {
  moves: MoveLedger;
  booking: Pick<BookingContext, 'clock' | 'pid' | 'host' | 'timeoutMs' | 'mayBeRunning'>;
}

/** Throws while another process may be in the middle of this move. Later, it is taken over: a claim stops the other. */
export const refuseWhileRunning = ({ booking }: MoveWorld, entry: MoveEntry): void => {
  const waitMs = entry.at + limitOf(entry) - booking.clock.now();
  if (waitMs <= 0 || !booking.mayBeRunning(entry)) return;
  const { pid, host = booking.host } = entry;
  const hint = sameCommand;
  if (host === booking.host)
    throw new SchedError('conflict', `Process ${pid} is moving this event right now`, {
      advice: 'wait until that process has ended, or end it',
      hint,
    });
  const seconds = Math.ceil(waitMs / 1000);
  throw new SchedError('outcome-unknown', `Process ${pid} on ${host} may be moving this event right now`, {
    reason: `it can be taken over in ${counted(seconds, 'second')}`,
    hint,
    outcome: 'unknown',
    retryAfterSeconds: seconds,
  });
};

/** Another process has claimed the next step. Only that one knows what stands. */
export class TakenOver extends SchedError {
  constructor() {
    const message = 'Another sched process has taken over this move';
    super('outcome-unknown', message, { hint: sameCommand, outcome: 'unknown' });
  }
}

/** Claims the next number of a move. Throws if another process was faster. */
export const claimNext = async (
  { moves: ledger, booking }: MoveWorld,
  { number, entry: { host: _, ...entry } }: StoredMove,
  change: Partial<MoveEntry>,
): Promise<StoredMove> => {
  const { clock, pid, timeoutMs } = booking;
  const { phase = entry.phase } = change;
  const state = phase === 'done' || phase === 'ended' ? 'closed' : 'open';
  const next: StoredMove = {
    number: number + 1,
    entry: { ...entry, ...change, state, at: clock.now(), pid, timeoutMs },
  };
  if (await ledger.claim(next)) return next;
  throw new TakenOver();
};
