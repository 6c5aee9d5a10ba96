import type { Written } from '../client/outcome.ts';
import type { Json } from '../client/reading.ts';
import { SchedError } from '../errors.ts';
import { isOutcomeUnknown } from './outcome-unknown.ts';

/** A change, and how to see whether it was made. */
export interface Change {
  send(): Promise<Written>;
  /** The record as it is now; missing where nothing can be read. */
  read?: (() => Promise<Json | undefined>) | undefined;
  /** `undefined` where no reply shows it. */
  isDone(record: Json): boolean | undefined;
}

export interface ChangeOptions {
  clock: { sleep(milliseconds: number, signal?: AbortSignal): Promise<void> };
  interrupted: AbortSignal;
  /** From 0 to 1. */
  random(): number;
  /** Longest single wait that is accepted where the service asks for one. */
  maxWaitMs: number;
  /** Told before each wait that the service asks for. */
  onWait(seconds: number): void;
  /** Told before it is sent again. */
  onRepeat(attempt: number): void;
}

/** A change that was made: what its reply says, or, where that was lost, the record that was read instead. */
export type Changed = Written | { status?: undefined; record: Json; why?: undefined };

const maxAttempts = 3;
const pauseMs = 500;

/** The record, or nothing where it cannot be read. */
export const readIfPossible = async (read: Change['read']): Promise<Json | undefined> => {
  try {
    return await read?.();
  } catch (error) {
    if (error instanceof SchedError) return undefined;
    throw error;
  }
};

/** Waits as long as the service asks before it is asked anything; not where that is too long, and says so. */
const waitedFor = async (
  { facts }: SchedError,
  { clock, interrupted, maxWaitMs, onWait }: ChangeOptions,
): Promise<boolean> => {
  const milliseconds = (facts.retryAfterSeconds ?? 0) * 1000;
  if (milliseconds === 0) return true;
  if (milliseconds > maxWaitMs) return false;
  onWait(milliseconds / 1000);
  await clock.sleep(milliseconds, interrupted);
  return true;
};

/**
 * Makes a change whose repetition does no harm. After a lost answer the record is read: if it shows the change, that was
 * it; if it does not, the change is sent again; if it cannot tell, nobody knows.
 */
export const change = async ({ send, read, isDone }: Change, options: ChangeOptions): Promise<Changed> => {
  const { clock, interrupted, random, onRepeat } = options;
  let lost: SchedError | undefined;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof SchedError) || (lost === undefined && !isOutcomeUnknown(error))) throw error;
      lost ??= error;
      const mayRepeat = read !== undefined && isOutcomeUnknown(error) && (await waitedFor(error, options));
      const record = await readIfPossible(read);
      const verdict = record === undefined ? undefined : isDone(record);
      if (verdict === true) return { record: record! };
      // The first attempt may be carried out yet, so a later one that was refused or never left decides nothing.
      if (verdict === undefined || attempt === maxAttempts || !mayRepeat) throw lost;
    }
    onRepeat(attempt + 1);
    await clock.sleep(Math.round(pauseMs * 2 ** (attempt - 1) * (0.5 + random())), interrupted);
  }
};
