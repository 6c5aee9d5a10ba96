import { decodeUri } from '../../base/uri.ts';
export interface RedisAddress {
  host: string;
  port: number;
  isTls: boolean;
  database: number;
  username?: string;
  password?: string;
}

/** Why a URL can't be the address of the shared state, or undefined if it can. Never repeats the URL (R12). */
export const addressProblem = (text: string): string | undefined => {
  if (!URL.canParse(text) || !/^rediss?:\/\//i.test(text))
    return 'it must be a URL such as rediss://redis.example.com:6379';
  const { hostname, pathname, username, password } = new URL(text);
  if (hostname === '') return 'it has no host name';
  if (/[?#\s]/.test(text)) return 'it must not have a query, a fragment or spaces';
  if (!/^\/?\d{0,4}$/.test(pathname)) return 'its path must be the number of a database, such as /0';
  if (decodeUri(username) === undefined || decodeUri(password) === undefined)
    return 'its user or password is not percent-encoded correctly';
  return undefined;
};

/** The same for a URL in a profile, which holds no secrets. */
export const storedAddressProblem = (text: string): string | undefined =>
  addressProblem(text) ??
  (new URL(text).password === ''
    ? undefined
    : 'a profile stores no password: use SCHED_SHARED_STATE_PASSWORD_FILE, or SCHED_SHARED_STATE for the whole URL');

/** Reads a URL without problems. */
export const readAddress = (text: string): RedisAddress => {
  const { protocol, hostname, port, pathname, username, password } = new URL(text);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 6379),
    isTls: protocol === 'rediss:',
    database: Number(pathname.slice(1)),
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  };
};

/** `redis.example.com:6379` */
export const hostAndPort = ({ host, port }: RedisAddress): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;

/** The address to print: without the password. */
export const shownAddress = (address: RedisAddress): string => {
  const { isTls, database, username, password } = address;
  const login =
    username === undefined && password === undefined ? '' : `${username ?? ''}${password === undefined ? '' : ':…'}@`;
  return `${isTls ? 'rediss' : 'redis'}://${login}${hostAndPort(address)}/${database}`;
};
