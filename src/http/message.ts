/** What a request does, which decides whether it may be sent twice; see the catalogue. */
export type Effect = 'read' | 'deletion' | 'change' | 'creation';

/** The deadline of a request that has none of its own. */
export const defaultTimeoutMs = 30_000;

/** A request as plain data: its body is a string, so it can be sent again, compared and logged. */
export interface HttpRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** One deadline for connecting, headers and body. */
  timeoutMs?: number;
  /** If missing, the method decides: a GET reads, a POST creates, all others change. */
  effect?: Effect;
  /** The record that a 404 is about, such as `event with ID X`. */
  subject?: string | undefined;
  /** It names no record, and no dialect changes its path: whether the documentation shows the path, or sched assumes it. */
  path?: 'documented' | 'assumed' | undefined;
  /** It books a meeting: a rate limit of its own applies, and a conflict is about the time. */
  isBooking?: boolean;
  /** Aborted when the reply is no longer needed: the request is neither sent nor awaited. Not for writes at the service. */
  signal?: AbortSignal;
  /** Called right before each attempt is sent, after every wait. If it fails, nothing is sent. */
  beforeSend?: () => Promise<void>;
}

/** The content of a body: JSON, empty, or unreadable. */
export type Content = { json: unknown } | 'empty' | 'unreadable';

/** A reply read to its end. Header names are in lower case. */
export interface HttpReply {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** How long a 503 asks to wait before the next request, if it says so. */
  retryAfterSeconds?: number;
  /** The parsed body, if it was parsed already. */
  content?: Content;
}

/** The name of a header (RFC 9110 §5.6.2). */
export const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Headers as Node has them, with several values of a name in one text. */
export const plainHeaders = (headers: NodeJS.Dict<string | string[]>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value ?? []].flat().join(', ')]),
  );

export const isSuccess = ({ status }: Pick<HttpReply, 'status'>): boolean => status >= 200 && status <= 299;

/** The bytes that parts of a text may encode. A part can begin in the middle of an encoded group. */
const decodeText = (text: string): string[] => {
  const decode = (run: RegExp, encoding: 'hex' | 'base64', starts: number[]) =>
    (text.match(run) ?? []).flatMap((part) =>
      starts.map((start) => Buffer.from(part.slice(start), encoding).toString('latin1')),
    );
  return [...decode(/[0-9a-f]+/gi, 'hex', [0, 1]), ...decode(/[\w+/-]+/g, 'base64', [0, 1, 2, 3])];
};

/** Whether a text without `@` is another spelling of an email address: quoted-printable, base64 or hex. */
export const spellsAddress = (text: string): boolean =>
  [text.replaceAll('=40', '@'), ...decodeText(text)].some((each) =>
    /@[\w.\x80-\xff-]{1,253}\.[a-z\x80-\xff]{2}/i.test(each),
  );

/** The service's ID of a request. Other values are dropped: they could be anything, even an email address. */
export const requestIdOf = ({ headers }: HttpReply): string | undefined => {
  const [id] = /^[\w.:+/=-]{1,100}$/.exec(headers['x-request-id'] ?? '') ?? [];
  return id === undefined || spellsAddress(id) ? undefined : id;
};

/** Adds the request ID to a reason, so that users can quote it to the service's support. */
export const withRequestId = (reason: string, reply: HttpReply): string => {
  const id = requestIdOf(reply);
  return id === undefined ? reason : `${reason} [request ${id}]`;
};

/** The request and the known facts of its reply, for an error. */
export const exchangeOf = (request: HttpRequest, reply?: HttpReply) => {
  const id = reply === undefined ? undefined : requestIdOf(reply);
  return {
    ...(reply === undefined ? {} : { status: reply.status }),
    method: request.method,
    path: new URL(request.url).pathname,
    ...(id === undefined ? {} : { requestId: id }),
  };
};

/** Aborts when the command is interrupted or the request is no longer needed. */
export const abortSignalFor = ({ signal }: HttpRequest, interrupted: AbortSignal): AbortSignal =>
  signal === undefined ? interrupted : AbortSignal.any([interrupted, signal]);

export type Send = (request: HttpRequest) => Promise<HttpReply>;

/** Wraps a `Send` and adds one concern. */
export type Layer = (next: Send) => Send;

/** Calls the request's `beforeSend` right before it is sent: no layer below this one waits. */
export const callBeforeSend: Layer = (next) => async (request) => {
  await request.beforeSend?.();
  return next(request);
};
