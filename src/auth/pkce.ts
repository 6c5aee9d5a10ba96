import { calculatePKCECodeChallenge } from 'oauth4webapi';
import type { RandomBytes } from '../base/system.ts';

/** The secrets of one login. Every login makes new ones. */
export interface LoginSecrets {
  /** RFC 7636 §4.1: sent to the token endpoint only, never in a URL. */
  readonly verifier: string;
  readonly challenge: string;
  /** Tells this login's callback from a forged one. */
  readonly state: string;
}

const secretBytes = 32;

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

export const makeSecrets = async (randomBytes: RandomBytes): Promise<LoginSecrets> => {
  const verifier = base64url(randomBytes(secretBytes));
  return {
    verifier,
    challenge: await calculatePKCECodeChallenge(verifier),
    state: base64url(randomBytes(secretBytes)),
  };
};
