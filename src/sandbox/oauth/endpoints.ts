import type * as z from 'zod/mini';
import { limits } from '../../api/limits.ts';
import { CodeGrant, DeviceGrant, RefreshGrant } from '../../api/oauth.ts';
import { oauthPaths } from '../../api/oauth-paths.ts';
import { scopes } from '../../api/scopes.ts';
import type { Clock } from '../../base/system.ts';
import type { HttpRequest } from '../../http/message.ts';
import { notFound, wrongMethod } from '../error-replies.ts';
import type { WireReply } from '../faults/inject.ts';
import { codePage, consentPage, deviceEndPage, devicePage, errorPage } from '../pages/consent-pages.ts';
import { isFromOwnPage } from '../pages/forms.ts';
import { readTicket, writeTicket } from '../pages/ticket.ts';
import { admit, tokenWindow } from '../rules/rate-limits.ts';
import { withOrigin } from '../store/names.ts';
import type { Store } from '../store/store.ts';
import {
  type AuthorizationRequest,
  checkAuthorization,
  isScope,
  onceRule,
  type Parameters,
  readForm,
  scopesIn,
} from './authorization.ts';
import { basicIn } from './basic.ts';
import { type ClientContext, countUse, findClient, secretOf, whyUnknown } from './clients.ts';
import { decideDevice, findDevice, openDevice, redeemDevice, startDevice } from './device.ts';
import {
  findCode,
  findRefresh,
  type GrantContext,
  issueCode,
  redeemCode,
  refreshTokens,
  revokeToken,
  type TokenGrant,
} from './grants.ts';
import type { ProfileName } from './profiles.ts';
import { loginsIn } from './ready-tokens.ts';
import { registerClient } from './registration.ts';
import { resourceIn } from './resource.ts';
import { signerOf, timingSafeSame } from './signing.ts';

export interface OAuthOptions {
  /** Approves every request without showing the consent page, for scripts. */
  autoConsent?: boolean | undefined;
  /** How long a used refresh token still gets the same reply. Default: 0, so reuse revokes the login. */
  refreshReplayMilliseconds?: number | undefined;
  /** How the server behaves. */
  profile?: ProfileName | undefined;
  /** Without it, no client can describe itself in a document. */
  sleep?: Clock['sleep'] | undefined;
}

/** A request to the authorization server. The sandbox is one server for all hosts, and its origin is the issuer. */
interface OAuthCall extends Omit<OAuthOptions, 'profile'>, GrantContext, ClientContext {
  url: URL;
  request: HttpRequest;
  limits: boolean;
}

type Values = Parameters['values'];

const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' };

/** A reply, and for the log which rule the client missed. */
type OAuthReply = Pick<WireReply, 'status' | 'headers' | 'body' | 'missed'>;

const jsonReply = (status: number, body: object, headers: Record<string, string> = {}): OAuthReply => ({
  status,
  headers: { ...noStore, ...headers },
  body: JSON.stringify(body),
});

/** RFC 6749 §5.2. */
const refused = (
  error: string,
  error_description: string,
  missed?: string,
  status = 400,
  headers: Record<string, string> = {},
): OAuthReply => ({ ...jsonReply(status, { error, error_description }, headers), missed });

/** The name that the server gives itself. */
const issuerOf = ({ url: { origin }, profile }: OAuthCall): string => `${origin}${profile.issuerPath ?? ''}`;

/** Redirects to the client with the result as query parameters; `iss` names the issuer (RFC 9207). */
const sendBack = (
  call: OAuthCall,
  { redirectUri, state }: Pick<AuthorizationRequest, 'redirectUri' | 'state'>,
  status: 302 | 303,
  result: Record<string, string>,
): OAuthReply => {
  const url = new URL(redirectUri);
  const parameters = { ...result, ...(state === undefined ? {} : { state }), iss: issuerOf(call) };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { status, headers: { ...noStore, location: url.href, 'referrer-policy': 'no-referrer' }, body: '' };
};

/** Who can log in. The hint of a request names the role or the user to start with. */
const accountsOf = ({ store }: OAuthCall, hint?: string) => {
  const logins = loginsIn(store);
  const organization = store.first<{ name: string }>("SELECT doc ->> 'name' AS name FROM organizations")!.name;
  const chosen = logins.find(({ role, name }) => hint === role || hint === name) ?? logins[0]!;
  return { logins, chosen, organization };
};

const authorize = (call: OAuthCall): OAuthReply => {
  const verdict = checkAuthorization(call, call.url);
  const { missed } = verdict;
  if (verdict.kind === 'untrusted') return { ...errorPage(verdict.why), missed };
  if (verdict.kind === 'wrong')
    return { ...sendBack(call, verdict, 302, { error: verdict.error, error_description: verdict.why }), missed };
  const { client, request } = verdict;
  const accounts = accountsOf(call, request.loginHint);
  if (call.autoConsent)
    return { ...sendBack(call, request, 302, { code: issueCode(call, request, accounts.chosen.id) }), missed };
  return { ...consentPage({ client, request, ticket: writeTicket('consent', request, call), accounts }), missed };
};

/** Reads the form of a page that asks for a decision. Undefined if the form didn't come from that page. */
const readDecision = <Request>(call: OAuthCall, page: 'consent' | 'device') => {
  const form = readForm(call.request);
  if (form === undefined || form.repeated.length > 0 || !isFromOwnPage(call)) return undefined;
  const ticket = readTicket<Request>(page, form.values.ticket ?? '', limits.authorizationCodeSeconds, call);
  if (ticket === undefined || ticket.isExpired) return undefined;
  const login = loginsIn(call.store).find(({ role }) => role === form.values.user);
  return { request: ticket.request, decision: form.values.decision, user: login?.id };
};

const undecided = () => errorPage('The form has no decision or no account.');

const decide = (call: OAuthCall): OAuthReply => {
  const form = readDecision<AuthorizationRequest>(call, 'consent');
  if (!form)
    return errorPage('This form did not come from the consent page, or the page was open for more than ten minutes.');
  const { request, decision, user } = form;
  if (decision === 'allow' && user) return sendBack(call, request, 303, { code: issueCode(call, request, user) });
  if (decision !== 'deny') return undecided();
  const denial = { error: 'access_denied', error_description: 'The user denied the request.' };
  return sendBack(call, request, 303, denial);
};

/** Handles the form of a client, and refuses one that is malformed or of an unknown client. */
const forClient =
  (answer: (call: OAuthCall, values: Values) => OAuthReply) =>
  (call: OAuthCall): OAuthReply => {
    const form = readForm(call.request);
    if (!form)
      return refused(
        'invalid_request',
        'The body must be sent as application/x-www-form-urlencoded.',
        'RFC 6749 §3.2: send the parameters as a form, application/x-www-form-urlencoded.',
      );
    if (form.repeated.length > 0)
      return refused('invalid_request', `Parameter given more than once: ${form.repeated.join(', ')}.`, onceRule);
    const basic = basicIn(call.request);
    const { needsBasic } = call.profile;
    if (form.values.client_id === undefined && basic !== undefined && !needsBasic)
      return refused(
        'invalid_client',
        "HTTP Basic isn't offered: send client_id as a field of the form.",
        'RFC 8414 §2: use a way of token_endpoint_auth_methods_supported, here none: client_id in the form.',
        401,
        { 'www-authenticate': 'Basic realm="not offered"' },
      );
    const id = form.values.client_id ?? basic?.id;
    if (id === undefined)
      return refused(
        'invalid_request',
        'client_id is missing.',
        'RFC 6749 §3.2.1: send client_id.',
        needsBasic ? 401 : 400,
      );
    countUse(call, id);
    if (!findClient(call, id))
      return refused('invalid_client', 'The client is not registered.', whyUnknown(call, id), 401);
    const isProven = basic?.id === id && timingSafeSame(basic.secret, secretOf(id, call.seal));
    if (needsBasic && !isProven)
      return refused(
        'invalid_client',
        'The client must send its ID and its secret as HTTP Basic.',
        'RFC 6749 §2.3.1: send client ID and secret in the header Authorization, as HTTP Basic.',
        401,
        { 'www-authenticate': 'Basic realm="sandbox"' },
      );
    return answer(call, { ...form.values, client_id: id });
  };

const deviceAuthorization = forClient((call, values) => {
  const requestedScopes = scopesIn(values);
  if (requestedScopes.length === 0 || !requestedScopes.every(isScope))
    return refused('invalid_scope', 'scope is missing, or contains an unknown scope name.');
  // RFC 8707 §2: a client that wants tokens for the MCP server must not get some for the API.
  if (resourceIn(values, call.url.origin) !== null)
    return refused('invalid_target', 'A device login is for the API only.');
  const started = startDevice(call, { client: values.client_id!, scopes: requestedScopes });
  if (call.autoConsent) decideDevice(call.store, started.user_code, 'allow', accountsOf(call).chosen.id);
  const page = `${call.url.origin}${oauthPaths.verify}`;
  return jsonReply(200, {
    ...started,
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${started.user_code}`,
  });
});

/** The page of a device login: the user enters the code, or opens the page with the code in its address. */
const verify = (call: OAuthCall): OAuthReply => {
  const code = call.url.searchParams.get('user_code');
  if (code === null) return codePage();
  const device = openDevice(call.store, code, call.now);
  const client = findClient(call, device?.client);
  if (!device || !client) return codePage('This code is not valid, or it has expired. Check it and try again.');
  const { user_code: userCode, scopes: names } = device;
  const ticket = writeTicket('device', { userCode }, call);
  return devicePage({ client, ticket, accounts: accountsOf(call) }, names.split(' ').filter(isScope), userCode);
};

const decideOnDevice = (call: OAuthCall): OAuthReply => {
  const { now, store } = call;
  const form = readDecision<{ userCode: string }>(call, 'device');
  if (!form || !openDevice(store, form.request.userCode, now))
    return errorPage("This form didn't come from the page of a device login, or the code has expired.");
  const { request, decision, user = null } = form;
  if (decision !== 'deny' && !(decision === 'allow' && user)) return undecided();
  decideDevice(store, request.userCode, decision, decision === 'allow' ? user : null);
  return deviceEndPage(decision === 'allow');
};

/** A kind of grant: reads its parameters, finds the secret among those that were issued, and redeems it. */
const grant =
  <Data extends { client_id: string }, Row extends { client: string; user: string | null; resource?: string | null }>(
    name: string,
    schema: z.ZodMiniType<Data>,
    find: (store: Store, data: Data) => Row | undefined,
    redeem: (call: OAuthCall, data: Data, row: Row) => TokenGrant,
  ) =>
  (call: OAuthCall, values: Values) => {
    const { data } = schema.safeParse(values);
    if (!data) return undefined;
    const row = find(call.store, data);
    const tokens = (): TokenGrant => {
      if (row?.client !== data.client_id)
        return {
          refused: `This ${name} was not issued to this client.`,
          missed: `RFC 6749 §${name === 'refresh token' ? '10.4' : '10.5'}: use a ${name} of this client that has not ended.`,
        };
      // RFC 8707 §2.2: tokens are for the resource that the person allowed.
      const { ignoresResource } = call.profile;
      if (
        !ignoresResource &&
        values.resource !== undefined &&
        resourceIn(values, call.url.origin) !== (row.resource ?? null)
      )
        return {
          error: 'invalid_target',
          refused: `This ${name} was not issued for this resource.`,
          missed: 'RFC 8707 §2.2: send the resource of the authorization request.',
        };
      return redeem(call, data, row);
    };
    return { owner: row?.user, redeem: tokens };
  };

const grants = {
  authorization_code: grant('code', CodeGrant, (store, { code }) => findCode(store, code), redeemCode),
  refresh_token: grant(
    'refresh token',
    RefreshGrant,
    (store, { refresh_token }) => findRefresh(store, refresh_token),
    (call, data, row) =>
      refreshTokens(call, data, row, (!call.profile.hasNoReplay && call.refreshReplayMilliseconds) || 0),
  ),
  'urn:ietf:params:oauth:grant-type:device_code': grant(
    'device code',
    DeviceGrant,
    (store, { device_code }) => findDevice(store, device_code),
    redeemDevice,
  ),
};

type GrantName = keyof typeof grants;

const grantsOf = ({ profile }: OAuthCall): GrantName[] =>
  (Object.keys(grants) as GrantName[]).filter((name) => !(profile.hasNoRefresh && name === 'refresh_token'));

/** The rule about the parameters of each grant. */
const grantRules: Record<GrantName, string> = {
  authorization_code: 'RFC 6749 §4.1.3: send code, redirect_uri and client_id.',
  refresh_token: 'RFC 6749 §6: send refresh_token and client_id.',
  'urn:ietf:params:oauth:grant-type:device_code': 'RFC 8628 §3.4: send device_code and client_id.',
};

const token = forClient((call, values) => {
  const { grant_type: kind } = values;
  const offered = grantsOf(call);
  const grantRule = `RFC 8414 §2: grant_type must be one of grant_types_supported: ${offered.join(', ')}.`;
  if (kind === undefined) return refused('invalid_request', 'grant_type is missing.', grantRule);
  const name = offered.find((each) => each === kind);
  if (name === undefined)
    return refused('unsupported_grant_type', `grant_type must be one of: ${offered.join(', ')}.`, grantRule);
  const grantRequest = grants[name](call, values);
  if (!grantRequest) {
    const isUnproven = name === 'authorization_code' && values.code_verifier === undefined;
    const missed = isUnproven ? 'RFC 7636 §4.5: send the code_verifier with the code.' : grantRules[name];
    return refused('invalid_request', 'A parameter of this grant is missing or malformed.', missed);
  }
  let headers: Record<string, string> = {};
  if (grantRequest.owner && call.limits) {
    const window = tokenWindow(grantRequest.owner);
    const admission = admit(call.store, [window], call.now);
    headers = admission.headers;
    const words = `Rate limit reached: ${window.limit} token requests per minute and user (${window.name}).`;
    if (admission.refusedBy) return refused('rate_limited', words, undefined, 429, headers);
  }
  const tokens = grantRequest.redeem();
  if ('refused' in tokens) return refused(tokens.error ?? 'invalid_grant', tokens.refused, tokens.missed, 400, headers);
  const reply = jsonReply(200, tokens, headers);
  return { ...reply, body: withOrigin(reply.body, call.url.origin) };
});

const revoke = forClient((call, { client_id, token: secret }) => {
  if (secret === undefined) return refused('invalid_request', 'token is missing.');
  revokeToken(call.store, client_id!, secret);
  return jsonReply(200, {});
});

const register = (call: OAuthCall): OAuthReply => {
  if (!call.profile.clients.includes('registered')) {
    const { status, headers, body } = notFound('path');
    const missed = 'RFC 8414 §2: without registration_endpoint in the metadata, no client can register.';
    return { status, headers, body, missed };
  }
  // A web page can send other types without being allowed to, and many registrations push out older ones.
  if (!/^application\/json\s*(;|$)/i.test(call.request.headers['content-type'] ?? ''))
    return refused('invalid_client_metadata', 'The body must be sent as application/json.', registrationRule);
  const client = registerClient(call, call.request.body);
  return 'error' in client ? refused(client.error, client.why, registrationRule) : jsonReply(201, client);
};

const registrationRule =
  'RFC 7591 §3.1: send JSON with redirect_uris on this computer, such as http://127.0.0.1/callback.';

/** RFC 8414 §2. Also the OpenID document, without claims about ID tokens: the sandbox issues none. */
const serverMetadata = (call: OAuthCall): OAuthReply => {
  const { profile } = call;
  const { origin } = call.url;
  if (profile.hasNoMetadata) throw notFound('path');
  const ways = [profile.needsBasic ? 'client_secret_basic' : 'none'];
  return jsonReply(200, {
    issuer: issuerOf(call),
    authorization_endpoint: `${origin}${oauthPaths.authorize}`,
    token_endpoint: `${origin}${oauthPaths.token}`,
    revocation_endpoint: `${origin}${oauthPaths.revoke}`,
    device_authorization_endpoint: `${origin}${oauthPaths.device}`,
    ...(profile.clients.includes('registered') && { registration_endpoint: `${origin}${oauthPaths.register}` }),
    ...(profile.clients.includes('document') && { client_id_metadata_document_supported: true }),
    scopes_supported: Object.keys(scopes),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: grantsOf(call),
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ways,
    revocation_endpoint_auth_methods_supported: ways,
    authorization_response_iss_parameter_supported: true,
  });
};

const endpoints: Record<string, Record<string, (call: OAuthCall) => OAuthReply>> = {
  [oauthPaths.authorize]: { GET: authorize, POST: decide },
  [oauthPaths.token]: { POST: token },
  [oauthPaths.revoke]: { POST: revoke },
  [oauthPaths.device]: { POST: deviceAuthorization },
  [oauthPaths.verify]: { GET: verify, POST: decideOnDevice },
  [oauthPaths.register]: { POST: register },
  [oauthPaths.metadata]: { GET: serverMetadata },
  [oauthPaths.openid]: { GET: serverMetadata },
};

export const answerOAuth = (given: Omit<OAuthCall, 'seal'>): OAuthReply => {
  const { store, randomBytes, url, request } = given;
  const methods = endpoints[url.pathname]!;
  // The server leaves out the body of a reply to HEAD.
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  if (Object.hasOwn(methods, method)) return methods[method]!({ ...given, seal: signerOf(store, randomBytes) });
  throw wrongMethod(Object.keys(methods).join(', '));
};
