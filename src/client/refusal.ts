import { type Collection, collections } from '../api/collections.ts';
import { type Category, hasCategory, type NextStep, SchedError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { cut } from '../base/redact.ts';
import { exchangeOf, type HttpReply, type HttpRequest, withRequestId } from '../http/message.ts';
import { contentOf } from './read-reply.ts';

/** The body of an error, in either of the service's two formats. Any field may be missing. */
interface ErrorBody {
  title?: string;
  message?: string;
  details?: { parameter?: string; message?: string }[];
  required_scopes?: string[];
  error?: string;
  error_description?: string;
}

const longestQuote = 500;

/** The hint is a command that people copy, so only valid scope names go into it. */
const scopeName = /^[a-z][a-z_]{0,40}:[a-z]{1,20}$/;
const mostScopes = 10;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Reads an error body as far as possible: it may be empty, HTML or of another shape. */
const readErrorBody = (reply: HttpReply): ErrorBody => {
  const content = contentOf(reply);
  return typeof content !== 'string' && isObject(content.json) ? content.json : {};
};

/** A 404 that isn't in the service's form: something else may be at this address. */
export const isForeignNotFound = (reply: HttpReply): boolean =>
  reply.status === 404 && !isText(readErrorBody(reply).title);

const categoryOf = (status: number, isRead: boolean): Category => {
  if (status === 401) return 'auth';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not-found';
  if (status === 409) return 'conflict';
  if (status === 429) return 'rate-limited';
  // A request that the service doesn't support (405, 406, 415) counts as wrong input too.
  if ([400, 405, 406, 413, 415, 422].includes(status)) return 'usage';
  if (status >= 300 && status < 400) return 'integrity';
  const isUnfinished = status >= 500 || status === 408;
  return isUnfinished && !isRead ? 'outcome-unknown' : 'unavailable';
};

/**
 * Assumed (errors.slot): if a slot is no longer free, the service replies 409, or 400 with details about nothing but
 * the time.
 */
const isSlotGone = ({ isBooking }: HttpRequest, { status }: HttpReply, { details }: ErrorBody): boolean =>
  isBooking === true &&
  (status === 409 ||
    (status === 400 &&
      Array.isArray(details) &&
      details.length > 0 &&
      details.every((detail) => detail?.parameter === 'start_time')));

/** What a 404 says if the path is unknown to the service, or if anything may be: `Not Found`, `Cannot GET /x`, HTML. */
const saysLittle = (quote: string): boolean =>
  /^(404[\s:]*)?(error|(page )?not[\s_-]*found|[\s:;.,])*$/i.test(quote) ||
  /\b(route|path|endpoint|cannot)\b/i.test(quote);

/** Names the innermost record in a path of the catalogue: `/scheduled_events/ID/invitees` is about the event. */
export const subjectIn = (path: string): string | undefined => {
  const segments = path.split('/');
  const recordAt = (index: number) =>
    Object.hasOwn(collections, segments[index]!) ? collections[segments[index] as Collection].singular : undefined;
  const index = segments.findLastIndex((_, at) => recordAt(at) !== undefined && segments[at + 1]);
  return index < 0 || segments[index + 1] === 'me' ? undefined : `${recordAt(index)} with ID ${segments[index + 1]}`;
};

/** Names the record only if the service says more than that nothing was found: it may not have the path at all. */
const notFoundMessage = ({ subject, path }: HttpRequest, pathname: string, quote: string): string => {
  if (path !== undefined && saysLittle(quote)) return `This service has no ${pathname}`;
  return subject === undefined || saysLittle(quote) ? `The service found nothing at ${pathname}` : `No ${subject}`;
};

/** What to do about a 404 that may be about the path. */
const aboutPath = ({ path }: HttpRequest): NextStep => {
  if (path === undefined) return { advice: 'check the ID and the base URL; the service may also not have this path' };
  const isAssumed = path === 'assumed';
  return {
    advice: isAssumed ? "sched assumes this path: the documentation doesn't show it" : 'check the base URL',
    hint: { command: ['doctor'], flags: { api: true } },
  };
};

const summary: Partial<Record<Category, string>> = {
  auth: 'The service rejected the token',
  forbidden: "The service doesn't allow this",
  conflict: 'The service reported a conflict',
  usage: 'The service rejected the input',
  'outcome-unknown': 'The service failed: the request may or may not have been carried out',
  integrity: "The service sent a redirect, and sched doesn't follow redirects",
};

/** Statuses that say more than their category. */
const statusWords: Readonly<Record<number, (method: string, pathname: string) => string>> = {
  405: (method, pathname) => `The service doesn't support ${method} ${pathname}`,
  406: () => "The service can't reply with JSON",
  413: () => 'The request is too large for the service',
  415: () => "The service doesn't accept the content type of the request",
};

/**
 * What a 403 is about, by the service's words or the error's reason.
 * Assumed (errors.forbidden): a 403 for a missing scope or plan says so; any other is for the user's role.
 */
export const forbiddenBy = (words: string): 'scope' | 'plan' | 'role' => {
  if (/\bscopes?\b/i.test(words)) return 'scope';
  return /\bplan\b|\bupgrade\b|\benterprise\b/i.test(words) ? 'plan' : 'role';
};

/** Statuses of a service that says nothing else. */
const silentWords: Readonly<Record<number, string>> = {
  500: 'the service had an internal error',
  502: 'a server in front of the service got no valid reply from it',
  503: 'the service is overloaded or under maintenance',
  504: 'a server in front of the service got no reply from it in time',
};

/** Whether a title says no more than the status, or than the message after it. */
const isRepeated = (title: string, status: number, message: unknown): boolean =>
  new RegExp(`^(status|http|error)?[ :]*${status}$`, 'i').test(title) ||
  (isText(message) &&
    title
      .toLowerCase()
      .split(' ')
      .every((word) => message.toLowerCase().includes(word)));

/** The error for a reply that is not a success. It quotes the service's own words, cut to a readable length. */
export const refusalOf = (request: HttpRequest, reply: HttpReply): SchedError => {
  const refusal = readErrorBody(reply);
  const [title, words] = [refusal.title ?? refusal.error, refusal.message ?? refusal.error_description];
  const isTold = isText(title) && !isRepeated(title, reply.status, words);
  const details = (Array.isArray(refusal.details) ? refusal.details : [])
    .filter((detail) => isText(detail?.message))
    .map((detail) => (isText(detail.parameter) ? `${detail.parameter}: ${detail.message}` : detail.message));
  const headline = [isTold ? title : undefined, words].filter(isText).join(': ');
  const quote = cut([headline, ...details].filter(isText).join('; '), longestQuote);
  const isRead = request.method === 'GET';
  const slotGone = isSlotGone(request, reply, refusal);
  const category = slotGone ? 'conflict' : categoryOf(reply.status, isRead);
  const scopes = Array.isArray(refusal.required_scopes) ? refusal.required_scopes.filter(isText) : [];
  const scopeNames = cut(scopes.join(', '), longestQuote);
  const missingScopes =
    category === 'forbidden' ? scopes.filter((scope) => scopeName.test(scope)).slice(0, mostScopes) : [];
  const { pathname } = new URL(request.url);
  const { retryAfterSeconds } = reply;
  const wait = retryAfterSeconds === undefined ? '' : `; the service asks to wait ${retryAfterSeconds} s`;
  const statusText = statusWords[reply.status]?.(request.method, pathname) ?? summary[category];
  const slotText = slotGone ? "That time isn't available" : undefined;
  // The message names the status of a failed read.
  const silence = (category === 'unavailable' && silentWords[reply.status]) || `HTTP ${reply.status}`;
  const message = slotText ?? (category === 'not-found' ? notFoundMessage(request, pathname, quote) : statusText);
  return new SchedError(category, message ?? `The service failed with status ${reply.status}`, {
    reason: withRequestId(`${quote || silence}${scopeNames ? ` (needs ${scopeNames})` : ''}${wait}`, reply),
    ...(missingScopes.length === 0 ? {} : { scopes: missingScopes }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(category === 'not-found' && saysLittle(quote) ? aboutPath(request) : {}),
    // Not implemented, and a version of HTTP that the service doesn't speak.
    ...([501, 505].includes(reply.status) && { isLasting: true }),
    outcome: category === 'outcome-unknown' ? 'unknown' : 'not-applied',
    http: { ...exchangeOf(request, reply), ...(isForeignNotFound(reply) ? { isForeign: true } : {}) },
  });
};

/** Whether the service's error details name this parameter. */
export const blamesParameter = (reply: HttpReply, parameter: string): boolean => {
  const { details } = readErrorBody(reply);
  return Array.isArray(details) && details.some((detail) => detail?.parameter === parameter);
};

/** A time that sched doesn't send, because it isn't free. */
export class TimeNotFree extends SchedError {}

/** Whether the time of a booking was refused. */
export const isTimeRefused = (error: unknown): error is SchedError =>
  error instanceof TimeNotFree || (hasCategory(error, 'conflict', 'partial') && error.facts.http !== undefined);
