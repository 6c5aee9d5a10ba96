import type { Content, HttpReply, Layer } from '../http/message.ts';
import { parseJson } from '../json.ts';

const read = (body: string): Content => {
  try {
    return { json: parseJson(body) };
  } catch {
    return body.trim() === '' ? 'empty' : 'unreadable';
  }
};

/** What the body of a reply says. */
export const contentOf = ({ content, body }: HttpReply): Content => content ?? read(body);

/** Parses the body of each reply, once for all who ask what it says: whether to send again, and what to print. */
export const withContent: Layer = (next) => async (request) => {
  const reply = await next(request);
  return { ...reply, content: contentOf(reply) };
};
