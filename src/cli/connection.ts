import { readFile } from 'node:fs/promises';
import { SchedError } from '../errors.ts';
import type { Credential } from '../http/authorize.ts';
import { isLoopback } from '../http/proxy.ts';
import type { Runtime } from '../runtime.ts';
import type { Notes } from './notes.ts';

/** Which service a command talks to, and as whom. */
export interface Connection {
  baseUrl: string;
  credential: Credential;
  close(): Promise<void>;
}

const noAccount = new SchedError('auth', 'no account yet', {
  outcome: 'not-sent',
  hint: 'sched --sandbox events list',
  lines: [
    'error: no account yet',
    '  look around without one   sched --sandbox events list',
    '  log in                    sched auth login --base-url https://api.example.com --auth-url https://auth.example.com --client-id ID',
    '  in CI                     SCHED_TOKEN_FILE=… SCHED_BASE_URL=…',
  ],
});

/** `https`, or `http` on this machine: anything else would carry the token in the clear. */
export const checkBaseUrl = (text: string, name: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isFine =
    url !== undefined &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) &&
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === '';
  if (isFine) return text.replace(/\/+$/, '');
  throw new SchedError('environment', `${name} is not usable`, {
    reason:
      url === undefined
        ? 'it is not a URL'
        : 'it must be https (or http on a loopback address) without user, query or fragment',
    hint: `${name}=https://api.example.com`,
    outcome: 'not-sent',
  });
};

/** A token that fits into a header. It is never repeated, not even when it is wrong. */
const checkToken = (text: string, name: string): string => {
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new SchedError('auth', `${name} does not hold a token`, {
    reason: token === '' ? 'it is empty' : 'a token is one word of plain ASCII without spaces or line breaks',
    outcome: 'not-sent',
  });
};

const tokenFromFile = async (path: string): Promise<string> => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new SchedError('environment', 'Cannot read the file that SCHED_TOKEN_FILE names', {
      reason: error.code ?? error.message,
      outcome: 'not-sent',
    });
  });
  return checkToken(text, 'SCHED_TOKEN_FILE');
};

const fromEnvironment = async (env: Runtime['env']): Promise<Connection> => {
  if (!env.SCHED_TOKEN && !env.SCHED_TOKEN_FILE) throw noAccount;
  const token = env.SCHED_TOKEN
    ? checkToken(env.SCHED_TOKEN, 'SCHED_TOKEN')
    : await tokenFromFile(env.SCHED_TOKEN_FILE!);
  if (!env.SCHED_BASE_URL) {
    throw new SchedError('environment', 'There is a token, but no base URL to send it to', {
      hint: 'SCHED_BASE_URL=https://api.example.com',
      outcome: 'not-sent',
    });
  }
  const baseUrl = checkBaseUrl(env.SCHED_BASE_URL, 'SCHED_BASE_URL');
  return { baseUrl, credential: { token, origin: new URL(baseUrl).origin }, close: async () => {} };
};

export const connect = async (runtime: Runtime, sandboxFlag: boolean, notes: Notes): Promise<Connection> => {
  const { env } = runtime;
  const isSandbox = sandboxFlag || (env.SCHED_SANDBOX !== undefined && !['', '0'].includes(env.SCHED_SANDBOX));
  if (!isSandbox) return fromEnvironment(env);
  if (!sandboxFlag && (env.SCHED_TOKEN || env.SCHED_TOKEN_FILE || env.SCHED_BASE_URL)) {
    throw new SchedError('usage', 'SCHED_SANDBOX is set together with a token or a base URL', {
      reason: 'it cannot be told which of the two is meant',
      hint: 'unset one of them, or say --sandbox',
      outcome: 'not-sent',
    });
  }
  const { embed } = await import('./embedded.ts');
  return embed(runtime, notes);
};
