import type { Operation, Resource } from '../api/operation.ts';
import { SchedError } from '../errors.ts';
import { exchangeOf, type HttpReply, type HttpRequest, withRequestId } from '../http/message.ts';
import { contentOf } from './content.ts';
import type { Page } from './paginate.ts';

/** A record as the service sent it, including unknown fields. */
export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What is wrong with the body of a 2xx. */
export type UnexpectedBodyKind = 'another-shape' | 'empty' | 'unreadable';

/** The body of a 2xx is not as expected. `outcome.ts` decides what that means for each kind of request. */
export class UnexpectedBody extends Error {
  readonly kind: UnexpectedBodyKind;

  constructor(kind: UnexpectedBodyKind, problem: string) {
    super(problem);
    this.kind = kind;
  }
}

const wrongShape = (problem: string): UnexpectedBody => new UnexpectedBody('another-shape', problem);

/** The error for a read whose reply has an unexpected shape. */
export const integrityError = (request: HttpRequest, problem: string, reply?: HttpReply): SchedError =>
  new SchedError('integrity', 'The service sent an unexpected reply', {
    reason: reply === undefined ? problem : withRequestId(problem, reply),
    outcome: 'not-applied',
    http: exchangeOf(request, reply),
  });

/** The error for a read whose reply is not JSON. */
export const unreadableRead = (request: HttpRequest, reply: HttpReply, problem: string): SchedError =>
  new SchedError('unavailable', 'The service sent a reply that is not JSON', {
    reason: withRequestId(`${problem}; is the base URL correct?`, reply),
    outcome: 'not-applied',
    http: exchangeOf(request, reply),
  });

/** Reads the reply to a read. Turns an unexpected body into the error to report. */
const forRead = <Value>(request: HttpRequest, reply: HttpReply, read: () => Value): Value => {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UnexpectedBody)) throw error;
    throw error.kind === 'another-shape'
      ? integrityError(request, error.message, reply)
      : unreadableRead(request, reply, error.message);
  }
};

/** Deeper than any record of the service, but shallow enough to print without exhausting the stack. */
const deepest = 64;

/** Runs for every reply, so it loops without building lists. */
const isDeeper = (value: object, levels: number): boolean => {
  if (levels === 0) return true;
  for (const name in value) {
    const inner = (value as Json)[name];
    if (typeof inner === 'object' && inner !== null && isDeeper(inner, levels - 1)) return true;
  }
  return false;
};

/** Describes a reply that is not JSON. */
export const describeNonJson = ({ status, headers }: HttpReply): string =>
  `HTTP ${status} with ${headers['content-type'] ?? 'no content type'}`;

const parse = (reply: HttpReply): Json => {
  const content = contentOf(reply);
  if (content === 'empty') throw new UnexpectedBody(content, `HTTP ${reply.status} with an empty body`);
  if (content === 'unreadable') throw new UnexpectedBody(content, describeNonJson(reply));
  const { json: value } = content;
  if (!isObject(value)) throw wrongShape('the reply is not an object');
  if (isDeeper(value, deepest)) throw wrongShape('the reply is nested too deeply');
  return value;
};

/**
 * Checks that a value is an object, with a `uri` if documented. Any other field may be missing or of another type than
 * documented: callers check the ones they need, and the rest is printed as it came.
 */
const record = (resource: Resource, value: unknown, where: string): Json => {
  if (!isObject(value)) throw wrongShape(`${where} is not an object`);
  if (Object.hasOwn(resource.record.shape, 'uri') && typeof value.uri !== 'string')
    throw wrongShape(`${where} has no uri`);
  return value;
};

/** The record in a 2xx. Throws `UnexpectedBody` if it is missing or has the wrong shape. */
export const recordIn = ({ reply: { kind, of } }: Operation, reply: HttpReply): Json =>
  kind === 'bare'
    ? record(of, contentOf(reply) === 'empty' ? {} : parse(reply), 'the reply')
    : record(of, parse(reply).resource, 'resource');

export const readOne = (operation: Operation, request: HttpRequest, reply: HttpReply): Json =>
  forRead(request, reply, () => recordIn(operation, reply));

/** Reads a page. `item` checks each of its items. */
const pageIn = (reply: HttpReply, item: (value: unknown, where: string) => Json): Page<Json> => {
  const { collection, pagination } = parse(reply);
  if (!Array.isArray(collection)) throw wrongShape('collection is not an array');
  const items = collection.map((value, index) => item(value, `collection[${index}]`));
  const next = isObject(pagination) ? pagination.next_page_token : undefined;
  if (next === null || next === undefined || next === '') return { items };
  if (typeof next !== 'string') throw wrongShape('pagination.next_page_token is not a string');
  return { items, nextToken: next };
};

export const readPage = (operation: Operation, request: HttpRequest, reply: HttpReply): Page<Json> =>
  forRead(request, reply, () => pageIn(reply, (value, where) => record(operation.reply.of, value, where)));

/** Reads a page of records of any kind. */
export const readAnyPage = (request: HttpRequest, reply: HttpReply): Page<Json> =>
  forRead(request, reply, () =>
    pageIn(reply, (value, where) => {
      if (isObject(value)) return value;
      throw wrongShape(`${where} is not an object`);
    }),
  );
