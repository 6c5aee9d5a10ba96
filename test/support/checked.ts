import { hash } from 'node:crypto';
import type { Send } from '../../src/http/message.ts';
import { findRoute } from '../../src/sandbox/route.ts';
import { failuresOf } from '../../src/sandbox/server/openapi.ts';
import { urlOf } from '../../src/sandbox/server/request-url.ts';

/** Records that matched their row, by their hash: tests get the same records again and again. */
const matching = new Set<string>();

/** The service, which throws if a reply doesn't match its row exactly, or has a status that OpenAPI doesn't describe. */
export const checked =
  (service: Send): Send =>
  async (request) => {
    const reply = await service(request);
    if (reply.body === '') return reply;
    const path = urlOf(request)?.pathname ?? '';
    const { row } = (await findRoute(request.method, path).catch(() => undefined)) ?? {};
    if (row === undefined) return reply;
    if (reply.status >= 400) {
      if (reply.status < 500 && !failuresOf(row).includes(String(reply.status)))
        throw new Error(`${row.name} returned ${reply.status}, which its description lacks`);
      return reply;
    }
    const { kind, of } = row.reply;
    const records = kind === 'many' ? reply.body.slice(0, reply.body.lastIndexOf(',"pagination"')) : reply.body;
    const key = hash('sha1', `${row.name} ${records}`);
    if (matching.has(key)) return reply;
    const body = JSON.parse(reply.body);
    const found = { many: body.collection, one: [body.resource], bare: [body] }[kind];
    for (const record of found) {
      const { error } = of.record.safeParse(record);
      if (error) throw new Error(`${row.name} returned a wrong shape: ${error.message}`);
    }
    matching.add(key);
    return reply;
  };

/** For `onError` of a service: a test sees the error itself instead of a reply with 500. */
export const rethrow = (error: unknown) => {
  throw error;
};
