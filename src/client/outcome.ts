import type { Operation } from '../api/operation.ts';
import { SchedError } from '../errors.ts';
import { NetworkFailure } from '../http/failure.ts';
import {
  type Effect,
  exchangeOf,
  type HttpReply,
  type HttpRequest,
  isSuccess,
  withRequestId,
} from '../http/message.ts';
import { contentOf } from './content.ts';
import { type Json, recordIn, UnexpectedBody, type UnexpectedBodyKind } from './reading.ts';
import { refusalOf } from './refusal.ts';

/** How a request ended without a clear verdict, or with a 2xx that does not show the record. */
export type Failure = 'never-sent' | 'lost' | UnexpectedBodyKind;

/**
 * What to do about it: send again, ask the service what became of it, look for what was made, take it as done, or end
 * with an integrity error.
 */
export type Decision = 'retry' | 'read-back' | 'look-up' | 'done' | 'refuse';

/**
 * R26, except for 401, which `http/authorize` repeats, and 429, which `http/rate-limit` waits out. A complete 2xx to a
 * write is success, whatever its body.
 */
const table: Record<Failure, Record<Effect, Decision>> = {
  'never-sent': { read: 'retry', deletion: 'retry', change: 'retry', creation: 'retry' },
  lost: { read: 'retry', deletion: 'retry', change: 'read-back', creation: 'look-up' },
  'another-shape': { read: 'refuse', deletion: 'done', change: 'done', creation: 'done' },
  empty: { read: 'retry', deletion: 'done', change: 'done', creation: 'done' },
  unreadable: { read: 'retry', deletion: 'done', change: 'done', creation: 'look-up' },
};

/** The one place that knows after which failure what may be sent again. */
export const decide = (effect: Effect, failure: Failure): Decision => table[failure][effect];

/**
 * Of a request that nobody describes, the method tells. HTTP says that anything but POST may be repeated, yet what was
 * lost is never sent again here: a change is read back first, and nobody knows where.
 */
export const effectOf = ({ method, effect }: Pick<HttpRequest, 'method' | 'effect'>): Effect =>
  effect ?? (method === 'GET' ? 'read' : method === 'POST' ? 'creation' : 'change');

/** How a request failed, if its ending is no verdict. A reply of 5xx or 408 may have come before or after the deed. */
export const failureOf = (ending: HttpReply | NetworkFailure): Failure | undefined => {
  if (ending instanceof NetworkFailure) {
    if (!ending.sent) return 'never-sent';
    return ending.status !== undefined && isSuccess({ status: ending.status }) ? 'unreadable' : 'lost';
  }
  if (ending.status >= 500 || ending.status === 408) return 'lost';
  if (!isSuccess(ending)) return undefined;
  const content = contentOf(ending);
  return typeof content === 'string' ? content : undefined;
};

/** What `http/retry` asks. */
export const mayRepeat = (request: HttpRequest, ending: HttpReply | NetworkFailure): boolean => {
  const failure = failureOf(ending);
  if (failure === undefined) return false;
  // What a path outside the catalogue answers with need not be JSON.
  if (!(ending instanceof NetworkFailure) && isSuccess(ending) && request.effect === undefined) return false;
  return decide(effectOf(request), failure) === 'retry';
};

/** A write that was carried out: the record as the reply shows it, or why the reply shows none. */
export type Written =
  | { status: number; record: Json; why?: undefined }
  | { status: number; record?: undefined; why: string };

/** A write whose 2xx cannot be read, so that nobody knows what was made. */
export const unreadableWrite = (request: HttpRequest, reply: HttpReply, problem: string): SchedError =>
  new SchedError('outcome-unknown', 'The service sent a reply that is not JSON', {
    reason: withRequestId(problem, reply),
    outcome: 'unknown',
    http: exchangeOf(request, reply),
  });

/** What the reply to a write says. Throws where that is a refusal, or leaves open what was made. */
export const writtenIn = (operation: Operation, request: HttpRequest, reply: HttpReply): Written => {
  if (!isSuccess(reply)) throw refusalOf(request, reply);
  const { status } = reply;
  try {
    return { status, record: recordIn(operation, reply) };
  } catch (error) {
    if (!(error instanceof UnexpectedBody)) throw error;
    if (decide(effectOf(operation), error.kind) !== 'done') throw unreadableWrite(request, reply, error.message);
    return { status, why: error.message };
  }
};
