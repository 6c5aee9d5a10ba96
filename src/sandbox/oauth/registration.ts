import { isObject, jsonIn } from '../../base/json.ts';
import { timestamp } from '../store/names.ts';
import { secretOf, storeClient, withoutPort } from './clients.ts';
import type { GrantContext } from './grants.ts';

const mostRedirectUris = 10;
const longestRedirectUri = 1000;
const longestName = 60;

/** Without characters that are invisible or change the direction of the text: the name is shown to the person. */
const nameIn = (value: unknown): string =>
  (typeof value === 'string' ? value : '')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, longestName) || 'A program without a name';

const isRedirectUri = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= longestRedirectUri && withoutPort(value) !== undefined;

/** RFC 7591 §3.2: registers a public client for redirect URIs on this computer, or says why not. */
export const registerClient = (
  { store, now, randomBytes, seal, profile }: GrantContext,
  text: string | undefined,
): { error: string; why: string } | { client_id: string; redirect_uris: readonly string[] } => {
  const metadata = jsonIn(text);
  if (!isObject(metadata)) return { error: 'invalid_client_metadata', why: 'The body must be a JSON object.' };
  const { redirect_uris: uris, client_name } = metadata;
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > mostRedirectUris || !uris.every(isRedirectUri))
    return {
      error: 'invalid_redirect_uri',
      why: `redirect_uris must be 1 to ${mostRedirectUris} URLs such as http://127.0.0.1/callback, on this computer.`,
    };
  const client = {
    id: `sandbox_client_${Buffer.from(randomBytes(16)).toString('base64url')}`,
    name: nameIn(client_name),
    redirect_uris: JSON.stringify(uris),
    created_at: timestamp(now),
  };
  storeClient(store, client);
  // RFC 7591 §2: what the server registered, which may differ from what the client wanted.
  const registered = {
    client_id: client.id,
    client_id_issued_at: Math.floor(now / 1000),
    client_name: client.name,
    redirect_uris: uris,
    grant_types: ['authorization_code', ...(profile.hasNoRefresh ? [] : ['refresh_token'])],
    response_types: ['code'],
    ...(profile.needsBasic
      ? {
          client_secret: secretOf(client.id, seal),
          client_secret_expires_at: 0,
          token_endpoint_auth_method: 'client_secret_basic',
        }
      : { token_endpoint_auth_method: 'none' }),
  };
  return registered;
};
