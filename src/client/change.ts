import { isOutcomeUnknown, SchedError, sameCommand } from '../base/errors.ts';
import type { Json } from '../base/json.ts';
import type { Clock } from '../base/system.ts';
import type { WriteResult } from './outcome.ts';

/** A change, and how to check whether it was made. */
export interface Change<Reply = Json> {
  send(): Promise<WriteResult<Reply>>;
  /** Reads the current record. Missing if there is nothing to read. */
  read?: (() => Promise<Reply | undefined>) | undefined;
  /** Whether the record shows the change, or `undefined` if no record can show it. */
  isDone(record: Reply): boolean | undefined;
}

export interface ChangeOptions {
  clock: Pick<Clock, 'sleep'>;
  interrupted: AbortSignal;
  /** From 0 to 1. */
  random(): number;
  /** The longest single wait to accept when the service asks for one. */
  maxWaitMs: number;
  /** Called before each wait that the service asks for. */
  onWait(seconds: number): void;
  /** Called before the change is sent again. */
  onRepeat(attempt: number): void;
}

/** A completed change: its reply or, without a usable one, the record that was read afterwards. */
type ChangeResult<Reply> =
  | WriteResult<Reply>
  /** `refused` is the status of a refusal because the change had been made before; without it, the reply was lost. */
  | { status?: undefined; record: Reply; why?: undefined; refused?: number };

const maxAttempts = 3;
const pauseMs = 500;

/** The record, or undefined if it can't be read. */
export const readIfPossible = async <Value>(
  read: (() => Promise<Value | undefined>) | undefined,
): Promise<Value | undefined> => {
  try {
    return await read?.();
  } catch (error) {
    if (error instanceof SchedError) return undefined;
    throw error;
  }
};

/** Whether the service refused a request, so that the same request would be refused again. */
export const isFinalRefusal = (error: unknown): error is SchedError => {
  const { status = 0 } = (error instanceof SchedError && error.facts.http) || {};
  return status >= 400 && status < 500 && ![401, 408, 429].includes(status);
};

/**
 * The status of a refusal that may mean that the change was already made.
 * Assumed (errors.repetition): a change that was already made is refused with 409 or 403.
 */
const repetitionStatus = ({ facts: { http } }: SchedError): number | undefined =>
  http?.status === 409 || http?.status === 403 ? http.status : undefined;

/** An interruption after a lost reply settles nothing. */
const unsure = (error: unknown): never => {
  throw error instanceof SchedError ? error.with({ outcome: 'unknown' }) : error;
};

/** Waits as long as the service asks. Returns false, without waiting, if that is too long. */
const waitedFor = async (
  { facts }: SchedError,
  { clock, interrupted, maxWaitMs, onWait }: ChangeOptions,
): Promise<boolean> => {
  const milliseconds = (facts.retryAfterSeconds ?? 0) * 1000;
  if (milliseconds === 0) return true;
  if (milliseconds > maxWaitMs) return false;
  onWait(milliseconds / 1000);
  await clock.sleep(milliseconds, interrupted).catch(unsure);
  return true;
};

/**
 * Makes a change that is safe to repeat. After a lost reply it reads the record: if that shows the change, it is done;
 * if it doesn't, the change is sent again; if it can't tell, the outcome is unknown. A refusal is an error unless the
 * record shows that the change was already made.
 */
export const change = async <Reply>(
  { send, read, isDone }: Change<Reply>,
  options: ChangeOptions,
): Promise<ChangeResult<Reply>> => {
  const { clock, interrupted, random, onRepeat } = options;
  let lossError: SchedError | undefined;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof SchedError)) throw error;
      if (lossError === undefined && !isOutcomeUnknown(error)) {
        const status = repetitionStatus(error);
        const current = status === undefined ? undefined : await readIfPossible(read);
        if (status === undefined || current === undefined || isDone(current) !== true) throw error;
        return { record: current, refused: status };
      }
      lossError ??= error;
      const mayRepeat = read !== undefined && isOutcomeUnknown(error) && (await waitedFor(error, options));
      const record = await readIfPossible(read);
      const verdict = record === undefined ? undefined : isDone(record);
      if (verdict === true) return { record: record! };
      // The first attempt may still be carried out, so a later one that was refused or never sent settles nothing.
      if (verdict === undefined || attempt === maxAttempts || !mayRepeat) throw lossError;
    }
    onRepeat(attempt + 1);
    await clock.sleep(Math.round(pauseMs * 2 ** (attempt - 1) * (0.5 + random())), interrupted).catch(unsure);
  }
};

/** The service has accepted a change, and what it shows later is something else. */
export const notShown = (): SchedError =>
  new SchedError('conflict', "The service accepted the change, but doesn't show it", {
    reason: 'somebody else has changed the same at that moment, or it takes a while to show',
    hint: sameCommand,
    outcome: 'unknown',
  });
