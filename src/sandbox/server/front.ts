import type { HttpRequest } from '../../http/message.ts';
import { Refusal, refusalOf } from '../error-replies.ts';
import type { WireReply } from '../faults/inject.ts';

const bodyLimitBytes = 1024 * 1024;

/** A service whose replies can carry transport faults. */
export type WireService = (request: HttpRequest) => Promise<WireReply>;

/** Reads a body, or refuses one that is too large. `length` is what the sender says that it is. */
export const readBody = async (chunks: AsyncIterable<Uint8Array>, length: string | null | undefined) => {
  const tooLarge = () =>
    new Refusal(413, 'Payload Too Large', 'The body is larger than 1 MiB.', {}, { connection: 'close' });
  if (Number(length ?? 0) > bodyLimitBytes) throw tooLarge();
  const read: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > bodyLimitBytes) throw tooLarge();
    read.push(chunk);
  }
  return Buffer.concat(read).toString('utf8');
};

/**
 * Hands requests to the service, and answers those that it never sees. Each way to reach a sandbox has a `read`, which
 * throws if a request is refused. `refusalHeaders` are for the replies to these.
 */
export const createFront = (service: WireService, refusalHeaders?: () => Record<string, string>) => {
  let requests = 0;
  return async (read: () => Promise<HttpRequest>): Promise<WireReply> => {
    requests += 1;
    try {
      return await service(await read());
    } catch (error) {
      const { status, headers, body } = refusalOf(error);
      const usual = { 'content-type': 'application/json', 'x-request-id': `refused-${requests}` };
      // Any other error can mean that the sandbox is closing, and its data with it.
      const limits = error instanceof Refusal ? refusalHeaders?.() : {};
      return { status, headers: { ...usual, ...limits, ...headers }, body };
    }
  };
};

export const bytesOf = ({ bytes, body }: WireReply): Uint8Array => bytes ?? Buffer.from(body);

/** The headers of a reply with its length, unless it has no body: a client would wait for one (RFC 9110 §8.6). */
export const withLength = ({ status, headers, bytes, body }: WireReply): Record<string, string> => {
  if (status === 204 || status === 304) return headers;
  return { ...headers, 'content-length': String(bytes?.length ?? Buffer.byteLength(body)) };
};
