import type { Operation } from '../api/operation.ts';
import type { ReplyOf } from '../api/sent.ts';
import { SchedError } from '../base/errors.ts';
import type { Json } from '../base/json.ts';
import { NetworkFailure } from '../http/failure.ts';
import {
  type Effect,
  exchangeOf,
  type HttpReply,
  type HttpRequest,
  isSuccess,
  withRequestId,
} from '../http/message.ts';
import { contentIn, contentOf, recordIn, UnexpectedBody, type UnexpectedBodyKind } from './read-reply.ts';
import { refusalOf } from './refusal.ts';

/** How a request ended without a clear result, or with a 2xx whose reply lacks the record. */
export type Failure = 'never-sent' | 'lost' | UnexpectedBodyKind;

/**
 * What to do after a failure: send the request again, read the record back, look up the record it may have created,
 * treat the request as done, or end with an integrity error.
 */
type Decision = 'retry' | 'read-back' | 'look-up' | 'done' | 'refuse';

/**
 * R26, except for 401 (repeated by `http/authorize`) and 429 (`http/rate-limit` waits). A complete 2xx to a write is a
 * success, whatever its body.
 */
const table: Record<Failure, Record<Effect, Decision>> = {
  'never-sent': { read: 'retry', deletion: 'retry', change: 'retry', creation: 'retry' },
  lost: { read: 'retry', deletion: 'retry', change: 'read-back', creation: 'look-up' },
  'another-shape': { read: 'refuse', deletion: 'done', change: 'done', creation: 'done' },
  empty: { read: 'retry', deletion: 'done', change: 'done', creation: 'done' },
  unreadable: { read: 'retry', deletion: 'done', change: 'done', creation: 'look-up' },
};

/** The only place that decides what may be sent again after which failure. */
export const decideAfterFailure = (effect: Effect, failure: Failure): Decision => table[failure][effect];

/**
 * The effect of a request; the method decides if the request has no operation. HTTP allows repeating anything but
 * POST, but a change that was lost is not sent again: it would have to be read back first, and the place is unknown.
 */
export const effectOf = ({ method, effect }: Pick<HttpRequest, 'method' | 'effect'>): Effect =>
  effect ?? (method === 'GET' ? 'read' : method === 'POST' ? 'creation' : 'change');

/** How a request failed, or undefined if its result is clear. A 5xx or 408 leaves open whether the write was done. */
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

/** Whether `http/retry` may send the request again. */
export const mayRepeat = (request: HttpRequest, ending: HttpReply | NetworkFailure): boolean => {
  const failure = failureOf(ending);
  if (failure === undefined) return false;
  // The reply of a path outside the catalogue need not be JSON.
  if (!(ending instanceof NetworkFailure) && isSuccess(ending) && request.effect === undefined) return false;
  return decideAfterFailure(effectOf(request), failure) === 'retry';
};

/**
 * A completed write: the record in the reply (`{ collection }` if it changes several), or the reason why the reply has
 * none, and what the reply to a creation has instead.
 */
export type WriteResult<Reply = Json> =
  | { status: number; record: Reply; why?: undefined }
  | {
      status: number;
      record?: undefined;
      why: string;
      content?: unknown;
      /** This service never replies with the record, so nothing is wrong. */
      isReadLater?: true | undefined;
    };

/** The error for a write whose 2xx reply can't be read, so that the created record is unknown. */
export const unreadableWrite = (request: HttpRequest, reply: HttpReply, problem: string): SchedError =>
  new SchedError('outcome-unknown', 'The service sent a reply that is not JSON', {
    reason: withRequestId(problem, reply),
    outcome: 'unknown',
    http: exchangeOf(request, reply),
  });

/** Reads the reply to a write. Throws if the service refused, or if the created record is unknown. */
export const writtenIn = <Row extends Operation>(
  operation: Row,
  request: HttpRequest,
  reply: HttpReply,
): WriteResult<ReplyOf<Row>> => {
  if (!isSuccess(reply)) throw refusalOf(request, reply);
  const { status } = reply;
  try {
    return { status, record: recordIn(operation, reply) };
  } catch (error) {
    if (!(error instanceof UnexpectedBody)) throw error;
    const effect = effectOf(operation);
    if (decideAfterFailure(effect, error.kind) !== 'done') throw unreadableWrite(request, reply, error.message);
    // What is created may be shown nowhere else. A change is read back.
    return { status, why: error.message, ...(effect === 'creation' ? { content: contentIn(reply) } : {}) };
  }
};
