import type { Operation, Resource } from '../api/operation.ts';
import type { RecordOf, ReplyOf } from '../api/sent.ts';
import { SchedError } from '../base/errors.ts';
import { isObject, type Json, parseJson } from '../base/json.ts';
import {
  type Content,
  exchangeOf,
  type HttpReply,
  type HttpRequest,
  type Layer,
  withRequestId,
} from '../http/message.ts';
import type { ListPage } from './paginate.ts';

const readContent = (body: string): Content => {
  try {
    return { json: parseJson(body) };
  } catch {
    return body.trim() === '' ? 'empty' : 'unreadable';
  }
};

/** The parsed body of a reply. */
export const contentOf = ({ content, body }: HttpReply): Content => content ?? readContent(body);

/** Parses the body of each reply once, both for the retry layer and for printing. */
export const withContent: Layer = (next) => async (request) => {
  const reply = await next(request);
  return { ...reply, content: contentOf(reply) };
};

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

/** The error for a read whose reply is complete and not JSON. A reply that was cut off is a failure of the network. */
export const unreadableRead = (request: HttpRequest, reply: HttpReply, problem: string): SchedError =>
  new SchedError('integrity', 'The service sent a reply that is not JSON', {
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

/**
 * Why a parsed reply can't be printed as it was sent, if so. A number such as 1e400 is parsed as Infinity and would be
 * printed as null. Runs for every reply, so it loops without building lists.
 */
export const contentProblem = (value: object, levels = deepest): string | undefined => {
  if (levels === 0) return 'the reply is nested too deeply';
  for (const name in value) {
    const inner = (value as Json)[name];
    if (inner === Number.POSITIVE_INFINITY || inner === Number.NEGATIVE_INFINITY)
      return 'the reply has a number that is out of range';
    const problem = typeof inner === 'object' && inner !== null ? contentProblem(inner, levels - 1) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
};

/** Describes a reply that is not JSON. */
export const describeNonJson = ({ status, headers }: HttpReply): string =>
  `HTTP ${status} with ${headers['content-type'] ?? 'no content type'}`;

const parseReply = (reply: HttpReply): Json => {
  const content = contentOf(reply);
  if (content === 'empty') throw new UnexpectedBody(content, `HTTP ${reply.status} with an empty body`);
  if (content === 'unreadable') throw new UnexpectedBody(content, describeNonJson(reply));
  const { json: value } = content;
  if (!isObject(value)) throw wrongShape('the reply is not an object');
  const problem = contentProblem(value);
  if (problem !== undefined) throw wrongShape(problem);
  return value;
};

/**
 * Checks that a value is an object, with a `uri` if documented. Any other field may be missing or of another type than
 * documented: callers check the ones they need, and the rest is printed as it came.
 */
const requireRecord = (resource: Resource, value: unknown, where: string): Json => {
  if (!isObject(value)) throw wrongShape(`${where} is not an object`);
  if (Object.hasOwn(resource.record.shape, 'uri') && typeof value.uri !== 'string')
    throw wrongShape(`${where} has no uri`);
  return value;
};

const isAbsent = (value: unknown): boolean => value === null || value === undefined || value === '';

/**
 * The token of the next page. If a service sets only `next_page`, the token is taken from its query. The URL itself is
 * never followed: it is data from the network.
 * Assumed (paging.last-page): on the last page, `next_page_token` and `next_page` are null, empty or missing.
 */
const nextTokenIn = ({ next_page_token: token, next_page: url }: Json): string | undefined => {
  if (typeof token === 'string' && token !== '') return token;
  if (!isAbsent(token)) throw wrongShape('pagination.next_page_token is not a string');
  if (isAbsent(url)) return undefined;
  // The base is only for a relative URL.
  const address =
    typeof url === 'string' && URL.canParse(url, 'http://localhost') ? new URL(url, 'http://localhost') : url;
  const inQuery = address instanceof URL ? address.searchParams.get('page_token') : null;
  if (isAbsent(inQuery)) throw wrongShape('pagination.next_page is set, but there is no token for the next page');
  return inQuery!;
};

/** Reads a page. `item` checks each of its items. */
const readListPage = <Item>(reply: HttpReply, item: (value: unknown, where: string) => Item): ListPage<Item> => {
  const { collection, pagination } = parseReply(reply);
  if (!Array.isArray(collection)) throw wrongShape('collection is not an array');
  const items = collection.map((value, index) => item(value, `collection[${index}]`));
  const nextToken = isObject(pagination) ? nextTokenIn(pagination) : undefined;
  return nextToken === undefined ? { items } : { items, nextToken };
};

/**
 * The record in a 2xx, or `{ collection }` if the operation returns several. Throws `UnexpectedBody` if it is missing or
 * has the wrong shape.
 */
export const recordIn = <Row extends Operation>({ reply: { kind, of } }: Row, reply: HttpReply): ReplyOf<Row> => {
  const read = (): Json => {
    if (kind === 'bare') return requireRecord(of, contentOf(reply) === 'empty' ? {} : parseReply(reply), 'the reply');
    if (kind === 'one') return requireRecord(of, parseReply(reply).resource, 'resource');
    return { collection: readListPage(reply, (value, where) => requireRecord(of, value, where)).items };
  };
  return read() as ReplyOf<Row>;
};

/** What a reply to a write shows although it isn't the record: its `resource`, else its whole content. */
export const contentIn = (reply: HttpReply): unknown => {
  const content = contentOf(reply);
  if (typeof content === 'string') return undefined;
  const { json } = content;
  const record = isObject(json) && isObject(json.resource) ? json.resource : json;
  const isEmpty = isAbsent(record) || (typeof record === 'object' && Object.keys(record!).length === 0);
  return isEmpty || contentProblem({ record }) !== undefined ? undefined : record;
};

export const readRecordReply = <Row extends Operation>(
  operation: Row,
  request: HttpRequest,
  reply: HttpReply,
): ReplyOf<Row> => forRead(request, reply, () => recordIn(operation, reply));

const anyRecord = (value: unknown, where: string): Json => {
  if (isObject(value)) return value;
  throw wrongShape(`${where} is not an object`);
};

/** Reads a page of records of any kind. */
export const readAnyPage = (request: HttpRequest, reply: HttpReply): ListPage<Json> =>
  forRead(request, reply, () => readListPage(reply, anyRecord));

/** Reads a page of an operation's records. At some services they have no `uri`. */
export const readPage = <Row extends Operation>(
  { reply: { of } }: Row,
  request: HttpRequest,
  reply: HttpReply,
  mayLackUri = false,
): ListPage<RecordOf<Row>> =>
  forRead(request, reply, () =>
    readListPage(
      reply,
      (value, where) => (mayLackUri ? anyRecord(value, where) : requireRecord(of, value, where)) as RecordOf<Row>,
    ),
  );
