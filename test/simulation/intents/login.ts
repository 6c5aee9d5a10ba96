import { credentialName } from '../../../src/auth/credential.ts';
import type { CredentialRecord } from '../../../src/auth/credential-schema.ts';
import { clientId, readyTokens } from '../../../src/sandbox/ready-tokens.ts';
import { home, type Process, type Site } from '../machine.ts';
import { origin } from '../network.ts';
import { type Scene, someday } from '../scene.ts';
import type { Kind } from './intent.ts';

/*
 * R21, R23, R24: processes that share a login refresh it, each refresh token is used once, and the login is never lost.
 * Only a kill, a lost reply or a failing disk in the middle of a refresh can lose it.
 */

const tokenPath = '/oauth/token';

/** Stores a login on the first machine. Its access token is expired. */
export const placeLogin = ({ me, organization, machines }: Scene): void => {
  const { token, refreshToken } = readyTokens.find(({ kind }) => kind === 'oauth')!;
  const key = { issuer: origin, client: clientId, user: me };
  const record: CredentialRecord = {
    version: 1,
    kind: 'oauth',
    origin,
    issuer: origin,
    client_id: clientId,
    access_token: token,
    refresh_token: refreshToken,
    scope: '',
    expires_at: someday - 60_000,
    created_at: someday - 7_260_000,
    owner: me,
    organization,
  };
  const profile = { base_url: origin, auth_url: origin, client_id: clientId, login: { store: 'file', ...key } };
  const folder = `${home}/.config/sched`;
  const { volume } = machines[0]!;
  volume.place(`${folder}/config.json`, JSON.stringify({ version: 1, current: 'work', profiles: { work: profile } }));
  volume.place(`${folder}/credentials/${credentialName(key)}.json`, JSON.stringify(record));
};

/** Notes whether a process may have lost the login. */
export const watchLogin = (scene: Scene): Pick<Site, 'onLeave' | 'onEnd'> => {
  const refreshers = new Set<Process>();
  return {
    onLeave(process, { url }) {
      if (new URL(url).pathname === tokenPath) refreshers.add(process);
    },
    onEnd(process) {
      const { lostWrites, disk } = process.saw;
      if (refreshers.has(process) && (process.isKilled || lostWrites + disk > 0)) scene.mayLoseLogin = true;
    },
  };
};

const withLogin = (...argv: string[]): Kind => ({
  commands: [argv.slice(0, 2).join(' ')],
  weight: 1,
  make(scene, _, machine) {
    if (machine !== scene.machines[0]) return undefined;
    return {
      argv: [...argv, '--json'],
      missing: () => undefined,
      isLoggedIn: true,
      settles: ({ code }) => code === 4 && scene.mayLoseLogin,
    };
  },
});

export const loginKinds = { refresh: withLogin('auth', 'refresh'), useLogin: withLogin('users', 'me') };
