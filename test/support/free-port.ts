import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const canListen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/**
 * A port for a program that can't say which one it got. Systems give away ports above these, so no other program gets it
 * before that one listens, or while it is restarted.
 */
export const freePort = async (): Promise<number> => {
  const port = randomInt(20_000, 30_000);
  return (await canListen(port)) ? port : freePort();
};
