import { type Scope, scopes } from '../../api/scopes.ts';
import type { HttpRequest } from '../../http/message.ts';
import { isForm } from './authenticate.ts';
import { type ClientContext, countUse, findClient, type OAuthClient, whyUnknown } from './clients.ts';
import { resourceIn } from './resource.ts';

export interface Parameters {
  /** The first value of each parameter. */
  values: Record<string, string>;
  /** Parameters given more than once, which RFC 6749 §3.1 forbids. */
  repeated: string[];
}

/** RFC 6749 §3.1: a parameter without a value is treated as missing. */
const readParameters = (search: URLSearchParams): Parameters => {
  const values = new Map<string, string>();
  const repeated = new Set<string>();
  for (const [name, value] of search) {
    if (value === '') continue;
    if (values.has(name)) repeated.add(name);
    else values.set(name, value);
  }
  return { values: Object.fromEntries(values), repeated: [...repeated] };
};

/** The parameters of a form, or `undefined` if the body isn't a form. */
export const readForm = (request: HttpRequest): Parameters | undefined =>
  isForm(request) ? readParameters(new URLSearchParams(request.body)) : undefined;

export interface AuthorizationRequest {
  client: string;
  redirectUri: string;
  challenge: string;
  scopes: Scope[];
  /** The path of the resource that the tokens are for; `null` for the API. */
  resource: string | null;
  state: string | undefined;
  /** Role or name of the user to preselect. */
  loginHint: string | undefined;
}

/**
 * `untrusted` is shown to the user, because there is no safe address to redirect to. `wrong` is sent back to the client
 * (RFC 6749 §4.1.2.1).
 */
type AuthorizationCheck =
  | { kind: 'untrusted'; why: string; missed: string }
  | { kind: 'wrong'; redirectUri: string; state: string | undefined; error: string; why: string; missed: string }
  | { kind: 'fine'; client: OAuthClient; request: AuthorizationRequest; missed: string | undefined };

/** RFC 7636 §4.2: the SHA-256 of a verifier in base64url, which is 43 characters. */
const challengePattern = /^[A-Za-z0-9_-]{43}$/;

export const isScope = (name: string): name is Scope => Object.hasOwn(scopes, name);

export const scopesIn = ({ scope = '' }: Parameters['values']): string[] => [
  ...new Set(scope.split(' ').filter((name) => name !== '')),
];

export const onceRule = 'RFC 6749 §3.1: send each parameter at most once.';
const typeRule = 'RFC 6749 §3.1.1: send response_type=code.';
const challengeRule = 'RFC 7636 §4.3: send code_challenge, the hash of the verifier, and code_challenge_method=S256.';
const scopeRule = 'RFC 6749 §3.3: send scope with names that the metadata lists.';
const stateRule = 'RFC 6749 §10.12: send state, and compare it in the reply, so that nobody else can end the login.';
const resourceRule = 'RFC 8707 §2: resource must be the URL of the API or of the MCP server.';

const findError = (
  values: Parameters['values'],
  repeated: string[],
  requestedScopes: string[],
  resource: string | null | undefined,
): [error: string, why: string, missed: string] | undefined => {
  if (repeated.length > 0)
    return ['invalid_request', `Parameter given more than once: ${repeated.join(', ')}.`, onceRule];
  if (values.response_type === undefined) return ['invalid_request', 'response_type is missing.', typeRule];
  if (values.response_type !== 'code') return ['unsupported_response_type', 'response_type must be code.', typeRule];
  if (values.code_challenge === undefined)
    return ['invalid_request', 'code_challenge is missing (PKCE is required).', challengeRule];
  // RFC 7636 §4.3: the method defaults to plain, which this server doesn't support.
  if (values.code_challenge_method !== 'S256')
    return ['invalid_request', 'code_challenge_method must be S256.', challengeRule];
  if (!challengePattern.test(values.code_challenge))
    return ['invalid_request', 'code_challenge must be a SHA-256 hash in base64url.', challengeRule];
  if (requestedScopes.length === 0) return ['invalid_scope', 'scope is missing: list the scopes you need.', scopeRule];
  if (!requestedScopes.every(isScope)) return ['invalid_scope', 'scope contains an unknown scope name.', scopeRule];
  if (resource === undefined) return ['invalid_target', 'resource names no resource of this server.', resourceRule];
  return undefined;
};

/** Checks the client and redirect URI first: errors may only be sent to a redirect URI that is known to be valid. */
export const checkAuthorization = (context: ClientContext, { origin, searchParams }: URL): AuthorizationCheck => {
  const { profile } = context;
  const { values, repeated } = readParameters(searchParams);
  countUse(context, values.client_id);
  const client = findClient(context, values.client_id);
  if (!client || repeated.includes('client_id')) {
    const missed = repeated.includes('client_id') ? onceRule : whyUnknown(context, values.client_id);
    return { kind: 'untrusted', why: 'No registered application has this client_id.', missed };
  }
  const redirectUri = values.redirect_uri;
  if (redirectUri === undefined || repeated.includes('redirect_uri') || !client.allows(redirectUri))
    return {
      kind: 'untrusted',
      why: `This redirect_uri is not registered for ${client.name}.`,
      missed: `RFC 6749 §3.1.2.3: send a redirect_uri that is registered${profile.hasExactRedirects ? ', with the same port' : ''}.`,
    };
  const state = repeated.includes('state') ? undefined : values.state;
  const requestedScopes = scopesIn(values);
  const resource = profile.ignoresResource ? null : resourceIn(values, origin);
  const [error, why, missed] = findError(values, repeated, requestedScopes, resource) ?? [];
  if (error !== undefined) return { kind: 'wrong', redirectUri, state, error, why: why!, missed: missed! };
  const request = {
    client: client.id,
    redirectUri,
    challenge: values.code_challenge!,
    scopes: requestedScopes as Scope[],
    resource: resource ?? null,
    state,
    loginHint: values.login_hint,
  };
  return { kind: 'fine', client, request, missed: state === undefined ? stateRule : undefined };
};
