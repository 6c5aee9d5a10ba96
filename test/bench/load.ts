import { connect } from 'node:net';

const connections = 8;

/**
 * Requests per second that a server answers with 200. Each connection sends its next request after the reply, for a
 * given time or number of requests.
 */
export const load = async (
  port: number,
  path: string,
  { milliseconds = Number.POSITIVE_INFINITY, requests = Number.POSITIVE_INFINITY },
): Promise<number> => {
  const request = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer sandbox_owner\r\n\r\n`;
  const until = performance.now() + milliseconds;
  let answered = 0;
  // Looks at as few bytes as possible, so that the client isn't what is measured.
  const worker = () =>
    new Promise<void>((resolve, reject) => {
      let head = '';
      let left = -1;
      const socket = connect(port, '127.0.0.1', () => socket.write(request));
      socket.setNoDelay(true);
      const next = () => {
        answered += 1;
        left = -1;
        head = '';
        if (answered < requests && performance.now() < until) return socket.write(request);
        socket.destroy();
        resolve();
      };
      socket.on('data', (chunk: Buffer) => {
        if (left >= 0) {
          left -= chunk.length;
          if (left === 0) next();
          return;
        }
        head += chunk.toString('latin1');
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return;
        if (!head.startsWith('HTTP/1.1 200')) return reject(new Error(head.slice(0, 300)));
        const length = Number(/content-length: (\d+)/i.exec(head.slice(0, end))?.[1]);
        left = length - (head.length - end - 4);
        if (left === 0) next();
      });
      socket.on('error', reject);
    });
  const started = performance.now();
  await Promise.all(Array.from({ length: connections }, worker));
  return (answered * 1000) / (performance.now() - started);
};
