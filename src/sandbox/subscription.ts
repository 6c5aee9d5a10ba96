import type { Operation } from '../api/operation.ts';
import { denied } from './refusal.ts';
import type { Store } from './store.ts';

/** Assumed: all plans except `enterprise`. */
export const plans = ['trial', 'free', 'standard', 'enterprise'] as const;

export type Plan = (typeof plans)[number];

/** Assumed: there are two stages, and only the trial plan is in stage `trial`. */
export const stageOf = (plan: Plan) => (plan === 'trial' ? 'trial' : 'active');

/** Assumed: an organization on another plan gets 403 with the name of the required plan. */
export const requirePlan = (row: Operation, plan: Plan) => {
  if (row.plan !== undefined && plan !== row.plan)
    throw denied(
      `This operation requires the Enterprise plan. The organization is on ${plan}: please upgrade to Enterprise.`,
    );
};

/** The plan of the only organization. */
export const planOf = (store: Store): Plan =>
  store.all<{ plan: Plan }>("SELECT doc ->> 'plan' AS plan FROM organizations")[0]!.plan;

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
