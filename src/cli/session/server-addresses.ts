import { type AuthServer, usualServer } from '../../auth/auth-server.ts';
import { patClient } from '../../auth/credential.ts';
import type { Profile } from './profile-schema.ts';

/** The settings of a profile that hold the addresses of its authorization server. */
export const addressKeys = {
  issuer: 'issuer',
  authorize_url: 'authorize',
  token_url: 'token',
  revoke_url: 'revoke',
  device_url: 'device',
  client_auth: 'clientAuth',
} as const satisfies Partial<Record<keyof Profile, keyof AuthServer>>;

type AddressKey = keyof typeof addressKeys;
type AddressPart = (typeof addressKeys)[AddressKey];
export type AddressParts = { [Key in AddressPart]?: AuthServer[Key] };

const entries = Object.entries(addressKeys) as [AddressKey, AddressPart][];

/** The parts of a server that a profile holds. */
const partsIn = (profile: Profile): AddressParts =>
  Object.fromEntries(entries.flatMap(([key, part]) => (profile[key] === undefined ? [] : [[part, profile[key]]])));

/** The settings that keep a server in a profile. The method is only for clients with a secret. */
export const settingsOf = (server: AuthServer, hasSecret: boolean): Partial<Pick<Profile, AddressKey>> =>
  Object.fromEntries(
    entries.flatMap(([key, part]) =>
      server[part] === undefined || (key === 'client_auth' && !hasSecret) ? [] : [[key, server[part]]],
    ),
  );

/** A profile without the addresses of its authorization server. */
export const withoutServerAddresses = (profile: Profile): Profile =>
  Object.fromEntries(Object.entries(profile).filter(([key]) => !Object.hasOwn(addressKeys, key))) as Profile;

/** Older versions kept no addresses: they used fixed paths. */
const hasAddresses = ({ authorize_url, token_url }: Profile): boolean =>
  authorize_url !== undefined && token_url !== undefined;

/** R7: where the login of a profile is refreshed and revoked. */
export const serverOf = (profile: Profile, login: NonNullable<Profile['login']>): AuthServer => {
  const { revoke, ...usual } = usualServer(login.issuer);
  return { ...usual, ...(hasAddresses(profile) ? {} : { revoke }), ...partsIn(profile), issuer: login.issuer };
};

/** The parts of a server that a new login must not change without asking. */
export const pinnedParts = (profile: Profile): AddressParts => {
  const { login, auth_url } = profile;
  const parts = partsIn(profile);
  if (hasAddresses(profile) || login === undefined || login.client === patClient || auth_url === undefined)
    return parts;
  const { authorize, token, revoke } = usualServer(auth_url);
  // In such a profile, the issuer is only a copy of the auth URL.
  const { issuer: _, ...rest } = parts;
  return { authorize, token, revoke, ...rest };
};
