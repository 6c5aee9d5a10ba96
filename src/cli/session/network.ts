import { collections } from '../../api/collections.ts';
import { counted } from '../../base/numbers.ts';
import { isPlainId, isUri } from '../../client/ids.ts';
import { mayRepeat } from '../../client/outcome.ts';
import { withContent } from '../../client/read-reply.ts';
import { authorize } from '../../http/authorize.ts';
import { callBeforeSend, type Send } from '../../http/message.ts';
import { budgetKey, rateLimit } from '../../http/rate-limit.ts';
import { redirect } from '../../http/redirect.ts';
import { retry } from '../../http/retry.ts';
import { serviceClock } from '../../http/service-time.ts';
import { trace } from '../../http/trace.ts';
import { durationText } from '../../output/progress.ts';
import type { HeadlessRuntime, Runtime, TextLengths } from '../../runtime.ts';
import { timePath } from '../../sandbox/clock/answer-time.ts';
import type { SharedBudget } from '../../state/shared-budget.ts';
import { endOfWait } from '../../time/show.ts';
import type { Notes, WorkNotes } from '../messages/notes.ts';
import type { Connection, Network } from './connection.ts';
import type { RoomSettings, Settings } from './settings.ts';
import type { SharedState } from './shared-state.ts';

interface HasRoom {
  connection(): Promise<Connection>;
  sharedState(): Promise<SharedState>;
}

export const randomOf =
  (runtime: HeadlessRuntime): (() => number) =>
  () =>
    Buffer.from(runtime.randomBytes(4)).readUInt32BE() / 2 ** 32;

/** Estimates the total waiting time for the remaining requests, if it is more than a minute. */
const waitingAhead = ({ ahead }: WorkNotes, seconds: number, perMinute: number | undefined): string | undefined => {
  if (ahead === undefined || perMinute === undefined) return undefined;
  const { requests, isMost } = ahead();
  const total = seconds + Math.max(0, Math.ceil(requests / perMinute) - 1) * 60;
  if (total <= Math.max(60, seconds)) return undefined;
  const subject = `${isMost ? 'Up to ' : ''}${counted(requests, 'request')} left`;
  return `${subject} at ${perMinute} per minute: expect to wait about ${durationText(total)}`;
};

/**
 * Whether the rate limit leaves room for this many requests that only make a screen nicer, and for as many again. A
 * service that names no limit has none: requests to it are spread out.
 */
export const hasRoom = async ({ connection, sharedState }: HasRoom, requests: number): Promise<boolean> => {
  if ((await connection()).mirror !== undefined) return true;
  const key = budgetKey('general', await (await connection()).credentials.current());
  const { levels } = await (await sharedState()).budget.look(key);
  return levels.every(({ remaining }) => remaining !== null && remaining >= 2 * requests);
};

/** Reports a wait and its reason. `perMinute` is the rate limit, if that is the reason and it is known. */
type AnnounceWait = (why: string, seconds: number, perMinute?: number) => void;

export const serviceUnavailable = 'The service is unavailable';
const unknownLimit = (perMinute: number): string =>
  `The service states no rate limit, so requests are limited to ${perMinute} per minute`;

/** Reports each wait with its end, marks long waits, and once reports the total waiting time to expect. */
export const announceWaits = (
  { clock }: Pick<HeadlessRuntime, 'clock'>,
  settings: Pick<RoomSettings, 'zone'>,
  notes: WorkNotes,
): AnnounceWait => {
  let secondsWaited = 0;
  let isTold = false;
  return (why, seconds, perMinute) => {
    const until = endOfWait(clock.now(), seconds, settings.zone);
    const before = secondsWaited >= 60 ? `; waited ${secondsWaited} s so far` : '';
    secondsWaited += seconds;
    const ahead = isTold ? undefined : waitingAhead(notes, seconds, perMinute);
    if (ahead !== undefined) notes.info(ahead);
    isTold ||= ahead !== undefined;
    const texts = (secondsLeft: number): TextLengths => {
      const countdown = `waiting ${secondsLeft} s${secondsLeft > 60 ? ' (more than a minute)' : ''}, until ${until}`;
      return [`${why}: ${countdown}${before}`, `${why}: ${countdown}`, countdown, `waiting ${secondsLeft} s`];
    };
    notes.countDown(seconds, texts);
  };
};

const showBackgroundWait = ({ status }: Runtime, seconds: number): void => {
  if (status === undefined || status.isPlain) return;
  status.countDown(seconds, (secondsLeft) => [
    `leaving the rest of the rate limit to other commands for ${secondsLeft} s`,
    `waiting ${secondsLeft} s`,
  ]);
};

/** Sends requests. The first signal doesn't abort a write, because its reply is the only one there will be (R42). */
const transportOf =
  (runtime: Runtime, notes: Notes): Send =>
  async (request) => {
    if (request.method === 'GET') return runtime.send(request);
    const { interrupted } = runtime;
    interrupted.throwIfAborted();
    const onInterrupt = () =>
      notes.warn(
        'Interrupted. Waiting for the reply to the last request. Interrupt again to quit without knowing its outcome',
      );
    interrupted.addEventListener('abort', onInterrupt, { once: true });
    try {
      return await runtime.sendToEnd(request);
    } finally {
      interrupted.removeEventListener('abort', onInterrupt);
    }
  };

/** The user whose bookings count together, if known without a request. A name or `me` would need one. */
export const bookerOf = (
  { env }: HeadlessRuntime,
  { defaults, owner }: Pick<Connection, 'defaults' | 'owner'>,
): string | undefined =>
  [env.SCHED_USER, defaults?.user, owner?.user].find(
    (user) => user && user !== collections.users.self && (isPlainId(user) || isUri(user)),
  );

/**
 * Builds the layers between a command and the network. For a command in the background, waits for the rate limit are
 * normal, so only the status line shows them.
 */
export const createNetwork = (
  runtime: Runtime,
  settings: Settings,
  notes: Notes,
  connection: Connection,
  budget: SharedBudget,
  isBackground = false,
): Network => {
  const { credentials, baseUrl, service } = connection;
  const { clock, interrupted } = runtime;
  const random = randomOf(runtime);
  const announce = announceWaits(runtime, settings, notes);
  const { maxWaitMs } = settings;
  const time = serviceClock(clock);
  const again = retry({
    clock,
    interrupted,
    random,
    maxWaitMs,
    onWait: (seconds) => announce(serviceUnavailable, seconds),
    mayRepeat,
    onRetry: (attempt, reason, pauseMs) => {
      if (settings.verbose) notes.always(`Retrying in ${pauseMs} ms (attempt ${attempt}): ${reason}`);
    },
  });
  const limitLayer = rateLimit({
    clock,
    random,
    maxWaitMs,
    interrupted,
    budget,
    booker: bookerOf(runtime, connection),
    isBackground,
    onWait: ({ seconds, perMinute, isPace }) => {
      if (!isBackground) announce(isPace ? unknownLimit(perMinute!) : 'Rate limit reached', seconds, perMinute);
      else showBackgroundWait(runtime, seconds);
    },
  });
  const toService: Send = async (request) => {
    interrupted.throwIfAborted();
    return service!(request);
  };
  const timedSend = time.layer(service === undefined ? transportOf(runtime, notes) : toService);
  const tracedSend = settings.verbose ? trace(clock, notes.always)(timedSend) : timedSend;
  const sendPlain = redirect(limitLayer(callBeforeSend(tracedSend)));
  return {
    send: again(withContent(authorize(credentials)(sendPlain))),
    sendPlain: again(withContent(sendPlain)),
    serviceTime: time.told,
    now: time.now,
    askSandboxTime: async () => {
      await tracedSend({ method: 'GET', url: `${baseUrl}${timePath}`, headers: {}, timeoutMs: settings.timeoutMs });
    },
  };
};
