import { limits } from '../../api/limits.ts';
import { orgs } from '../../api/organizations.ts';
import { SchedError } from '../../base/errors.ts';
import { textOf } from '../../base/json.ts';
import { counted } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import { budgetKey } from '../../http/rate-limit.ts';
import type { Context } from './context.ts';
import { cacheFile, readYounger, staleAfterMs, writeCache } from './identity.ts';
import { bookerOf } from './network.ts';

/** How many bookings a plan allows in each window. */
export interface Windows {
  minute?: number;
  hour?: number;
  day?: number;
}

/** An organization's plan. Empty if the token may not read it. */
interface PlanFacts {
  plan?: string | undefined;
  stage?: string | undefined;
}

interface KnownPlan extends PlanFacts {
  at: number;
}

/** While bookings are blocked, the plan is read again after this time: it may have been upgraded. */
const doubtedAfterMs = 10 * 60_000;
/** Reads the plan only if the token has at least this many requests left: the booking needs them first. */
const leastLeft = 3;

/**
 * The booking limits of a plan. Assumed (limits.plans): a trial has "trial" in `stage` or `plan`, `free` has no booking
 * limits of its own, and any plan other than these and `enterprise` has those of a paid plan.
 */
export const bookingWindows = ({ plan, stage }: PlanFacts): Windows => {
  if (/trial/i.test(`${stage} ${plan}`)) return limits.createInvitee.trial;
  if (plan === undefined || plan.toLowerCase() === 'free') return {};
  return plan.toLowerCase() === 'enterprise' ? limits.createInvitee.enterprise : limits.createInvitee.standard;
};

/** The plan as it was read last, however long ago. */
const readCachedPlan = async (file: string): Promise<KnownPlan | undefined> =>
  (await readYounger(file, 0, Number.POSITIVE_INFINITY)) as KnownPlan | undefined;

const askForPlan = async (context: Context): Promise<PlanFacts> => {
  try {
    const path = { organization: idIn(await context.identity.organization()) };
    const { plan, stage } = await (await context.client()).call(orgs.get, { path });
    return { plan: textOf(plan), stage: textOf(stage) };
  } catch (error) {
    // Without the plan, the service's rate-limit replies show the limits.
    if (error instanceof SchedError && !['interrupted', 'terminated'].includes(error.category)) return {};
    throw error;
  }
};

/** The requests left in this minute, as far as the budget knows. */
export const requestsLeft = async (context: Context): Promise<number> => {
  const credential = await (await context.connection()).credentials.current();
  const { levels } = await (await context.sharedState()).budget.look(budgetKey('general', credential));
  return levels[0]!.remaining ?? Number.POSITIVE_INFINITY;
};

/** How many bookings the budget has left. */
const bookingBudget = async (context: Context) => {
  const connection = await context.connection();
  const credential = await connection.credentials.current();
  const key = budgetKey('bookings', credential, bookerOf(context.runtime, connection));
  const { budget } = await context.sharedState();
  return { credential, key, budget, ...(await budget.look(key)) };
};

/**
 * Tells the budget the booking limits of the plan. The first booking of a day doesn't need them, and replies describe
 * only the window with the fewest requests left. So the second booking reads the organization, once.
 */
export const applyPlanLimits = async (context: Context): Promise<void> => {
  const { runtime, settings } = context;
  // The built-in sandbox ends with the command, so it needs no limits.
  if ((await context.connection()).isSandbox) return;
  const { credential, key, budget, levels, closedUntil } = await bookingBudget(context);
  const now = runtime.clock.now();
  if (levels.every(({ used }) => used === 0) && closedUntil <= now) return;
  const opens = Math.max(closedUntil, ...levels.filter(({ remaining }) => remaining === 0).map(({ end }) => end));
  const file = cacheFile(runtime, credential, 'plan');
  const cache = await readCachedPlan(file);
  const age = cache === undefined ? Number.POSITIVE_INFINITY : Math.abs(now - cache.at);
  const apply = (plan: PlanFacts, isNews: boolean) => {
    const { minute = null, hour = null, day = null } = bookingWindows(plan);
    return budget.know(key, [minute, hour, day], isNews);
  };
  if (cache !== undefined && age < (opens - now > settings.maxWaitMs ? doubtedAfterMs : staleAfterMs)) {
    // The budget's file may have been deleted when the user logged out of the OS.
    if (cache.plan !== undefined && levels.every(({ limit }) => limit === null)) await apply(cache, false);
    return;
  }
  if ((await requestsLeft(context)) < leastLeft) return;
  const current = await askForPlan(context);
  await writeCache(runtime, file, current);
  if (current.plan === undefined) return;
  const isNews = cache?.plan !== undefined && (cache.plan !== current.plan || cache.stage !== current.stage);
  await apply(current, isNews);
};

/** Throws if the plan's limits leave too few bookings at the moment: a move of several people must not stop between them. */
export const requireBookings = async (context: Context, count: number): Promise<void> => {
  await applyPlanLimits(context);
  const { levels, closedUntil } = await bookingBudget(context);
  const full = levels.filter(({ remaining, limit }) => remaining !== null && remaining < Math.min(count, limit ?? 0));
  const waitMs = Math.max(closedUntil, ...full.map(({ end }) => end)) - context.runtime.clock.now();
  if (waitMs <= context.settings.maxWaitMs) return;
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  const people = counted(count, 'person', 'people');
  throw new SchedError('rate-limited', `Your plan leaves too few bookings for ${people} now`, { retryAfterSeconds });
};

/** The booking limits of the plan, for an estimate. Empty if the plan can't be read or has none. */
export const readPlanWindows = async (context: Context): Promise<Windows> => {
  const { runtime } = context;
  const credential = await (await context.connection()).credentials.current();
  const file = cacheFile(runtime, credential, 'plan');
  const cache = await readCachedPlan(file);
  const isFresh = cache?.plan !== undefined && Math.abs(runtime.clock.now() - cache.at) < staleAfterMs;
  const plan = isFresh ? cache : await askForPlan(context);
  if (!isFresh) await writeCache(runtime, file, plan);
  // Every booking is a request, too, and the free plan allows few of those.
  return plan.plan?.toLowerCase() === 'free' ? { minute: limits.requestsPerMinute.free } : bookingWindows(plan);
};
