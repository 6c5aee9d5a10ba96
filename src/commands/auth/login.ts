import { isDeepStrictEqual } from 'node:util';
import type { WithUri } from '../../api/sent.ts';
import type { SentUser } from '../../api/users.ts';
import type { AuthClient } from '../../auth/auth-server.ts';
import { recordFromToken } from '../../auth/credential.ts';
import type { CredentialRecord } from '../../auth/credential-schema.ts';
import type { LoginBasics } from '../../auth/login.ts';
import type { CredentialStore } from '../../auth/stores.ts';
import { hasCategory, SchedError } from '../../base/errors.ts';
import { the, words } from '../../base/words.ts';
import { type Here, suggestedLine } from '../../cli/messages/suggested-line.ts';
import { changeConfig, probeConfig } from '../../cli/session/config-file.ts';
import { checkToken, longestToken } from '../../cli/session/connection.ts';
import type { Shell } from '../../cli/session/context.ts';
import { readOwnUser } from '../../cli/session/identity.ts';
import type { Config, Profile } from '../../cli/session/profile-schema.ts';
import { askYes } from '../../cli/session/prompt.ts';
import { settingsOf, withoutServerAddresses } from '../../cli/session/server-addresses.ts';
import {
  credentialStoreOf,
  openLogin,
  rememberSecret,
  removeLogin,
  saveLogin,
} from '../../cli/session/stored-login.ts';
import { createClient } from '../../client/client.ts';
import { authorize } from '../../http/authorize.ts';
import { durationText } from '../../output/progress.ts';
import type { HeadlessRuntime } from '../../runtime.ts';
import { readClientSecret, requireSecret, storedSecret } from './client-secret.ts';
import type { LoginInput } from './input.ts';
import { type Addresses, completeAddresses, isInteractive } from './login-addresses.ts';
import { accepted, describeLogin, type LoginFacts } from './login-facts.ts';
import type { LoginCall } from './login-flags.ts';
import { throughBrowser, throughDevice } from './login-methods.ts';
import { noteUnknownScopes, offlineScope, scopesToAsk } from './scope-flag.ts';

const keychainReason = (error: unknown): string =>
  (error instanceof SchedError ? error.facts.reason : undefined) ?? (error as Error).message;

/** The settings check the variable. */
const storeIn = ({ env }: HeadlessRuntime): CredentialStore['kind'] | undefined =>
  (['keychain', 'file'] as const).find((kind) => kind === env.SCHED_CREDENTIAL_STORE);

/**
 * Opens the chosen store and tests it. If there is no keychain, asks on a terminal whether to use a file, unless the
 * login of another profile is in that file already.
 */
const openProvenStore = async (
  context: Shell,
  { credentialStore, account: { before: profile, config } }: LoginInput,
): Promise<CredentialStore> => {
  const { runtime, settings } = context;
  const chosenStore = credentialStore ?? storeIn(runtime);
  const kind = chosenStore ?? profile?.login?.store ?? 'keychain';
  const store = await credentialStoreOf(kind, runtime);
  try {
    await store.probe();
    return store;
  } catch (error) {
    if (kind === 'file' || chosenStore !== undefined || !settings.canAsk) throw error;
    const file = await credentialStoreOf('file', runtime);
    const question = 'Store the token in a file that only you can read';
    const confirmation = {
      question: `${question}?`,
      facts: [
        ['reason', `no usable keychain on this machine (${keychainReason(error)})`],
        ['location', file.describe()],
      ] as const,
      yes: 'store it in the file',
      no: 'stop and store nothing',
    };
    const prompt = `There is no usable keychain on this machine (${keychainReason(error)}).\n${question} (${file.describe()})? [y/N] `;
    const isKnown = Object.values(config.profiles).some(({ login }) => login?.store === 'file');
    if (!isKnown && !(await askYes(context, confirmation, prompt))) throw error;
    await file.probe();
    return file;
  }
};

/** The user this credential belongs to, or why the service doesn't say. */
const ownUserOf = async (
  record: CredentialRecord,
  baseUrl: string,
  { send }: HeadlessRuntime,
): Promise<{ me: Partial<WithUri<SentUser>>; error?: SchedError }> => {
  const credential = { token: record.access_token, origin: record.origin };
  const client = createClient({ baseUrl, send: authorize({ current: async () => credential })(send), sendPlain: send });
  try {
    return { me: await readOwnUser(client) };
  } catch (error) {
    if (hasCategory(error, 'forbidden')) return { me: {}, error };
    throw error;
  }
};

const readToken = async ({ stdin }: HeadlessRuntime): Promise<string> =>
  checkToken(new TextDecoder().decode(await stdin.bytes(longestToken)), 'stdin');

/** Deletes and revokes a replaced login, unless another profile uses it: no command could log out of it later. */
const forgetReplaced = async (
  before: Profile | undefined,
  name: string,
  { profiles }: Config,
  { runtime, notes }: Shell,
): Promise<void> => {
  const isNamed = Object.values(profiles).some(({ login }) => isDeepStrictEqual(login, before?.login));
  if (before?.login === undefined || isNamed) return;
  const { store, ...key } = before.login;
  const { store: _, ...now } = profiles[name]!.login!;
  try {
    // The same user in another store: only delete it, because revoking it might end the new login too.
    if (isDeepStrictEqual(key, now)) await (await credentialStoreOf(store, runtime)).remove(key);
    else await removeLogin({ name: `${name} (previous)`, profile: before }, runtime, notes);
  } catch (error) {
    notes.warn(`The previous login could not be deleted (${keychainReason(error)})`);
  }
};

/** The server to log in at, and the client that sched is there. */
const findClient = async (
  input: LoginInput,
  call: LoginCall,
  { auth_url, client_id: id, issuer }: Addresses,
  storedLogin: CredentialRecord | undefined,
  given: string | undefined,
): Promise<AuthClient> => {
  const { before } = input.account;
  const { findServer } = await import('./find-server.ts');
  const server = await findServer(call.context, { auth_url: auth_url!, issuer }, before);
  const secret = given ?? storedSecret(storedLogin, server, id!, before);
  requireSecret(secret, id!, before, input, call);
  const { clientAuth = server.clientAuth } = input;
  return { server: { ...server, clientAuth }, id: id!, secret, isMethodFixed: input.clientAuth !== undefined };
};

/** Without a refresh token, the login ends with its first access token. Better to know that now than then. */
const warnAboutRefresh = ({ scope, expires_at = 0, created_at }: CredentialRecord, here: Here, { notes }: Shell) => {
  const life = durationText((expires_at - created_at) / 1000);
  notes.warn(`The server issued no refresh token, so this login ends in ${life} and can't be refreshed.`);
  if (!scope.split(' ').includes(offlineScope))
    notes.warn(
      `To ask for a refresh token: ${suggestedLine(here, { command: ['auth', 'login'], flags: { 'add-scopes': offlineScope } })}`,
    );
};

/** Logs in, stores the credential and records in the profile where it is. */
export const logIn = async (input: LoginInput, call: LoginCall): Promise<LoginFacts> => {
  const { context, problems } = call;
  const { runtime, settings, notes } = context;
  const { scopes, addScopes: scopesToAdd, readOnly, withToken: isToken, device, account } = input;
  const { name, before } = account;
  const here: Here = { sandbox: false, profile: name };
  if (!isToken && !isInteractive(input, call.how, runtime.env))
    throw (await import('../../auth/login.ts')).noTerminalForLogin();
  const secret = await readClientSecret(input, call);
  problems.check();
  const addresses = await completeAddresses(account, call);
  const baseUrl = addresses.base_url!;
  const store = await openProvenStore(context, input);
  const session =
    before === undefined ? undefined : await openLogin({ name, profile: before }, runtime, settings, notes);
  const storedLogin = await session?.record().catch(() => undefined);
  const loginClient = isToken ? undefined : await findClient(input, call, addresses, storedLogin, secret);

  /** Looks up the user, stores the credential and updates the profile. */
  const settle = async (first: CredentialRecord, client?: AuthClient): Promise<LoginFacts> => {
    rememberSecret(runtime, first);
    const { me, error } = await ownUserOf(first, baseUrl, runtime);
    const record = {
      ...first,
      owner: first.owner || (me.uri ?? ''),
      organization: first.organization || String(me.current_organization ?? ''),
      ...(typeof me.name === 'string' ? { name: me.name } : {}),
    };
    if (error !== undefined && record.owner === '') {
      const set = suggestedLine(here, { command: ['profiles', 'set', 'user', 'ID'] });
      notes.warn(
        words`${error.message} (${error.facts.reason!}). Use ${the('user')} and ${the('org')}, or set them: ${set}`,
      );
    }
    const key = await saveLogin(record, store, runtime, name, notes);
    const root = /^(https?:\/\/.+)\/users\/[\w-]+$/.exec(me.uri ?? record.owner)?.[1];
    const { issuer: _, ...known } = addresses;
    const learned: Profile = {
      ...known,
      base_url: baseUrl,
      ...(client === undefined ? {} : settingsOf(client.server, client.secret !== undefined)),
      ...(root === undefined ? {} : { uri_root: root }),
      login: { store: store.kind, ...key, ...(record.name === undefined ? {} : { name: record.name }) },
    };
    // The login may have taken minutes: keep what was set in the profile in the meantime.
    const written = await changeConfig(runtime, ({ profiles, ...config }) => {
      const now = profiles[name] ?? learned;
      const other = client === undefined ? now : withoutServerAddresses(now);
      return {
        ...config,
        current: config.current ?? name,
        profiles: { ...profiles, [name]: { ...other, ...learned } },
      };
    });
    const profile = written.profiles[name]!;
    await forgetReplaced(before, name, written, context);
    notes.info(`Logged in as ${record.name ?? (record.owner || 'an unnamed user')} (profile ${name})`);
    notes.info(`The token is stored in ${store.describe()}`);
    if (record.kind === 'oauth' && record.refresh_token === undefined) warnAboutRefresh(record, here, context);
    const variable = ['SCHED_TOKEN', 'SCHED_TOKEN_FILE'].find((each) => runtime.env[each]);
    if (variable !== undefined) notes.warn(`${variable} is set and overrides this login. Unset ${variable} to use it`);
    const isOnly = settings.here.profile === undefined && Object.keys(written.profiles).length === 1;
    notes.info(`try: ${suggestedLine({ ...here, isOnly }, { command: ['events', 'list'] })}`);
    return accepted(describeLogin({ name, profile }, record, runtime.clock.now()));
  };

  if (isToken) {
    const token = await readToken(runtime);
    return settle(recordFromToken(token, { origin: new URL(baseUrl).origin, now: runtime.clock.now() }));
  }
  noteUnknownScopes([...(scopes ?? []), ...(scopesToAdd ?? [])], notes);
  const heldScopes = storedLogin?.scope.split(' ').filter(Boolean) ?? [];
  let facts: LoginFacts | undefined;
  const basics: LoginBasics = {
    client: loginClient!,
    baseUrl,
    scopes: scopesToAsk({ scopes, scopesToAdd, readOnly, currentScopes: heldScopes }),
    store: {
      probe: async () => {
        await store.probe();
        // Without a profile that refers to it, the token couldn't be used, nor revoked by logging out.
        await probeConfig(runtime);
      },
    },
    send: runtime.send,
    clock: runtime.clock,
    interrupted: runtime.interrupted,
    onSecret: runtime.secrets.keep,
    // The browser shows success only after everything is saved.
    finish: async (record, client) => {
      facts = await settle(record, client);
    },
  };
  await (device ? throughDevice(call, basics) : throughBrowser(input, call, basics));
  return facts!;
};
