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

/** How the answer of the browser reaches us. */
export type LoginMethod =
  | { kind: 'browser'; open(url: string): Promise<boolean> }
  /** `line` is one line that a person typed, or `undefined` at the end of the input; it stops reading on `unwanted`. */
  | { kind: 'paste'; line(unwanted: AbortSignal): Promise<string | undefined> };

export interface LoginOptions {
  issuer: Issuer;
  /** The API's base URL: its origin is the only one the token will be sent to. */
  baseUrl: string;
  scopes: readonly string[];
  way: LoginMethod;
  port?: number | undefined;
  /** Where the token will be stored. */
  store: Pick<CredentialStore, 'probe'>;
  send: Send;
  clock: Clock;
  interrupted: AbortSignal;
  randomBytes(count: number): Uint8Array;
  /** Told what must not be printed, before it is sent anywhere. */
  onSecret?(secret: string, kind: SecretKind): void;
  /** Told the address, always and before it is opened. */
  onUrl(url: string): void | Promise<void>;
  /** Told whether a browser could be opened. */
  onOpened?(opened: boolean): void;
  /** What else belongs to a login, such as keeping it: the browser is told of success only afterwards. */
  finish?(record: CredentialRecord): Promise<void>;
  /** Told why what was pasted is not the answer. */
  onMistake?(why: string): void | Promise<void>;
  timeoutMs?: number;
}

export const loginTimeoutMs = 5 * 60_000;

/** Nobody is there to click: said at once, not after five minutes. */
export const noTerminalForLogin = (): SchedError =>
  new SchedError('auth', 'A login needs a person at a terminal', {
    reason: 'there is no terminal here, or CI is set',
    hint: 'sched auth login --with-token < FILE, or set SCHED_TOKEN',
    outcome: 'not-sent',
  });

const tooLate = (): SchedError =>
  new SchedError('auth', 'The login was not finished in time', { hint: 'sched auth login', outcome: 'not-applied' });

const noAnswer = (): SchedError =>
  new SchedError('auth', 'No address was pasted', {
    reason: 'the input ended, so nothing was stored',
    outcome: 'not-applied',
  });

const noPort = 0;

/** A port that no service uses (RFC 6335 §6): with --paste nobody needs to listen on it. */
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

/** Whatever comes first: the work, the end of the time, or a signal. The work is told when nobody waits for it any more. */
const within = async <Value>(
  work: (unwanted: AbortSignal) => Promise<Value>,
  { clock, interrupted, timeoutMs = loginTimeoutMs }: LoginOptions,
) => {
  const done = new AbortController();
  const late = clock.sleep(timeoutMs, AbortSignal.any([done.signal, interrupted])).then(() => {
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
 * Logs in with a person's consent and returns the credential; storing it is left to `finish`, since `keep` needs to know
 * whose it is. The store is proven before the browser opens: a consent must not be asked for in vain.
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
    // The person took some time: a code is not spent on a token that cannot be stored any more.
    await store.probe();
    const tokens = await exchange(grant, send);
    const record = recordFromLogin(tokens, { issuer, origin: new URL(baseUrl).origin, scopes, now: clock.now() });
    interrupted.throwIfAborted();
    // Whoever was told that nothing came of it must not find himself logged in.
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
    port: options.port ?? noPort,
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
