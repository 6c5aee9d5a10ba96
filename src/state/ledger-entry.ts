import { type Advice, SchedError } from '../base/errors.ts';
import { day } from '../base/milliseconds.ts';
import { isTime, isWithin } from '../base/numbers.ts';
import { the, type Words, words } from '../base/words.ts';

/** What the entries of every ledger have. */
export interface CommonEntry {
  /** A SHA-256 digest of what was wanted. */
  digest: string;
  /** The address of the service, as `serviceName` writes it. */
  origin: string;
  /** When the meeting starts. The entry is kept until 30 days after it. */
  start_time: string;
  /** `open` while the outcome is unknown. */
  state: string;
  /** When it was written, in milliseconds since 1970, by the clock of the machine that reads it. */
  at: number;
  /** The timeout of a request. */
  timeoutMs: number;
  pid: number;
  /** The machine that wrote it. Missing in a ledger of one machine. */
  host?: string;
}

/** A booking. Its digest is of the event type, start and email address. The address itself is not stored. */
export interface LedgerEntry extends CommonEntry {
  /** In version 1 the digest includes the origin. */
  version: 1 | 2;
  event_type: string;
  /** `open`: sent or about to be sent, without a reply yet. */
  state: 'open' | 'booked' | 'refused';
  /** The sender's organization, if known. A token of another organization can't see its hosts. */
  organization?: string;
  event?: string;
  invitee?: string;
  /** For a requested duplicate: the original booking, as far as it is known. */
  besides?: Pick<LedgerEntry, 'event' | 'invitee'> & {
    /** The service accepted the original booking but hasn't shown it. */
    isUnseen?: true;
  };
  /** Invitees who had that time before it was sent, as far as they were looked for: none of them is this booking. */
  shownBefore?: string[];
  /** URI of the old event, if the booking is part of a move. */
  moves?: string;
}

/** What a ledger is about: its name, the check of its entries, and its words for errors. */
export interface LedgerKind<Entry extends CommonEntry> {
  /** The name of its directory, and of its keys in Redis. */
  name: string;
  /** Whether a value from outside has every fact that a decision needs. */
  isEntry(value: unknown): value is Entry;
  damaged: { message: string; advice: Exclude<Advice, string> };
  /** `else` is what can be done without the ledger, if anything. */
  unusable: { message: string; else?: Words };
}

/** R27: a request that still shows nowhere this long after its timeout was not carried out. */
const settlingMs = 120_000;

/** How long after it was sent a request may still be carried out. */
export const limitOf = ({ timeoutMs }: Pick<CommonEntry, 'timeoutMs'>): number => timeoutMs + settlingMs;

/**
 * How much longer a request that shows nowhere may still be carried out, in milliseconds. The time is measured by the
 * service's clock, from the first look-up that found nothing, so a wrong clock on this machine can't shorten it. The same
 * time must also have passed by this machine's clock, unless that was set back.
 */
export const waitLeft = (
  entry: Pick<CommonEntry, 'at' | 'timeoutMs'>,
  now: number,
  service: { now: number; missed: number },
): number => {
  const ours = now - entry.at;
  return Math.max(limitOf(entry) - (service.now - service.missed), ours < 0 ? 0 : limitOf(entry) - ours);
};

/** Whether a value from outside has the facts of every ledger. */
export const isCommonEntry = (entry: Partial<CommonEntry>): boolean =>
  [entry.digest, entry.origin, entry.state].every((text) => typeof text === 'string') &&
  !Number.isNaN(Date.parse(entry.start_time!)) &&
  isTime(entry.at) &&
  isWithin(entry.timeoutMs, 0, day);

export const bookings: LedgerKind<LedgerEntry> = {
  name: 'bookings',
  isEntry: (value): value is LedgerEntry => {
    const entry = (value ?? {}) as Partial<LedgerEntry>;
    return (
      isCommonEntry(entry) &&
      isWithin(entry.version, 1, 2) &&
      ['open', 'booked', 'refused'].includes(entry.state!) &&
      typeof entry.event_type === 'string'
    );
  },
  damaged: {
    message: 'A booking ledger entry is damaged',
    advice: ['check whether it was booked (', { command: ['events', 'list'] }, ')'],
  },
  unusable: {
    message: "Can't use the booking ledger, so the booking was not sent",
    else: words`add ${the('allowDuplicate')} to book without the ledger`,
  },
};

export const damagedEntry = ({ damaged }: LedgerKind<CommonEntry>, where: string, what: 'file' | 'key'): SchedError =>
  new SchedError('environment', damaged.message, {
    reason: where,
    advice: [...damaged.advice, `, then remove the ${what}`],
    outcome: 'not-sent',
  });

export const ledgerTrouble = ({ unusable }: LedgerKind<CommonEntry>, reason: string, fix: Advice): SchedError =>
  new SchedError('environment', unusable.message, {
    reason,
    advice: unusable.else === undefined ? fix : [fix, ', or ', unusable.else].flat(),
    outcome: 'not-sent',
  });
