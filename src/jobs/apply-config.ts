import { eventTypes } from '../api/event-types.ts';
import { diffConfig } from '../config/diff.ts';
import { digestOf } from '../config/digest.ts';
import type { Change, Plan, Reach, ReadConfig, TypeChange, WantedWebhook, World, WorldType } from '../config/model.ts';
import { type Advice, hasCategory, isOutcomeUnknown, SchedError } from '../errors.ts';
import { idIn } from '../uri.ts';
import { type ChangeLock, type StillLocked, whileLocked } from './change-lock.ts';
import { entryOf, idOf, isPartOf, type Step, stepsOf } from './config-changes.ts';
import { type ConfigRequest, requestsFor } from './config-requests.ts';
import { readSchedules, readTypes, readWebhooks, readWorld, type WorldSource } from './config-world.ts';
import { forgetPlan, keepPlan, type PlanContext } from './confirmed-plan.ts';
import { createOnce } from './creations.ts';
import { type ChangeOptions, change as changeRecord, isRefused, notShown } from './read-back.ts';

/*
 * Applies a plan, one request at a time. R57: right before each write, its record is read and compared again. What
 * somebody else has changed since the plan was made is not overwritten, and what is done already is not sent again. So
 * a killed run goes on with the same file.
 */

export interface ApplyContext extends WorldSource, PlanContext {
  clock: PlanContext['clock'];
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

export interface ChangeOutcome {
  /** `already`: the service has it as wanted. `skipped`: something that it needs has failed. */
  state: 'applied' | 'already' | 'failed' | 'unknown' | 'skipped' | 'not reached';
  error?: SchedError;
  /** A part of the change was written, such as a new type that isn't active yet. */
  isPartly?: true;
}

export interface Applied {
  /** In the order of the plan. */
  outcomes: ChangeOutcome[];
  /** Why the rest was not sent. */
  stopped?: SchedError;
}

interface Run {
  context: ApplyContext;
  read: ReadConfig;
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
const findAgain = ({ read, world }: Run, planned: Change): Change | undefined => {
  const diffed = diffConfig(read, world);
  if (!diffed.ok) throw changedMeanwhile(planned.label, diffed.problems[0]?.message);
  return diffed.plan.changes.find((each) => idOf(each) === idOf(planned));
};

/** Reads the types of a user again, with the hours of a new one. */
const readTypesAgain = async ({ context, world, created }: Run, planned: TypeChange): Promise<void> => {
  const user = world.users.find(({ uri }) => uri === planned.owner)!;
  const { types } = await readTypes(context, user.uri, world.organization);
  const known = new Map(user.types.map(({ record, schedules }) => [record.uri, schedules]));
  for (const type of types) {
    const { uri, name } = type.record;
    type.schedules = known.get(uri);
    if (known.has(uri) || name !== planned.fields.name!.after) continue;
    type.schedules = await readSchedules(context, uri);
    created.set(entryOf(planned), String(uri));
  }
  user.types = types;
};

/** Reads again what a change is about. */
const readAgain = async (run: Run, planned: Change): Promise<void> => {
  const { context, world, created } = run;
  if (planned.kind === 'webhook') {
    const list = await readWebhooks(context, world.organization, planned.scope, planned.owner);
    if (planned.scope === 'organization') world.organizationWebhooks = list;
    for (const owner of [...world.users, ...world.groups]) if (owner.uri === planned.owner) owner.webhooks = list;
    return;
  }
  const uri = (planned.kind === 'schedule' ? planned.eventType : planned.uri) ?? created.get(entryOf(planned));
  const types: WorldType[] = world.users.flatMap((user) => user.types);
  const type = types.find(({ record }) => record.uri === uri);
  if (type === undefined) return readTypesAgain(run, planned as TypeChange);
  if (planned.kind === 'schedule') type.schedules = await readSchedules(context, uri);
  else type.record = await context.client.call(eventTypes.get, { path: { event_type: idIn(uri) } });
};

/** Reads a change again. Throws if somebody else has changed the same. */
const look = async (run: Run, planned: Change): Promise<Change | undefined> => {
  await readAgain(run, planned).catch((error: unknown) => {
    throw hasCategory(error, 'not-found') ? changedMeanwhile(planned.label, 'it is no longer there') : error;
  });
  const now = findAgain(run, planned);
  if (now !== undefined && !isPartOf(now, planned)) throw changedMeanwhile(planned.label);
  return now;
};

/** Sends a request. If its reply is lost, the record shows whether it was carried out. A creation is sent once. */
const send = async (run: Run, now: Change, { operation, input }: ConfigRequest, leaving?: () => Promise<void>) => {
  const read = async () => {
    await readAgain(run, now);
    return {};
  };
  const isDone = () => {
    const left = findAgain(run, now);
    if (operation.effect !== 'creation') return left?.action !== now.action;
    return left === undefined || left.action === 'update' || undefined;
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

const create = async (run: Run, planned: TypeChange): Promise<ChangeOutcome['state']> => {
  const type = { owner: planned.owner, name: String(planned.fields.name!.after) };
  const find = async () => {
    await look(run, planned);
    return run.created.get(entryOf(planned));
  };
  const made = await createOnce(run.context, type, find, (leaving) =>
    send(run, planned, requestsFor(planned, run.world)[0]!, leaving),
  );
  if (made === 'by others') throw changedMeanwhile(planned.label, 'somebody else has created it');
  return made;
};

const take = async (run: Run, { phase, change }: Step): Promise<ChangeOutcome['state']> => {
  run.context.interrupted.throwIfAborted();
  if (phase === 'create') return create(run, change as TypeChange);
  const now = await look(run, change);
  if (now === undefined) return 'already';
  for (const request of requestsFor(now, run.world, run.keys.get(change))) await send(run, now, request);
  return 'applied';
};

const takeAll = async (run: Run, { changes }: Plan): Promise<Applied> => {
  const outcomes = new Map<Change, ChangeOutcome>(changes.map((change) => [change, { state: 'not reached' }]));
  const steps = stepsOf({ changes });
  const last = new Map(steps.map((step) => [step.change, step]));
  const broken = new Set<string>();
  let stopped: SchedError | undefined;
  const outcomeOf = async (step: Step, before: ChangeOutcome['state']): Promise<ChangeOutcome> => {
    const isPartly = before === 'applied' ? { isPartly: true as const } : {};
    if (stopped !== undefined) return { state: 'not reached', ...isPartly };
    if (broken.has(entryOf(step.change))) return { state: 'skipped', ...isPartly };
    try {
      const state = await take(run, step);
      return { state: state === 'already' && before === 'applied' ? before : state };
    } catch (error) {
      if (!(error instanceof SchedError)) throw error;
      const isOne = isRefused(error);
      if (isOne) broken.add(entryOf(step.change));
      else stopped = error;
      return { state: isOne ? 'failed' : isOutcomeUnknown(error) ? 'unknown' : 'not reached', error, ...isPartly };
    }
  };
  for (const step of steps) {
    const { change } = step;
    const before = outcomes.get(change)!;
    if (before.error === undefined) outcomes.set(change, await outcomeOf(step, before.state));
    if (last.get(change) === step) run.context.onOutcome?.(change, outcomes.get(change)!);
  }
  return { outcomes: [...outcomes.values()], ...(stopped === undefined ? {} : { stopped }) };
};

const isSignal = (error: unknown): boolean => hasCategory(error, 'interrupted', 'terminated');

/** What the service shows after a change that it has accepted. Undefined if that is the change, or can't be read. */
const otherThan = async (run: Run, change: Change): Promise<SchedError | undefined> => {
  try {
    await readAgain(run, change);
  } catch (error) {
    if (!(error instanceof SchedError) || isSignal(error)) throw error;
    run.context.onUnread?.(change, error);
    return undefined;
  }
  const diffed = diffConfig(run.read, run.world);
  return diffed.ok && diffed.plan.changes.every((each) => idOf(each) !== idOf(change)) ? undefined : notShown();
};

/**
 * R66: reads the schedules that were written once more. One that doesn't show its hours has failed: somebody who takes no
 * lock has written it at the same moment.
 */
const readBack = async (run: Run, { changes }: Plan, { outcomes }: Applied): Promise<void> => {
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
  read: ReadConfig,
  reach: Reach,
  plan: Plan,
  confirmed?: string,
): Promise<Applied> => {
  const keys = new Map<Change, string | undefined>();
  for (const change of plan.changes)
    if (change.kind === 'webhook' && change.wanted) keys.set(change, await context.signingKey(change.wanted));
  return whileLocked(context.lock, async (stillLocked) => {
    const world = await readWorld(context, reach);
    const diffed = diffConfig(read, world);
    if (!diffed.ok || digestOf(diffed.plan) !== digestOf(plan))
      throw new SchedError('conflict', 'The service has changed since the plan was made, so nothing was sent', {
        advice,
      });
    if (confirmed !== undefined && digestOf(plan).startsWith(confirmed)) await keepPlan(context, plan);
    const run: Run = { context, read, world, keys, created: new Map(), stillLocked };
    const applied = await takeAll(run, plan);
    await readBack(run, plan, applied).catch((error: unknown) => {
      if (!isSignal(error)) throw error;
      applied.stopped ??= error as SchedError;
    });
    // A plan that stays accepts nothing but what was confirmed.
    if (applied.outcomes.every(({ state }) => state === 'applied' || state === 'already'))
      await forgetPlan(context, plan).catch(() => {});
    return applied;
  });
};
