import { eventTypes } from '../../api/event-types.ts';
import { type Advice, hasCategory, isOutcomeUnknown, SchedError } from '../../base/errors.ts';
import { idIn } from '../../base/uri.ts';
import { type ChangeOptions, change as changeRecord, isFinalRefusal, notShown } from '../../client/change.ts';
import { type ChangeLock, type StillLocked, whileLocked } from '../../state/change-lock.ts';
import { entryOf, idOf, isPartOf, type Step, stepsOf } from './work-changes.ts';
import { forgetPlan, keepPlan, type PlanContext } from './work-confirmed-plan.ts';
import { createOnce } from './work-creations.ts';
import { diffConfig } from './work-diff.ts';
import { planDigest } from './work-digest.ts';
import type { WantedWebhook } from './work-file-schema.ts';
import type { Change, Plan, Reach, ReadConfig, TypeChange, World, WorldType } from './work-model.ts';
import { readSchedules, readTypes, readWebhooks, readWorld, type WorldSource } from './work-read-service.ts';
import { type ConfigRequest, requestsOfChange } from './work-requests.ts';

/*
 * Applies a plan, one request at a time. R57: right before each write, its record is read and compared again. What
 * somebody else has changed since the plan was made is not overwritten, and what is done already is not sent again. So
 * a killed run goes on with the same file.
 */

export interface ApplyContext extends WorldSource, PlanContext {
  change: ChangeOptions;
  interrupted: AbortSignal;
  lock: ChangeLock;
  /** The key that signs the deliveries of a new webhook. */
  signingKey(webhook: WantedWebhook): Promise<string | undefined>;
  /** Called when the outcome of a change is known. */
  onOutcome?(change: Change, outcome: ChangeOutcome): void;
  /** Called if a schedule can't be read after its change. The service has accepted the change. */
  onUnread?(change: Change, error: SchedError): void;
}

interface ChangeOutcome {
  /** `already`: the service has it as wanted. `skipped`: something that it needs has failed. */
  state: 'applied' | 'already' | 'failed' | 'unknown' | 'skipped' | 'not reached';
  error?: SchedError;
  /** A part of the change was written, such as a new type that isn't active yet. */
  isPartly?: true;
}

export interface ApplyResult {
  /** In the order of the plan. */
  outcomes: ChangeOutcome[];
  /** Why the rest was not sent. */
  stopReason?: SchedError;
}

interface Run {
  context: ApplyContext;
  file: ReadConfig;
  /** As it was read last. */
  world: World;
  keys: Map<Change, string | undefined>;
  /** URIs of new types, by the entry of the file. */
  created: Map<string, string>;
  stillLocked: StillLocked;
}

const advice: Advice = ['compare again: ', { command: ['config', 'diff', 'FILE'] }];

const changedMeanwhile = (label: string, reason?: string): SchedError =>
  new SchedError('conflict', `${label} was changed by someone else meanwhile`, {
    ...(reason === undefined ? {} : { reason }),
    advice,
  });

/** The change as the service is now, or undefined if it is made. */
const findAgain = ({ file, world }: Run, plannedChange: Change): Change | undefined => {
  const diff = diffConfig(file, world);
  if (!diff.ok) throw changedMeanwhile(plannedChange.label, diff.problems[0]?.message);
  return diff.plan.changes.find((each) => idOf(each) === idOf(plannedChange));
};

/** Reads the types of a user again, with the hours of a new one. */
const readTypesAgain = async ({ context, world, created }: Run, plannedChange: TypeChange): Promise<void> => {
  const user = world.users.find(({ uri }) => uri === plannedChange.owner)!;
  const { types } = await readTypes(context, user.uri, world.organization);
  const schedulesByType = new Map(user.types.map(({ record, schedules }) => [record.uri, schedules]));
  for (const type of types) {
    const { uri, name } = type.record;
    type.schedules = schedulesByType.get(uri);
    if (schedulesByType.has(uri) || name !== plannedChange.fields.name!.after) continue;
    type.schedules = await readSchedules(context, uri);
    created.set(entryOf(plannedChange), String(uri));
  }
  user.types = types;
};

/** Reads again what a change is about. */
const readChangeAgain = async (run: Run, plannedChange: Change): Promise<void> => {
  const { context, world, created } = run;
  if (plannedChange.kind === 'webhook') {
    const list = await readWebhooks(context, world.organization, plannedChange.scope, plannedChange.owner);
    if (plannedChange.scope === 'organization') world.organizationWebhooks = list;
    for (const owner of [...world.users, ...world.groups]) if (owner.uri === plannedChange.owner) owner.webhooks = list;
    return;
  }
  const uri =
    (plannedChange.kind === 'schedule' ? plannedChange.eventType : plannedChange.uri) ??
    created.get(entryOf(plannedChange));
  const types: WorldType[] = world.users.flatMap((user) => user.types);
  const type = types.find(({ record }) => record.uri === uri);
  if (type === undefined) return readTypesAgain(run, plannedChange as TypeChange);
  if (plannedChange.kind === 'schedule') type.schedules = await readSchedules(context, uri);
  else type.record = await context.client.call(eventTypes.get, { path: { event_type: idIn(uri) } });
};

/** Reads a change again. Throws if somebody else has changed the same. */
const checkChangeAgain = async (run: Run, plannedChange: Change): Promise<Change | undefined> => {
  await readChangeAgain(run, plannedChange).catch((error: unknown) => {
    throw hasCategory(error, 'not-found') ? changedMeanwhile(plannedChange.label, 'it is no longer there') : error;
  });
  const now = findAgain(run, plannedChange);
  if (now !== undefined && !isPartOf(now, plannedChange)) throw changedMeanwhile(plannedChange.label);
  return now;
};

/** Sends a request. If its reply is lost, the record shows whether it was carried out. A creation is sent once. */
const sendChange = async (
  run: Run,
  now: Change,
  { operation, input }: ConfigRequest,
  leaving?: () => Promise<void>,
) => {
  const read = async () => {
    await readChangeAgain(run, now);
    return {};
  };
  const isDone = () => {
    const remainder = findAgain(run, now);
    if (operation.effect !== 'creation') return remainder?.action !== now.action;
    return remainder === undefined || remainder.action === 'update' || undefined;
  };
  const beforeSend = async (): Promise<void> => {
    await run.stillLocked();
    await leaving?.();
  };
  const write = () => run.context.client.write(operation, input, beforeSend);
  await changeRecord({ send: write, read, isDone }, run.context.change).catch(async (error: unknown) => {
    // A deletion is repeated after a lost reply. The second one finds nothing.
    if (operation.effect !== 'deletion' || !hasCategory(error, 'not-found')) throw error;
    await read();
    if (!isDone()) throw error;
  });
};

const createType = async (run: Run, plannedChange: TypeChange): Promise<ChangeOutcome['state']> => {
  const type = { owner: plannedChange.owner, name: String(plannedChange.fields.name!.after) };
  const find = async () => {
    await checkChangeAgain(run, plannedChange);
    return run.created.get(entryOf(plannedChange));
  };
  const creation = await createOnce(run.context, type, find, (leaving) =>
    sendChange(run, plannedChange, requestsOfChange(plannedChange, run.world)[0]!, leaving),
  );
  if (creation === 'by others') throw changedMeanwhile(plannedChange.label, 'somebody else has created it');
  return creation;
};

const take = async (run: Run, { phase, change }: Step): Promise<ChangeOutcome['state']> => {
  run.context.interrupted.throwIfAborted();
  if (phase === 'create') return createType(run, change as TypeChange);
  const now = await checkChangeAgain(run, change);
  if (now === undefined) return 'already';
  for (const request of requestsOfChange(now, run.world, run.keys.get(change))) await sendChange(run, now, request);
  return 'applied';
};

const takeAll = async (run: Run, { changes }: Plan): Promise<ApplyResult> => {
  const outcomes = new Map<Change, ChangeOutcome>(changes.map((change) => [change, { state: 'not reached' }]));
  const steps = stepsOf({ changes });
  const last = new Map(steps.map((step) => [step.change, step]));
  const broken = new Set<string>();
  let stopReason: SchedError | undefined;
  const outcomeOf = async (step: Step, before: ChangeOutcome['state']): Promise<ChangeOutcome> => {
    const isPartly = before === 'applied' ? { isPartly: true as const } : {};
    if (stopReason !== undefined) return { state: 'not reached', ...isPartly };
    if (broken.has(entryOf(step.change))) return { state: 'skipped', ...isPartly };
    try {
      const state = await take(run, step);
      return { state: state === 'already' && before === 'applied' ? before : state };
    } catch (error) {
      if (!(error instanceof SchedError)) throw error;
      const isOne = isFinalRefusal(error);
      if (isOne) broken.add(entryOf(step.change));
      else stopReason = error;
      return { state: isOne ? 'failed' : isOutcomeUnknown(error) ? 'unknown' : 'not reached', error, ...isPartly };
    }
  };
  for (const step of steps) {
    const { change } = step;
    const before = outcomes.get(change)!;
    if (before.error === undefined) outcomes.set(change, await outcomeOf(step, before.state));
    if (last.get(change) === step) run.context.onOutcome?.(change, outcomes.get(change)!);
  }
  return { outcomes: [...outcomes.values()], ...(stopReason === undefined ? {} : { stopReason }) };
};

const isSignal = (error: unknown): boolean => hasCategory(error, 'interrupted', 'terminated');

/** What the service shows after a change that it has accepted. Undefined if that is the change, or can't be read. */
const otherThan = async (run: Run, change: Change): Promise<SchedError | undefined> => {
  try {
    await readChangeAgain(run, change);
  } catch (error) {
    if (!(error instanceof SchedError) || isSignal(error)) throw error;
    run.context.onUnread?.(change, error);
    return undefined;
  }
  const diff = diffConfig(run.file, run.world);
  return diff.ok && diff.plan.changes.every((each) => idOf(each) !== idOf(change)) ? undefined : notShown();
};

/**
 * R66: reads the schedules that were written once more. One that doesn't show its hours has failed: somebody who takes no
 * lock has written it at the same moment.
 */
const readAppliedBack = async (run: Run, { changes }: Plan, { outcomes }: ApplyResult): Promise<void> => {
  for (const [index, change] of changes.entries()) {
    if (change.kind !== 'schedule' || outcomes[index]!.state !== 'applied') continue;
    const error = await otherThan(run, change);
    if (error === undefined) continue;
    outcomes[index] = { state: 'failed', error };
    run.context.onOutcome?.(change, outcomes[index]);
  }
};

/** Applies a plan. `confirmed`: the digest by which it was confirmed, so that the same command can go on after a kill. */
export const applyConfig = async (
  context: ApplyContext,
  file: ReadConfig,
  reach: Reach,
  plan: Plan,
  confirmedDigest?: string,
): Promise<ApplyResult> => {
  const keys = new Map<Change, string | undefined>();
  for (const change of plan.changes)
    if (change.kind === 'webhook' && change.entry) keys.set(change, await context.signingKey(change.entry));
  return whileLocked(context.lock, async (stillLocked) => {
    const world = await readWorld(context, reach);
    const diff = diffConfig(file, world);
    if (!diff.ok || planDigest(diff.plan) !== planDigest(plan))
      throw new SchedError('conflict', 'The service has changed since the plan was made, so nothing was sent', {
        advice,
      });
    if (confirmedDigest !== undefined && planDigest(plan).startsWith(confirmedDigest)) await keepPlan(context, plan);
    const run: Run = { context, file, world, keys, created: new Map(), stillLocked };
    const result = await takeAll(run, plan);
    await readAppliedBack(run, plan, result).catch((error: unknown) => {
      if (!isSignal(error)) throw error;
      result.stopReason ??= error as SchedError;
    });
    // A plan that stays accepts nothing but what was confirmed.
    if (result.outcomes.every(({ state }) => state === 'applied' || state === 'already'))
      await forgetPlan(context, plan).catch(() => {});
    return result;
  });
};
