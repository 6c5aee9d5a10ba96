/** What carrying a request out twice would do; see the rows of the catalogue. */
export type Effect = 'read' | 'deletion' | 'change' | 'creation';

/** A request as plain data: its body is a string, so it can be sent again, compared and logged. */
export interface HttpRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** One deadline over connecting, headers and body. */
  timeoutMs?: number;
  /** Of a request that is not known to be anything else it is a creation, unless it is a GET. */
  effect?: Effect;
  /** Aborted when nobody waits for the reply any more: then neither is it sent nor waited for. Only reads have one. */
  signal?: AbortSignal;
  /** Done each time right before it leaves, after every wait; if that fails, it does not leave. */
  beforeSend?: () => Promise<void>;
}

/** What a body says: JSON, nothing, or something else. */
export type Content = { json: unknown } | 'empty' | 'unreadable';

/** A reply read to its end. Header names are lower-case. */
export interface HttpReply {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** How long a 503 asks to wait before anything is sent again, where it says so. */
  retryAfterSeconds?: number;
  /** Where it was parsed already. */
  content?: Content;
}

export const isSuccess = ({ status }: Pick<HttpReply, 'status'>): boolean => status >= 200 && status <= 299;

/** What the service calls a request. Whatever does not look like an ID may be anything, an address among it. */
export const requestIdOf = ({ headers }: HttpReply): string | undefined =>
  /^[\w.:+/=-]{1,100}$/.exec(headers['x-request-id'] ?? '')?.[0];

/** A reason with that name behind it, for whoever must ask the service about it. */
export const withRequestId = (reason: string, reply: HttpReply): string => {
  const id = requestIdOf(reply);
  return id === undefined ? reason : `${reason} [request ${id}]`;
};

/** What the service was asked, and what is known of its reply. */
export const exchangeOf = (request: HttpRequest, reply?: HttpReply) => {
  const id = reply === undefined ? undefined : requestIdOf(reply);
  return {
    ...(reply === undefined ? {} : { status: reply.status }),
    method: request.method,
    path: new URL(request.url).pathname,
    ...(id === undefined ? {} : { requestId: id }),
  };
};

/** What ends the waiting for a request: the end of the whole command, or that nobody wants it any more. */
export const abortSignalFor = ({ signal }: HttpRequest, interrupted: AbortSignal): AbortSignal =>
  signal === undefined ? interrupted : AbortSignal.any([interrupted, signal]);

export type Send = (request: HttpRequest) => Promise<HttpReply>;

/** One concern around a `Send`. */
export type Layer = (next: Send) => Send;

/** Puts layers around a transport; the first one named is the outermost. */
export const compose =
  (...layers: Layer[]): Layer =>
  (transport) =>
    layers.reduceRight((next, layer) => layer(next), transport);
