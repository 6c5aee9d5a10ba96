import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { isLoopbackUrl } from '../../base/uri.ts';

/** How a receiver answered, or why there is no answer. */
export type PostResult = { status: number; error?: undefined } | { status?: undefined; error: string };

export type Post = (
  url: string,
  request: { headers: Record<string, string>; body: string },
  signal: AbortSignal,
) => Promise<PostResult>;

/** The body of an answer is not used. More than this is not read. */
const mostAnswerBytes = 64 * 1024;

/** The names of this machine never leave it, whatever its resolver says. */
const lookup: LookupFunction = (_, { all }, callback) => {
  const [first, second] = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];
  if (all) callback(null, [first!, second!]);
  else callback(null, first!.address, first!.family);
};

const reasons: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed without a reply',
  EPIPE: 'the connection was closed without a reply',
};

const failureReason = ({ code = '', message }: NodeJS.ErrnoException): string => {
  if (/^HPE_/.test(code)) return 'the reply is not valid HTTP';
  return reasons[code] ?? (code || message).slice(0, 200);
};

const exchange: Post = (url, { headers, body }, signal) =>
  new Promise((resolve) => {
    let status: number | undefined;
    let error = 'the connection was closed without a reply';
    const { request } = new URL(url).protocol === 'https:' ? https : http;
    const sent = request(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      agent: false,
      ...(isLoopbackUrl(url) && { lookup }),
      signal,
    });
    sent.on('response', (response) => {
      status = response.statusCode;
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > mostAnswerBytes) sent.destroy();
      });
      response.on('error', () => {});
    });
    sent.on('error', (failure) => {
      error = failureReason(failure);
    });
    // After the end of the reply, and after any failure.
    sent.on('close', () => resolve(status === undefined ? { error } : { status }));
    sent.end(body);
  });

/** Why nothing was sent to another machine. */
export const notThisMachine = 'not sent: the sandbox delivers only to loopback addresses of this machine';

const hostOf = (url: string): string => new URL(url).host;

/**
 * Sends to receivers on this machine, and to the host of a URL that the person who started the sandbox named: nothing else
 * that happens in the sandbox leaves the machine. Follows no redirects.
 */
export const postTo =
  (named?: string): Post =>
  async (url, request, signal) =>
    isLoopbackUrl(url) || (named !== undefined && hostOf(url) === hostOf(named))
      ? exchange(url, request, signal)
      : { error: notThisMachine };
