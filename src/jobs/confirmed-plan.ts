import { hash } from 'node:crypto';
import { join } from 'node:path';
import { digestOf } from '../config/digest.ts';
import type { Plan } from '../config/model.ts';
import { isObject, jsonIn } from '../json.ts';
import { rm } from '../node/files.ts';
import { type FileWorld, readPrivateFile, writePrivateFile } from '../state/files.ts';
import { entryOf, idOf, isPartOf, type KnownChange } from './config-changes.ts';
import { type CreationContext, isCreatedHere } from './creations.ts';

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

const pathOf = (directory: string, { service, organization }: Plan): string =>
  join(directory, 'plans', `${hash('sha256', JSON.stringify([service, organization]))}.json`);

export const keepPlan = async ({ plans }: PlanContext, plan: Plan): Promise<void> => {
  if (plans.directory === undefined) return;
  const changes = plan.changes.map(({ kind, action, path, label, owner, uri, fields }) => {
    return { kind, action, path, label, owner, uri, fields };
  });
  const text = JSON.stringify({ digest: digestOf(plan), changes });
  await writePrivateFile(pathOf(plans.directory, plan), text, plans.world);
};

/** Leaves drafts alone: without a lock, another process may be writing one right now. */
export const forgetPlan = async ({ plans }: PlanContext, plan: Plan): Promise<void> => {
  if (plans.directory !== undefined) await rm(pathOf(plans.directory, plan), { force: true });
};

const readKept = async ({ plans }: PlanContext, plan: Plan): Promise<KeptPlan | undefined> => {
  const text = plans.directory === undefined ? undefined : await readPrivateFile(pathOf(plans.directory, plan));
  const kept = text === undefined ? undefined : jsonIn(text);
  return isObject(kept) && typeof kept.digest === 'string' && Array.isArray(kept.changes)
    ? (kept as unknown as KeptPlan)
    : undefined;
};

/** Whether a change is left of a kept plan. A type that the plan was to create must have been created by it. */
const isLeftOf = async (context: PlanContext, kept: KeptPlan, now: Plan['changes'][number]): Promise<boolean> => {
  const planned = kept.changes.find((each) => idOf(each) === idOf(now));
  if (planned === undefined || !isPartOf(now, planned)) return false;
  const type = now.kind === 'schedule' ? now.eventType : now.uri;
  const creation = kept.changes.find(
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
  if (plan.changes.length === 0 || digestOf(plan).startsWith(digest)) return true;
  const kept = await readKept(context, plan);
  if (!kept?.digest.startsWith(digest)) return false;
  for (const change of plan.changes) if (!(await isLeftOf(context, kept, change))) return false;
  return true;
};
