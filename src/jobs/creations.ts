import { hash } from 'node:crypto';
import { hasCategory, isOutcomeUnknown, SchedError, sameCommand } from '../errors.ts';
import { counted } from '../numbers.ts';
import { waitLeft } from '../state/ledger-entry.ts';
import type { Clock } from '../system.ts';
import { idIn } from '../uri.ts';
import { mayBeHere } from './booking-attempt.ts';
import type { CreationEntry, CreationLedger, StoredCreation } from './creation-record.ts';
import { idKey } from './look-up.ts';

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

const digestOf = ({ owner, name }: NewType): string => hash('sha256', JSON.stringify([1, idKey(owner), name]));

const attemptsOf = async (context: CreationContext, type: NewType) => {
  const { last, attempts } = await context.creations.find([digestOf(type)]);
  return { last, attempts: attempts.filter((kept) => mayBeHere(context, kept, type.owner)) };
};

/** Whether an event type of that name was created from here. */
export const isCreatedHere = async (context: CreationContext, type: NewType, uri: string): Promise<boolean> =>
  (await attemptsOf(context, type)).attempts.some(
    ({ entry }) => entry.state === 'open' || (entry.uri !== undefined && idIn(entry.uri) === idIn(uri)),
  );

const unknown = (reason: string, seconds?: number): SchedError =>
  new SchedError('outcome-unknown', "Can't tell whether the event type was created", {
    reason,
    hint: sameCommand,
    outcome: 'unknown',
    ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
  });

/** Throws as long as an attempt that the service doesn't show may still be carried out (R27). */
const requireOver = async ({ creations: ledger, clock, serviceTime }: CreationContext, kept: StoredCreation) => {
  const now = serviceTime() ?? clock.now();
  const sender = `process ${kept.entry.pid}${kept.entry.host === undefined ? '' : ` on ${kept.entry.host}`}`;
  const missed = await ledger.miss(kept, now).catch((error: unknown) => {
    if (!(error instanceof SchedError)) throw error;
    throw unknown(`${sender} sent it and got no reply; ${error.message} (${error.facts.reason})`);
  });
  const left = waitLeft(kept.entry, clock.now(), { now, missed });
  if (left <= 0) return;
  const seconds = Math.ceil(left / 1000);
  throw unknown(`${sender} sent it and got no reply; check again in ${counted(seconds, 'second')}`, seconds);
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
  const open = attempts.filter(({ entry }) => entry.state === 'open');
  const settle = (kept: StoredCreation, more: Partial<CreationEntry>) =>
    ledger.replace({ ...kept, entry: { ...kept.entry, ...more } });
  const there = await find();
  if (there !== undefined) {
    // One that stays open is looked up again by the next run.
    for (const kept of open) await settle(kept, { state: 'created', uri: there }).catch(() => {});
    return open.length === 0 ? 'by others' : 'already';
  }
  for (const kept of open) await requireOver(context, kept);
  let kept: StoredCreation | undefined;
  const leaving = async (): Promise<void> => {
    const common = { version: 1 as const, digest: digestOf(type), origin, timeoutMs, pid };
    const entry: CreationEntry = { ...common, start_time: noStart, state: 'open', at: clock.now() };
    // Each send takes a new number: while this process waited, another may have sent the same.
    const next = { number: (kept?.number ?? last) + 1, entry };
    if (!(await ledger.claim(next))) throw unknown('another sched process is creating it right now');
    kept = next;
  };
  await send(leaving).catch(async (error: unknown) => {
    const isOver = error instanceof SchedError && !isOutcomeUnknown(error);
    if (isOver && kept !== undefined) await settle(kept, { state: 'refused' }).catch(() => {});
    throw error;
  });
  const sent = kept as StoredCreation | undefined;
  // Another sched process was faster, and the service shows what it has created.
  if (sent === undefined) return 'already';
  // The next run looks up an attempt that stays open: the service may show it later.
  const uri = await find().catch((error: unknown) => {
    if (!(error instanceof SchedError)) throw error;
    // A signal is no doubt about the creation (R42).
    if (hasCategory(error, 'interrupted', 'terminated')) throw error.with({ outcome: 'applied' });
    return undefined;
  });
  if (uri === undefined) throw unknown("the service accepted it, but doesn't show it");
  await settle(sent, { state: 'created', uri }).catch(() => {});
  return 'applied';
};
