import { createHmac } from 'node:crypto';
import type { Clock } from '../../base/system.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { deliveryIn } from '../dialect.ts';
import { timestamp } from '../store/names.ts';
import type { Store } from '../store/store.ts';
import { notThisMachine, type Post, type PostResult, postTo } from './post.ts';
import { type Claimed, isAccepted, recordAttempt } from './schedule.ts';

/** Assumed (webhooks.reply-time): a receiver must answer within 10 seconds. */
const answerMilliseconds = 10_000;

/** A claim outlives its attempt by this much. Afterwards the process that made it must have been killed. */
const claimMilliseconds = answerMilliseconds + 5_000;

/** Attempts at the same time. One webhook has one at a time, so that it gets its events in order. */
const mostAtOnce = 32;

/**
 * Failed attempts of one webhook between two polls. A receiver that is down can have a long queue, whose attempts all fail
 * at once: without a limit they would keep the process busy, which also answers requests.
 */
const mostFailures = 2;

/** How long the end of the sandbox waits for deliveries that are due. */
const drainMilliseconds = 3_000;

export interface DelivererOptions {
  store: Store;
  /** The sandbox's clock, which says when deliveries are due. */
  clock: Pick<Clock, 'now'>;
  /** The system's clock, for durations and signatures: a receiver compares the signature's time with its own clock. */
  system: Pick<Clock, 'now' | 'sleep'>;
  /** Tells the claims of this process from those of others. Begins with the process ID. */
  name: string;
  userAgent: string;
  post?: Post;
  /** Called after each attempt. */
  onAttempt?: ((delivery: Claimed, answer: PostResult, milliseconds: number) => void) | undefined;
  /** The dialect of the service, if it speaks one. */
  dialect?: Dialect | undefined;
}

/** The value of `Webhook-Signature`. `seconds` is the time of the attempt, so that old deliveries can be refused. */
const signatureOf = (key: string, seconds: number, body: string): string =>
  `t=${seconds},v1=${createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex')}`;

const free = '(d.claimed_until IS NULL OR d.claimed_until NOT BETWEEN ? AND ?)';

export type Deliverer = ReturnType<typeof createDeliverer>;

export const createDeliverer = (options: DelivererOptions) => {
  const { store, clock, system, name, userAgent, post = postTo(), onAttempt } = options;
  const { dialect } = options;
  const { signature_header: signatureHeader = 'Webhook-Signature' } = dialect?.webhooks ?? {};
  /** The running attempts by webhook. */
  const running = new Map<string, Promise<void>>();
  /** Failed attempts by webhook since the last poll. */
  const failures = new Map<string, number>();
  const extra = new Set<Promise<void>>();
  const controllers = new Set<AbortController>();
  let claims = 0;
  let isClosed = false;

  /** Claims of other processes end in the next seconds. A later end means that the system clock was set back. */
  const claimWindow = (): [number, number] => [system.now(), system.now() + claimMilliseconds];

  const claim = (number: number): Claimed | undefined => {
    claims += 1;
    store.run(
      `UPDATE deliveries AS d SET claim = ?, claimed_until = ? WHERE d.number = ? AND ${free}`,
      `${name}/${claims}`,
      system.now() + claimMilliseconds,
      number,
      ...claimWindow(),
    );
    return store.first<Claimed>(
      `SELECT d.number, d.webhook, d.claim, d.body, w.callback_url AS url, w.signing_key
       FROM deliveries d JOIN webhooks w ON w.id = d.webhook WHERE d.number = ? AND d.claim = ?`,
      number,
      `${name}/${claims}`,
    );
  };

  const release = ({ number, claim }: Claimed) =>
    store.run('UPDATE deliveries SET claim = NULL, claimed_until = NULL WHERE number = ? AND claim = ?', number, claim);

  const ask = async ({ url, body: own, signing_key: key }: Claimed, over: AbortController): Promise<PostResult> => {
    const body = deliveryIn(dialect, own);
    const seconds = Math.floor(system.now() / 1000);
    let isLate = false;
    system.sleep(answerMilliseconds, over.signal).then(
      () => {
        isLate = true;
        over.abort();
      },
      () => {},
    );
    const headers = {
      'content-type': 'application/json',
      'user-agent': userAgent,
      ...(key === null ? {} : { [signatureHeader.toLowerCase()]: signatureOf(key, seconds, body) }),
    };
    const answer = await post(url, { headers, body }, over.signal);
    const isUnanswered = answer.status === undefined && answer.error !== notThisMachine && isLate;
    return isUnanswered ? { error: `no reply within ${answerMilliseconds / 1000} seconds` } : answer;
  };

  const attempt = async (claimed: Claimed, isExtra: boolean): Promise<void> => {
    const over = new AbortController();
    controllers.add(over);
    const [at, started] = [clock.now(), system.now()];
    try {
      const answer = await ask(claimed, over);
      if (!isAccepted(answer)) failures.set(claimed.webhook, 1 + (failures.get(claimed.webhook) ?? 0));
      const milliseconds = system.now() - started;
      if (isClosed && answer.status === undefined) release(claimed);
      else {
        recordAttempt(store, claimed, { at, milliseconds, answer }, clock.now(), isExtra);
        onAttempt?.(claimed, answer, milliseconds);
      }
    } finally {
      controllers.delete(over);
      over.abort();
    }
  };

  /** If the database is busy or full, the claim ends by itself, and the delivery is sent again: at least once. */
  const ignore = () => {};

  /** The first delivery of each webhook that is due and that nobody has claimed. */
  const dueNow = () =>
    store
      .all<{ webhook: string; number: number | null }>(
        `SELECT w.id AS webhook, (SELECT d.number FROM deliveries d WHERE d.webhook = w.id AND d.due_at <= ? AND ${free}
           ORDER BY d.due_at, d.number LIMIT 1) AS number FROM webhooks w`,
        timestamp(clock.now()),
        ...claimWindow(),
      )
      .filter((row): row is { webhook: string; number: number } => row.number !== null);

  const start = (webhook: string, number: number) => {
    const claimed = claim(number);
    if (claimed === undefined) return;
    const work = attempt(claimed, false)
      .catch(ignore)
      .then(() => {
        running.delete(webhook);
        wake();
      });
    running.set(webhook, work);
  };

  const sendDue = () => {
    if (isClosed) return;
    try {
      for (const { webhook, number } of dueNow()) {
        const isPaused = (failures.get(webhook) ?? 0) >= mostFailures;
        if (running.size < mostAtOnce && !running.has(webhook) && !isPaused) start(webhook, number);
      }
    } catch {
      // Another process writes. The next wake-up tries again.
    }
  };

  let isAwake = false;
  /** Sends the deliveries that are due. Returns at once: a receiver never slows down a request. */
  const wake = () => {
    if (isAwake) return;
    isAwake = true;
    queueMicrotask(() => {
      isAwake = false;
      sendDue();
    });
  };

  const sendAll = () => {
    failures.clear();
    sendDue();
  };

  /** Resolves when no attempt is running and none is due. */
  const idle = async () => {
    for (sendAll(); running.size > 0; sendAll()) await Promise.race(running.values());
  };

  return {
    wake,
    /** Like `wake`, and gives receivers that failed their next chance. Called a few times each second. */
    poll() {
      failures.clear();
      wake();
    },
    idle,
    /** Sends one delivery now, whatever its state. Resolves after its attempt; false if it is being sent already. */
    async sendNow(number: number): Promise<boolean> {
      const claimed = claim(number);
      if (claimed === undefined) return false;
      const work = attempt(claimed, true);
      extra.add(work);
      await work.finally(() => extra.delete(work));
      return true;
    },
    /** Like `idle`, but waits for three seconds at most. */
    async drain() {
      sendAll();
      if (running.size === 0) return;
      const over = new AbortController();
      await Promise.race([idle(), system.sleep(drainMilliseconds, over.signal).catch(ignore)]);
      over.abort();
    },
    /** Breaks off the running attempts. They are made again at the next start. */
    async close() {
      isClosed = true;
      for (const controller of controllers) controller.abort();
      await Promise.allSettled([...running.values(), ...extra]);
    },
  };
};
