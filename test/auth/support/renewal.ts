import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { usualServer } from '../../../src/auth/auth-server.ts';
import { credentialKey, recordFromLogin } from '../../../src/auth/credential.ts';
import { credentialLock, saveCredential } from '../../../src/auth/session.ts';
import { openCredentialStore } from '../../../src/auth/stores.ts';
import { startChild } from '../../../src/node/children.ts';
import { until } from '../../support/until.ts';
import type { Plan } from './build-worker.ts';
import { machineIn, random } from './memory.ts';
import { createOAuthServer, serve } from './oauth-server.ts';

const origin = 'https://api.example.com';

/** The real time. Its pauses last one turn of the event loop. */
const clock = { now: Date.now, sleep: () => new Promise<void>((resolve) => setImmediate(resolve)) };

type Options = Parameters<typeof createOAuthServer>[0] & { expired?: boolean };

/** A login, a server on a socket, and a plan for workers. */
export const renewalWorld = async (home: string, { expired = false, ...options }: Options = {}) => {
  const server = createOAuthServer(options);
  const socket = await serve(server.send);
  const client = { server: usualServer(socket.url), id: 'client-1' };
  mkdirSync(home, { recursive: true });
  const [config, log] = [join(home, 'config'), join(home, 'log')];
  writeFileSync(log, '');
  const machine = machineIn(home);
  const platform = process.platform;
  const loggedIn = () => {
    const { access, refresh } = server.start();
    return recordFromLogin(
      {
        accessToken: access,
        refreshToken: refresh,
        expiresInSeconds: 7200,
        scope: 'users:read',
        owner: `${origin}/users/U1`,
      },
      { client, origin, scopes: [], now: expired ? Date.now() - 86_400_000 : Date.now() },
    );
  };
  const first = loggedIn();
  const key = credentialKey(first);
  const stores = { env: {}, platform, clock, machine, randomBytes: random, startChild };
  const store = await openCredentialStore('file', stores, config);
  const interrupted = new AbortController().signal;
  const lock = credentialLock(key, { platform, clock, machine, interrupted, randomBytes: random });
  await store.write(key, first);
  const logInAgain = () => saveCredential({ key, store, lock, clock, protect: (work) => work() }, loggedIn());
  const plan: Plan = { server: socket.url, home, config, log, store: 'file', key, helper: true };
  const lines = () => readFileSync(log, 'utf8').split('\n').slice(0, -1);
  /** Resolves when the lines of the log are so. */
  const untilLog = (condition: (all: string[]) => unknown) => until(() => condition(lines()), home);
  /** Whether the stored refresh token is the one that the server accepts. */
  const isWhole = async () =>
    !server.families.at(-1)!.revoked && (await store.read(key))?.refresh_token === server.families.at(-1)!.refresh;
  return { server, socket, plan, store, lock, key, log, lines, untilLog, logInAgain, isWhole };
};
