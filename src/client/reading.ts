import type { Operation, Resource } from '../api/operation.ts';
import { SchedError } from '../errors.ts';
import { exchangeOf, type HttpReply, type HttpRequest, withRequestId } from '../http/message.ts';
import { contentOf } from './content.ts';
import type { Page } from './paginate.ts';
import { shapeError } from './shape-check.ts';

/** A record as the service sent it, unknown fields and all. */
export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** How the body of a 2xx fails to show what it should. */
export type UnexpectedBodyKind = 'another-shape' | 'empty' | 'unreadable';

/** A 2xx whose body does not show what it should; what that means depends on what was asked (`outcome.ts`). */
export class UnexpectedBody extends Error {
  readonly kind: UnexpectedBodyKind;

  constructor(kind: UnexpectedBodyKind, problem: string) {
    super(problem);
    this.kind = kind;
  }
}

const wrongShape = (problem: string): UnexpectedBody => new UnexpectedBody('another-shape', problem);

/** A read was answered by another shape than we can work with. */
export const integrityError = (request: HttpRequest, problem: string, reply?: HttpReply): SchedError =>
  new SchedError('integrity', 'The service sent a reply that does not fit', {
    reason: reply === undefined ? problem : withRequestId(problem, reply),
    outcome: 'not-applied',
    http: exchangeOf(request, reply),
  });

/** A read was answered by something that is not JSON. */
export const unreadableRead = (request: HttpRequest, reply: HttpReply, problem: string): SchedError =>
  new SchedError('unavailable', 'The service sent a reply that is not JSON', {
    reason: withRequestId(`${problem}; is the base URL right?`, reply),
    outcome: 'not-applied',
    http: exchangeOf(request, reply),
  });

/** The answer to a read, or the error that tells why there is none. */
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

/** What came in place of JSON. */
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

/** An object, with a `uri` where the service documents one, its other fields of the documented kinds if present. */
const record = (resource: Resource, value: unknown, where: string): Json => {
  if (!isObject(value)) throw wrongShape(`${where} is not an object`);
  if (Object.hasOwn(resource.record.shape, 'uri') && typeof value.uri !== 'string')
    throw wrongShape(`${where} has no uri`);
  const problem = shapeError(resource.record, value, where);
  if (problem !== undefined) throw wrongShape(problem);
  return value;
};

/** The record in a 2xx, or an `Unfit`. */
export const recordIn = ({ reply: { kind, of } }: Operation, reply: HttpReply): Json =>
  kind === 'bare'
    ? record(of, contentOf(reply) === 'empty' ? {} : parse(reply), 'the reply')
    : record(of, parse(reply).resource, 'resource');

export const readOne = (operation: Operation, request: HttpRequest, reply: HttpReply): Json =>
  forRead(request, reply, () => recordIn(operation, reply));

/** A page whose items are read by `item`. */
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

/** A page of records of any kind. */
export const readAnyPage = (request: HttpRequest, reply: HttpReply): Page<Json> =>
  forRead(request, reply, () =>
    pageIn(reply, (value, where) => {
      if (isObject(value)) return value;
      throw wrongShape(`${where} is not an object`);
    }),
  );
