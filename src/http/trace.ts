import type { Clock } from '../system.ts';
import { type Layer, requestIdOf } from './message.ts';

/** Reports every request and its reply, without headers and bodies. */
export const trace =
  (clock: Pick<Clock, 'now'>, note: (line: string) => void): Layer =>
  (next) =>
  async (request) => {
    const started = clock.now();
    const size = request.body === undefined ? '' : ` (${Buffer.byteLength(request.body)} bytes)`;
    note(`→ ${request.method} ${request.url}${size}`);
    try {
      const reply = await next(request);
      const id = requestIdOf(reply);
      note(
        `← ${reply.status} in ${clock.now() - started} ms, ${Buffer.byteLength(reply.body)} bytes${id ? `, request ${id}` : ''}`,
      );
      return reply;
    } catch (error) {
      note(`← no reply after ${clock.now() - started} ms: ${(error as Error).message}`);
      throw error;
    }
  };
