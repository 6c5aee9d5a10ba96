import type { RandomBytes } from '../../base/system.ts';
import type { HttpRequest } from '../../http/message.ts';
import { urlOf } from '../server/request-url.ts';
import { isForm, tokenIn } from './authenticate.ts';
import { type ReadyToken, readyTokens } from './ready-tokens.ts';

/** Fields of a login's forms that have a token. */
const tokenFields = ['token', 'refresh_token'];

/**
 * Random tokens in place of the well-known ones, for a sandbox that other machines can reach. They are translated at the
 * edge: the data keeps the well-known ones, which other processes on this machine use, and a reset makes again.
 */
export const createOwnTokens = (randomBytes: RandomBytes) => {
  const own = new Map<string, string>();
  for (const known of readyTokens.flatMap(({ token, refreshToken }) => [token, refreshToken]))
    if (known !== undefined) own.set(known, `${known}_${Buffer.from(randomBytes(24)).toString('base64url')}`);
  const known = new Map([...own].map(([token, random]) => [random, token]));
  /** A well-known token becomes one that nobody has. */
  const inside = (given: string) => known.get(given) ?? (own.has(given) ? `${given}_is_off` : given);

  const bodyInside = (request: HttpRequest): string | undefined => {
    const { body } = request;
    // Other programs, such as curl, call any body a form.
    const isLogin = urlOf(request)?.pathname.startsWith('/oauth/');
    if (!isLogin || !body || !isForm(request)) return body;
    const form = new URLSearchParams();
    for (const [name, value] of new URLSearchParams(body))
      form.append(name, tokenFields.includes(name) ? inside(value) : value);
    return String(form);
  };

  return {
    /** The same token as this sandbox names it. */
    shown: <Token extends ReadyToken>({ token, refreshToken, ...rest }: Token) => ({
      ...rest,
      token: own.get(token) ?? token,
      ...(refreshToken === undefined ? {} : { refreshToken: own.get(refreshToken) ?? refreshToken }),
    }),
    /** The request with the tokens that the data knows. */
    translate(request: HttpRequest): HttpRequest {
      const { authorization } = request.headers;
      const token = tokenIn(authorization);
      const headers =
        token === undefined ? request.headers : { ...request.headers, authorization: `Bearer ${inside(token)}` };
      const body = bodyInside(request);
      return { ...request, headers, ...(body === undefined ? {} : { body }) };
    },
  };
};
