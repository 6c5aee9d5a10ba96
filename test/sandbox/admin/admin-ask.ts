import { expect } from 'vitest';
import { type AdminCall, answerAdmin } from '../../../src/sandbox/admin/admin.ts';
import { origin } from '../world.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads any body
export type Body = any;

/** Sends admin requests without a server. Checks each reply against its schema, and rejects with a refusal's JSON and status. */
export const adminAsker =
  <Context>(calls: readonly AdminCall<Context>[], context: Context) =>
  async (method: AdminCall<Context>['method'], path: string, body?: unknown): Promise<Body> => {
    const url = `${origin}/__sandbox/${path}`;
    const request = { method, url, headers: {}, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    let reply: AdminCall<Context>['reply'] | undefined;
    const watched = calls.map((call) => ({
      ...call,
      handle: (...given: Parameters<typeof call.handle>) => {
        reply = call.reply;
        return call.handle(...given);
      },
    }));
    const { status, body: text } = (await answerAdmin(watched, context, request))!;
    const content = JSON.parse(text);
    if (status >= 300) throw Object.assign(new Error(content.message), { ...content, status });
    expect(reply!.safeParse(content).error).toBeUndefined();
    return content;
  };
