/** Who a client can be: shipped with the sandbox, registered by itself, or described by a document at its own address. */
export type ClientKind = 'built-in' | 'registered' | 'document';

/** How an authorization server behaves: what its metadata says, and what it refuses. */
export interface OAuthProfile {
  about: string;
  clients: readonly ClientKind[];
  /** Requests after which a registered client is unknown. */
  forgetsAfter?: number;
  /** A redirect URI must be the same with its port. */
  hasExactRedirects?: true;
  /** A client must send a secret as HTTP Basic. */
  needsBasic?: true;
  accessTokenSeconds?: number;
  hasNoRefresh?: true;
  /** A used refresh token ends the login, whatever the replay window says. */
  hasNoReplay?: true;
  ignoresResource?: true;
  /** What follows the origin in the name that it gives itself. */
  issuerPath?: string;
  hasNoMetadata?: true;
}

const usual: readonly ClientKind[] = ['built-in', 'registered'];

export const profiles = {
  default: { about: 'all that the sandbox can do', clients: usual },
  'dcr-only': { about: 'knows only clients that registered themselves (RFC 7591)', clients: ['registered'] },
  'cimd-only': { about: 'knows only clients whose ID is the URL of their metadata document', clients: ['document'] },
  'preregistered-only': { about: 'has no registration: clients need an ID that it knows', clients: ['built-in'] },
  'forgets-clients': { about: 'forgets a registered client after three requests', clients: usual, forgetsAfter: 3 },
  'strict-redirect': { about: 'compares redirect URIs with their port', clients: usual, hasExactRedirects: true },
  'basic-only': { about: 'wants the secret of each client as HTTP Basic', clients: usual, needsBasic: true },
  'short-tokens': { about: 'issues access tokens for 30 seconds', clients: usual, accessTokenSeconds: 30 },
  'no-refresh': { about: 'issues no refresh tokens', clients: usual, hasNoRefresh: true },
  'reuse-revokes': {
    about: 'ends a login whose refresh token is used twice, with access tokens for 30 seconds',
    clients: usual,
    accessTokenSeconds: 30,
    hasNoReplay: true,
  },
  'no-resource': { about: 'ignores which resource a token is for (RFC 8707)', clients: usual, ignoresResource: true },
  'wrong-issuer': { about: 'gives itself another name than its address', clients: usual, issuerPath: '/tenant' },
  'no-metadata': { about: 'publishes no metadata', clients: usual, hasNoMetadata: true },
} as const satisfies Record<string, OAuthProfile>;

export type ProfileName = keyof typeof profiles;

export const profileNames = Object.keys(profiles) as ProfileName[];
