/** A request as plain data: its body is a string, so it can be sent again, compared and logged. */
export interface HttpRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** One deadline over connecting, headers and body. */
  timeoutMs?: number;
}

/** A reply read to its end. Header names are lower-case. */
export interface HttpReply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export type Send = (request: HttpRequest) => Promise<HttpReply>;

/** One concern around a `Send`. */
export type Layer = (next: Send) => Send;

/** Puts layers around a transport; the first one named is the outermost. */
export const compose =
  (...layers: Layer[]): Layer =>
  (transport) =>
    layers.reduceRight((next, layer) => layer(next), transport);
