import { SchedError } from '../errors.ts';
import type { HttpReply, HttpRequest, Layer } from './message.ts';

/** A token and the only origin it may be sent to. */
export interface Credential {
  readonly token: string;
  readonly origin: string;
}

export interface Credentials {
  current(): Promise<Credential>;
  /** Another credential in place of one that was refused; missing where there can be none. */
  renew?(refused: Credential): Promise<Credential>;
}

const refused = 401;

/** What is shorter stands in any text by chance, and is no token of a real service. */
const shortestToken = 8;

/** R12: a service may quote in an error what it was sent, and errors are printed and logged. */
const withoutToken = (reply: HttpReply, token: string): HttpReply => {
  if (token.length < shortestToken) return reply;
  const clean = (text: string) => text.replaceAll(token, '[token]');
  // Of a success only the name of the request is told, where its body turns out to be of no use.
  const id = reply.headers['x-request-id'];
  if (reply.status < 300)
    return id?.includes(token) ? { ...reply, headers: { ...reply.headers, 'x-request-id': clean(id) } } : reply;
  const headers = Object.fromEntries(Object.entries(reply.headers).map(([name, value]) => [name, clean(value)]));
  return { ...reply, headers, body: clean(reply.body) };
};

/** Puts the bearer token on requests to its own origin, and refuses to send it anywhere else. */
export const authorize =
  (credentials: Credentials): Layer =>
  (next) => {
    const sendWith = async (request: HttpRequest, { token, origin }: Credential): Promise<HttpReply> => {
      const target = new URL(request.url).origin;
      if (target !== origin) {
        throw new SchedError('auth', `The credential belongs to ${origin} and is not sent to ${target}`, {
          outcome: 'not-sent',
        });
      }
      const headers = { ...request.headers, authorization: `Bearer ${token}` };
      return withoutToken(await next({ ...request, headers }), token);
    };
    return async (request) => {
      const credential = await credentials.current();
      const reply = await sendWith(request, credential);
      if (reply.status !== refused || credentials.renew === undefined) return reply;
      // A refused request was not processed, so any method may be repeated; once.
      return sendWith(request, await credentials.renew(credential));
    };
  };
