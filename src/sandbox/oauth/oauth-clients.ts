import { clientId } from '../ready-tokens.ts';

export interface OAuthClient {
  id: string;
  name: string;
  /** Short description for the consent page. */
  about: string;
  allows(redirectUri: string): boolean;
}

/** RFC 8252 §7.3: any port; everything else must match exactly. Compared as text, without URL normalization. */
const onLoopback = (path: string) => (redirectUri: string) => {
  const found = /^http:\/\/(?:127\.0\.0\.1|\[::1\])(?::([1-9]\d{0,4}))?(\/.*)$/.exec(redirectUri);
  return found !== null && Number(found[1] ?? 80) <= 65_535 && found[2] === path;
};

/** Public clients: they have no secret. */
const clients: readonly OAuthClient[] = [
  { id: clientId, name: 'sched', about: 'the command-line tool', allows: onLoopback('/callback') },
  {
    id: 'northlight-calendar',
    name: 'Northlight Calendar',
    about: 'a web application in the sandbox',
    allows: (redirectUri) => redirectUri === 'https://calendar.northlight.example/oauth/callback',
  },
];

export const findClient = (id: string | undefined): OAuthClient | undefined =>
  clients.find((client) => client.id === id);
