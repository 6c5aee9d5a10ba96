import type { Operation, Resource } from '../api/operation.ts';
import { SchedError } from '../errors.ts';
import { exchangeOf, type HttpReply, type HttpRequest, withRequestId } from '../http/message.ts';
import { parseJson } from '../json.ts';
import { misfit } from './liberal.ts';
import type { Page } from './paginate.ts';

/** A record as the service sent it, unknown fields and all. */
export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The reply has another shape than we can work with; a write behind it was carried out all the same. What was to be
 * made, and under which name, nobody knows then (R26).
 */
export const integrityError = (request: HttpRequest, problem: string, reply?: HttpReply): SchedError => {
  const isCreation = request.effect === 'creation';
  return new SchedError(isCreation ? 'outcome-unknown' : 'integrity', 'The service sent a reply that does not fit', {
    reason: reply === undefined ? problem : withRequestId(problem, request, reply),
    outcome: request.method === 'GET' ? 'not-applied' : isCreation ? 'unknown' : 'applied',
    http: exchangeOf(request, reply),
  });
};

interface Exchange {
  request: HttpRequest;
  reply: HttpReply;
}

/** Deeper than any record of the service, and far from where writing it out would exhaust the stack. */
const deepest = 64;

/** Asked of every reply, so it makes no list of what it looks through. */
const isDeeper = (value: object, levels: number): boolean => {
  if (levels === 0) return true;
  for (const name in value) {
    const inner = (value as Json)[name];
    if (typeof inner === 'object' && inner !== null && isDeeper(inner, levels - 1)) return true;
  }
  return false;
};

const parsed = Symbol('parsed');

/**
 * A body is parsed once, though more than one asks what is in it. What it says is kept with the reply and goes with it: a
 * map beside it would keep many a page until the next full collection.
 */
const parsedOf = (
  reply: HttpReply & { [parsed]?: { value: unknown } | 'unreadable' },
): { value: unknown } | 'unreadable' => {
  const known = reply[parsed];
  if (known !== undefined) return known;
  let result: { value: unknown } | 'unreadable' = 'unreadable';
  try {
    result = { value: parseJson(reply.body) };
  } catch {
    // Cut off, HTML, or nothing at all.
  }
  Object.defineProperty(reply, parsed, { value: result });
  return result;
};

/** Whether a body is JSON, or none was to come. */
export const isReadable = (reply: HttpReply): boolean =>
  (reply.body === '' && (reply.status === 204 || reply.status === 205)) || parsedOf(reply) !== 'unreadable';

const parse = (request: HttpRequest, reply: HttpReply): Json => {
  const result = parsedOf(reply);
  if (result === 'unreadable') {
    const isRead = request.method === 'GET';
    throw new SchedError(isRead ? 'unavailable' : 'outcome-unknown', 'The service sent a reply that is not JSON', {
      reason: withRequestId(
        `HTTP ${reply.status} with ${reply.headers['content-type'] ?? 'no content type'}; is the base URL right?`,
        request,
        reply,
      ),
      outcome: isRead ? 'not-applied' : 'unknown',
      http: exchangeOf(request, reply),
    });
  }
  const { value } = result;
  if (!isObject(value)) throw integrityError(request, 'the reply is not an object', reply);
  if (isDeeper(value, deepest)) throw integrityError(request, 'the reply is nested too deeply', reply);
  return value;
};

/** An object, with a `uri` where the service documents one, its other fields of the documented kinds if present. */
const record = ({ request, reply }: Exchange, resource: Resource, value: unknown, where: string): Json => {
  if (!isObject(value)) throw integrityError(request, `${where} is not an object`, reply);
  if (Object.hasOwn(resource.record.fields, 'uri') && typeof value.uri !== 'string') {
    throw integrityError(request, `${where} has no uri`, reply);
  }
  const problem = misfit(resource.record, value, where);
  if (problem !== undefined) throw integrityError(request, problem, reply);
  return value;
};

export const readOne = (operation: Operation, request: HttpRequest, reply: HttpReply): Json =>
  operation.reply.kind === 'bare'
    ? record({ request, reply }, operation.reply.of, reply.body.trim() === '' ? {} : parse(request, reply), 'the reply')
    : record({ request, reply }, operation.reply.of, parse(request, reply).resource, 'resource');

/** A page whose items are read by `item`. */
const pageOf = (request: HttpRequest, reply: HttpReply, item: (value: unknown, where: string) => Json): Page<Json> => {
  const { collection, pagination } = parse(request, reply);
  if (!Array.isArray(collection)) throw integrityError(request, 'collection is not an array', reply);
  const items = collection.map((value, index) => item(value, `collection[${index}]`));
  const next = isObject(pagination) ? pagination.next_page_token : undefined;
  if (next === null || next === undefined || next === '') return { items };
  if (typeof next !== 'string') throw integrityError(request, 'pagination.next_page_token is not a string', reply);
  return { items, nextToken: next };
};

export const readPage = (operation: Operation, request: HttpRequest, reply: HttpReply): Page<Json> =>
  pageOf(request, reply, (value, where) => record({ request, reply }, operation.reply.of, value, where));

/** A page of records of any kind. */
export const readAnyPage = (request: HttpRequest, reply: HttpReply): Page<Json> =>
  pageOf(request, reply, (value, where) => {
    if (isObject(value)) return value;
    throw integrityError(request, `${where} is not an object`, reply);
  });
