import { isIP, type Socket } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';
import connect from 'undici/lib/api/api-connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import { SchedError } from '../base/errors.ts';
import { adviceFor, meaningOf } from '../base/network-errors.ts';
import { NetworkFailure } from './failure.ts';
import type { HttpProxy } from './proxy.ts';

/** The proxy refused. Retrying would not help, and after a wrong login it could lock the account. */
const tunnelRefusal = ({ url, login, variable }: HttpProxy, target: URL, status: number): SchedError => {
  const facts = { reason: `HTTP ${status} from the proxy`, outcome: 'not-sent', isLasting: true } as const;
  if (status !== 407)
    return new SchedError('unavailable', `The proxy ${url} refused to connect to ${target.host}`, {
      ...facts,
      advice: `ask the proxy's administrator to allow ${target.hostname}, or bypass the proxy: NO_PROXY=${target.hostname}`,
    });
  return login === undefined
    ? new SchedError('unavailable', `The proxy ${url} requires a login`, {
        ...facts,
        advice: `set ${variable}=${url.replace('://', '://USER:PASSWORD@')}`,
      })
    : new SchedError('unavailable', `The proxy ${url} refused the login in ${variable}`, {
        ...facts,
        advice: `check the user and password in ${variable}; URL-encode special characters, such as %40 for @`,
      });
};

/** Opens a tunnel to the target. If that fails, the error names the proxy, and the request was never sent. */
const openTunnel = async (
  pool: Pool,
  options: Dispatcher.ConnectOptions,
  proxy: HttpProxy,
  target: URL,
): Promise<Dispatcher.ConnectData> => {
  const failure = (reason: string, advice?: string) =>
    new NetworkFailure(target.host, reason, false, {
      advice: advice ?? `check ${proxy.variable}, or bypass the proxy: NO_PROXY=${target.hostname}`,
    });
  const tunnel = await connect.call(pool, options).catch((error: Error) => {
    throw failure(`the proxy ${proxy.url}: ${meaningOf(error) ?? error.message}`, adviceFor(error));
  });
  if (tunnel.statusCode === 200) {
    // An idle tunnel must not keep the program running; during a request, the timer of its deadline does. Set it here:
    // Bun doesn't pass `unref` on to a TLS connection below another.
    (tunnel.socket as Socket).unref();
    return tunnel;
  }
  tunnel.socket.on('error', () => {}).destroy();
  throw tunnel.statusCode >= 500
    ? failure(`the proxy ${proxy.url} replied with HTTP ${tunnel.statusCode}`)
    : tunnelRefusal(proxy, target, tunnel.statusCode);
};

/** The server name in a TLS handshake is a host name, never an IP address (RFC 6066). */
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
      // undici adds `connect` to every dispatcher in its main file, which isn't loaded.
      return Object.assign(pool, {
        connect: (request: Dispatcher.ConnectOptions) => openTunnel(pool, request, proxy, target),
      });
    },
  });
