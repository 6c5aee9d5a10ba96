import { timestamp } from '../store/names.ts';
import type { Store } from '../store/store.ts';
import { type ClientDocument, isDocumentUrl } from './client-document.ts';
import type { ClientKind, OAuthProfile } from './profiles.ts';
import { clientId } from './ready-tokens.ts';
import type { Sign } from './signing.ts';

export interface OAuthClient {
  id: string;
  name: string;
  about: string;
  allows(redirectUri: string): boolean;
}

/** What decides whether a client is known. */
export interface ClientContext {
  store: Store;
  now: number;
  profile: OAuthProfile;
  /** How often each registered client was seen, for servers that forget. */
  uses: Map<string, number>;
  /** The document at the client's ID, if it was just read. */
  document?: ClientDocument | undefined;
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

/** The port in the redirect URI of `sched`, at a server that compares ports. */
const exactPort = 8910;

/** Public clients: they have no secret, unless the server wants one from everybody. */
const builtInClients = ({ hasExactRedirects }: OAuthProfile): readonly OAuthClient[] => [
  {
    id: clientId,
    name: 'sched',
    about: 'the command-line tool',
    allows: (redirectUri) =>
      hasExactRedirects
        ? redirectUri === `http://127.0.0.1:${exactPort}/callback`
        : /^http:\/\/(127\.0\.0\.1|\[::1\])\/callback$/.test(withoutPort(redirectUri) ?? ''),
  },
  {
    id: 'northlight-calendar',
    name: 'Northlight Calendar',
    about: 'a web application in the sandbox',
    allows: (redirectUri) => redirectUri === 'https://calendar.northlight.example/oauth/callback',
  },
];

/** The secret of a client at a server that wants one. It is never stored: the sandbox can compute it again. */
export const secretOf = (id: string, seal: Sign): string =>
  id === clientId ? 'sandbox_client_secret' : `sandbox_client_secret_${seal(`client ${id}`).slice(0, 32)}`;

const kindOf = (profile: OAuthProfile, id: string): ClientKind => {
  if (builtInClients(profile).some((client) => client.id === id)) return 'built-in';
  return /^https?:/.test(id) ? 'document' : 'registered';
};

const findStored = (store: Store, id: string, { hasExactRedirects }: OAuthProfile): OAuthClient | undefined => {
  const row = store.first<{ name: string; redirect_uris: string }>('SELECT * FROM clients WHERE id = ?', id);
  if (row === undefined) return undefined;
  const place = (uri: string) => (hasExactRedirects ? uri : (withoutPort(uri) ?? ''));
  const places: string[] = JSON.parse(row.redirect_uris).map(place);
  const about = isDocumentUrl(id) ? 'a program on this computer' : 'a program that gave itself this name';
  return { id, name: row.name, about, allows: (redirectUri) => places.includes(place(redirectUri)) };
};

/** Older clients are deleted. */
const mostClients = 100;

export const storeClient = (
  store: Store,
  client: { id: string; name: string; redirect_uris: string; created_at: string },
) => {
  store.run('DELETE FROM clients WHERE id = ?', client.id);
  store.add('clients', client);
  store.run(
    'DELETE FROM clients WHERE rowid NOT IN (SELECT rowid FROM clients ORDER BY rowid DESC LIMIT ?)',
    mostClients,
  );
};

/** Keeps what the document of a client says now: its tokens are asked for later. */
const keepDocument = ({ store, now }: ClientContext, id: string, redirectUris: unknown[]): void => {
  const uris = redirectUris.filter((uri) => typeof uri === 'string' && withoutPort(uri) !== undefined).slice(0, 10);
  // The name is no part of the document, which could be text of another service.
  const name = `The program at ${new URL(id).host}`;
  storeClient(store, { id, name, redirect_uris: JSON.stringify(uris), created_at: timestamp(now) });
};

/** The client with this ID, or undefined if this server doesn't know it. */
export const findClient = (context: ClientContext, id = ''): OAuthClient | undefined => {
  const { store, profile, uses, document } = context;
  const kind = kindOf(profile, id);
  if (!profile.clients.includes(kind)) return undefined;
  if (kind === 'built-in') return builtInClients(profile).find((client) => client.id === id);
  if (kind === 'registered' && (uses.get(id) ?? 0) > (profile.forgetsAfter ?? Infinity)) return undefined;
  if (document !== undefined) {
    if ('problem' in document) return undefined;
    keepDocument(context, id, document.redirectUris);
  }
  return findStored(store, id, profile);
};

/** Counts a request of a client. */
export const countUse = ({ uses }: ClientContext, id = ''): void => {
  // Only the newest are kept: a client may send any ID.
  if (uses.size > 1000) uses.clear();
  uses.set(id, (uses.get(id) ?? 0) + 1);
};

/** Normal once: that is how a client learns that it must register again. */
export const forgottenRule =
  'RFC 6749 §5.2: after invalid_client, register again: the server has forgotten the client.';

/** Which rule a client missed that the server doesn't know. */
export const whyUnknown = ({ profile, uses, document }: ClientContext, id = ''): string => {
  const kind = kindOf(profile, id);
  if (document !== undefined && 'problem' in document)
    return `Client ID metadata documents §4.1: the document of the client can't be used, because ${document.problem}.`;
  if (kind === 'registered' && profile.forgetsAfter !== undefined && (uses.get(id) ?? 0) > profile.forgetsAfter)
    return forgottenRule;
  if (profile.clients.includes('registered') && !profile.clients.includes(kind))
    return 'RFC 7591 §3: register first: the server knows only clients that registered themselves.';
  if (profile.clients.includes('document') && !profile.clients.includes(kind))
    return 'Client ID metadata documents §3: the client ID must be the URL of a document that describes the client.';
  if (!profile.clients.includes(kind))
    return 'RFC 6749 §2.2: use a client ID that the server has given: it takes no other clients.';
  return 'RFC 6749 §2.2: use the client ID of the registration: the server does not know this one.';
};
