import type { Operation } from '../api/operation.ts';
import { denied } from './refusal.ts';
import type { Store } from './store.ts';

/** Assumed: the plans beyond `enterprise`. */
export const plans = ['trial', 'free', 'standard', 'enterprise'] as const;

export type Plan = (typeof plans)[number];

/** Assumed: the two stages, and that only a trial has its own. */
export const stageOf = (plan: Plan) => (plan === 'trial' ? 'trial' : 'active');

/** Assumed: an organization on another plan is refused with 403, and told which plan it takes. */
export const requirePlan = (row: Operation, plan: Plan) => {
  if (row.plan !== undefined && plan !== row.plan)
    throw denied(`This needs the Enterprise plan, and the organization is on ${plan}. Please upgrade to Enterprise.`);
};

/** There is one organization. */
export const planOf = (store: Store): Plan =>
  store.all<{ plan: Plan }>("SELECT doc ->> 'plan' AS plan FROM organizations")[0]!.plan;

/** Moves a world that is already there to another plan. Invitations tell the plan too. */
export const changePlan = (store: Store, plan: Plan) => {
  for (const table of ['organizations', 'invitations'])
    store.run(
      `UPDATE ${table} SET doc = json_set(doc, '$.plan', ?, '$.stage', ?) WHERE doc ->> 'plan' <> ?`,
      plan,
      stageOf(plan),
      plan,
    );
};
