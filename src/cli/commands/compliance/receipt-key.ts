import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Vault } from '../../../auth/vault.ts';
import { SchedError } from '../../../errors.ts';
import { realDisk } from '../../../jobs/disk.ts';
import { keyBytes, keyText, type ReceiptKey, readKey } from '../../../jobs/receipt-key.ts';
import { ensurePrivateDirectory } from '../../../state/directories.ts';
import { readPrivateFile } from '../../../state/files.ts';
import { createLock, type Lock } from '../../../state/lock.ts';
import { directory } from '../../../state/paths.ts';
import type { Flag, Invocation } from '../../command.ts';
import type { Context } from '../../session/context.ts';
import { stateDirectory } from '../../session/network.ts';

export const keyFileFlag: Flag = {
  name: 'receipt-key-file',
  value: 'FILE',
  description: 'key of the receipt (default SCHED_RECEIPT_KEY_FILE, else the keychain or the state directory)',
  heading: 'Safety',
};

/** Name of the key among the entries of a keychain. */
const entryName = 'receipt-key';

const trouble = (what: string, reason: string, hint: string): SchedError =>
  new SchedError('environment', what, { reason, hint, outcome: 'not-sent' });

const checked = (text: string, where: string): ReceiptKey => {
  const key = readKey(text);
  if (key !== undefined) return key;
  throw trouble(
    `${where} does not hold a receipt key`,
    'a key is 64 hexadecimal digits',
    'sched compliance key NEW_FILE',
  );
};

/** A mounted secret is often a symbolic link, and whoever named the file means it: links are followed here. */
const fromFile = async (path: string): Promise<ReceiptKey> => {
  const text = await readFile(path, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
    const reason = code === 'ENOENT' ? 'there is no such file' : String(code);
    throw trouble(`Cannot read the receipt key ${path}`, reason, `sched compliance key ${path}`);
  });
  return checked(text, path);
};

const newText = ({ runtime }: Context): string => keyText(runtime.randomBytes(keyBytes));

/** Two processes that find none must not make two: whatever was marked under the one that is replaced could never be found. */
const lockOf = ({ runtime }: Context): Lock => {
  const { machine, platform, clock, randomBytes, interrupted } = runtime;
  const home = directory('state', { env: {}, home: machine.accountHome, platform });
  return createLock({ directory: join(home, 'locks'), name: entryName, machine, clock, randomBytes, interrupted });
};

const makeInKeychain = async (context: Context, vault: Vault): Promise<string | undefined> => {
  const held = (await lockOf(context).acquire())!;
  try {
    return await vault.use(async (entries) => {
      if ((await entries.get(entryName)) === undefined) await entries.set(entryName, newText(context));
      return entries.get(entryName);
    });
  } finally {
    await held.release();
  }
};

const fromKeychain = async (context: Context, mayMake: boolean): Promise<ReceiptKey | undefined> => {
  const { keychainVault } = await import('../../../auth/keychain.ts');
  const vault = keychainVault(context.runtime);
  const kept = await vault.use((entries) => entries.get(entryName));
  const text = kept === undefined && mayMake ? await makeInKeychain(context, vault) : kept;
  return text === undefined ? undefined : checked(text, vault.describe());
};

const fromState = async (context: Context, mayMake: boolean): Promise<ReceiptKey | undefined> => {
  const folder = stateDirectory(context.runtime);
  if (folder === undefined)
    throw trouble(
      'There is no place to keep a receipt key in',
      'the home directory does not exist',
      'SCHED_RECEIPT_KEY_FILE=FILE',
    );
  const path = join(folder, 'receipt.key');
  const kept = await readPrivateFile(path);
  if (kept !== undefined || !mayMake) return kept === undefined ? undefined : checked(kept, path);
  ensurePrivateDirectory(folder);
  const unique = Buffer.from(context.runtime.randomBytes(8)).toString('hex');
  // Another process may be faster: then its key is the key.
  await realDisk.create(path, newText(context), unique).catch(async (error: unknown) => {
    if ((await readPrivateFile(path)) === undefined) throw error;
  });
  return checked((await readPrivateFile(path))!, path);
};

/**
 * The key under which addresses stand in receipts: the named file, else where the login is kept. `mayMake`: one is made
 * where there is none. In CI it must be a file: whatever was made there would be gone with the machine.
 */
export const findKey = async (
  { context, typed }: Pick<Invocation, 'context' | 'typed'>,
  mayMake: boolean,
): Promise<ReceiptKey | undefined> => {
  const { env } = context.runtime;
  const named = (typed['receipt-key-file'] as string | undefined) ?? (env.SCHED_RECEIPT_KEY_FILE || undefined);
  if (named !== undefined) return fromFile(named);
  if (env.CI)
    throw trouble(
      'In CI the receipt needs a key file',
      'a key made here would be lost with the machine, and neither going on nor proving would work later',
      'make one with `sched compliance key FILE`, keep it as a secret, and set SCHED_RECEIPT_KEY_FILE',
    );
  const store = env.SCHED_CREDENTIAL_STORE || context.settings.account?.profile.login?.store;
  return store === 'keychain' ? fromKeychain(context, mayMake) : fromState(context, mayMake);
};
