import * as oauth from 'oauth4webapi';
import { type Advice, SchedError } from '../base/errors.ts';
import { isObject, jsonIn } from '../base/json.ts';
import { cut } from '../base/redact.ts';
import { the, words } from '../base/words.ts';
import { NetworkFailure } from '../http/failure.ts';
import type { HttpReply, HttpRequest, Send } from '../http/message.ts';
import { exchangeOf } from '../http/message.ts';
import { urlProblem } from '../http/proxy.ts';
import { type AuthServer, endpointNames, endpointProblem, withoutSlash } from './auth-server.ts';
import { requestOptions } from './oauth-request.ts';

/** A server as its metadata describes it. */
export interface Discovered {
  server: AuthServer;
  /** The address of the metadata document. */
  document: string;
}

/** RFC 8414 first, then OpenID Connect Discovery. */
const algorithms = ['oauth2', 'oidc'] as const;

const maxTextLength = 200;

const unreadableDocument = (reason: string, request: HttpRequest | undefined, advice?: string): SchedError =>
  new SchedError('unavailable', "Can't read the metadata of the authorization server", {
    reason,
    ...(advice === undefined ? {} : { advice }),
    outcome: 'not-sent',
    ...(request === undefined ? {} : { http: exchangeOf(request) }),
  });

const invalidDocument = (document: string, reason: string, advice?: Advice): SchedError =>
  new SchedError('integrity', `The metadata of the authorization server can't be used: ${document}`, {
    reason,
    ...(advice === undefined ? {} : { advice }),
    outcome: 'not-sent',
  });

const isBusy = ({ status }: HttpReply): boolean => status >= 500 || status === 408 || status === 429;

/** Many servers answer an unknown path with a redirect or a page instead of 404. */
const hasNoDocument = ({ status, headers }: HttpReply): boolean =>
  status !== 200 || !/^application\/([\w.+-]*\+)?json\b/i.test(headers['content-type'] ?? '');

const otherIssuer = (document: string, issuer: string, statedIssuer: unknown): SchedError => {
  const name = typeof statedIssuer === 'string' ? cut(statedIssuer, maxTextLength) : undefined;
  // Without characters that a shell would change, so that the command can be copied.
  const isUsable = name !== undefined && urlProblem(name) === undefined && /^[\w@%+=:,./-]+$/.test(name);
  return invalidDocument(
    document,
    `it describes ${name === undefined ? 'no issuer' : `the issuer "${name}"`}, not "${issuer}"`,
    isUsable ? words`if that is your server, add ${the('issuer')} ${name}` : undefined,
  );
};

/** The way to try first. A client may be registered for the other one, whatever the server offers. */
const clientAuthIn = (methods: unknown): AuthServer['clientAuth'] => {
  const names = Array.isArray(methods) ? methods : [];
  const isBasicOnly = names.includes('client_secret_basic') && !names.includes('client_secret_post');
  return isBasicOnly ? 'client_secret_basic' : 'client_secret_post';
};

/** R7: an address that is neither https nor on a loopback address ends the login. */
const serverIn = (metadata: oauth.AuthorizationServer, document: string): AuthServer => {
  const addresses = {
    authorize: metadata.authorization_endpoint,
    token: metadata.token_endpoint,
    revoke: metadata.revocation_endpoint,
    device: metadata.device_authorization_endpoint,
  };
  for (const name of endpointNames) {
    const address: unknown = addresses[name];
    if (address === undefined && name !== 'authorize' && name !== 'token') continue;
    const problem = typeof address === 'string' ? endpointProblem(address) : 'it is missing';
    if (problem !== undefined) {
      const quote = typeof address === 'string' ? ` "${cut(address, maxTextLength)}"` : '';
      throw invalidDocument(document, `the ${name} address${quote}: ${problem}`);
    }
  }
  return {
    issuer: metadata.issuer,
    authorize: addresses.authorize!,
    token: addresses.token!,
    revoke: addresses.revoke,
    device: addresses.device,
    clientAuth: clientAuthIn(metadata.token_endpoint_auth_methods_supported),
    sendsIssuer: metadata.authorization_response_iss_parameter_supported === true,
  };
};

/** Asks for one kind of document. Returns undefined if there is none. */
const askForMetadata = async (
  issuer: string,
  algorithm: (typeof algorithms)[number],
  send: Send,
): Promise<Discovered | undefined> => {
  let request: HttpRequest | undefined;
  let reply: HttpReply | undefined;
  const options = requestOptions(issuer, send, (lastRequest, lastReply) => {
    [request, reply] = [lastRequest, lastReply];
  });
  const response = await oauth.discoveryRequest(new URL(issuer), { ...options, algorithm }).catch((error: unknown) => {
    if (!(error instanceof NetworkFailure)) throw error;
    throw unreadableDocument(`${error.host}: ${error.message}`, request, error.advice);
  });
  if (isBusy(reply!)) throw unreadableDocument(`HTTP ${reply!.status}`, request);
  if (hasNoDocument(reply!)) return undefined;
  const document = request!.url;
  const body = jsonIn(reply!.body);
  if (body === undefined) throw invalidDocument(document, 'it is not JSON');
  const statedIssuer = isObject(body) ? body.issuer : undefined;
  // A trailing slash belongs to the issuer's name, but users can't know whether their server's name has one.
  const isSame = typeof statedIssuer === 'string' && withoutSlash(statedIssuer) === withoutSlash(issuer);
  if (!isSame || urlProblem(statedIssuer as string) !== undefined) throw otherIssuer(document, issuer, statedIssuer);
  const metadata = await oauth.processDiscoveryResponse(new URL(statedIssuer as string), response);
  return { server: serverIn(metadata, document), document };
};

/** The server that an issuer's metadata describes, or undefined if it publishes none. Only a login asks for it. */
export const discover = async (issuer: string, send: Send): Promise<Discovered | undefined> => {
  for (const algorithm of algorithms) {
    const discovery = await askForMetadata(issuer, algorithm, send);
    if (discovery !== undefined) return discovery;
  }
  return undefined;
};
