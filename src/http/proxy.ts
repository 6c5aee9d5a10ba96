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

/** The proxy through which `url` is reached, if the environment names one. Like curl, without a scheme it is http. */
export const proxyFor = (url: URL, env: Environment): string | undefined => {
  if (isLoopback(url.hostname)) return undefined;
  if (isExempt(url, env.NO_PROXY ?? env.no_proxy ?? '')) return undefined;
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = env[name] ?? env[name.toLowerCase()];
  if (!proxy) return undefined;
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address;
  // Not quoted: it may hold a password.
  throw new SchedError('environment', `${name} is not usable`, {
    reason: 'it is not the URL of an http or https proxy',
    hint: `${name}=http://proxy.example.com:3128`,
    outcome: 'not-sent',
  });
};
