import type { Content, HttpReply, Layer } from '../http/message.ts';
import { parseJson } from '../json.ts';

const read = (body: string): Content => {
  try {
    return { json: parseJson(body) };
  } catch {
    return body.trim() === '' ? 'empty' : 'unreadable';
  }
};

/** The parsed body of a reply. */
export const contentOf = ({ content, body }: HttpReply): Content => content ?? read(body);

/** Parses the body of each reply once, both for the retry layer and for printing. */
export const withContent: Layer = (next) => async (request) => {
  const reply = await next(request);
  return { ...reply, content: contentOf(reply) };
};
