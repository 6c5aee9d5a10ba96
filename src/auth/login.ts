import { SchedError } from '../base/errors.ts';
import type { SecretKind } from '../base/redact.ts';
import type { Clock, RandomBytes } from '../base/system.ts';
import { the, words } from '../base/words.ts';
import type { Send } from '../http/message.ts';
import { type AuthClient, authorizationUrl } from './auth-server.ts';
import {
  type CallbackResult,
  callbackPath,
  checkCallback,
  checkPasted,
  type Expectation,
  type Grant,
} from './callback.ts';
import { recordFromLogin } from './credential.ts';
import type { CredentialRecord } from './credential-schema.ts';
import { openListener } from './loopback.ts';
import { findMethod } from './oauth-request.ts';
import { type LoginSecrets, makeSecrets } from './pkce.ts';
import type { CredentialStore } from './stores.ts';
import { exchangeCode, type Tokens } from './token-requests.ts';

/** Reads one line from the user, or `undefined` at the end of input. Stops reading on `unwanted`. */
type ReadLine = (unwanted: AbortSignal) => Promise<string | undefined>;

interface BrowserMethod {
  kind: 'browser';
  open(url: string): Promise<boolean>;
  /** Called with whether a browser could be opened. May return a way to paste the final address instead. */
  onOpened?(isOpen: boolean): ReadLine | undefined;
}

/** How the callback gets from the browser to `sched`. */
export type LoginMethod = BrowserMethod | { kind: 'paste'; line: ReadLine };

/** What a login needs, whichever way it takes. */
export interface LoginBasics {
  client: AuthClient;
  /** The API's base URL. The token is sent only to its origin. */
  baseUrl: string;
  scopes: readonly string[];
  /** Where the token will be stored. */
  store: Pick<CredentialStore, 'probe'>;
  send: Send;
  clock: Clock;
  interrupted: AbortSignal;
  /** Called with each secret that must not be printed, before it is sent anywhere. */
  onSecret?(secret: string, kind: SecretKind): void;
  /**
   * Completes the login, for example by storing it and the client as the server accepted it. The browser shows success
   * only afterwards.
   */
  finish?(record: CredentialRecord, client: AuthClient): Promise<void>;
}

export interface LoginOptions extends LoginBasics {
  way: LoginMethod;
  port?: number | undefined;
  /** The command that logs in again, for the page in the browser. */
  again: string;
  randomBytes: RandomBytes;
  /** Called with the login URL, always and before it is opened. */
  onUrl(url: string): void | Promise<void>;
  /** Called with the reason why a pasted line was not accepted. */
  onMistake?(why: string): void | Promise<void>;
}

export const loginTimeoutMs = 5 * 60_000;

/** Without a terminal, no user can complete the login: fail at once, not after five minutes. */
export const noTerminalForLogin = (): SchedError =>
  new SchedError('auth', "Can't log in without a terminal", {
    reason: 'there is no terminal, or CI is set',
    advice: words`pass a token on stdin with ${the('withToken')}, or set SCHED_TOKEN`,
    outcome: 'not-sent',
  });

const tooLate = (): SchedError =>
  new SchedError('auth', 'The login timed out', {
    // RFC 6749 §4.1.2.1: a server that doubts the client or its address shows an error in the browser, and sends none here.
    reason:
      "no reply came. If the browser shows an error, the server doesn't know the client ID, or the redirect address with its port",
    hint: { command: ['auth', 'login'] },
    outcome: 'not-applied',
  });

const noAnswer = (): SchedError =>
  new SchedError('auth', 'No URL was pasted', {
    reason: 'the input ended, so nothing was stored',
    outcome: 'not-applied',
  });

/** A port that no service uses (RFC 6335 §6). With --paste, nothing needs to listen on it. */
const somePort = (randomBytes: LoginOptions['randomBytes']): number => {
  const [high = 0, low = 0] = randomBytes(2);
  return 49_152 + ((high * 256 + low) % 16_384);
};

/** Reads lines until one is a reply to this login, or the input ends. */
const readPastedReply = async (
  { onMistake }: LoginOptions,
  expectation: Expectation,
  line: () => Promise<string | undefined>,
): Promise<Exclude<CallbackResult, { kind: 'ignored' }>> => {
  for (;;) {
    const text = await line();
    if (text === undefined) return { kind: 'refused', page: 'failed', error: noAnswer() };
    const verdict = checkPasted(text, expectation);
    if (verdict.kind !== 'ignored') return verdict;
    await onMistake?.(verdict.why);
  }
};

/**
 * Runs the work until it ends, the time is up or a signal comes. `unwanted` aborts when its result is not needed. A timer
 * is the limit, because the machine's clock may be set meanwhile.
 */
export const within = async <Value>(
  work: (unwanted: AbortSignal) => Promise<Value>,
  { clock, interrupted }: LoginBasics,
  limitMs = loginTimeoutMs,
) => {
  const end = new AbortController();
  const late = clock.sleep(limitMs, AbortSignal.any([end.signal, interrupted])).then(() => {
    throw tooLate();
  });
  try {
    return await Promise.race([work(end.signal), late]);
  } finally {
    late.catch(() => {});
    end.abort();
  }
};

/** The credential from new tokens. Completes the login, unless the user was already told that it failed. */
export const completeLogin = async (tokens: Tokens, options: LoginBasics, isOver: () => boolean) => {
  const { client, baseUrl, scopes, clock, interrupted } = options;
  const record = recordFromLogin(tokens, { client, origin: new URL(baseUrl).origin, scopes, now: clock.now() });
  interrupted.throwIfAborted();
  if (isOver()) throw tooLate();
  await options.finish?.(record, client);
  return record;
};

/** Waits for the callback on this machine, and for a pasted address if the browser may run on another one. */
const throughListener = async (
  options: LoginOptions,
  way: BrowserMethod,
  secrets: LoginSecrets,
  redeem: (grant: Grant, isOver: () => boolean) => Promise<CredentialRecord>,
): Promise<CredentialRecord> => {
  const { client, scopes, clock, onUrl } = options;
  const expect = (redirectUri: string): Expectation => ({ client, secrets, redirectUri });
  const over = new AbortController();
  const reading = new AbortController();
  let lastLine: Promise<unknown> | undefined;
  const listener = await openListener({
    port: options.port,
    again: options.again,
    clock,
    check: (request, redirectUri) => checkCallback(request, expect(redirectUri)),
    exchange: async (grant) => {
      // The prompt must be gone before anything else is printed.
      reading.abort();
      await lastLine?.catch(() => {});
      return redeem(grant, () => over.signal.aborted);
    },
  });
  const readPasted = async (url: string) => {
    const isOpen = await way.open(url).catch(() => false);
    const line = way.onOpened?.(isOpen);
    const { signal } = reading;
    if (line === undefined || signal.aborted) return;
    const read = () => {
      const text = line(signal);
      lastLine = text;
      return text;
    };
    listener.settle(await readPastedReply(options, expect(listener.redirectUri), read));
  };
  try {
    const url = authorizationUrl(client, secrets, listener.redirectUri, scopes);
    await onUrl(url);
    // It ends with an error if the reading is aborted.
    readPasted(url).catch(() => {});
    return await within(() => listener.result, options);
  } finally {
    over.abort();
    reading.abort();
    await lastLine?.catch(() => {});
    await listener.close();
  }
};

/**
 * Logs in through the browser and returns the credential. `finish` stores it, because `saveCredential` needs to know
 * the owner. The store is tested before the browser opens, so that the user doesn't grant access for nothing.
 */
export const login = async (options: LoginOptions): Promise<CredentialRecord> => {
  const { client, scopes, way, store, send, interrupted, randomBytes, onUrl } = options;
  interrupted.throwIfAborted();
  await store.probe();
  const method = findMethod(client);
  const secrets = await makeSecrets(randomBytes);
  options.onSecret?.(secrets.verifier, 'verifier');
  const redeem = async (grant: Grant, isOver: () => boolean): Promise<CredentialRecord> => {
    options.onSecret?.(grant.parameters.get('code')!, 'code');
    // The user may have taken minutes. Don't spend the code on a token that can no longer be stored.
    await store.probe();
    const tokens = await method.call((each) => exchangeCode({ ...grant, client: each }, send));
    return completeLogin(tokens, { ...options, client: method.client() }, isOver);
  };

  if (way.kind === 'browser') return throughListener(options, way, secrets, redeem);
  const redirectUri = `http://127.0.0.1:${options.port || somePort(randomBytes)}${callbackPath}`;
  const expectation: Expectation = { client, secrets, redirectUri };
  await onUrl(authorizationUrl(client, secrets, redirectUri, scopes));
  const verdict = await within((unwanted) => readPastedReply(options, expectation, () => way.line(unwanted)), options);
  if (verdict.kind === 'refused') throw verdict.error;
  return redeem(verdict.grant, () => false);
};
