import type { Operation } from '../api/operation.ts';
import { denied } from './error-replies.ts';
import type { Store } from './store/store.ts';

/**
 * Assumed (organizations.plans): besides `enterprise`, the plans of an organization are `trial`, `free` and `standard`.
 */
export const plans = ['trial', 'free', 'standard', 'enterprise'] as const;

export type Plan = (typeof plans)[number];

/**
 * Assumed (organizations.trial): the stage of an organization is `trial` on the trial plan, and `active` on all others.
 */
export const stageOf = (plan: Plan) => (plan === 'trial' ? 'trial' : 'active');

/** Assumed (errors.plan): an operation that requires another plan is refused with 403 and the name of that plan. */
export const requirePlan = (row: Operation, plan: Plan) => {
  if (row.plan !== undefined && plan !== row.plan)
    throw denied(
      `This operation requires the Enterprise plan. The organization is on ${plan}: please upgrade to Enterprise.`,
    );
};

/** The plan of the only organization. */
export const planOf = (store: Store): Plan =>
  store.first<{ plan: Plan }>("SELECT doc ->> 'plan' AS plan FROM organizations")!.plan;

/** Moves existing data to another plan. Invitations contain the plan too. */
export const changePlan = (store: Store, plan: Plan) => {
  for (const table of ['organizations', 'invitations'])
    store.run(
      `UPDATE ${table} SET doc = json_set(doc, '$.plan', ?, '$.stage', ?) WHERE doc ->> 'plan' <> ?`,
      plan,
      stageOf(plan),
      plan,
    );
};
