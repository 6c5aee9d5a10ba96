import { credentialName } from '../../../src/auth/credential.ts';
import type { CredentialRecord } from '../../../src/auth/credential-schema.ts';
import type { HttpRequest } from '../../../src/http/message.ts';
import { clientId, readyTokens } from '../../../src/sandbox/oauth/ready-tokens.ts';
import { diceFor } from '../dice.ts';
import { home, type Process, type Site } from '../machine.ts';
import { origin, tokenPath } from '../network.ts';
import { type Scene, someday } from '../scene.ts';
import type { Kind } from './intent.ts';

/*
 * R21 to R25: processes that share a login refresh it, each refresh token is used once, and the login is never lost. Only
 * a lost reply, a disk that fails again and again, or the end of the helper in the middle of a refresh can lose it.
 */

const folder = `${home}/.config/sched`;
const credentials = `${folder}/credentials`;

/** The login is written so often before it is given up. */
const storeAttempts = 3;

/** Stores a login on the first machine. Its access token is expired, or the service doesn't accept it. */
export const placeLogin = ({ seed, me, organization, machines }: Scene): void => {
  const isExpired = diceFor(seed, 'login').chance(0.5);
  const { token, refreshToken } = readyTokens.find(({ kind }) => kind === 'oauth')!;
  const key = { issuer: origin, client: clientId, user: me };
  const record: CredentialRecord = {
    version: 1,
    kind: 'oauth',
    origin,
    issuer: origin,
    client_id: clientId,
    access_token: isExpired ? token : `${token}_withdrawn`,
    refresh_token: refreshToken,
    scope: '',
    expires_at: someday + (isExpired ? -60_000 : 3_600_000),
    created_at: someday - 7_260_000,
    owner: me,
    organization,
  };
  const profile = { base_url: origin, auth_url: origin, client_id: clientId, login: { store: 'file', ...key } };
  const { volume } = machines[0]!;
  volume.place(`${folder}/config.json`, JSON.stringify({ version: 1, current: 'work', profiles: { work: profile } }));
  volume.place(`${credentials}/${credentialName(key)}.json`, JSON.stringify(record));
};

const isRefresh = ({ url }: HttpRequest): boolean => new URL(url).pathname === tokenPath;

/** Whether a process that refreshes the login may lose it. */
const mayLose = ({ isKilled, helpers, parent, saw }: Process): boolean => {
  // A command leaves its refresh to a helper, which is not killed with it, unless no helper works.
  const hasHelped = parent !== undefined || saw.disk > 0 || helpers.some((helper) => helper.isKilled);
  return (isKilled && hasHelped) || saw.lostWrites > 0 || saw.disk >= storeAttempts;
};

/** Checks each refresh, and notes whether one may have lost the login. */
export const watchLogin = (scene: Scene): void => {
  const refreshers = new Set<Process>();
  /** Who has used each refresh token up. */
  const spentBy = new Map<string, Process>();
  const { site } = scene;
  const { violate } = scene.scheduler;
  const { onLeave, onArrive, onChange, onEnd } = site;
  const watch: Pick<Site, 'onLeave' | 'onArrive' | 'onChange' | 'onEnd'> = {
    onLeave(process, request) {
      onLeave(process, request);
      if (!isRefresh(request)) return;
      refreshers.add(process);
      if (!process.hasRoom) violate(`R24: ${process.pid} refreshes the login without room for the next token`);
    },
    onArrive(request, process) {
      onArrive(request, process);
      const other = isRefresh(request) ? spentBy.get(request.body!) : undefined;
      if (other === undefined) return;
      if (other === process) violate(`R24: ${process.pid} sends the same refresh token twice`);
      const isExcused = [other, process].some((each) => each.isKilled || each.saw.lostWrites + each.saw.disk > 0);
      if (!isExcused) violate(`R22: ${process.pid} sends the refresh token that ${other.pid} has used up`);
    },
    onChange(request, reply, process, isLate) {
      onChange(request, reply, process, isLate);
      if (isRefresh(request)) spentBy.set(request.body!, process);
    },
    onEnd(process) {
      onEnd(process);
      if (refreshers.has(process) && mayLose(process)) scene.mayLoseLogin = true;
    },
  };
  Object.assign(site, watch);
};

/** R23: a login that the service no longer accepts is still there, for a newer one may take its place. */
export const isLoginGone = ({ machines }: Scene): boolean =>
  ![...machines[0]!.volume.files()].some(([path]) => path.includes(`${credentials}/`) && !path.includes('probe-'));

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
