import { limits } from '../../api/limits.ts';
import { oauthPaths } from '../../api/oauth-paths.ts';
import { scopes } from '../../api/scopes.ts';
import { notFound, wrongMethod } from '../error-replies.ts';
import { codePage, consentPage, deviceEndPage, devicePage, errorPage } from '../pages/consent-pages.ts';
import { isFromOwnPage } from '../pages/forms.ts';
import { readTicket, writeTicket } from '../pages/ticket.ts';
import { type AuthorizationRequest, checkAuthorization, isScope, readForm, scopesIn } from './authorization.ts';
import { findClient, whyUnknown } from './clients.ts';
import { decideDevice, openDevice, startDevice } from './device.ts';
import { issueCode } from './grants.ts';
import { forClient, issuerOf, jsonReply, noStore, type OAuthCall, type OAuthReply, refused } from './oauth-call.ts';
import { loginsIn } from './ready-tokens.ts';
import { registerClient } from './registration.ts';
import { resourceIn } from './resource.ts';
import { signerOf } from './signing.ts';
import { issuerRule } from './story.ts';
import { grantsOf, introspect, revoke, token } from './token-endpoint.ts';

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

/** The reply at a path that this server doesn't have. */
const nothingHere = (missed: string): OAuthReply => {
  const { status, headers, body } = notFound('path');
  return { status, headers, body, missed };
};

const register = (call: OAuthCall): OAuthReply => {
  if (!call.profile.clients.includes('registered'))
    return nothingHere('RFC 8414 §2: without registration_endpoint in the metadata, no client can register.');
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
  if (profile.hasNoMetadata)
    return nothingHere(
      'RFC 8414 §3: without metadata, use addresses that the user sets: /oauth/authorize, /oauth/token.',
    );
  const ways = [profile.needsBasic ? 'client_secret_basic' : 'none'];
  const metadata = jsonReply(200, {
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
    introspection_endpoint: `${origin}${oauthPaths.introspect}`,
    introspection_endpoint_auth_methods_supported: ways,
    authorization_response_iss_parameter_supported: true,
  });
  if (profile.issuerPath !== undefined) return { ...metadata, missed: issuerRule };
  return profile.clients.includes('registered') ? metadata : { ...metadata, missed: whyUnknown(call) };
};

const endpoints: Record<string, Record<string, (call: OAuthCall) => OAuthReply>> = {
  [oauthPaths.authorize]: { GET: authorize, POST: decide },
  [oauthPaths.token]: { POST: token },
  [oauthPaths.revoke]: { POST: revoke },
  [oauthPaths.introspect]: { POST: introspect },
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
