import type * as z from 'zod/mini';
import { CodeGrant, DeviceGrant, RefreshGrant } from '../../api/oauth.ts';
import { admit, tokenWindow } from '../rules/rate-limits.ts';
import { timestamp, uri, withOrigin } from '../store/names.ts';
import type { Store } from '../store/store.ts';
import { findDevice, redeemDevice } from './device.ts';
import {
  describeToken,
  findCode,
  findRefresh,
  isMember,
  redeemCode,
  refreshTokens,
  revokeToken,
  type TokenGrant,
} from './grants.ts';
import { forClient, issuerOf, jsonReply, type OAuthCall, refused, type Values } from './oauth-call.ts';
import { resourceIn } from './resource.ts';

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
      if (row.user !== null && !isMember(call.store, row.user))
        return { refused: `The user of this ${name} is no longer a member of the organization.` };
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

export const grantsOf = ({ profile }: OAuthCall): GrantName[] =>
  (Object.keys(grants) as GrantName[]).filter((name) => !(profile.hasNoRefresh && name === 'refresh_token'));

/** The rule about the parameters of each grant. */
const grantRules: Record<GrantName, string> = {
  authorization_code: 'RFC 6749 §4.1.3: send code, redirect_uri and client_id.',
  refresh_token: 'RFC 6749 §6: send refresh_token and client_id.',
  'urn:ietf:params:oauth:grant-type:device_code': 'RFC 8628 §3.4: send device_code and client_id.',
};

export const token = forClient((call, values) => {
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

export const revoke = forClient((call, { client_id, token: secret }) => {
  if (secret === undefined) return refused('invalid_request', 'token is missing.');
  revokeToken(call.store, client_id!, secret);
  return jsonReply(200, {});
});

/** RFC 7662 §2.2: an ended or unknown token is only not active. A refresh token is good for its login. */
export const introspect = forClient((call, { token: secret }) => {
  if (secret === undefined)
    return refused('invalid_request', 'token is missing.', 'RFC 7662 §2.1: send the token to ask about.');
  const { store, now, url } = call;
  const found = describeToken(store, secret);
  if (
    found === undefined ||
    !isMember(store, found.user) ||
    (found.expires_at !== null && found.expires_at <= timestamp(now))
  )
    return jsonReply(200, { active: false });
  const seconds = (time: string) => Math.floor(Date.parse(time) / 1000);
  return jsonReply(200, {
    active: true,
    ...(found.scopes !== null && { scope: found.scopes }),
    ...(found.client !== null && { client_id: found.client }),
    ...(found.expires_at !== null && { exp: seconds(found.expires_at), token_type: 'Bearer' }),
    iat: seconds(found.created_at),
    sub: `${url.origin}${uri('users', found.user)}`,
    aud: `${url.origin}${found.resource ?? ''}`,
    iss: issuerOf(call),
  });
});
