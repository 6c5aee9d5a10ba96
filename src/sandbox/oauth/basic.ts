import type { HttpRequest } from '../../http/message.ts';

/** A client's ID and secret in the header (RFC 6749 §2.3.1): each is encoded as in a form before they are put together. */
export const basicIn = ({ headers: { authorization = '' } }: HttpRequest) => {
  const [, encoded] = /^basic +([\w+/=-]+)$/i.exec(authorization) ?? [];
  if (encoded === undefined) return undefined;
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  const plain = (text: string) => new URLSearchParams(`x=${text}`).get('x') ?? '';
  return { id: plain(id), secret: plain(secret.join(':')) };
};
