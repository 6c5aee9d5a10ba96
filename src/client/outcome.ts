import { NetworkFailure } from '../http/failure.ts';
import type { Effect, HttpReply, HttpRequest } from '../http/message.ts';
import { isReadable } from './reading.ts';

/** How a request ended without a clear verdict. */
export type Failure = 'never-sent' | 'lost' | 'unreadable';

/** What to do about it: send again, ask the service what became of it, look for what was made, or take it as done. */
export type Decision = 'retry' | 'read-back' | 'look-up' | 'accept';

/** R26, but for 401, which `http/authorize` repeats, and 429, which `http/rate-limit` waits out. */
const table: Record<Failure, Record<Effect, Decision>> = {
  'never-sent': { read: 'retry', deletion: 'retry', change: 'retry', creation: 'retry' },
  lost: { read: 'retry', deletion: 'retry', change: 'read-back', creation: 'look-up' },
  unreadable: { read: 'retry', deletion: 'accept', change: 'read-back', creation: 'look-up' },
};

/** The one place that knows after which failure what may be sent again. */
export const decide = (effect: Effect, failure: Failure): Decision => table[failure][effect];

export const effectOf = ({ method, effect }: Pick<HttpRequest, 'method' | 'effect'>): Effect =>
  effect ?? (method === 'GET' ? 'read' : 'creation');

/** How a request failed, if its ending is no verdict. A reply of 5xx or 408 may have come before or after the deed. */
export const failureOf = (ending: HttpReply | NetworkFailure): Failure | undefined => {
  if (ending instanceof NetworkFailure) return ending.sent ? 'lost' : 'never-sent';
  if (ending.status >= 500 || ending.status === 408) return 'lost';
  return ending.status >= 200 && ending.status <= 299 && !isReadable(ending) ? 'unreadable' : undefined;
};

/** What `http/retry` asks. */
export const mayRepeat = (request: HttpRequest, ending: HttpReply | NetworkFailure): boolean => {
  const failure = failureOf(ending);
  // What a path outside the catalogue answers with need not be JSON.
  if (failure === undefined || (failure === 'unreadable' && request.effect === undefined)) return false;
  return decide(effectOf(request), failure) === 'retry';
};
