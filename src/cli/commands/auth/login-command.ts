import { isDeepStrictEqual } from 'node:util';
import { users } from '../../../api/users.ts';
import { recordFromToken } from '../../../auth/record.ts';
import type { CredentialRecord } from '../../../auth/record-schema.ts';
import type { CredentialStore } from '../../../auth/stores.ts';
import { createClient } from '../../../client/client.ts';
import type { Json } from '../../../client/reading.ts';
import { SchedError } from '../../../errors.ts';
import { authorize } from '../../../http/authorize.ts';
import type { Invocation } from '../../command.ts';
import { commandLine } from '../../messages/shell-line.ts';
import { typedWords } from '../../parse/typed-words.ts';
import { checkToken, longestToken } from '../../session/connection.ts';
import { nameProblem } from '../../session/profile-name.ts';
import type { Config, Profile } from '../../session/profile-schema.ts';
import { changeConfig, chosenName, probeConfig, readConfig } from '../../session/profiles.ts';
import { askLine, askYes } from '../../session/prompt.ts';
import { openLogin, rememberSecret, removeLogin, saveLogin, storeOf } from '../../session/stored-login.ts';
import { type Addresses, readAddresses } from './login-addresses.ts';
import { accepted, describeLogin, type LoginFacts } from './login-facts.ts';

export interface LoginChoices {
  port: number | undefined;
  /** The scopes to request, given the scopes that the login already has. */
  scopesFor(held: readonly string[]): string[];
}

const reasonOf = (error: unknown): string =>
  (error instanceof SchedError ? error.facts.reason : undefined) ?? (error as Error).message;

const readStore = ({ context, typed, problems }: Invocation): CredentialStore['kind'] | undefined => {
  const wanted =
    (typed['credential-store'] as string | undefined) ?? (context.runtime.env.SCHED_CREDENTIAL_STORE || undefined);
  if (wanted === undefined || wanted === 'keychain' || wanted === 'file') return wanted;
  // The settings check the variable.
  if (typed['credential-store'] !== undefined)
    problems.add(`--credential-store must be keychain or file, not "${wanted}"`);
  return undefined;
};

/** Opens the chosen store and tests it. If there is no keychain, asks on a terminal whether to use a file. */
const openProvenStore = async (
  invocation: Invocation,
  wanted: CredentialStore['kind'] | undefined,
  profile: Profile | undefined,
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
    if (!(await askYes(context, asked, shown))) throw error;
    await file.probe();
    return file;
  }
};

/** The user this credential belongs to, or undefined if the token may not read users. */
const userOf = async (
  record: CredentialRecord,
  baseUrl: string,
  { context }: Invocation,
): Promise<Json | undefined> => {
  const { send } = context.runtime;
  const credential = { token: record.access_token, origin: record.origin };
  const client = createClient({ baseUrl, send: authorize({ current: async () => credential })(send), sendPlain: send });
  try {
    return await client.call(users.me, {});
  } catch (error) {
    if (error instanceof SchedError && error.category === 'forbidden') return undefined;
    throw error;
  }
};

const readToken = async ({ context }: Invocation): Promise<string> => {
  const { stdin } = context.runtime;
  return checkToken(new TextDecoder().decode(await stdin.bytes(longestToken)), 'stdin');
};

const throughBrowser = async (
  { context, typed, inOrder }: Invocation,
  profile: string,
  addresses: Addresses,
  store: CredentialStore,
  scopes: readonly string[],
  port: number | undefined,
  finish: (record: CredentialRecord) => Promise<void>,
): Promise<CredentialRecord> => {
  const { runtime, notes } = context;
  const { login } = await import('../../../auth/login.ts');
  return login({
    issuer: { url: addresses.auth_url!, clientId: addresses.client_id! },
    baseUrl: addresses.base_url!,
    scopes,
    way:
      typed.paste === true
        ? {
            kind: 'paste',
            line: (unwanted) => askLine(context, "Then paste the URL from the browser's address bar: ", unwanted),
          }
        : { kind: 'browser', open: typed['no-browser'] === true ? async () => false : runtime.openBrowser },
    port,
    profile,
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
    randomBytes: runtime.randomBytes,
    onSecret: runtime.secrets.keep,
    finish,
    onUrl: async (url) => {
      notes.always(
        typed.paste === true || typed['no-browser'] === true
          ? 'Open this URL in a browser:'
          : 'Opening this URL in your browser:',
      );
      notes.always(url);
      if (typed.paste !== true)
        notes.always('Waiting up to 5 minutes for you to finish in the browser. Press Ctrl-C to stop');
      await notes.flush();
    },
    onOpened: (opened) => {
      if (!opened && typed['no-browser'] !== true) notes.warn("Can't open a browser. Open the URL yourself");
      if (!opened || runtime.env.SSH_CONNECTION) {
        const again = commandLine('auth', 'login', ...typedWords({ args: [], inOrder }), '--paste');
        notes.always(`If the browser runs on another machine, press Ctrl-C and run: ${again}`);
      }
    },
    onMistake: (why) => notes.warn(`Can't use that URL: ${why}`),
  });
};

/** Deletes and revokes a replaced login, unless another profile uses it: no command could log out of it later. */
const forgetReplaced = async (
  login: Profile['login'],
  name: string,
  { profiles }: Config,
  { context }: Invocation,
): Promise<void> => {
  const { runtime, notes } = context;
  const isNamed = Object.values(profiles).some((profile) => isDeepStrictEqual(profile.login, login));
  if (login === undefined || isNamed) return;
  const { store, ...key } = login;
  const { store: _, ...now } = profiles[name]!.login!;
  try {
    // The same user in another store: only delete it, because revoking it might end the new login too.
    if (isDeepStrictEqual(key, now)) await (await storeOf(store, runtime)).remove(key);
    else await removeLogin(`${name} (previous)`, login, runtime, notes);
  } catch (error) {
    notes.warn(`The previous login could not be deleted (${reasonOf(error)})`);
  }
};

/** Logs in, stores the credential and records in the profile where it is. */
export const logIn = async (invocation: Invocation, { port, scopesFor }: LoginChoices): Promise<LoginFacts> => {
  const { context, typed, problems } = invocation;
  const { runtime, settings, notes } = context;
  const isToken = typed['with-token'] === true;
  const config = await readConfig(runtime);
  const name = chosenName(typed.profile as string | undefined, runtime, config) ?? 'default';
  const wrong = nameProblem(name);
  if (wrong !== undefined) problems.add(wrong);
  const before = Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
  const isInteractive = runtime.stdin.isTerminal && runtime.stderr.isTerminal && !runtime.env.CI;
  if (!isToken && !isInteractive) {
    problems.check();
    throw (await import('../../../auth/login.ts')).noTerminalForLogin();
  }
  const wantedStore = readStore(invocation);
  const addresses = await readAddresses(
    invocation,
    before,
    isToken ? ['base_url'] : ['base_url', 'auth_url', 'client_id'],
  );
  const baseUrl = addresses.base_url!;
  const store = await openProvenStore(invocation, wantedStore, before);
  const session =
    before === undefined ? undefined : await openLogin({ name, profile: before }, runtime, settings, notes);
  const held = (await session?.record().catch(() => undefined))?.scope.split(' ').filter(Boolean) ?? [];

  /** Looks up the user, stores the credential and updates the profile. */
  const settle = async (first: CredentialRecord): Promise<LoginFacts> => {
    rememberSecret(runtime, first);
    const me = await userOf(first, baseUrl, invocation);
    const uri = me === undefined ? '' : String(me.uri);
    const record = {
      ...first,
      owner: first.owner || uri,
      organization: first.organization || String(me?.current_organization ?? ''),
      ...(typeof me?.name === 'string' ? { name: me.name } : {}),
    };
    if (record.owner === '') {
      notes.warn(
        "The token can't read its own user (scope users:read). Use --user and --org, or set them with sched profiles set",
      );
    }
    const key = await saveLogin(record, store, runtime, name, notes);
    const root = /^(https?:\/\/.+)\/users\/[\w-]+$/.exec(uri)?.[1];
    const learned: Profile = {
      base_url: baseUrl,
      ...(addresses.auth_url === undefined ? {} : { auth_url: addresses.auth_url, issuer: addresses.auth_url }),
      ...(addresses.mcp_url === undefined ? {} : { mcp_url: addresses.mcp_url }),
      ...(addresses.client_id === undefined ? {} : { client_id: addresses.client_id }),
      ...(root === undefined ? {} : { uri_root: root }),
      login: { store: store.kind, ...key },
    };
    // The login may have taken minutes: keep what was set in the profile in the meantime.
    const written = await changeConfig(runtime, (config) => ({
      ...config,
      current: config.current ?? name,
      profiles: { ...config.profiles, [name]: { ...config.profiles[name], ...learned } },
    }));
    const profile = written.profiles[name]!;
    await forgetReplaced(before?.login, name, written, invocation);
    notes.info(`Logged in as ${record.name ?? (record.owner || 'an unnamed user')} (profile ${name})`);
    notes.info(`The token is stored in ${store.describe()}`);
    const variable = ['SCHED_TOKEN', 'SCHED_TOKEN_FILE'].find((each) => runtime.env[each]);
    if (variable !== undefined) notes.warn(`${variable} is set and overrides this login. Unset ${variable} to use it`);
    notes.info(`try: sched events list${written.current === name ? '' : ` -p ${name}`}`);
    return accepted(describeLogin({ name, profile }, record, runtime.clock.now()));
  };

  if (isToken) {
    const token = await readToken(invocation);
    return settle(recordFromToken(token, { origin: new URL(baseUrl).origin, now: runtime.clock.now() }));
  }
  let facts: LoginFacts | undefined;
  // The browser shows success only after everything is saved.
  await throughBrowser(invocation, name, addresses, store, scopesFor(held), port, async (record) => {
    facts = await settle(record);
  });
  return facts!;
};
