import { connect, type Socket } from 'node:net';
import type { Clock, Env } from '../system.ts';

const limitMs = 1_000;

const unescaped = (value: string): string =>
  value.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Socket paths of the session bus (D-Bus specification, "Server Addresses"); a leading NUL is an abstract name. */
export const busPaths = ({ DBUS_SESSION_BUS_ADDRESS: address, XDG_RUNTIME_DIR: runtime }: Env): string[] => {
  const fallback = runtime ? [`${runtime}/bus`] : [];
  if (!address) return fallback;
  return address.split(';').flatMap((entry) => {
    if (!entry.startsWith('unix:')) return [];
    const pairs = entry
      .slice('unix:'.length)
      .split(',')
      .map((pair) => [pair.slice(0, pair.indexOf('=')), unescaped(pair.slice(pair.indexOf('=') + 1))]);
    const { path, abstract, runtime: inRuntime } = Object.fromEntries(pairs) as Record<string, string | undefined>;
    if (path) return [path];
    if (abstract) return [`\0${abstract}`];
    return inRuntime === 'yes' ? fallback : [];
  });
};

const greet = (path: string): { socket: Socket; answered: Promise<string | undefined> } => {
  const socket = connect({ path });
  const answered = new Promise<string | undefined>((resolve) => {
    socket
      .once('error', ({ code }: NodeJS.ErrnoException) => resolve(`the session bus can't be reached (${code})`))
      .once('close', () => resolve('the session bus closed the connection'))
      // Any reply will do, even a refusal: it shows that a bus is running.
      .once('data', (answer) => {
        const isBus = /^(OK|DATA|REJECTED|ERROR)\b/.test(String(answer));
        resolve(isBus ? undefined : 'the socket is not a session bus');
      })
      .once('connect', () => socket.write('\0AUTH EXTERNAL\r\n'));
  });
  return { socket, answered };
};

/**
 * Why the session bus can't be used, or `undefined` if it responds. Checked before the keychain binding is loaded: the
 * binding would wait for a silent bus forever, on the main thread.
 */
export const busTrouble = async (env: Env, clock: Pick<Clock, 'sleep'>): Promise<string | undefined> => {
  const paths = busPaths(env);
  let trouble = 'there is no session bus';
  for (const path of paths) {
    const { socket, answered } = greet(path);
    const done = new AbortController();
    const late = clock.sleep(limitMs, done.signal).then(
      () => "the session bus doesn't respond",
      () => undefined,
    );
    const found = await Promise.race([answered, late]);
    done.abort();
    socket.destroy();
    if (found === undefined) return undefined;
    trouble = found;
  }
  return trouble;
};
