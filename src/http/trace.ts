import type { Clock } from '../base/system.ts';
import { type Layer, requestIdOf, spellsAddress } from './message.ts';

/** R49: hides addresses in a query, also those that a page token spells. Many people can read the log of a job. */
const withoutEmails = (url: string): string =>
  url.replace(/(\w*=)([^&]*)/g, (whole, name: string, value: string) =>
    name.endsWith('email=') || spellsAddress(value) ? `${name}[address]` : whole,
  );

/** Reports every request and its reply, without headers and bodies. */
export const trace =
  (clock: Pick<Clock, 'now'>, note: (line: string) => void): Layer =>
  (next) =>
  async (request) => {
    const start = clock.now();
    const size = request.body === undefined ? '' : ` (${Buffer.byteLength(request.body)} bytes)`;
    note(`→ ${request.method} ${withoutEmails(request.url)}${size}`);
    try {
      const reply = await next(request);
      const id = requestIdOf(reply);
      note(
        `← ${reply.status} in ${clock.now() - start} ms, ${Buffer.byteLength(reply.body)} bytes${id ? `, request ${id}` : ''}`,
      );
      return reply;
    } catch (error) {
      note(`← no reply after ${clock.now() - start} ms: ${(error as Error).message}`);
      throw error;
    }
  };
