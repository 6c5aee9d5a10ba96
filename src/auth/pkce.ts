import { calculatePKCECodeChallenge } from 'oauth4webapi';

/** What one login keeps to itself, made anew for each. */
export interface LoginSecrets {
  /** RFC 7636 §4.1: goes to the token endpoint only, never into a URL. */
  readonly verifier: string;
  readonly challenge: string;
  /** Tells our own callback from a forged one. */
  readonly state: string;
}

const secretBytes = 32;

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

export const makeSecrets = async (randomBytes: (count: number) => Uint8Array): Promise<LoginSecrets> => {
  const verifier = base64url(randomBytes(secretBytes));
  return {
    verifier,
    challenge: await calculatePKCECodeChallenge(verifier),
    state: base64url(randomBytes(secretBytes)),
  };
};
