import * as oauth from 'oauth4webapi';
import { SchedError } from '../base/errors.ts';
import { the, words } from '../base/words.ts';
import type { AuthClient } from './auth-server.ts';
import type { CredentialRecord } from './credential-schema.ts';
import { completeLogin, type LoginBasics, loginTimeoutMs, within } from './login.ts';
import { callLibrary, findMethod, malformedReply, TokenEndpointUnavailable, TokenRefused } from './oauth-request.ts';
import { type Tokens, tokensFrom } from './token-requests.ts';

/** What the user needs to log in on another device. */
export interface DeviceCode {
  readonly url: string;
  /** The code to type there. */
  readonly code: string;
  /** The same page with the code in its address, if the server has one. */
  readonly completeUrl?: string | undefined;
  /** How long `sched` waits. */
  readonly seconds: number;
}

export interface DeviceLoginOptions extends LoginBasics {
  onCode(code: DeviceCode): void | Promise<void>;
}

/** RFC 8628 §3.5: the pause between two requests, and how much longer it gets when the server says slow_down. */
const usualPauseSeconds = 5;
const slowerSeconds = 5;

/** However short a pause the server allows. */
const shortestPauseSeconds = 1;

const noDevice = (issuer: string): SchedError =>
  new SchedError('usage', words`${the('device')}: the authorization server offers no device login`, {
    reason: `there is no device address for ${issuer}`,
    hint: { command: ['auth', 'login'], flags: { device: false, 'no-browser': true } },
    outcome: 'not-sent',
  });

const deviceLoginError = (message: string): SchedError =>
  new SchedError('auth', message, {
    hint: { command: ['auth', 'login'], flags: { device: true } },
    outcome: 'not-applied',
  });

/** The address of a page that a user is asked to open. */
const pageAddress = (text: unknown): string | undefined =>
  typeof text === 'string' && /^https?:\/\/[\x21-\x7e]{1,2000}$/.test(text) && URL.canParse(text) ? text : undefined;

const requestCode = (
  authClient: AuthClient,
  { scopes, send }: DeviceLoginOptions,
): Promise<oauth.DeviceAuthorizationResponse> => {
  const url = authClient.server.device!;
  return callLibrary(authClient, url, send, async ({ server, client, secret, options }) => {
    const parameters = { scope: scopes.join(' ') };
    const response = await oauth.deviceAuthorizationRequest(server, client, secret, parameters, options);
    const reply = await oauth.processDeviceAuthorizationResponse(server, client, response);
    if (pageAddress(reply.verification_uri) === undefined || !/^[\x20-\x7e]{1,100}$/.test(reply.user_code))
      throw malformedReply('the page or the code for the user is not plain text', url);
    return reply;
  });
};

const requestTokens = (authClient: AuthClient, { send }: DeviceLoginOptions, deviceCode: string): Promise<Tokens> => {
  const url = authClient.server.token;
  return callLibrary(authClient, url, send, async ({ server, client, secret, options }) => {
    const response = await oauth.deviceCodeGrantRequest(server, client, secret, deviceCode, options);
    return tokensFrom(await oauth.processDeviceCodeResponse(server, client, response), url);
  });
};

/** The seconds to add to the pause after an error that means "ask again". Throws any other error. */
const slowdownFor = (error: unknown): number => {
  // RFC 8628 §3.5: after a timeout, ask less often.
  if (error instanceof TokenEndpointUnavailable) return slowerSeconds;
  if (!(error instanceof TokenRefused)) throw error;
  if (error.code === 'authorization_pending') return 0;
  if (error.code === 'slow_down') return slowerSeconds;
  if (error.code === 'access_denied') throw deviceLoginError('The login was denied');
  if (error.code === 'expired_token') throw deviceLoginError('The code has expired');
  throw error;
};

/** Asks for the tokens until the user has decided. */
const poll = async (
  request: () => Promise<Tokens>,
  interval: number,
  { clock, interrupted }: DeviceLoginOptions,
  unwanted: AbortSignal,
): Promise<Tokens> => {
  const stop = AbortSignal.any([unwanted, interrupted]);
  let pauseSeconds = Math.max(shortestPauseSeconds, interval);
  for (;;) {
    await clock.sleep(pauseSeconds * 1000, stop);
    try {
      return await request();
    } catch (error) {
      pauseSeconds += slowdownFor(error);
    }
  }
};

/** Logs in with a code that the user types on another device (RFC 8628). Nothing listens on this machine. */
export const loginWithDevice = async (options: DeviceLoginOptions): Promise<CredentialRecord> => {
  const { client, store, interrupted } = options;
  interrupted.throwIfAborted();
  if (client.server.device === undefined) throw noDevice(client.server.issuer);
  await store.probe();
  const method = findMethod(client);
  const reply = await method.call((each) => requestCode(each, options));
  const { device_code: code, interval = usualPauseSeconds } = reply;
  options.onSecret?.(code, 'code');
  const limitMs = Math.min(loginTimeoutMs, reply.expires_in * 1000);
  await options.onCode({
    url: reply.verification_uri,
    code: reply.user_code,
    completeUrl: pageAddress(reply.verification_uri_complete),
    seconds: Math.ceil(limitMs / 1000),
  });
  const request = () => method.call((each) => requestTokens(each, options, code));
  const tokens = await within((unwanted) => poll(request, interval, options, unwanted), options, limitMs);
  return completeLogin(tokens, { ...options, client: method.client() }, () => false);
};
