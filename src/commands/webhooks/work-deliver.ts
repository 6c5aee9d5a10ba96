import type { Clock } from '../../base/system.ts';
import { NetworkFailure } from '../../http/failure.ts';
import { isSuccess, type Send } from '../../http/message.ts';
import { signatureOf } from './work-signature.ts';

/** Five attempts over about half a minute. */
const pausesMs = [1_000, 4_000, 9_000, 16_000];

/** As long as the service waits. */
const answerMs = 10_000;

export interface Delivered {
  accepted: boolean;
  attempts: number;
  status?: number;
  /** What came instead of a 2xx. */
  problem: string;
}

interface Handler {
  url: string;
  key: string;
  signatureHeader: string;
  userAgent: string;
  /** Awaits the answer after a signal: without it, the delivery would come twice. */
  send: Send;
  clock: Clock;
  interrupted: AbortSignal;
  onRetry(problem: string, pauseMs: number): void;
}

/**
 * Sends a delivery until the handler accepts it, always with the same bytes and with a signature of the moment. R51: no
 * token, and no redirects.
 */
export const deliver = async (handler: Handler, body: string): Promise<Delivered> => {
  const { url, key, signatureHeader, userAgent, send, clock, interrupted, onRetry } = handler;
  for (let attempts = 1; ; attempts += 1) {
    interrupted.throwIfAborted();
    const headers = {
      'content-type': 'application/json',
      'user-agent': userAgent,
      'sched-backfill': '1',
      [signatureHeader]: signatureOf(key, body, clock.now()),
    };
    const reply = await send({ method: 'POST', url, headers, body, timeoutMs: answerMs }).catch((error: unknown) => {
      if (error instanceof NetworkFailure) return error;
      throw error;
    });
    const status = reply instanceof NetworkFailure ? {} : { status: reply.status };
    const problem = reply instanceof NetworkFailure ? reply.message : `it answered ${reply.status}`;
    const accepted = !(reply instanceof NetworkFailure) && isSuccess(reply);
    const pauseMs = pausesMs[attempts - 1];
    if (accepted || pauseMs === undefined) return { accepted, attempts, problem, ...status };
    onRetry(problem, pauseMs);
    await clock.sleep(pauseMs, interrupted);
  }
};
