import { createRequire } from 'node:module';
import { codeOf, type SchedError } from '../base/errors.ts';
import { cut } from '../base/redact.ts';
import type { Clock, Machine } from '../base/system.ts';
import { type ChildProcess, childEnvironment, type World } from '../runtime.ts';
import { keychainArgument, keychainScript } from './keychain-child.ts';
import { DamagedParts, splitEntries } from './split-value.ts';
import { DamagedCredential, type Entries, unavailable, type Vault } from './vault.ts';

export type KeychainWorld = Pick<World, 'env' | 'platform' | 'randomBytes' | 'startChild'> & {
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

const keychainNames: Record<string, string> = { darwin: 'the macOS keychain', win32: 'the Windows credential manager' };
const nameOn = (platform: string): string => keychainNames[platform] ?? 'the keychain (Secret Service)';

const bindingMissing = (reason: string): SchedError =>
  unavailable('The keychain module is not installed', `@napi-rs/keyring: ${reason}`);

const bindingPath = (): string => {
  try {
    return createRequire(import.meta.filename).resolve('@napi-rs/keyring');
  } catch {
    throw bindingMissing('not found');
  }
};

/** Asks the child one question at a time, once it has said that it is ready; each reply is one line. */
const conversation = (child: ChildProcess, clock: KeychainWorld['clock'], fail: (reason: string) => SchedError) => {
  const lineWithin = async (milliseconds: number, reason: string): Promise<ChildReply> => {
    const arrival = new AbortController();
    const late = clock.sleep(milliseconds, arrival.signal).then(() => {
      throw fail(reason);
    });
    try {
      const line = await Promise.race([child.hear(), late]);
      if (line === undefined) throw fail('the helper process ended early');
      const reply = JSON.parse(line) as ChildReply;
      if (reply.missing !== undefined) throw bindingMissing(reply.missing);
      return reply;
    } finally {
      late.catch(() => {});
      arrival.abort();
    }
  };
  const ready = lineWithin(startLimitMs, `the helper process did not start within ${startLimitMs / 1000} s`);
  ready.catch(() => {});
  return async (question: Record<string, string>): Promise<ChildReply> => {
    await ready;
    child.say(JSON.stringify({ service, ...question }));
    return lineWithin(replyLimitMs, `no reply within ${replyLimitMs / 1000} s; the keychain may be locked`);
  };
};

const maxTextLength = 200;

/** What the binding says if it finds no session bus, which is usual on a server. */
const noBus = /set your DBUS_SESSION_BUS_ADDRESS/;

const entriesOver = (
  ask: (question: Record<string, string>) => Promise<ChildReply>,
  fail: (why: string) => SchedError,
) => {
  const askChild = async (question: Record<string, string>): Promise<ChildReply['value']> => {
    const { value, error } = await ask(question);
    if (error === undefined) return value;
    if (noBus.test(error)) throw fail('there is no session bus');
    const quotes = question.text !== undefined && error.includes(question.text);
    throw fail(quotes ? 'the keychain refused the request' : cut(error, maxTextLength));
  };
  const entries: Entries = {
    get: async (name) => ((await askChild({ op: 'get', name })) as string | null) ?? undefined,
    set: async (name, text) => {
      await askChild({ op: 'set', name, text });
    },
    delete: async (name) => (await askChild({ op: 'delete', name })) === true,
  };
  return entries;
};

/** The operating system's keychain. A child process talks to it, and is killed if it takes too long. */
export const keychainVault = (world: KeychainWorld, findBinding: () => string = bindingPath): Vault => {
  const { platform, clock, machine, randomBytes } = world;
  const place = nameOn(platform);
  const fail = (reason: string) => unavailable(`${place[0]!.toUpperCase()}${place.slice(1)} is unavailable`, reason);
  // Options for Node are not meant for the helper.
  const isForOthers = ([name]: [string, unknown]) => /^NODE_OPTIONS$/i.test(name);
  const env = Object.fromEntries(Object.entries(childEnvironment(world.env)).filter((each) => !isForOthers(each)));
  return {
    kind: 'keychain',
    describe: () => place,
    use: async (work) => {
      const words = machine.isStandalone ? [keychainArgument] : ['-e', keychainScript, findBinding()];
      const child = await world.startChild([machine.executable, ...words], { env }).catch((error: unknown) => {
        throw fail(`the helper process could not be started (${codeOf(error)})`);
      });
      const ask = conversation(child, clock, fail);
      try {
        return await work(splitEntries(entriesOver(ask, fail), randomBytes));
      } catch (error) {
        if (error instanceof DamagedParts) throw new DamagedCredential(place, error.message);
        throw error;
      } finally {
        child.kill();
      }
    },
  };
};
