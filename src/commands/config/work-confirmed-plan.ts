import { hash } from 'node:crypto';
import { join } from 'node:path';
import { isObject, jsonIn } from '../../base/json.ts';
import { rm } from '../../node/files.ts';
import { type FileWorld, readPrivateFile, writePrivateFile } from '../../state/files.ts';
import { entryOf, idOf, isPartOf, type KnownChange } from './work-changes.ts';
import { type CreationContext, isCreatedHere } from './work-creations.ts';
import { planDigest } from './work-digest.ts';
import type { Plan } from './work-model.ts';

/*
 * A plan that was confirmed by its digest. It is kept until it is done: a killed run changes the digest, and the same
 * command must go on. There is one for each service and organization.
 */

interface KeptPlan {
  digest: string;
  changes: KnownChange[];
}

export interface PlanContext extends CreationContext {
  plans: {
    /** The state directory. Without one, nothing is kept. */
    directory: string | undefined;
    world: FileWorld;
  };
}

const planPath = (directory: string, { service, organization }: Plan): string =>
  join(directory, 'plans', `${hash('sha256', JSON.stringify([service, organization]))}.json`);

export const keepPlan = async ({ plans }: PlanContext, plan: Plan): Promise<void> => {
  if (plans.directory === undefined) return;
  const changes = plan.changes.map(({ kind, action, path, label, owner, uri, fields }) => {
    return { kind, action, path, label, owner, uri, fields };
  });
  const text = JSON.stringify({ digest: planDigest(plan), changes });
  await writePrivateFile(planPath(plans.directory, plan), text, plans.world);
};

/** Leaves drafts alone: without a lock, another process may be writing one right now. */
export const forgetPlan = async ({ plans }: PlanContext, plan: Plan): Promise<void> => {
  if (plans.directory !== undefined) await rm(planPath(plans.directory, plan), { force: true });
};

const readKept = async ({ plans }: PlanContext, plan: Plan): Promise<KeptPlan | undefined> => {
  const text = plans.directory === undefined ? undefined : await readPrivateFile(planPath(plans.directory, plan));
  const record = text === undefined ? undefined : jsonIn(text);
  return isObject(record) && typeof record.digest === 'string' && Array.isArray(record.changes)
    ? (record as unknown as KeptPlan)
    : undefined;
};

/** Whether a change is left of a kept plan. A type that the plan was to create must have been created by it. */
const isLeftOf = async (context: PlanContext, keptPlan: KeptPlan, now: Plan['changes'][number]): Promise<boolean> => {
  const plannedChange = keptPlan.changes.find((each) => idOf(each) === idOf(now));
  if (plannedChange === undefined || !isPartOf(now, plannedChange)) return false;
  const type = now.kind === 'schedule' ? now.eventType : now.uri;
  const creation = keptPlan.changes.find(
    ({ kind, action, ...each }) =>
      kind === 'event type' && action === 'create' && entryOf({ kind, action, ...each }) === entryOf(now),
  );
  if (creation === undefined || type === undefined) return true;
  // It was created with the other fields, so somebody else has changed them.
  if (now.kind === 'event type' && Object.keys(now.fields).some((name) => name !== 'active')) return false;
  return isCreatedHere(context, { owner: creation.owner, name: String(creation.fields.name?.after) }, type);
};

/**
 * Whether a digest confirms a plan: it is the plan's, or that of a kept one of which this plan is the rest. A plan without
 * changes needs nothing: the same command may be run again.
 */
export const acceptsConfirmed = async (context: PlanContext, plan: Plan, digest: string): Promise<boolean> => {
  if (plan.changes.length === 0 || planDigest(plan).startsWith(digest)) return true;
  const keptPlan = await readKept(context, plan);
  if (!keptPlan?.digest.startsWith(digest)) return false;
  for (const change of plan.changes) if (!(await isLeftOf(context, keptPlan, change))) return false;
  return true;
};
