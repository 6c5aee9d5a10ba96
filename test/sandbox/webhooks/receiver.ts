import { createHmac } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeLater } from '../../support/temporary.ts';

export interface Received {
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** A receiver of webhooks on a free port. `answer` replies to a delivery; by default with 204. */
export const openReceiver = async (answer: RequestListener = (_, response) => void response.writeHead(204).end()) => {
  const received: Received[] = [];
  let isHeard = () => {};
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      isHeard();
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  closeLater(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    /** The parsed bodies. */
    bodies: () => received.map(({ body }) => JSON.parse(body)),
    /** Resolves when this many deliveries have come. */
    heard: (count: number) =>
      new Promise<void>((resolve) => {
        isHeard = () => {
          if (received.length >= count) resolve();
        };
        isHeard();
      }),
  };
};

/** Checks a signature as a receiver with this clock does, written from the documentation. Tests may take a while. */
export const isSigned = ({ headers, body }: Received, key: string, now: number): boolean => {
  const [, seconds, hex] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['webhook-signature'])) ?? [];
  const isRecent = Math.abs(now - Number(seconds) * 1000) < 86_400_000;
  return isRecent && hex === createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex');
};
