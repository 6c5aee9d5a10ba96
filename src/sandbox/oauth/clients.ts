import type { Store } from '../store/store.ts';
import { clientId } from './ready-tokens.ts';

export interface OAuthClient {
  id: string;
  name: string;
  about: string;
  allows(redirectUri: string): boolean;
}

const loopbackRedirect = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::([1-9]\d{0,4}))?(\/[!-"$-~]*)$/;

/**
 * A redirect URI on this computer without its port, or undefined for any other one. RFC 8252 §7.3: the port may differ,
 * and everything else must match exactly. Compared as text, without URL normalization.
 */
export const withoutPort = (redirectUri: string): string | undefined => {
  const [, host, port = '80', path] = loopbackRedirect.exec(redirectUri) ?? [];
  return host !== undefined && Number(port) <= 65_535 ? `${host}${path}` : undefined;
};

/** Public clients: they have no secret. */
const builtInClients: readonly OAuthClient[] = [
  {
    id: clientId,
    name: 'sched',
    about: 'the command-line tool',
    allows: (redirectUri) => /^http:\/\/(127\.0\.0\.1|\[::1\])\/callback$/.test(withoutPort(redirectUri) ?? ''),
  },
  {
    id: 'northlight-calendar',
    name: 'Northlight Calendar',
    about: 'a web application in the sandbox',
    allows: (redirectUri) => redirectUri === 'https://calendar.northlight.example/oauth/callback',
  },
];

const findRegistered = (store: Store, id: string): OAuthClient | undefined => {
  const row = store.first<{ name: string; redirect_uris: string }>('SELECT * FROM clients WHERE id = ?', id);
  if (row === undefined) return undefined;
  const places: unknown[] = JSON.parse(row.redirect_uris).map(withoutPort);
  return {
    id,
    name: row.name,
    about: 'a program that gave itself this name',
    allows: (redirectUri) => places.includes(withoutPort(redirectUri) ?? ''),
  };
};

export const findClient = (store: Store, id = ''): OAuthClient | undefined =>
  builtInClients.find((client) => client.id === id) ?? findRegistered(store, id);
