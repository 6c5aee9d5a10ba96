import * as oauth from 'oauth4webapi';
import { type ErrorFacts, type NextStep, SchedError } from '../base/errors.ts';
import { isObject, jsonIn } from '../base/json.ts';
import { version } from '../base/system.ts';
import { the, words } from '../base/words.ts';
import { NetworkFailure } from '../http/failure.ts';
import type { HttpReply, HttpRequest, Send } from '../http/message.ts';
import { type AuthClient, forLibrary, wordFor } from './auth-server.ts';
import { refusalWords } from './callback.ts';

type Exchange = NonNullable<ErrorFacts['http']>;

/** The authorization server refused the request, with a code of RFC 6749 §5.2 or RFC 8628 §3.5. */
export class TokenRefused extends SchedError {
  readonly code: string;

  constructor(code: string, facts: NextStep & Pick<ErrorFacts, 'reason' | 'http'>) {
    super('auth', 'The service refused to issue a token', { ...facts, outcome: 'not-applied' });
    this.code = code;
  }
}

/** What to do about a refusal. An unknown client has a wrong ID, a wrong secret, or sends its secret the wrong way. */
const adviceForCode = (code: string, { secret, isMethodFixed }: AuthClient): NextStep => {
  if (code !== 'invalid_client') return { hint: { command: ['auth', 'login'] } };
  if (secret === undefined)
    return {
      advice: words`check ${the('clientId')}; if the client has a secret, log in with ${the('clientSecretFile')}`,
    };
  const method = isMethodFixed ? words`, ${the('clientAuth')}` : '';
  return { advice: words`check ${the('clientId')}${method} and the secret in the file of ${the('clientSecretFile')}` };
};

/** The authorization server neither did nor refused it. `sent`: a single-use secret may have been spent. */
export class TokenEndpointUnavailable extends SchedError {
  readonly sent: boolean;

  constructor(reason: string, isSent: boolean, http: Exchange, advice?: string) {
    super('unavailable', "Can't get a token from the authorization server", {
      reason,
      ...(advice === undefined ? {} : { advice }),
      outcome: isSent ? 'unknown' : 'not-sent',
      http,
    });
    this.sent = isSent;
  }
}

const timeoutMs = 20_000;

const exchangeWith = (url: string): Exchange => ({ method: 'POST', path: new URL(url).pathname });

export const malformedReply = (what: string, url: string): SchedError =>
  new SchedError('integrity', 'Invalid reply from the token endpoint', {
    reason: what,
    outcome: 'unknown',
    http: exchangeWith(url),
  });

/**
 * The body as the library accepts it. Drops the ID token, which sched has no use for: the library would compare its times
 * with this machine's clock, which may be a day off (R15). Some servers send no `token_type`. The documentation knows only
 * Bearer, so that is what a token without a type is.
 */
const bodyForLibrary = (body: string): string => {
  const value = body.includes('id_token') || !body.includes('token_type') ? jsonIn(body) : undefined;
  if (!isObject(value)) return body;
  const type = value.access_token === undefined ? {} : { token_type: 'bearer' };
  return JSON.stringify({ ...type, ...value, id_token: undefined });
};

const responseOf = ({ status, headers, body }: HttpReply): Response => {
  const type = headers['content-type'];
  return new Response([204, 205, 304].includes(status) ? null : bodyForLibrary(body), {
    status,
    ...(type === undefined ? {} : { headers: { 'content-type': type } }),
  });
};

type Fetched = oauth.CustomFetchOptions<string, URLSearchParams | undefined>;

/** The options for a call of the OAuth library to `url`: requests go through `send`, which follows no redirects. */
export const requestOptions = (
  url: string,
  send: Send,
  observe: (request: HttpRequest, reply?: HttpReply) => void,
) => ({
  [oauth.customFetch]: async (address: string, { method, headers, body }: Fetched) => {
    const content = body === undefined ? {} : { body: String(body) };
    const request: HttpRequest = { method, url: address, headers: { ...headers }, ...content, timeoutMs };
    observe(request);
    const reply = await send(request);
    observe(request, reply);
    return responseOf(reply);
  },
  // The guards allow http on a loopback address only.
  [oauth.allowInsecureRequests]: new URL(url).protocol === 'http:',
  headers: { 'user-agent': `sched/${version}` },
});

const secretFields = ['code', 'code_verifier', 'device_code', 'refresh_token', 'token'];

/** The secrets that a request has sent. */
const secretsIn = (request: HttpRequest | undefined, { secret }: AuthClient): string[] => {
  const form = new URLSearchParams(request?.body);
  return [...secretFields.map((name) => form.get(name)), secret].filter((text) => text != null);
};

interface LastExchange {
  request?: HttpRequest;
  reply?: HttpReply | undefined;
}

/** Replaces errors of the OAuth library: they contain replies and parameters, so they never leave this file. */
const translateError = (error: unknown, client: AuthClient, url: string, { request, reply }: LastExchange): unknown => {
  const http = exchangeWith(url);
  if (error instanceof SchedError) return error;
  if (error instanceof NetworkFailure)
    return new TokenEndpointUnavailable(`${error.host}: ${error.message}`, error.sent, http, error.advice);
  if (reply === undefined) return error;
  const { status } = reply;
  if (status >= 500 || status === 429 || status === 408)
    return new TokenEndpointUnavailable(`HTTP ${status}`, status !== 429, http);
  const refusal = (code: string, reason: string) =>
    new TokenRefused(code, { reason, http, ...adviceForCode(code, client) });
  if (error instanceof oauth.ResponseBodyError) {
    const { error: code, error_description: words } = error;
    return refusal(code, refusalWords(code, words, secretsIn(request, client)));
  }
  // RFC 6749 §5.2: 401 is for clients only.
  if (status >= 400) return refusal(status === 401 ? 'invalid_client' : '', `HTTP ${status}`);
  if (status >= 300) return malformedReply("it is a redirect, which sched doesn't follow", url);
  // The message of the library names the field, and quotes nothing of the reply.
  const field = /^"response" body "(\w+)" property/.exec((error as Error).message)?.[1];
  return malformedReply(
    field === undefined ? 'it is not a JSON object with a token' : `${field} is missing or has the wrong format`,
    url,
  );
};

/** RFC 6749 §2.3.1 encodes it as in forms. Servers that don't decode it understand at least what needs no encoding. */
const basicPart = (text: string): string =>
  /^[\w.~-]*$/.test(text) ? text : String(new URLSearchParams({ '': text })).slice(1);

/** As `oauth.ClientSecretBasic`, which encodes each `-` too. */
const basic =
  (secret: string): oauth.ClientAuth =>
  (_, { client_id: id }, __, headers) =>
    headers.set('authorization', `Basic ${btoa(`${basicPart(id)}:${basicPart(secret)}`)}`);

/** How the client identifies itself. */
const authenticationOf = ({ server, secret }: AuthClient): oauth.ClientAuth => {
  if (secret === undefined) return oauth.None();
  return server.clientAuth === 'client_secret_basic' ? basic(secret) : oauth.ClientSecretPost(secret);
};

/** What each call of the OAuth library needs. */
type LibraryCall = ReturnType<typeof forLibrary> & {
  secret: oauth.ClientAuth;
  options: ReturnType<typeof requestOptions>;
};

/** Calls the OAuth library. Its errors become errors of sched. */
export const callLibrary = async <Value>(
  client: AuthClient,
  url: string,
  send: Send,
  work: (call: LibraryCall) => Promise<Value>,
): Promise<Value> => {
  let lastExchange: LastExchange = {};
  const options = requestOptions(url, send, (request, reply) => {
    lastExchange = { request, reply };
  });
  try {
    return await work({ ...forLibrary(client), secret: authenticationOf(client), options });
  } catch (error) {
    throw translateError(error, client, url, lastExchange);
  }
};

const hasCode = (error: unknown, code: string): error is TokenRefused =>
  error instanceof TokenRefused && error.code === code;

const withOtherMethod = (client: AuthClient): AuthClient => {
  const { clientAuth } = client.server;
  const other = clientAuth === 'client_secret_post' ? 'client_secret_basic' : 'client_secret_post';
  return { ...client, server: { ...client.server, clientAuth: other } };
};

/**
 * Only a login can find out how to send the client secret. After `invalid_client`, it tries the other way once and
 * uses that from then on.
 */
export const findMethod = (first: AuthClient) => {
  let client = first;
  let hasOther = first.secret !== undefined && first.isMethodFixed !== true;
  return {
    client: () => client,
    call: async <Value>(work: (client: AuthClient) => Promise<Value>): Promise<Value> => {
      try {
        return await work(client);
      } catch (error) {
        if (!hasOther || !hasCode(error, 'invalid_client')) throw error;
      }
      hasOther = false;
      client = withOtherMethod(client);
      try {
        return await work(client);
      } catch (error) {
        if (!hasCode(error, 'invalid_grant')) throw error;
        // This client is right, but the server has voided the code at the first try.
        const hint = { command: ['auth', 'login'], flags: { 'client-auth': wordFor(client.server.clientAuth) } };
        throw new TokenRefused(error.code, { ...error.facts, hint });
      }
    },
  };
};
