import { SchedError } from '../base/errors.ts';
import type { Env } from '../base/system.ts';
import { decodeUri, isLoopback } from '../base/uri.ts';

/** Why a URL can't be a service's base URL, or undefined if it can. */
export const urlProblem = (text: string): string | undefined => {
  if (!URL.canParse(text)) return 'not a URL';
  const { protocol, hostname, username, password } = new URL(text);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
  if (!isSafe) return 'it must be https, or http on a loopback address';
  // Paths are appended to the URL. After a query or fragment, even an empty one, they would not be paths.
  if (username + password !== '' || /[?#]/.test(text)) return 'it must not have a user, query or fragment';
  return text.includes(' ') ? 'it must not contain spaces' : undefined;
};

/** Reads `NO_PROXY` as curl does: comma-separated names that include subdomains, an optional port, `*` for all. */
const isExempt = (url: URL, list: string): boolean =>
  list
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = '', port] = /^\.?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase())!;
      const portFits = port === undefined || port === (url.port || (url.protocol === 'https:' ? '443' : '80'));
      return portFits && (url.hostname === name || url.hostname.endsWith(`.${name}`));
    });

export interface HttpProxy {
  /** Without user and password, so it can be printed. */
  url: string;
  /** The value of the Proxy-Authorization header. */
  login?: string;
  /** The environment variable that names the proxy. */
  variable: string;
}

/** The parts of a proxy's URL, or undefined if it is invalid. As in curl, the default scheme is http. */
export const readProxy = (text: string, variable: string): HttpProxy | undefined => {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(address)) return undefined;
  const { protocol, origin, username, password } = new URL(address);
  if (!/^https?:$/.test(protocol)) return undefined;
  if (username + password === '') return { url: origin, variable };
  const login = decodeUri(`${username}:${password}`);
  if (login === undefined) return undefined;
  return { url: origin, login: `Basic ${Buffer.from(login).toString('base64')}`, variable };
};

/** The proxy for a URL, if the environment names one. */
export const proxyFor = (url: URL, env: Env): HttpProxy | undefined => {
  if (isLoopback(url.hostname)) return undefined;
  if (isExempt(url, env.NO_PROXY ?? env.no_proxy ?? '')) return undefined;
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const variable = env[name] === undefined ? name.toLowerCase() : name;
  const text = env[variable];
  if (!text) return undefined;
  const proxy = readProxy(text, variable);
  if (proxy !== undefined) return proxy;
  // Don't print the value: it may contain a password.
  throw new SchedError('environment', `Invalid proxy in ${variable}`, {
    reason: 'it is not the URL of an http or https proxy, such as http://proxy.example.com:3128',
    outcome: 'not-sent',
  });
};
