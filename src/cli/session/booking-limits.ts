import { limits } from '../../api/limits.ts';
import { orgs } from '../../api/organizations.ts';
import { isObject } from '../../client/reading.ts';
import { SchedError } from '../../errors.ts';
import { budgetKey } from '../../http/rate-limit.ts';
import { readPrivateFile } from '../../state/files.ts';
import { idIn } from '../../uri.ts';
import type { Context } from './context.ts';
import { cacheFile, staleAfterMs, writeCache } from './identity.ts';
import { bookerOf, openBudget } from './network.ts';

/** What an organization says of its plan; nothing where the token may not ask. */
interface Plan {
  plan?: string | undefined;
  stage?: string | undefined;
}

interface KnownPlan extends Plan {
  at: number;
}

/** Whoever is refused for long may have bought more meanwhile. */
const doubtedAfterMs = 10 * 60_000;
/** So many requests of the token must be left, or the question would be in the way of the booking. */
const leastLeft = 3;

type Windows = { minute?: number; hour?: number; day?: number };

/**
 * In which windows a plan counts bookings. Assumed: a trial says so in `stage` or `plan`, `free` has no windows of its
 * own, and whatever is neither that nor `enterprise` is a paid plan.
 */
export const bookingWindows = ({ plan, stage }: Plan): Windows => {
  if (/trial/i.test(`${stage} ${plan}`)) return limits.createInvitee.trial;
  if (plan === undefined || plan.toLowerCase() === 'free') return {};
  return plan.toLowerCase() === 'enterprise' ? limits.createInvitee.enterprise : limits.createInvitee.standard;
};

const readKept = async (file: string): Promise<KnownPlan | undefined> => {
  const text = await readPrivateFile(file).catch(() => undefined);
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isObject(value) && typeof value.at === 'number' ? (value as unknown as KnownPlan) : undefined;
  } catch {
    return undefined;
  }
};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const ask = async (context: Context): Promise<Plan> => {
  try {
    const { organization } = await context.identity();
    if (organization === '') return {};
    const path = { organization: idIn(organization) };
    const { plan, stage } = await (await context.client()).call(orgs.get, { path });
    return { plan: textOf(plan), stage: textOf(stage) };
  } catch (error) {
    // Then refusals are what tells.
    if (error instanceof SchedError && !['interrupted', 'terminated'].includes(error.category)) return {};
    throw error;
  }
};

/**
 * Tells the budget in which windows bookings are counted. The first booking of a day needs no such knowledge, and the
 * replies describe only the window with the fewest left: so the organization is asked once, by the second one.
 */
export const applyPlanLimits = async (context: Context): Promise<void> => {
  const { runtime, settings, notes } = context;
  const connection = await context.connection();
  // The embedded service lives as long as the command.
  if (connection.isSandbox) return;
  const credential = await connection.credentials.current();
  const key = budgetKey('bookings', credential, bookerOf(runtime, connection));
  const budget = openBudget(runtime, settings, notes, false);
  const now = runtime.clock.now();
  const { levels, closedUntil } = budget.look(key, 'bookings');
  if (levels.every(({ used }) => used === 0) && closedUntil <= now) return;
  const opens = Math.max(closedUntil, ...levels.filter(({ remaining }) => remaining === 0).map(({ end }) => end));
  const file = cacheFile(runtime, credential, 'plan');
  const kept = await readKept(file);
  const age = kept === undefined ? Number.POSITIVE_INFINITY : Math.abs(now - kept.at);
  const apply = (plan: Plan, isNews: boolean) => {
    const { minute = null, hour = null, day = null } = bookingWindows(plan);
    budget.know(key, 'bookings', [minute, hour, day], isNews);
  };
  if (kept !== undefined && age < (opens - now > settings.maxWaitMs ? doubtedAfterMs : staleAfterMs)) {
    // What the budget keeps may have been lost when the user logged out.
    if (kept.plan !== undefined && levels.every(({ limit }) => limit === null)) apply(kept, false);
    return;
  }
  const left = budget.look(budgetKey('general', credential), 'general').levels[0]!.remaining;
  if (left !== null && left < leastLeft) return;
  const found = await ask(context);
  await writeCache(runtime, file, found);
  if (found.plan === undefined) return;
  const isNews = kept?.plan !== undefined && (kept.plan !== found.plan || kept.stage !== found.stage);
  apply(found, isNews);
};
