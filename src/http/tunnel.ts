import { isIP, type Socket } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';
import connect from 'undici/lib/api/api-connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import { SchedError } from '../errors.ts';
import { describeFailure, hintFor, NetworkFailure } from './failure.ts';
import type { HttpProxy } from './proxy.ts';

/** The proxy said no. Asking again would get the same answer, and could lock the account of a wrong login. */
const refusal = ({ url, login, variable }: HttpProxy, target: URL, status: number): SchedError => {
  const facts = { reason: `HTTP ${status} from the proxy`, outcome: 'not-sent' } as const;
  if (status !== 407)
    return new SchedError('unavailable', `The proxy ${url} refused to connect to ${target.host}`, {
      ...facts,
      hint: `ask for ${target.hostname} to be allowed there, or connect without the proxy: NO_PROXY=${target.hostname}`,
    });
  return login === undefined
    ? new SchedError('unavailable', `The proxy ${url} requires a login`, {
        ...facts,
        hint: `${variable}=${url.replace('://', '://USER:PASSWORD@')}`,
      })
    : new SchedError('unavailable', `The proxy ${url} refused the login in ${variable}`, {
        ...facts,
        hint: `check the user and the password in ${variable}; special characters are URL-encoded, such as %40 for @`,
      });
};

/** A tunnel to the target, or an error that names the proxy. Without a tunnel the request never left. */
const openTunnel = async (
  pool: Pool,
  options: Dispatcher.ConnectOptions,
  proxy: HttpProxy,
  target: URL,
): Promise<Dispatcher.ConnectData> => {
  const failure = (reason: string, hint?: string) =>
    new NetworkFailure(target.host, reason, false, {
      hint: hint ?? `check ${proxy.variable}, or connect without the proxy: NO_PROXY=${target.hostname}`,
    });
  const tunnel = await connect.call(pool, options).catch((error: Error) => {
    throw failure(`the proxy ${proxy.url}: ${describeFailure(error)}`, hintFor(error));
  });
  if (tunnel.statusCode === 200) {
    // An idle tunnel must not keep the program running; its deadline's timer does while a request is under way. Bun
    // passes `unref` on to no TLS connection below another.
    (tunnel.socket as Socket).unref();
    return tunnel;
  }
  tunnel.socket.on('error', () => {}).destroy();
  throw tunnel.statusCode >= 500
    ? failure(`the proxy ${proxy.url} answered with HTTP ${tunnel.statusCode}`)
    : refusal(proxy, target, tunnel.statusCode);
};

/** A TLS handshake names a host, never an IP address (RFC 6066). */
const withoutAddress = (options: buildConnector.Options): buildConnector.Options =>
  isIP(options.hostname.replace(/^\[|\]$/g, '')) ? { ...options, servername: '' } : options;

/** Connections to the target's origin, each through a tunnel that the proxy opens. */
export const tunnelsTo = (
  target: URL,
  proxy: HttpProxy,
  connecting: { timeout: number; signal: AbortSignal },
  connections: number,
): Dispatcher =>
  new ProxyAgent({
    uri: proxy.url,
    ...(proxy.login === undefined ? {} : { token: proxy.login }),
    proxyTls: connecting,
    requestTls: connecting,
    connections,
    allowH2: false,
    clientFactory: (origin, options) => {
      const { connect: dial } = options as { connect: buildConnector.connector };
      const pool = new Pool(origin, { connect: (to, done) => dial(withoutAddress(to), done) });
      // undici's main file gives every dispatcher its `connect`, and it isn't loaded.
      return Object.assign(pool, {
        connect: (request: Dispatcher.ConnectOptions) => openTunnel(pool, request, proxy, target),
      });
    },
  });
