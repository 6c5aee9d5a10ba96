/** Who a client can be: shipped with the sandbox, registered by itself, or described by a document at its own address. */
export type ClientKind = 'built-in' | 'registered' | 'document';

/** How an authorization server behaves: what its metadata says, and what it refuses. */
export interface OAuthProfile {
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

/** docs/sandbox.md says what each does. */
export const profiles = {
  default: { clients: usual },
  'dcr-only': { clients: ['registered'] },
  'cimd-only': { clients: ['document'] },
  'preregistered-only': { clients: ['built-in'] },
  'forgets-clients': { clients: usual, forgetsAfter: 3 },
  'strict-redirect': { clients: usual, hasExactRedirects: true },
  'basic-only': { clients: usual, needsBasic: true },
  'short-tokens': { clients: usual, accessTokenSeconds: 30 },
  'no-refresh': { clients: usual, hasNoRefresh: true },
  'reuse-revokes': { clients: usual, accessTokenSeconds: 30, hasNoReplay: true },
  'no-resource': { clients: usual, ignoresResource: true },
  'wrong-issuer': { clients: usual, issuerPath: '/tenant' },
  'no-metadata': { clients: usual, hasNoMetadata: true },
} as const satisfies Record<string, OAuthProfile>;

export type ProfileName = keyof typeof profiles;

export const profileNames = Object.keys(profiles) as ProfileName[];
