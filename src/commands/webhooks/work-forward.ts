import type { Clock } from '../../base/system.ts';
import { NetworkFailure } from '../../http/failure.ts';
import { type HttpReply, isSuccess, type Send } from '../../http/message.ts';

/** Headers that belong to one connection (RFC 9110 §7.6.1), and those that the transport writes itself. */
const ofConnection = [
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** R51: the handler never gets a token, not even one that somebody put into a delivery. */
const credentials = ['authorization', 'proxy-authorization', 'proxy-authenticate', 'cookie'];

/** The headers of a delivery that the handler gets. */
export const forwardedHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> => {
  const connectionHeaders = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const droppedHeaders = new Set([...ofConnection, ...credentials, ...connectionHeaders]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !droppedHeaders.has(name)));
};

/** Pauses before the second and later attempts. */
const pausesMs = [500, 1000, 2000];

/** The sender waits ten seconds. With an answer before that, it knows whether to send the delivery again. */
const deadlineMs = 9_000;

interface Forwarded {
  /** What the handler answered, if it did. */
  status?: number;
  /** Why there is no answer. */
  problem?: string;
  attempts: number;
  /** How long the last attempt took. */
  durationMs: number;
  accepted: boolean;
}

interface ForwardOptions {
  url: string;
  send: Send;
  clock: Clock;
  /** Ends all forwarding. */
  over: AbortSignal;
  /** Called before each pause. */
  onRetry(problem: string): void;
}

export type Forward = (delivery: { body: string; headers: Readonly<Record<string, string>> }) => Promise<Forwarded>;

/**
 * Sends deliveries to a handler. Repeats one only if the handler can't be reached or doesn't finish its answer: a handler
 * that answers 500 has seen the delivery, and the sender repeats it.
 */
export const createForward =
  ({ url, send, clock, over, onRetry }: ForwardOptions): Forward =>
  async ({ body, headers }) => {
    const request = { method: 'POST', url, headers: forwardedHeaders(headers), body, signal: over };
    const end = clock.now() + deadlineMs;
    for (let attempts = 1; ; attempts += 1) {
      const start = clock.now();
      const reply: HttpReply | NetworkFailure = await send({ ...request, timeoutMs: end - start }).catch((error) => {
        over.throwIfAborted();
        if (error instanceof NetworkFailure) return error;
        throw error;
      });
      const durationMs = clock.now() - start;
      if (!(reply instanceof NetworkFailure))
        return { status: reply.status, attempts, durationMs, accepted: isSuccess(reply) };
      const pauseMs = pausesMs[attempts - 1];
      if (pauseMs === undefined || clock.now() + pauseMs >= end)
        return { problem: reply.message, attempts, durationMs, accepted: false };
      onRetry(reply.message);
      await clock.sleep(pauseMs, over);
    }
  };
