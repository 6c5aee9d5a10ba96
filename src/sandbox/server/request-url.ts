import { urlIn } from '../../base/uri.ts';
import type { HttpRequest } from '../../http/message.ts';

let last: { text: string; url: URL | undefined } | undefined;

/**
 * The address of a request, or undefined if it is malformed. Each layer of the sandbox asks for the same one in turn, so the
 * last one is kept: parsing it takes longer than finding the record. Don't change it.
 */
export const urlOf = ({ url: text }: Pick<HttpRequest, 'url'>): Readonly<URL> | undefined => {
  if (last?.text !== text) last = { text, url: urlIn(text) };
  return last.url;
};
