import { hash } from 'node:crypto';
import { SchedError } from '../base/errors.ts';
import type { Clock } from '../base/system.ts';
import type { BudgetKey, BudgetKind } from '../state/budget-state.ts';
import type { SharedBudget } from '../state/shared-budget.ts';
import { bearerOf, type Credential } from './authorize.ts';
import { readLimits, requestedWait, waitTooLong } from './limit-headers.ts';
import { abortSignalFor, exchangeOf, type HttpReply, type HttpRequest, type Layer, withRequestId } from './message.ts';

interface RateLimitOptions {
  clock: Clock;
  /** From 0 to 1. */
  random(): number;
  /** The longest single wait that is accepted. */
  maxWaitMs: number;
  interrupted: AbortSignal;
  budget: Pick<SharedBudget, 'take' | 'untake' | 'endOfOwn' | 'settle' | 'limitOf' | 'waiting'>;
  /** The user whose bookings share a budget, if known. Otherwise the token's bookings share one. */
  booker?: string | undefined;
  /** For a command that runs for days beside others: it takes single requests and never joins the queue. */
  isBackground?: boolean | undefined;
  /** Called before each wait. */
  onWait(wait: Wait): void;
}

interface Wait {
  seconds: number;
  /** Requests per minute, if that is the reason for the wait and known. */
  perMinute?: number | undefined;
  /** Whether `perMinute` is our own pace, used if the service names no limit. */
  isPace: boolean;
}

const bucketDigest = (text: string): string => hash('sha256', text).slice(0, 32);

/** A budget's key, by origin and token; for bookings by booker, if known. Only this hash is on disk. */
const keyFor = (kind: BudgetKind, origin: string, authorization: string, booker: string | undefined): BudgetKey =>
  `${kind}-${bucketDigest(`${origin}\n${(kind === 'bookings' ? booker : undefined) ?? authorization}`)}`;

/** The key of the budget that requests with this credential use. */
export const budgetKey = (kind: BudgetKind, credential: Credential, booker?: string): BudgetKey =>
  keyFor(kind, credential.origin, bearerOf(credential), booker);

/** How many 429s without a usable time lead to a back-off before giving up (R29). */
const maxBlindWaits = 2;
/** How many 429s are waited out for one request, whatever they say. */
const maxRefusals = 5;
/** A random delay after each turn: other users of the token are not in this queue. */
const jitterMs = 50;
/** The pause between checks while another process has the only request that may be in flight. */
const probePauseMs = 40;

/** `refusal` is the 429, if the request was sent. `pace` is our own limit per minute, if that is the reason. */
const usedUp = (
  request: HttpRequest,
  seconds: number,
  times: { nowMs: number; maxWaitMs: number },
  { refusal, pace, isTold = true }: { refusal?: HttpReply | undefined; pace?: number | undefined; isTold?: boolean },
): SchedError => {
  const isSent = refusal !== undefined;
  const why =
    pace === undefined ? '' : `the service states no rate limit, so requests are limited to ${pace} per minute; `;
  const { reason, ...next } = !isTold
    ? { reason: "the service doesn't say how long to wait", advice: 'try again in a minute' }
    : waitTooLong(
        isSent ? `the service asks to wait ${seconds} s, until` : `${why}more requests are allowed in ${seconds} s, at`,
        seconds,
        times,
      );
  return new SchedError('rate-limited', 'Rate limit reached', {
    reason: isSent ? withRequestId(reason, refusal) : reason,
    ...next,
    retryAfterSeconds: seconds,
    outcome: isSent ? 'not-applied' : 'not-sent',
    http: exchangeOf(request, refusal),
  });
};

/**
 * Takes each request from the budget, and waits if nothing is left. After a 429 it waits and sends the request again:
 * it was not processed, so any method may be repeated.
 */
export const rateLimit = ({
  clock,
  random,
  maxWaitMs,
  interrupted,
  budget,
  booker,
  isBackground,
  onWait,
}: RateLimitOptions): Layer => {
  const bucketsOf = ({ isBooking, url, headers }: HttpRequest): BudgetKey[] => {
    const { authorization } = headers;
    if (authorization === undefined) return [];
    const { origin } = new URL(url);
    const kinds: BudgetKind[] = isBooking ? ['general', 'bookings'] : ['general'];
    return kinds.map((kind) => keyFor(kind, origin, authorization, booker));
  };

  /** Takes one request from every bucket, or from none. Returns the bucket that has nothing left. */
  const takeAll = async (buckets: readonly BudgetKey[]) => {
    for (const [index, bucket] of buckets.entries()) {
      const refusal = await budget.take(bucket, isBackground);
      if (refusal === undefined) continue;
      for (const earlier of buckets.slice(0, index)) await budget.untake(earlier);
      return { ...refusal, bucket };
    }
    return undefined;
  };

  const wait = async (
    request: HttpRequest,
    milliseconds: number,
    { bucket, ...why }: { bucket?: BudgetKey | undefined; refusal?: HttpReply; pace?: number | undefined },
  ): Promise<void> => {
    const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
    if (milliseconds > maxWaitMs) throw usedUp(request, seconds, { nowMs: clock.now(), maxWaitMs }, why);
    const turn =
      bucket === undefined || isBackground ? 0 : await budget.waiting(bucket, clock.now() + Math.ceil(milliseconds));
    const limit = bucket?.startsWith('general') ? await budget.limitOf(bucket) : null;
    onWait({ seconds, perMinute: why.pace ?? limit ?? undefined, isPace: why.pace !== undefined });
    await clock.sleep(
      Math.ceil(milliseconds) + turn + Math.floor(random() * jitterMs),
      abortSignalFor(request, interrupted),
    );
  };

  /** Resolves when the request may be sent. */
  const leave = async (request: HttpRequest, buckets: readonly BudgetKey[]): Promise<void> => {
    for (;;) {
      const refusal = await takeAll(buckets);
      if (refusal === undefined) return;
      const end = abortSignalFor(request, interrupted);
      if (refusal.why === 'own probe') {
        await budget.endOfOwn(refusal.bucket);
        end.throwIfAborted();
      } else if (refusal.why === 'probe') await clock.sleep(Math.ceil(probePauseMs * (0.5 + random())), end);
      else {
        const pace = refusal.why === 'pace' ? refusal.perMinute : undefined;
        await wait(request, Math.max(1, refusal.until - clock.now()), { bucket: refusal.bucket, pace });
      }
    }
  };

  /** The buckets that a reply is about. A booking's headers describe the window with the fewest left. */
  const bucketsMeant = async (
    buckets: readonly BudgetKey[],
    limit: number | undefined,
  ): Promise<readonly BudgetKey[]> => {
    const [general, bookings] = buckets;
    if (general === undefined || bookings === undefined || limit === undefined) return buckets;
    return [(await budget.limitOf(general)) === limit ? general : bookings];
  };

  const settle = async (
    buckets: readonly BudgetKey[],
    sentAt: number,
    reply: HttpReply | undefined,
    closedMs?: number,
  ): Promise<void> => {
    const limits = reply === undefined ? undefined : readLimits(reply.headers, clock.now());
    const limitedBuckets = await bucketsMeant(buckets, limits?.limit);
    for (const bucket of buckets)
      await budget.settle(bucket, {
        sentAt,
        // Headers describe the window with the fewest left.
        least: limits?.remaining,
        ...(limitedBuckets.includes(bucket) ? { told: limits, closedMs } : {}),
      });
  };

  return (next) => async (request) => {
    const buckets = bucketsOf(request);
    for (let blind = 0, refusals = 1; ; refusals += 1) {
      await leave(request, buckets);
      const sentAt = clock.now();
      const reply = await next(request).catch(async (error: unknown) => {
        await settle(buckets, sentAt, undefined);
        throw error;
      });
      if (reply.status !== 429) {
        await settle(buckets, sentAt, reply);
        return reply;
      }
      const serviceWait = requestedWait(reply, clock.now());
      if (serviceWait === undefined) blind += 1;
      // Wait at least a second, even for a reset of 0, so that a misbehaving service is not flooded (R28).
      const seconds = Math.max(1, serviceWait ?? 2 ** blind);
      await settle(buckets, sentAt, reply, seconds * 1000);
      if (blind > maxBlindWaits || refusals > maxRefusals)
        throw usedUp(
          request,
          seconds,
          { nowMs: clock.now(), maxWaitMs },
          { refusal: reply, isTold: serviceWait !== undefined },
        );
      await wait(request, seconds * 1000, { bucket: buckets.at(-1), refusal: reply });
    }
  };
};
