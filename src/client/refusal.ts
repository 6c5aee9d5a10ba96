import { type Category, SchedError } from '../errors.ts';
import type { HttpReply, HttpRequest } from '../http/message.ts';
import { cut } from '../redact.ts';

/** What the service says of an error, in either of its two shapes; every part may be missing. */
interface Refusal {
  title?: string;
  message?: string;
  details?: { parameter?: string; message?: string }[];
  required_scopes?: string[];
  error?: string;
  error_description?: string;
}

const longestQuote = 500;
const longestRequestId = 100;

/** Only what is a scope's name becomes part of a command that a person may copy. */
const scopeName = /^[a-z][a-z_]{0,40}:[a-z]{1,20}$/;
const mostScopes = 10;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** An error body is read for what can be had: it may be empty, HTML or of another shape. */
const read = (body: string): Refusal => {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Refusal) : {};
  } catch {
    return {};
  }
};

const categoryOf = (status: number, isRead: boolean): Category => {
  if (status === 401) return 'auth';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not-found';
  if (status === 409) return 'conflict';
  if (status === 429) return 'rate-limited';
  // What the service cannot be asked at all (405, 406, 415) is as wrong as what it cannot read.
  if ([400, 405, 406, 413, 415, 422].includes(status)) return 'usage';
  if (status >= 300 && status < 400) return 'integrity';
  const isUnfinished = status >= 500 || status === 408;
  return isUnfinished && !isRead ? 'outcome-unknown' : 'unavailable';
};

/** Assumed: a time that can no longer be booked is told by 409, or by 400 that complains of nothing but the time. */
const isSlotGone = ({ method, url }: HttpRequest, { status }: HttpReply, { details }: Refusal): boolean =>
  method === 'POST' &&
  status === 400 &&
  new URL(url).pathname.endsWith('/invitees') &&
  Array.isArray(details) &&
  details.length > 0 &&
  details.every((detail) => detail?.parameter === 'start_time');

const summary: Partial<Record<Category, string>> = {
  auth: 'The service does not accept the token',
  forbidden: 'The service does not allow this',
  conflict: 'The service refused, because something stands against it',
  usage: 'The service refused the input',
  'outcome-unknown': 'The service failed, and may or may not have done it',
  integrity: 'The service redirects elsewhere, and redirects are not followed',
};

/** A reply that is not a success, as an error of ours: the service's own words in it, cut to a readable length. */
export const refusalOf = (request: HttpRequest, reply: HttpReply): SchedError => {
  const refusal = read(reply.body);
  const words = [refusal.title ?? refusal.error, refusal.message ?? refusal.error_description].filter(isText);
  const details = (Array.isArray(refusal.details) ? refusal.details : [])
    .filter((detail) => isText(detail?.message))
    .map((detail) => (isText(detail.parameter) ? `${detail.parameter}: ${detail.message}` : detail.message));
  const said = cut([words.join(': '), ...details].filter(isText).join('; '), longestQuote);
  const isRead = request.method === 'GET';
  const category = isSlotGone(request, reply, refusal) ? 'conflict' : categoryOf(reply.status, isRead);
  const id = cut(reply.headers['x-request-id'] ?? '', longestRequestId);
  const scopes = Array.isArray(refusal.required_scopes) ? refusal.required_scopes.filter(isText) : [];
  const needed = cut(scopes.join(', '), longestQuote);
  const missing = category === 'forbidden' ? scopes.filter((scope) => scopeName.test(scope)).slice(0, mostScopes) : [];
  const { pathname } = new URL(request.url);
  const { retryAfterSeconds } = reply;
  const wait = retryAfterSeconds === undefined ? '' : `; the service asks to wait ${retryAfterSeconds} s`;
  const message = category === 'not-found' ? `The service knows nothing at ${pathname}` : summary[category];
  return new SchedError(category, message ?? `The service failed with status ${reply.status}`, {
    reason: `${said || `HTTP ${reply.status}`}${needed ? ` (needs ${needed})` : ''}${wait}${id ? ` [request ${id}]` : ''}`,
    ...(missing.length === 0 ? {} : { scopes: missing, hint: `sched auth login --add-scopes ${missing.join(',')}` }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    outcome: category === 'outcome-unknown' ? 'unknown' : 'not-applied',
    http: {
      status: reply.status,
      method: request.method,
      path: pathname,
      ...(id ? { requestId: id } : {}),
    },
  });
};

/** Whether the service complained of this parameter. */
export const blamesParameter = (reply: HttpReply, parameter: string): boolean => {
  const { details } = read(reply.body);
  return Array.isArray(details) && details.some((detail) => detail?.parameter === parameter);
};
