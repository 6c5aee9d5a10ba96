import { SchedError } from '../errors.ts';
import type { Layer } from './message.ts';

/** A token and the only origin it may be sent to. */
export interface Credential {
  readonly token: string;
  readonly origin: string;
}

export interface Credentials {
  current(): Promise<Credential>;
}

/** Puts the bearer token on requests to its own origin, and refuses to send it anywhere else. */
export const authorize =
  (credentials: Credentials): Layer =>
  (next) =>
  async (request) => {
    const { token, origin } = await credentials.current();
    const target = new URL(request.url).origin;
    if (target !== origin) {
      throw new SchedError('auth', `The credential belongs to ${origin} and is not sent to ${target}`, {
        outcome: 'not-sent',
      });
    }
    return next({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } });
  };
