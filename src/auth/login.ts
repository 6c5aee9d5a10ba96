import { SchedError } from '../errors.ts';
import type { Send } from '../http/message.ts';
import type { SecretKind } from '../redact.ts';
import { callbackPath, checkPasted, checkRequest, type Expectation, type Grant } from './callback.ts';
import { authorizationUrl, type Issuer } from './issuer.ts';
import { openListener } from './loopback.ts';
import { makeSecrets } from './pkce.ts';
import { recordFromLogin } from './record.ts';
import type { CredentialRecord } from './record-schema.ts';
import type { CredentialStore } from './stores.ts';
import { exchange } from './tokens.ts';

interface Clock {
  now(): number;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** How the callback gets from the browser to `sched`. */
export type LoginMethod =
  | { kind: 'browser'; open(url: string): Promise<boolean> }
  /** `line` reads one line from the user, or `undefined` at the end of input. It stops reading on `unwanted`. */
  | { kind: 'paste'; line(unwanted: AbortSignal): Promise<string | undefined> };

export interface LoginOptions {
  issuer: Issuer;
  /** The API's base URL. The token is sent only to its origin. */
  baseUrl: string;
  scopes: readonly string[];
  way: LoginMethod;
  port?: number | undefined;
  /** The profile to log in, for the command that the browser's page shows. */
  profile?: string | undefined;
  /** Where the token will be stored. */
  store: Pick<CredentialStore, 'probe'>;
  send: Send;
  clock: Clock;
  interrupted: AbortSignal;
  randomBytes(count: number): Uint8Array;
  /** Called with each secret that must not be printed, before it is sent anywhere. */
  onSecret?(secret: string, kind: SecretKind): void;
  /** Called with the login URL, always and before it is opened. */
  onUrl(url: string): void | Promise<void>;
  /** Called with whether a browser could be opened. */
  onOpened?(opened: boolean): void;
  /** Completes the login, for example by storing it. The browser shows success only afterwards. */
  finish?(record: CredentialRecord): Promise<void>;
  /** Called with the reason why a pasted line was not accepted. */
  onMistake?(why: string): void | Promise<void>;
}

export const loginTimeoutMs = 5 * 60_000;

/** Without a terminal, no user can complete the login: fail at once, not after five minutes. */
export const noTerminalForLogin = (): SchedError =>
  new SchedError('auth', "Can't log in without a terminal", {
    reason: 'there is no terminal, or CI is set',
    advice: 'pass a token on stdin with --with-token, or set SCHED_TOKEN',
    outcome: 'not-sent',
  });

const tooLate = (): SchedError =>
  new SchedError('auth', 'The login timed out', { hint: { command: ['auth', 'login'] }, outcome: 'not-applied' });

const noAnswer = (): SchedError =>
  new SchedError('auth', 'No URL was pasted', {
    reason: 'the input ended, so nothing was stored',
    outcome: 'not-applied',
  });

const anyPort = 0;

/** A port that no service uses (RFC 6335 §6). With --paste, nothing needs to listen on it. */
const somePort = (randomBytes: LoginOptions['randomBytes']): number => {
  const [high = 0, low = 0] = randomBytes(2);
  return 49_152 + ((high * 256 + low) % 16_384);
};

const pasted = async (options: LoginOptions, expected: Expectation, line: () => Promise<string | undefined>) => {
  for (;;) {
    const text = await line();
    if (text === undefined) throw noAnswer();
    const verdict = checkPasted(text, expected);
    if (verdict.kind === 'granted') return verdict.grant;
    if (verdict.kind === 'refused') throw verdict.error;
    await options.onMistake?.(verdict.why);
  }
};

/** Runs the work until it ends, the time is up or a signal comes. `unwanted` aborts when its result is not needed. */
const within = async <Value>(work: (unwanted: AbortSignal) => Promise<Value>, { clock, interrupted }: LoginOptions) => {
  const done = new AbortController();
  const late = clock.sleep(loginTimeoutMs, AbortSignal.any([done.signal, interrupted])).then(() => {
    throw tooLate();
  });
  try {
    return await Promise.race([work(done.signal), late]);
  } finally {
    late.catch(() => {});
    done.abort();
  }
};

/**
 * Logs in through the browser and returns the credential. `finish` stores it, because `saveCredential` needs to know
 * the owner. The store is tested before the browser opens, so that the user doesn't grant access for nothing.
 */
export const login = async (options: LoginOptions): Promise<CredentialRecord> => {
  const { issuer, baseUrl, scopes, way, store, send, clock, interrupted, randomBytes, onUrl } = options;
  interrupted.throwIfAborted();
  await store.probe();
  const secrets = await makeSecrets(randomBytes);
  options.onSecret?.(secrets.verifier, 'verifier');
  const expect = (redirectUri: string): Expectation => ({ issuer, secrets, redirectUri });
  let isOver = false;
  const redeem = async (grant: Grant): Promise<CredentialRecord> => {
    options.onSecret?.(grant.parameters.get('code')!, 'code');
    // The user may have taken minutes. Don't spend the code on a token that can no longer be stored.
    await store.probe();
    const tokens = await exchange(grant, send);
    const record = recordFromLogin(tokens, { issuer, origin: new URL(baseUrl).origin, scopes, now: clock.now() });
    interrupted.throwIfAborted();
    // The user was already told that the login failed, so don't store it now.
    if (isOver) throw tooLate();
    await options.finish?.(record);
    return record;
  };

  if (way.kind === 'paste') {
    const expected = expect(`http://127.0.0.1:${options.port || somePort(randomBytes)}${callbackPath}`);
    await onUrl(authorizationUrl(issuer, secrets, expected.redirectUri, scopes));
    return redeem(await within((unwanted) => pasted(options, expected, () => way.line(unwanted)), options));
  }

  const listener = await openListener({
    port: options.port ?? anyPort,
    profile: options.profile,
    clock,
    check: (request, redirectUri) => checkRequest(request, expect(redirectUri)),
    exchange: redeem,
  });
  try {
    const url = authorizationUrl(issuer, secrets, listener.redirectUri, scopes);
    await onUrl(url);
    way.open(url).then(options.onOpened, () => options.onOpened?.(false));
    return await within(() => listener.result, options);
  } finally {
    isOver = true;
    await listener.close();
  }
};
