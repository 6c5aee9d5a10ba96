import { hash } from 'node:crypto';
import { hasCategory, isOutcomeUnknown, SchedError, sameCommand } from '../../base/errors.ts';
import { counted } from '../../base/numbers.ts';
import type { Clock } from '../../base/system.ts';
import { idIn } from '../../base/uri.ts';
import { waitLeft } from '../../state/ledger-entry.ts';
import { mayBeHere } from '../booking/work-attempt.ts';
import { idKey } from '../booking/work-look-up.ts';
import type { CreationEntry, CreationLedger, StoredCreation } from './work-creation-record.ts';

/*
 * New event types. The service can't delete one, so none may be created twice: the creation is claimed before it is sent.
 */

export interface CreationContext {
  creations: CreationLedger;
  /** The address of the service, as `serviceName` writes it. */
  origin: string;
  clock: Pick<Clock, 'now'>;
  serviceTime(): number | undefined;
  timeoutMs: number;
  pid: number;
}

interface NewType {
  owner: string;
  name: string;
}

/** The same for all, because a claim in files is named by it too. */
const noStart = new Date(0).toISOString();

const creationDigest = ({ owner, name }: NewType): string => hash('sha256', JSON.stringify([1, idKey(owner), name]));

const attemptsOf = async (context: CreationContext, type: NewType) => {
  const { last, attempts } = await context.creations.find([creationDigest(type)]);
  return { last, attempts: attempts.filter((attempt) => mayBeHere(context, attempt, type.owner)) };
};

/** Whether an event type of that name was created from here. */
export const isCreatedHere = async (context: CreationContext, type: NewType, uri: string): Promise<boolean> =>
  (await attemptsOf(context, type)).attempts.some(
    ({ entry }) => entry.state === 'open' || (entry.uri !== undefined && idIn(entry.uri) === idIn(uri)),
  );

const creationUnknown = (reason: string, seconds?: number): SchedError =>
  new SchedError('outcome-unknown', "Can't tell whether the event type was created", {
    reason,
    hint: sameCommand,
    outcome: 'unknown',
    ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
  });

/** Throws as long as an attempt that the service doesn't show may still be carried out (R27). */
const requireOver = async ({ creations: ledger, clock, serviceTime }: CreationContext, attempt: StoredCreation) => {
  const now = serviceTime() ?? clock.now();
  const sender = `process ${attempt.entry.pid}${attempt.entry.host === undefined ? '' : ` on ${attempt.entry.host}`}`;
  const firstMiss = await ledger.miss(attempt, now).catch((error: unknown) => {
    if (!(error instanceof SchedError)) throw error;
    throw creationUnknown(`${sender} sent it and got no reply; ${error.message} (${error.facts.reason})`);
  });
  const waitMs = waitLeft(attempt.entry, clock.now(), { now, missed: firstMiss });
  if (waitMs <= 0) return;
  const seconds = Math.ceil(waitMs / 1000);
  throw creationUnknown(`${sender} sent it and got no reply; check again in ${counted(seconds, 'second')}`, seconds);
};

/**
 * Creates an event type once. `find` looks for its URI at the service. `send` must call `leaving` right before the request
 * leaves. `already`: an earlier run has created it.
 */
export const createOnce = async (
  context: CreationContext,
  type: NewType,
  find: () => Promise<string | undefined>,
  send: (leaving: () => Promise<void>) => Promise<void>,
): Promise<'applied' | 'already' | 'by others'> => {
  const { creations: ledger, clock, origin, timeoutMs, pid } = context;
  const { last, attempts } = await attemptsOf(context, type);
  const openAttempts = attempts.filter(({ entry }) => entry.state === 'open');
  const settle = (attempt: StoredCreation, more: Partial<CreationEntry>) =>
    ledger.replace({ ...attempt, entry: { ...attempt.entry, ...more } });
  const there = await find();
  if (there !== undefined) {
    // One that stays open is looked up again by the next run.
    for (const attempt of openAttempts) await settle(attempt, { state: 'created', uri: there }).catch(() => {});
    return openAttempts.length === 0 ? 'by others' : 'already';
  }
  for (const attempt of openAttempts) await requireOver(context, attempt);
  let ownAttempt: StoredCreation | undefined;
  const leaving = async (): Promise<void> => {
    const common = { version: 1 as const, digest: creationDigest(type), origin, timeoutMs, pid };
    const entry: CreationEntry = { ...common, start_time: noStart, state: 'open', at: clock.now() };
    // Each send takes a new number: while this process waited, another may have sent the same.
    const next = { number: (ownAttempt?.number ?? last) + 1, entry };
    if (!(await ledger.claim(next))) throw creationUnknown('another sched process is creating it right now');
    ownAttempt = next;
  };
  await send(leaving).catch(async (error: unknown) => {
    const isOver = error instanceof SchedError && !isOutcomeUnknown(error);
    if (isOver && ownAttempt !== undefined) await settle(ownAttempt, { state: 'refused' }).catch(() => {});
    throw error;
  });
  const attempt = ownAttempt as StoredCreation | undefined;
  // Another sched process was faster, and the service shows what it has created.
  if (attempt === undefined) return 'already';
  // The next run looks up an attempt that stays open: the service may show it later.
  const uri = await find().catch((error: unknown) => {
    if (!(error instanceof SchedError)) throw error;
    // A signal is no doubt about the creation (R42).
    if (hasCategory(error, 'interrupted', 'terminated')) throw error.with({ outcome: 'applied' });
    return undefined;
  });
  if (uri === undefined) throw creationUnknown("the service accepted it, but doesn't show it");
  await settle(attempt, { state: 'created', uri }).catch(() => {});
  return 'applied';
};
