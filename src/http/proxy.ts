import { SchedError } from '../errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** `127.0.0.0/8`, `[::1]` and `localhost`: never reached through a proxy, and free to speak plain http. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || hostname === '::1' || /^127(\.\d{1,3}){3}$/.test(hostname);

/** What keeps an address from being a service's: `https`, or `http` on this machine, and nothing but an address. */
export const urlProblem = (text: string): string | undefined => {
  if (!URL.canParse(text)) return 'it is not a URL';
  const { protocol, hostname, username, password } = new URL(text);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
  if (!isSafe) return 'it must be https, or http on a loopback address';
  // Paths are put behind it: at the end of these, even empty ones, they would be no paths any more.
  if (username + password !== '' || /[?#]/.test(text)) return 'it must have no user, query or fragment';
  return text.includes(' ') ? 'it must have no blank in it' : undefined;
};

/** `NO_PROXY` as curl reads it: comma-separated names, each covering its subdomains, with an optional port; `*` is all. */
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
  /** Without the login, so it can be shown. */
  url: string;
  /** The value of Proxy-Authorization. */
  login?: string;
  /** The environment variable that names the proxy. */
  variable: string;
}

/** The parts of a proxy's address; undefined if it isn't one. Like curl, without a scheme it is http. */
export const readProxy = (text: string, variable: string): HttpProxy | undefined => {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(address)) return undefined;
  const { protocol, origin, username, password } = new URL(address);
  if (!/^https?:$/.test(protocol)) return undefined;
  if (username + password === '') return { url: origin, variable };
  try {
    const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
    return { url: origin, login: `Basic ${login.toString('base64')}`, variable };
  } catch {
    return undefined;
  }
};

/** The proxy through which `url` is reached, if the environment names one. */
export const proxyFor = (url: URL, env: Environment): HttpProxy | undefined => {
  if (isLoopback(url.hostname)) return undefined;
  if (isExempt(url, env.NO_PROXY ?? env.no_proxy ?? '')) return undefined;
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const variable = env[name] === undefined ? name.toLowerCase() : name;
  const text = env[variable];
  if (!text) return undefined;
  const proxy = readProxy(text, variable);
  if (proxy !== undefined) return proxy;
  // Not quoted: it may hold a password.
  throw new SchedError('environment', `${variable} is not usable`, {
    reason: 'it is not the URL of an http or https proxy',
    hint: `${variable}=http://proxy.example.com:3128`,
    outcome: 'not-sent',
  });
};
