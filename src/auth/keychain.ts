import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import type { SchedError } from '../errors.ts';
import { cut } from '../redact.ts';
import type { World } from '../runtime.ts';
import type { Clock, Env, Machine } from '../system.ts';
import { keychainArgument, keychainScript } from './keychain-child.ts';
import { DamagedParts, splitEntries } from './split-value.ts';
import { DamagedCredential, type Entries, unavailable, type Vault } from './vault.ts';

export type KeychainWorld = Pick<World, 'env' | 'platform' | 'randomBytes'> & {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly machine: Pick<Machine, 'executable' | 'isStandalone'>;
};

interface ChildReply {
  value?: string | boolean | null;
  error?: string;
  missing?: string;
}

const service = 'sched';

/** For a reply: the binding waits forever for a session bus. */
const replyLimitMs = 4_000;

/** For the start of the helper process. From a cold disk it can take several seconds. */
const startLimitMs = 20_000;

const names: Record<string, string> = { darwin: 'the macOS keychain', win32: 'the Windows credential manager' };
const nameOn = (platform: string): string => names[platform] ?? 'the keychain (Secret Service)';

const bindingMissing = (reason: string): SchedError =>
  unavailable('The keychain module is not installed', `@napi-rs/keyring: ${reason}`);

const bindingPath = (): string => {
  try {
    return createRequire(import.meta.filename).resolve('@napi-rs/keyring');
  } catch {
    throw bindingMissing('not found');
  }
};

/** The child's environment: enough to find the keychain, but no tokens. */
const childEnvironment = (env: Env): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^(SCHED_|NODE_OPTIONS$)/i.test(name)));

/** Asks the child one question at a time, once it has said that it is ready; each reply is one line. */
const conversation = (child: ChildProcess, clock: KeychainWorld['clock'], fail: (reason: string) => SchedError) => {
  let pending: { resolve(reply: ChildReply): void; reject(error: SchedError): void } | undefined;
  let ended: SchedError | undefined;
  const finish = (error: SchedError) => {
    ended ??= error;
    pending?.reject(ended);
  };
  const lineWithin = async (milliseconds: number, reason: string): Promise<ChildReply> => {
    const arrived = new AbortController();
    clock.sleep(milliseconds, arrived.signal).then(
      () => finish(fail(reason)),
      () => {},
    );
    try {
      return await new Promise((resolve, reject) => {
        if (ended) return reject(ended);
        pending = { resolve, reject };
      });
    } finally {
      arrived.abort();
    }
  };
  child.once('error', ({ code }: NodeJS.ErrnoException) =>
    finish(fail(`the helper process could not be started (${code})`)),
  );
  child.once('close', () => finish(fail('the helper process ended early')));
  child.stdin!.on('error', () => {});
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const reply = JSON.parse(line) as ChildReply;
    if (reply.missing !== undefined) finish(bindingMissing(reply.missing));
    else pending?.resolve(reply);
  });
  const ready = lineWithin(startLimitMs, `the helper process did not start within ${startLimitMs / 1000} s`);
  ready.catch(() => {});
  return async (question: Record<string, string>): Promise<ChildReply> => {
    await ready;
    const reply = lineWithin(replyLimitMs, `no reply within ${replyLimitMs / 1000} s; the keychain may be locked`);
    child.stdin!.write(`${JSON.stringify({ service, ...question })}\n`);
    return reply;
  };
};

const maxTextLength = 200;

/** What the binding says if it finds no session bus, which is usual on a server. */
const noBus = /set your DBUS_SESSION_BUS_ADDRESS/;

const entriesOver = (
  ask: (question: Record<string, string>) => Promise<ChildReply>,
  fail: (why: string) => SchedError,
) => {
  const asked = async (question: Record<string, string>): Promise<ChildReply['value']> => {
    const { value, error } = await ask(question);
    if (error === undefined) return value;
    if (noBus.test(error)) throw fail('there is no session bus');
    const quotes = question.text !== undefined && error.includes(question.text);
    throw fail(quotes ? 'the keychain refused the request' : cut(error, maxTextLength));
  };
  const entries: Entries = {
    get: async (name) => ((await asked({ op: 'get', name })) as string | null) ?? undefined,
    set: async (name, text) => {
      await asked({ op: 'set', name, text });
    },
    delete: async (name) => (await asked({ op: 'delete', name })) === true,
  };
  return entries;
};

/** The operating system's keychain. A child process talks to it, and is killed if it takes too long. */
export const keychainVault = (world: KeychainWorld, findBinding: () => string = bindingPath): Vault => {
  const { env, platform, clock, machine, randomBytes } = world;
  const place = nameOn(platform);
  const fail = (reason: string) => unavailable(`${place[0]!.toUpperCase()}${place.slice(1)} is unavailable`, reason);
  return {
    kind: 'keychain',
    describe: () => place,
    use: async (work) => {
      const words = machine.isStandalone ? [keychainArgument] : ['-e', keychainScript, findBinding()];
      const child = spawn(machine.executable, words, {
        stdio: ['pipe', 'pipe', 'ignore'],
        env: childEnvironment(env),
        windowsHide: true,
      });
      const ask = conversation(child, clock, fail);
      try {
        return await work(splitEntries(entriesOver(ask, fail), randomBytes));
      } catch (error) {
        if (error instanceof DamagedParts) throw new DamagedCredential(place, error.message);
        throw error;
      } finally {
        child.kill('SIGKILL');
      }
    },
  };
};
