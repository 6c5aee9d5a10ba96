import type { Change, Plan } from './work-model.ts';

/** What a kept plan has of a change. */
export type KnownChange = Pick<Change, 'kind' | 'action' | 'path' | 'label' | 'owner' | 'uri' | 'fields'>;

/** Tells the changes of a file apart, also if they are found again later. The webhooks that a list leaves out share its path. */
export const idOf = ({ kind, path, label }: KnownChange): string =>
  JSON.stringify([kind, path, kind === 'webhook' ? label : '']);

/** Changes that depend on each other: an event type and its hours. */
export const entryOf = (change: KnownChange): string =>
  change.kind === 'webhook' ? idOf(change) : JSON.stringify(change.path.slice(0, 4));

const isEqual = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** What is left to do after a part: the fields of a new type, and the new webhook in place of another. */
const continuesPart = (now: KnownChange, plannedChange: KnownChange): boolean =>
  (plannedChange.kind === 'event type' && plannedChange.action === 'create' && now.action === 'update') ||
  (plannedChange.kind === 'schedule' && plannedChange.uri === undefined) ||
  (plannedChange.action === 'replace' && now.action === 'create');

/** Whether a change, as it is now, is a planned one or what is left of it. Nobody else may have changed its fields. */
export const isPartOf = (now: KnownChange, plannedChange: KnownChange): boolean => {
  const isRest = continuesPart(now, plannedChange);
  if (now.owner !== plannedChange.owner) return false;
  if (!isRest && (now.action !== plannedChange.action || now.uri !== plannedChange.uri)) return false;
  return Object.entries(now.fields).every(([name, { before, after }]) => {
    const field = plannedChange.fields[name];
    return field !== undefined && isEqual(after, field.after) && (isRest || isEqual(before, field.before));
  });
};

/**
 * In this order: what must not be booked any more, new types (inactive), fields, hours, what can be booked from now on,
 * and webhooks, of which a mistake can be undone least at the end.
 */
const phases = ['deactivate', 'create', 'update', 'hours', 'activate', 'subscribe', 'replace', 'unsubscribe'] as const;

type Phase = (typeof phases)[number];

export interface Step {
  phase: Phase;
  change: Change;
}

const phasesOf = (change: Change): Phase[] => {
  if (change.kind === 'schedule') return ['hours'];
  if (change.kind === 'webhook')
    return [({ create: 'subscribe', replace: 'replace', delete: 'unsubscribe' } as const)[change.action]];
  const active = change.fields.active?.after;
  if (change.action === 'create') return active === true ? ['create', 'activate'] : ['create'];
  return [active === undefined ? 'update' : active === true ? 'activate' : 'deactivate'];
};

export const stepsOf = ({ changes }: Pick<Plan, 'changes'>): Step[] => {
  const steps = changes.flatMap((change) => phasesOf(change).map((phase) => ({ phase, change })));
  return phases.flatMap((phase) => steps.filter((step) => step.phase === phase));
};
