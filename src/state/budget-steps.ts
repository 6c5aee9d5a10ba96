import {
  applyPlan,
  type BudgetState,
  type GrantOptions,
  grant,
  type PermitGrant,
  queue,
  release,
  type Settlement,
  settle,
  type Waiter,
} from './budget.ts';

/** A reply's facts that were not shared at once, because they were no surprise. */
export type BudgetNews = Pick<Settlement, 'sentAt' | 'doubtMs' | 'now' | 'told'>;

interface TakeStep extends GrantOptions {
  do: 'take';
  holder: string;
  pid: number;
  news?: BudgetNews | undefined;
}

interface SettleStep extends Settlement {
  do: 'settle';
  /** Permits that the service doesn't have: more were handed out than are left. */
  surplus: number;
}

interface ReleaseStep {
  do: 'release';
  holder: string;
  unused: number;
  news?: BudgetNews | undefined;
}

interface QueueStep extends Omit<Waiter, 'since'> {
  do: 'queue';
}

interface PlanStep {
  do: 'plan';
  limits: readonly (number | null)[];
  isNews: boolean;
}

/** A change of a budget. A store makes it as one atomic step. */
export type Step = TakeStep | SettleStep | ReleaseStep | QueueStep | PlanStep;

/** For a queue step, the result of `queue`. */
export type StepResult<S extends Step> = S extends TakeStep ? PermitGrant : S extends QueueStep ? number : undefined;

const make = (state: BudgetState, step: Step, now: number): PermitGrant | number | undefined => {
  switch (step.do) {
    case 'take': {
      const { holder, pid, news } = step;
      if (news !== undefined) settle(state, { holder, ...news, unused: 0 });
      const granted = grant(state, holder, now, step);
      if (state.probe?.holder === holder) state.probe.pid = pid;
      return granted;
    }
    case 'settle':
      if (step.surplus > 0) release(state, step.holder, step.surplus);
      return void settle(state, step);
    case 'release':
      if (step.news !== undefined) settle(state, { holder: step.holder, ...step.news, unused: step.unused });
      return void release(state, step.holder, step.unused);
    case 'queue': {
      const { do: _, ...waiter } = step;
      return queue(state, { ...waiter, since: now });
    }
    case 'plan':
      return void applyPlan(state, step.limits, step.isNews);
  }
};

/** Makes a step. Modifies `state`, which is the result of `current` at that time. */
export const applyStep = <S extends Step>(state: BudgetState, step: S, now: number): StepResult<S> =>
  make(state, step, now) as StepResult<S>;
