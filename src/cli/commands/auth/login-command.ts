import { isDeepStrictEqual } from 'node:util';
import type { AuthClient, ClientAuthMethod } from '../../../auth/auth-server.ts';
import { recordFromToken } from '../../../auth/credential.ts';
import type { CredentialRecord } from '../../../auth/credential-schema.ts';
import type { LoginBasics } from '../../../auth/login.ts';
import type { CredentialStore } from '../../../auth/stores.ts';
import { createClient } from '../../../client/client.ts';
import { hasCategory, SchedError } from '../../../errors.ts';
import { authorize } from '../../../http/authorize.ts';
import type { Json } from '../../../json.ts';
import { durationText } from '../../../output/progress.ts';
import type { Invocation } from '../../command.ts';
import { type Here, suggestedLine } from '../../messages/suggested-line.ts';
import { readWholeNumber } from '../../operation/values.ts';
import { changeConfig, chosenName, probeConfig, readConfig } from '../../session/config-file.ts';
import { checkToken, longestToken } from '../../session/connection.ts';
import { readOwnUser } from '../../session/identity.ts';
import { type Config, nameProblem, type Profile } from '../../session/profile-schema.ts';
import { askYes } from '../../session/prompt.ts';
import { settingsOf, withoutAddresses } from '../../session/server-addresses.ts';
import { openLogin, rememberSecret, removeLogin, saveLogin, storeOf } from '../../session/stored-login.ts';
import { isSecretOnStdin, readClientAuth, readClientSecret, requireSecret, storedSecret } from './client-secret.ts';
import { type Addresses, readAddresses } from './login-addresses.ts';
import { accepted, describeLogin, type LoginFacts } from './login-facts.ts';
import { throughBrowser, throughDevice } from './login-ways.ts';
import { noteUnknownScopes, offlineScope, readScopes, scopesToAsk } from './scope-flag.ts';

const reasonOf = (error: unknown): string =>
  (error instanceof SchedError ? error.facts.reason : undefined) ?? (error as Error).message;

const readStore = ({ context, typed, problems }: Invocation): CredentialStore['kind'] | undefined => {
  // The settings check the variable.
  const { 'credential-store': wanted = context.runtime.env.SCHED_CREDENTIAL_STORE } = typed;
  problems.choice('credential-store', typed['credential-store'], ['keychain', 'file']);
  return wanted === 'keychain' || wanted === 'file' ? wanted : undefined;
};

/**
 * Opens the chosen store and tests it. If there is no keychain, asks on a terminal whether to use a file, unless the
 * login of another profile is in that file already.
 */
const openProvenStore = async (
  invocation: Invocation,
  wanted: CredentialStore['kind'] | undefined,
  profile: Profile | undefined,
  { profiles }: Config,
): Promise<CredentialStore> => {
  const { context } = invocation;
  const { runtime, settings } = context;
  const kind = wanted ?? profile?.login?.store ?? 'keychain';
  const store = await storeOf(kind, runtime);
  try {
    await store.probe();
    return store;
  } catch (error) {
    if (kind === 'file' || wanted !== undefined || !settings.canAsk) throw error;
    const file = await storeOf('file', runtime);
    const question = 'Store the token in a file that only you can read';
    const asked = {
      question: `${question}?`,
      facts: [
        ['reason', `no usable keychain on this machine (${reasonOf(error)})`],
        ['location', file.describe()],
      ] as const,
      yes: 'store it in the file',
      no: 'stop and store nothing',
    };
    const shown = `There is no usable keychain on this machine (${reasonOf(error)}).\n${question} (${file.describe()})? [y/N] `;
    const isKnown = Object.values(profiles).some(({ login }) => login?.store === 'file');
    if (!isKnown && !(await askYes(context, asked, shown))) throw error;
    await file.probe();
    return file;
  }
};

/** The user this credential belongs to, or why the service doesn't say. */
const userOf = async (
  record: CredentialRecord,
  baseUrl: string,
  { context }: Invocation,
): Promise<{ me: Json; error?: SchedError }> => {
  const { send } = context.runtime;
  const credential = { token: record.access_token, origin: record.origin };
  const client = createClient({ baseUrl, send: authorize({ current: async () => credential })(send), sendPlain: send });
  try {
    return { me: await readOwnUser(client) };
  } catch (error) {
    if (hasCategory(error, 'forbidden')) return { me: {}, error };
    throw error;
  }
};

const readToken = async ({ context }: Invocation): Promise<string> => {
  const { stdin } = context.runtime;
  return checkToken(new TextDecoder().decode(await stdin.bytes(longestToken)), 'stdin');
};

/** Deletes and revokes a replaced login, unless another profile uses it: no command could log out of it later. */
const forgetReplaced = async (
  before: Profile | undefined,
  name: string,
  { profiles }: Config,
  { context }: Invocation,
): Promise<void> => {
  const { runtime, notes } = context;
  const isNamed = Object.values(profiles).some(({ login }) => isDeepStrictEqual(login, before?.login));
  if (before?.login === undefined || isNamed) return;
  const { store, ...key } = before.login;
  const { store: _, ...now } = profiles[name]!.login!;
  try {
    // The same user in another store: only delete it, because revoking it might end the new login too.
    if (isDeepStrictEqual(key, now)) await (await storeOf(store, runtime)).remove(key);
    else await removeLogin({ name: `${name} (previous)`, profile: before }, runtime, notes);
  } catch (error) {
    notes.warn(`The previous login could not be deleted (${reasonOf(error)})`);
  }
};

/** The server to log in at, and the client that sched is there. */
const findClient = async (
  invocation: Invocation,
  { auth_url, client_id: id, issuer }: Addresses,
  before: Profile | undefined,
  held: CredentialRecord | undefined,
  typed: { secret: string | undefined; method: ClientAuthMethod | undefined },
): Promise<AuthClient> => {
  const { findServer } = await import('./find-server.ts');
  const server = await findServer(invocation.context, { auth_url: auth_url!, issuer }, before);
  const secret = typed.secret ?? storedSecret(held, server, id!, before);
  requireSecret(secret, id!, before, invocation);
  const { method = server.clientAuth } = typed;
  return { server: { ...server, clientAuth: method }, id: id!, secret, isMethodFixed: typed.method !== undefined };
};

/** Without a refresh token, the login ends with its first access token. Better to know that now than then. */
const warnAboutRefresh = (
  { scope, expires_at = 0, created_at }: CredentialRecord,
  here: Here,
  { context: { notes } }: Invocation,
) => {
  const life = durationText((expires_at - created_at) / 1000);
  notes.warn(`The server issued no refresh token, so this login ends in ${life} and can't be refreshed.`);
  if (!scope.split(' ').includes(offlineScope))
    notes.warn(
      `To ask for a refresh token: ${suggestedLine(here, { command: ['auth', 'login'], flags: { 'add-scopes': offlineScope } })}`,
    );
};

/** Logs in, stores the credential and records in the profile where it is. */
export const logIn = async (invocation: Invocation): Promise<LoginFacts> => {
  const { context, typed, problems } = invocation;
  const { runtime, settings, notes } = context;
  const scopes = readScopes('scopes', invocation);
  const added = readScopes('add-scopes', invocation);
  if (scopes !== undefined && added !== undefined) problems.add("--scopes and --add-scopes can't be used together");
  const port = readWholeNumber('port', invocation, 1, 65_535);
  if (typed.device === true)
    for (const other of ['paste', 'no-browser', 'with-token', 'port'])
      if (typed[other] !== undefined) problems.add(`--device can't be used together with --${other}`);
  const isToken = typed['with-token'] === true;
  const config = await readConfig(runtime);
  const name = chosenName(typed.profile as string | undefined, runtime, config) ?? 'default';
  const here: Here = { sandbox: false, profile: name };
  const wrong = nameProblem(name);
  if (wrong !== undefined) problems.add(wrong);
  const before = Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
  const canFinish = runtime.keyboard.isTerminal || isSecretOnStdin(invocation);
  const isInteractive = canFinish && runtime.stderr.isTerminal && !runtime.env.CI;
  if (!isToken && !isInteractive) {
    problems.check();
    throw (await import('../../../auth/login.ts')).noTerminalForLogin();
  }
  const wantedStore = readStore(invocation);
  const method = readClientAuth(invocation);
  const secret = await readClientSecret(invocation);
  const addresses = await readAddresses(
    invocation,
    before,
    isToken ? ['base_url'] : ['base_url', 'auth_url', 'client_id'],
  );
  const baseUrl = addresses.base_url!;
  const store = await openProvenStore(invocation, wantedStore, before, config);
  const session =
    before === undefined ? undefined : await openLogin({ name, profile: before }, runtime, settings, notes);
  const held = await session?.record().catch(() => undefined);
  const found = isToken ? undefined : await findClient(invocation, addresses, before, held, { secret, method });

  /** Looks up the user, stores the credential and updates the profile. */
  const settle = async (first: CredentialRecord, client?: AuthClient): Promise<LoginFacts> => {
    rememberSecret(runtime, first);
    const { me, error } = await userOf(first, baseUrl, invocation);
    const record = {
      ...first,
      owner: first.owner || String(me.uri ?? ''),
      organization: first.organization || String(me.current_organization ?? ''),
      ...(typeof me.name === 'string' ? { name: me.name } : {}),
    };
    if (error !== undefined && record.owner === '') {
      const set = suggestedLine(here, { command: ['profiles', 'set', 'user', 'ID'] });
      notes.warn(`${error.message} (${error.facts.reason}). Use --user and --org, or set them: ${set}`);
    }
    const key = await saveLogin(record, store, runtime, name, notes);
    const root = /^(https?:\/\/.+)\/users\/[\w-]+$/.exec(String(me.uri ?? record.owner))?.[1];
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
      const other = client === undefined ? now : withoutAddresses(now);
      return {
        ...config,
        current: config.current ?? name,
        profiles: { ...profiles, [name]: { ...other, ...learned } },
      };
    });
    const profile = written.profiles[name]!;
    await forgetReplaced(before, name, written, invocation);
    notes.info(`Logged in as ${record.name ?? (record.owner || 'an unnamed user')} (profile ${name})`);
    notes.info(`The token is stored in ${store.describe()}`);
    if (record.kind === 'oauth' && record.refresh_token === undefined) warnAboutRefresh(record, here, invocation);
    const variable = ['SCHED_TOKEN', 'SCHED_TOKEN_FILE'].find((each) => runtime.env[each]);
    if (variable !== undefined) notes.warn(`${variable} is set and overrides this login. Unset ${variable} to use it`);
    const isOnly = settings.here.profile === undefined && Object.keys(written.profiles).length === 1;
    notes.info(`try: ${suggestedLine({ ...here, isOnly }, { command: ['events', 'list'] })}`);
    return accepted(describeLogin({ name, profile }, record, runtime.clock.now()));
  };

  if (isToken) {
    const token = await readToken(invocation);
    return settle(recordFromToken(token, { origin: new URL(baseUrl).origin, now: runtime.clock.now() }));
  }
  noteUnknownScopes([...(scopes ?? []), ...(added ?? [])], notes);
  const heldScopes = held?.scope.split(' ').filter(Boolean) ?? [];
  let facts: LoginFacts | undefined;
  const basics: LoginBasics = {
    client: found!,
    baseUrl,
    scopes: scopesToAsk({ scopes, added, readOnly: typed['read-only'] === true, held: heldScopes }),
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
  await (typed.device === true ? throughDevice(invocation, basics) : throughBrowser(invocation, basics, name, port));
  return facts!;
};
