import { SchedError } from '../../base/errors.ts';
import type { Json } from '../../base/json.ts';
import { isLoopbackUrl } from '../../base/uri.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import type { Credentials } from '../../http/authorize.ts';
import type { Send } from '../../http/message.ts';
import { urlProblem } from '../../http/proxy.ts';
import type { HeadlessRuntime } from '../../runtime.ts';
import type { WorkNotes } from '../messages/notes.ts';
import { noAccount, suggestedLine } from '../messages/suggested-line.ts';
import type { MirrorAccount } from './open-mirror.ts';
import type { Account, RoomSettings, Settings } from './settings.ts';

/** Default address of `sandbox start`, and of the built-in sandbox in what is printed and stored. */
export const sandboxAddress = 'http://127.0.0.1:4010';

interface Owned {
  user?: string | undefined;
  organization?: string | undefined;
}

/** How requests reach the service. */
export interface Network {
  /** Sends with the credential. */
  send: Send;
  /** Sends without a credential. */
  sendPlain: Send;
  /** The time in the last reply, if it had one. */
  serviceTime(): number | undefined;
  /** The service's time by now, or this machine's if no reply told it. */
  now(): number;
  /** Learns the time of a sandbox. The sandbox neither counts nor logs the request, and no fault applies to it. */
  askSandboxTime(): Promise<void>;
}

/** The service a command talks to, and the credentials it uses. */
export interface Connection {
  baseUrl: string;
  mcpUrl?: string | undefined;
  credentials: Credentials;
  isSandbox: boolean;
  /** The built-in sandbox itself. A request to it in the same process needs no network. */
  service?: Send;
  /** The service's time where no reply must tell it: that of the built-in sandbox, or of a mirror. */
  now?(): number;
  /** The built-in sandbox, and no server runs with its data: the links in its records lead nowhere. */
  isUnserved?: boolean;
  /** The account's values, used if nothing is given. */
  defaults?: Owned & { uriRoot?: string | undefined };
  /** The profile's values beside a token from the environment, used only if the token may not read its own. */
  spare?: Owned;
  /** Who the credential belongs to, if known without a request. */
  owner?: Owned;
  /** The credential is the stored login of the profile. */
  isLogin?: true;
  /** The scopes of the credential, if known. */
  scopes?: readonly string[] | undefined;
  /** Answers every request in place of the network, and how old it is. */
  mirror?: Network & { age: string; inviteesOf(event: string): Json[] | undefined };
  close(): Promise<void>;
}

/** Prefix of every sandbox token. */
const sandboxPrefix = 'sandbox_';

/** Whether the service is a sandbox, either the built-in one or a served one, which has sandbox tokens. */
export const isAnySandbox = async ({ isSandbox, credentials }: Connection): Promise<boolean> =>
  isSandbox || (await credentials.current()).token.startsWith(sandboxPrefix);

/**
 * Whether a sandbox knows this origin of a URI as its own: the built-in sandbox, or the one around `sandbox run`. It takes
 * any address of this machine, because its links carry the one where it listened.
 */
export const isSandboxOrigin = (
  origin: string,
  { isSandbox, baseUrl }: Connection,
  { env }: HeadlessRuntime,
): boolean => (isSandbox || (Boolean(env.SCHED_SANDBOX_ADMIN) && isLoopbackUrl(baseUrl))) && isLoopbackUrl(origin);

/** Prints URLs of the built-in sandbox with the address of `sandbox start`, because its own port changes each time. */
export const shownUrl = (url: string, { isSandbox, baseUrl }: Pick<Connection, 'isSandbox' | 'baseUrl'>): string =>
  isSandbox ? url.replace(baseUrl, sandboxAddress) : url;

/** Often the first error a new user sees, so it lists every way to start, ready to copy. */
const noAccountYet = (): SchedError => {
  const look = suggestedLine({ sandbox: true }, { command: ['events', 'list'] });
  const urls = { 'base-url': 'https://api.example.com', 'auth-url': 'https://auth.example.com' };
  const logIn = suggestedLine(noAccount, { command: ['auth', 'login'], flags: { ...urls, 'client-id': 'ID' } });
  return new SchedError('auth', 'No account yet', {
    hint: look,
    lines: [
      'error: No account yet',
      `  look around without one   ${look}`,
      `  log in                    ${logIn}`,
      '  in CI                     SCHED_TOKEN_FILE=… SCHED_BASE_URL=…',
    ],
  });
};

/** Returns a URL from the environment without trailing slashes. Throws an error that names the variable. */
const checkUrl = (text: string, name: string): string => {
  const problem = urlProblem(text);
  if (problem === undefined) return text.replace(/\/+$/, '');
  throw new SchedError('environment', `${name} is not a usable URL`, {
    reason: problem,
    advice: 'an example is https://api.example.com',
  });
};

/** Bytes of a file with a token. No real token is nearly as long. */
export const longestToken = 4 * 1024 * 1024;

/** Returns a token that fits into a header. The error never contains the token, not even an invalid one. */
export const checkToken = (text: string, name: string): string => {
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new SchedError('auth', `${name} doesn't contain a token`, {
    reason: token === '' ? 'it is empty' : 'a token is one word of plain ASCII without spaces or line breaks',
  });
};

/** The token from the environment, if there is one. */
export const environmentToken = async (runtime: HeadlessRuntime): Promise<string | undefined> => {
  const { env, secrets } = runtime;
  if (env.SCHED_TOKEN) return checkToken(env.SCHED_TOKEN, 'SCHED_TOKEN');
  if (!env.SCHED_TOKEN_FILE) return undefined;
  const { readTextNamedIn } = await import('../../state/named-file.ts');
  const token = checkToken(await readTextNamedIn('SCHED_TOKEN_FILE', runtime, longestToken), 'SCHED_TOKEN_FILE');
  secrets.keep(token);
  return token;
};

/** Whose mirror a command uses. */
export const mirrorAccount = async (
  runtime: HeadlessRuntime,
  { account, sandbox }: Pick<RoomSettings, 'account' | 'sandbox'>,
): Promise<MirrorAccount> => {
  if (sandbox) return { profile: undefined, baseUrl: sandboxAddress, isSandbox: true };
  const token = await environmentToken(runtime);
  if (token === undefined && account === undefined) throw noAccountYet();
  // With the name of the profile behind it.
  const [user = ''] = account?.profile.login?.user.split(' ') ?? [];
  const owner = token === undefined && URL.canParse(user) ? user : undefined;
  return { profile: account?.name, baseUrl: serviceOf(runtime, account).baseUrl, token, user: owner };
};

/** A service on the network. Its URLs are from the environment, else from the profile. */
const serviceOf = ({ env }: HeadlessRuntime, account: Account | undefined) => ({
  baseUrl: env.SCHED_BASE_URL ? checkUrl(env.SCHED_BASE_URL, 'SCHED_BASE_URL') : account?.profile.base_url,
  mcpUrl: env.SCHED_MCP_URL ? checkUrl(env.SCHED_MCP_URL, 'SCHED_MCP_URL') : account?.profile.mcp_url,
  isSandbox: false,
  close: async () => {},
});

/** The profile's user belongs to the profile's login, so it is only second to the owner of another token. */
const defaultsOf = (
  account: Account | undefined,
  tokenFrom: 'environment' | 'login',
): Pick<Connection, 'defaults' | 'spare'> => {
  const { user, organization, uri_root: uriRoot } = account?.profile ?? {};
  return tokenFrom === 'login'
    ? { defaults: { user, organization, uriRoot } }
    : { defaults: { uriRoot }, spare: { user, organization } };
};

/** What decides how a command connects. */
type ConnectSettings = RoomSettings & Pick<Settings, 'curl'>;

/** `--curl` prints a request that needs no reads without a token. With a read, it fails with `error`. */
const withoutToken = (
  error: SchedError,
  runtime: HeadlessRuntime,
  { account, curl }: Pick<Settings, 'account' | 'curl'>,
): Connection => {
  const { baseUrl, ...service } = serviceOf(runtime, account);
  if (!curl || baseUrl === undefined) throw error;
  const credentials = { current: () => Promise.reject(error) };
  return { ...service, baseUrl, credentials, ...defaultsOf(account, 'login') };
};

const withToken = (token: string, runtime: HeadlessRuntime, account: Account | undefined): Connection => {
  const { baseUrl, ...service } = serviceOf(runtime, account);
  if (baseUrl === undefined) {
    throw new SchedError('environment', 'Found a token, but no base URL to send it to', {
      reason: 'SCHED_BASE_URL is not set, and there is no profile',
    });
  }
  const credential = { token, origin: new URL(baseUrl).origin };
  return {
    ...service,
    baseUrl,
    credentials: { current: async () => credential },
    ...defaultsOf(account, 'environment'),
  };
};

/** Whatever the outcome of a refresh, the request that needed it has another one: it wasn't sent, or was refused. */
const withOutcome = (outcome: 'not-sent' | 'not-applied') => (error: unknown) => {
  if (!(error instanceof SchedError) || error.facts.outcome === undefined) throw error;
  throw error.with({ outcome });
};

/** Connects with a profile's login. Its token goes only to its own origin, whatever the environment says. */
const withLogin = async (
  account: Account,
  runtime: HeadlessRuntime,
  settings: ConnectSettings,
  notes: WorkNotes,
): Promise<Connection> => {
  const { name } = account;
  const { openLogin } = await import('./stored-login.ts');
  const session = await openLogin(account, runtime, settings, notes);
  if (session === undefined) {
    const error = new SchedError('auth', `Profile "${name}" is not logged in`, {
      hint: { command: ['auth', 'login'] },
    });
    return withoutToken(error, runtime, settings);
  }
  const { owner, organization, scope } = await session.record();
  const { baseUrl, ...service } = serviceOf(runtime, account);
  return {
    ...service,
    baseUrl: baseUrl!,
    credentials: {
      current: () => session.current().catch(withOutcome('not-sent')),
      refresh: (credential) => session.refresh(credential).catch(withOutcome('not-applied')),
    },
    isLogin: true,
    ...defaultsOf(account, 'login'),
    owner: { user: owner || undefined, organization: organization || undefined },
    scopes: scope === '' ? undefined : scope.split(' '),
  };
};

/** With several profiles, headings and answers for people say which one is in use. */
const placeOf = ({ account }: Pick<RoomSettings, 'account'>): string | undefined =>
  account === undefined || account.isOnly ? undefined : account.name;

export const connect = async (
  runtime: HeadlessRuntime,
  settings: ConnectSettings,
  notes: WorkNotes,
  dialect: () => Promise<Dialect | undefined>,
): Promise<Connection> => {
  if (settings.sandbox && !settings.mirror) {
    const { startSandbox } = await import('./open-sandbox.ts');
    return startSandbox(runtime, notes, sandboxAddress);
  }
  if (settings.mirror) {
    const { openMirrorOf } = await import('./open-mirror.ts');
    const profile = placeOf(settings);
    if (profile !== undefined) notes.place(profile, 'people');
    return openMirrorOf(runtime, settings, notes, await mirrorAccount(runtime, settings), await dialect());
  }
  const place = placeOf(settings);
  if (place !== undefined) notes.place(place, 'people');
  const token = await environmentToken(runtime);
  if (token !== undefined) return withToken(token, runtime, settings.account);
  if (settings.account === undefined) return withoutToken(noAccountYet(), runtime, settings);
  return withLogin(settings.account, runtime, settings, notes);
};
