import type { Clock } from '../../base/system.ts';
import type { HttpRequest } from '../../http/message.ts';
import type { WireReply } from '../faults/inject.ts';
import { basicIn } from './authenticate.ts';
import { onceRule, type Parameters, readForm } from './authorization.ts';
import { type ClientContext, countUse, findClient, secretOf, whyUnknown } from './clients.ts';
import type { GrantContext } from './grants.ts';
import type { ProfileName } from './profiles.ts';
import { timingSafeSame } from './signing.ts';

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
export interface OAuthCall extends Omit<OAuthOptions, 'profile'>, GrantContext, ClientContext {
  url: URL;
  request: HttpRequest;
  limits: boolean;
}

export type Values = Parameters['values'];

export const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' };

/** A reply, and for the log which rule the client missed. */
export type OAuthReply = Pick<WireReply, 'status' | 'headers' | 'body' | 'missed'>;

export const jsonReply = (status: number, body: object, headers: Record<string, string> = {}): OAuthReply => ({
  status,
  headers: { ...noStore, ...headers },
  body: JSON.stringify(body),
});

/** RFC 6749 §5.2. */
export const refused = (
  error: string,
  error_description: string,
  missed?: string,
  status = 400,
  headers: Record<string, string> = {},
): OAuthReply => ({ ...jsonReply(status, { error, error_description }, headers), missed });

/** The name that the server gives itself. */
export const issuerOf = ({ url: { origin }, profile }: OAuthCall): string => `${origin}${profile.issuerPath ?? ''}`;

/** Handles the form of a client, and refuses one that is malformed or of an unknown client. */
export const forClient =
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
