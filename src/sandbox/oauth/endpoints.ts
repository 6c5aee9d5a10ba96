import { CodeGrant, DeviceGrant, RefreshGrant } from '../../api/oauth.ts';
import { oauthPaths } from '../../api/oauth-paths.ts';
import { scopes } from '../../api/scopes.ts';
import type { HttpReply, HttpRequest } from '../../http/message.ts';
import type { RandomBytes } from '../../system.ts';
import { Refusal } from '../error-replies.ts';
import { logins } from '../ready-tokens.ts';
import { userId } from '../seed/team.ts';
import { withOrigin } from '../store/names.ts';
import type { Store } from '../store/store.ts';
import { admit } from '../throttle.ts';
import {
  type AuthorizationRequest,
  checkAuthorization,
  findClient,
  isScope,
  type Parameters,
  readForm,
  readParameters,
  redirectTo,
} from './authorization.ts';
import { decideDevice, openDevice, ownerOfDevice, redeemDevice, startDevice } from './device.ts';
import {
  issueCode,
  ownerOfCode,
  ownerOfRefresh,
  redeemCode,
  refreshTokens,
  revokeToken,
  type TokenGrant,
} from './grants.ts';
import { codePage, consentPage, deviceEndPage, devicePage, errorPage } from './html-pages.ts';
import { readTicket, signerOf, writeTicket } from './signing.ts';

export interface OAuthOptions {
  /** Approves every request without showing the consent page, for scripts. */
  autoConsent?: boolean | undefined;
  /** How long a used refresh token still gets the same reply. Default: 0, so reuse revokes the login. */
  refreshReplayMilliseconds?: number | undefined;
}

/** A request to the authorization server. The sandbox is one server for all hosts, and its origin is the issuer. */
interface OAuthCall extends OAuthOptions {
  store: Store;
  now: number;
  url: URL;
  request: HttpRequest;
  contentType: string | undefined;
  /** The `Sec-Fetch-Site` header: which site the browser sent the request from. */
  site: string | undefined;
  /** Whether token requests are rate limited. */
  limits: boolean;
  randomBytes: RandomBytes;
}

/** Assumed (limits.token-requests): a user can send 8 token requests a minute, as in similar services. */
const tokenRequestsPerMinute = 8;

const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' };

const json = (status: number, body: object, headers: Record<string, string> = {}): HttpReply => ({
  status,
  headers: { ...noStore, ...headers },
  body: JSON.stringify(body),
});

/** RFC 6749 §5.2. */
const refused = (error: string, error_description: string, status = 400, headers: Record<string, string> = {}) =>
  json(status, { error, error_description }, headers);

const goTo = (status: 302 | 303, location: string): HttpReply => ({
  status,
  headers: { ...noStore, location, 'referrer-policy': 'no-referrer' },
  body: '',
});

const worldOf = ({ store, now, randomBytes }: OAuthCall) => ({ store, now, seal: signerOf(store, randomBytes) });

const loginFor = (hint: string | undefined) =>
  logins.find(({ role, name }) => hint === role || hint === name) ?? logins[0]!;

/** Redirects to the client with an authorization code. */
const consent = (asked: OAuthCall, request: AuthorizationRequest, user: string, status: 302 | 303): HttpReply => {
  const code = issueCode(worldOf(asked), request, user, asked.randomBytes);
  return goTo(status, redirectTo(request.redirectUri, { code }, { state: request.state, issuer: asked.url.origin }));
};

const authorize = (asked: OAuthCall): HttpReply => {
  const { url, now, randomBytes } = asked;
  const verdict = checkAuthorization(readParameters(url.searchParams));
  if (verdict.kind === 'untrusted') return errorPage(verdict.why);
  if (verdict.kind === 'wrong') {
    const { redirectUri, state, error, why } = verdict;
    return goTo(302, redirectTo(redirectUri, { error, error_description: why }, { state, issuer: url.origin }));
  }
  const { client, request } = verdict;
  const login = loginFor(request.loginHint);
  if (asked.autoConsent) return consent(asked, request, userId(login.key), 302);
  const ticket = writeTicket('consent', request, now, worldOf(asked).seal, randomBytes);
  return consentPage({ client, request, ticket, chosen: login.key });
};

/** Handles the form of the consent page. */
const decide = (asked: OAuthCall): HttpReply => {
  const { url, request: sent, contentType, site, now } = asked;
  const form = readForm(sent, contentType);
  // Browsers send this header with a form; other programs have no reason to.
  const isForeign = site !== undefined && site !== 'same-origin';
  const request =
    form === undefined || form.repeated.length > 0 || isForeign
      ? undefined
      : readTicket<AuthorizationRequest>('consent', form.values.ticket ?? '', now, worldOf(asked).seal);
  if (!request)
    return errorPage('This form did not come from the consent page, or the page was open for more than ten minutes.');
  const { decision, user } = form!.values;
  const login = logins.find(({ key }) => key === user);
  if (decision === 'allow' && login) return consent(asked, request, userId(login.key), 303);
  if (decision !== 'deny') return errorPage('The form has no decision or no account.');
  const denial = { error: 'access_denied', error_description: 'The user denied the request.' };
  return goTo(303, redirectTo(request.redirectUri, denial, { state: request.state, issuer: url.origin }));
};

const deviceAuthorization = (asked: OAuthCall): HttpReply => {
  const values = clientForm(asked);
  if (isReply(values)) return values;
  const wanted = [...new Set(values.scope?.split(' ').filter((name) => name !== '') ?? [])];
  if (wanted.length === 0 || !wanted.every(isScope))
    return refused('invalid_scope', 'scope is missing, or contains an unknown scope name.');
  const started = startDevice(worldOf(asked), { client: values.client_id!, scopes: wanted }, asked.randomBytes);
  if (asked.autoConsent)
    decideDevice(asked.store, started.user_code, { decision: 'allow', user: userId(logins[0]!.key) });
  const page = `${asked.url.origin}${oauthPaths.verify}`;
  return json(200, {
    ...started,
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${started.user_code}`,
  });
};

/** The page of a device login: the user enters the code, or opens the page with the code in its address. */
const verify = (asked: OAuthCall): HttpReply => {
  const { url, store, now, randomBytes } = asked;
  const typed = url.searchParams.get('user_code');
  if (typed === null) return codePage();
  const found = openDevice(store, typed, now);
  const client = findClient(found?.client);
  if (!found || !client) return codePage('This code is not valid, or it has expired. Check it and try again.');
  const { user_code: userCode, scopes: names } = found;
  const ticket = writeTicket('device', { userCode }, now, worldOf(asked).seal, randomBytes);
  return devicePage(client, { userCode, names: names.split(' ').filter(isScope), ticket, chosen: logins[0]!.key });
};

/** Handles the form of that page. */
const decideOnDevice = (asked: OAuthCall): HttpReply => {
  const { request, contentType, site, now, store } = asked;
  const form = readForm(request, contentType);
  const isForeign = site !== undefined && site !== 'same-origin';
  const ticket =
    form === undefined || form.repeated.length > 0 || isForeign
      ? undefined
      : readTicket<{ userCode: string }>('device', form.values.ticket ?? '', now, worldOf(asked).seal);
  if (!ticket || !openDevice(store, ticket.userCode, now))
    return errorPage("This form didn't come from the page of a device login, or the code has expired.");
  const { decision, user } = form!.values;
  const login = logins.find(({ key }) => key === user);
  if (decision === 'allow' && login) decideDevice(store, ticket.userCode, { decision, user: userId(login.key) });
  else if (decision === 'deny') decideDevice(store, ticket.userCode, { decision });
  else return errorPage('The form has no decision or no account.');
  return deviceEndPage(decision === 'allow');
};

type Redeem = () => TokenGrant;

const grants: Record<
  string,
  (asked: OAuthCall, values: Parameters['values']) => { owner?: string; redeem: Redeem } | null
> = {
  authorization_code: (asked, values) => {
    const { data } = CodeGrant.safeParse(values);
    if (!data) return null;
    const owner = ownerOfCode(asked.store, data.code);
    return { ...(owner === undefined ? {} : { owner }), redeem: () => redeemCode(worldOf(asked), data) };
  },
  refresh_token: (asked, values) => {
    const { data } = RefreshGrant.safeParse(values);
    if (!data) return null;
    const owner = ownerOfRefresh(asked.store, data.refresh_token);
    const window = asked.refreshReplayMilliseconds ?? 0;
    return {
      ...(owner === undefined ? {} : { owner }),
      redeem: () => refreshTokens(worldOf(asked), data, window),
    };
  },
  'urn:ietf:params:oauth:grant-type:device_code': (asked, values) => {
    const { data } = DeviceGrant.safeParse(values);
    if (!data) return null;
    const owner = ownerOfDevice(asked.store, data.device_code);
    return { ...(owner === undefined ? {} : { owner }), redeem: () => redeemDevice(worldOf(asked), data) };
  },
};

/** The form values, or an error reply if the form is malformed or the client unknown. */
const clientForm = ({ request, contentType }: OAuthCall): Parameters['values'] | HttpReply => {
  const form = readForm(request, contentType);
  if (!form) return refused('invalid_request', 'The body must be sent as application/x-www-form-urlencoded.');
  if (form.repeated.length > 0)
    return refused('invalid_request', `Parameter given more than once: ${form.repeated.join(', ')}.`);
  if (form.values.client_id === undefined) return refused('invalid_request', 'client_id is missing.');
  if (!findClient(form.values.client_id)) return refused('invalid_client', 'The client is not registered.', 401);
  return form.values;
};

const isReply = (value: Parameters['values'] | HttpReply): value is HttpReply => typeof value.status === 'number';

const token = (asked: OAuthCall): HttpReply => {
  const { store, now } = asked;
  const values = clientForm(asked);
  if (isReply(values)) return values;
  if (values.grant_type === undefined) return refused('invalid_request', 'grant_type is missing.');
  const grant = Object.hasOwn(grants, values.grant_type) ? grants[values.grant_type] : undefined;
  if (!grant) return refused('unsupported_grant_type', `grant_type must be one of: ${Object.keys(grants).join(', ')}.`);
  const found = grant(asked, values);
  if (!found) return refused('invalid_request', 'A parameter of this grant is missing or malformed.');
  let headers: Record<string, string> = {};
  if (found.owner !== undefined && asked.limits) {
    const window = { name: 'token/minute', key: `token/${found.owner}`, limit: tokenRequestsPerMinute } as const;
    const admission = admit(store, [{ ...window, span: 'minute' }], now);
    headers = admission.headers;
    if (admission.refusedBy) {
      const words = `Rate limit reached: ${tokenRequestsPerMinute} token requests per minute and user (${window.name}).`;
      return refused('rate_limited', words, 429, headers);
    }
  }
  const granted = store.transaction(found.redeem);
  if ('refused' in granted) return refused(granted.error ?? 'invalid_grant', granted.refused, 400, headers);
  const reply = json(200, granted, headers);
  return { ...reply, body: withOrigin(reply.body, asked.url.origin) };
};

const revoke = (asked: OAuthCall): HttpReply => {
  const values = clientForm(asked);
  if (isReply(values)) return values;
  const { client_id, token: secret } = values;
  if (secret === undefined) return refused('invalid_request', 'token is missing.');
  asked.store.transaction(() => revokeToken(asked.store, client_id!, secret));
  return json(200, {});
};

/** RFC 8414 §2. Also the OpenID document, without claims about ID tokens: the sandbox issues none. */
const metadata = ({ url: { origin } }: OAuthCall): HttpReply =>
  json(200, {
    issuer: origin,
    authorization_endpoint: `${origin}${oauthPaths.authorize}`,
    token_endpoint: `${origin}${oauthPaths.token}`,
    revocation_endpoint: `${origin}${oauthPaths.revoke}`,
    device_authorization_endpoint: `${origin}${oauthPaths.device}`,
    scopes_supported: Object.keys(scopes),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: Object.keys(grants),
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
  });

const endpoints: Record<string, Record<string, (asked: OAuthCall) => HttpReply>> = {
  [oauthPaths.authorize]: { GET: authorize, POST: decide },
  [oauthPaths.token]: { POST: token },
  [oauthPaths.revoke]: { POST: revoke },
  [oauthPaths.device]: { POST: deviceAuthorization },
  [oauthPaths.verify]: { GET: verify, POST: decideOnDevice },
  [oauthPaths.metadata]: { GET: metadata },
  [oauthPaths.openid]: { GET: metadata },
};

export const answerOAuth = (asked: OAuthCall): HttpReply => {
  const methods = endpoints[asked.url.pathname]!;
  const { method } = asked.request;
  if (Object.hasOwn(methods, method)) return methods[method]!(asked);
  const allow = Object.keys(methods).join(', ');
  throw new Refusal(405, 'Method Not Allowed', `This path only supports ${allow}.`, {}, { allow });
};
