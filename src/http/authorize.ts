import { SchedError } from '../base/errors.ts';
import type { HttpReply, HttpRequest, Layer } from './message.ts';

/** A token and the only origin it may be sent to. */
export interface Credential {
  readonly token: string;
  readonly origin: string;
}

export interface Credentials {
  current(): Promise<Credential>;
  /** Gets a new credential after one was refused. Missing if that is not possible. */
  refresh?(credential: Credential): Promise<Credential>;
}

const unauthorized = 401;

/** The `authorization` header of a credential. */
export const bearerOf = ({ token }: Credential): string => `Bearer ${token}`;

/** Adds the bearer token to requests to its own origin, and refuses to send it anywhere else. */
export const authorize =
  (credentials: Credentials): Layer =>
  (next) => {
    const sendWith = async (request: HttpRequest, credential: Credential): Promise<HttpReply> => {
      const { origin } = credential;
      const target = new URL(request.url).origin;
      if (target !== origin) {
        throw new SchedError('auth', `The token is for ${origin} and is not sent to ${target}`, {
          outcome: 'not-sent',
        });
      }
      return next({ ...request, headers: { ...request.headers, authorization: bearerOf(credential) } });
    };
    return async (request) => {
      const credential = await credentials.current();
      const reply = await sendWith(request, credential);
      if (reply.status !== unauthorized || credentials.refresh === undefined) return reply;
      // A refused request was not processed, so any method may be repeated, but only once.
      return sendWith(request, await credentials.refresh(credential));
    };
  };
