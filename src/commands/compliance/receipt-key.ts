import { join, resolve } from 'node:path';
import type { Vault } from '../../auth/vault.ts';
import { fallBack, SchedError } from '../../base/errors.ts';
import { shellWord } from '../../base/shell-quote.ts';
import type { Danger } from '../../cli/answer/plan.ts';
import { file } from '../../cli/input/kinds.ts';
import type { Context } from '../../cli/session/context.ts';
import { stateDirectory } from '../../cli/session/shared-state.ts';
import { existsSync } from '../../node/files.ts';
import { readPrivateFile, writePrivateFile } from '../../state/files.ts';
import { keyTextIn, newKeyText } from '../../state/key-file.ts';
import { accountLock } from '../../state/lock.ts';
import { readNamedFile } from '../../state/named-file.ts';
import { type ReceiptKey, readKey } from '../bulk/work-receipt-key.ts';

/** The file that each command takes which needs the key. */
export const receiptKeyFile = file(
  'file with the receipt key (default $SCHED_RECEIPT_KEY_FILE, then the keychain or the state directory)',
  { heading: 'Safety' },
);

/** A key and blanks. */
const longestKeyFile = 64 * 1024;

const entryName = 'receipt-key';

interface StoredKey extends ReceiptKey {
  readonly place: string;
  /** Not set if the key is in the keychain. */
  readonly file?: string;
}

const storedKeyIn = (text: string, place: string, file?: string): StoredKey => {
  const key = readKey(text);
  if (key !== undefined) return { ...key, place, ...(file === undefined ? {} : { file }) };
  throw new SchedError('environment', `No receipt key in ${place}`, {
    reason: 'a key is 64 hexadecimal digits',
    advice: ['to create one in a new file, run ', { command: ['compliance', 'key', 'FILE'] }],
  });
};

/** Follows symbolic links: a mounted secret is often one, and the user named the file explicitly. */
const fromFile = async (path: string, interrupted: AbortSignal): Promise<StoredKey> => {
  const bytes = await readNamedFile(path, interrupted, longestKeyFile).catch((error: NodeJS.ErrnoException) => {
    interrupted.throwIfAborted();
    throw new SchedError(
      'environment',
      `Can't read the receipt key ${path}`,
      error.code === 'ENOENT'
        ? { reason: 'no such file', hint: { command: ['compliance', 'key', path] } }
        : { reason: error.code ?? error.message },
    );
  });
  return storedKeyIn(bytes.toString('utf8'), path, resolve(path));
};

/** The file that remembers where the last key was made that a person asked for. */
const lastKeyFile = ({ runtime }: Context): string | undefined => {
  const folder = stateDirectory(runtime);
  return folder === undefined ? undefined : join(folder, 'receipt-key-file');
};

/** Remembers where a person has put a key, if it can: the key is made in any case. */
export const rememberKeyFile = async (context: Context, path: string): Promise<void> => {
  const file = lastKeyFile(context);
  if (file !== undefined) await writePrivateFile(file, path, context.runtime).catch(fallBack(undefined, 'environment'));
};

/** How a shell sets the variable that names a key. */
export const exportLine = ({ runtime: { platform } }: Context, path: string): string =>
  platform === 'win32'
    ? `$env:SCHED_RECEIPT_KEY_FILE = '${path.replaceAll("'", "''")}'`
    : `export SCHED_RECEIPT_KEY_FILE=${shellWord(path)}`;

/** Says that a key was created: without it, nobody can look up an address in the receipts. */
const announceKey = ({ notes }: Context, place: string): void =>
  notes.info(`Created a receipt key in ${place}. Keep a copy: you need it to look up an address in receipts`);

const makeInKeychain = async (context: Context, vault: Vault): Promise<string | undefined> => {
  const lockHeld = (await accountLock(entryName, context.runtime).acquire())!;
  try {
    return await vault.use(async (entries) => {
      const isMissing = (await entries.get(entryName)) === undefined;
      if (isMissing) await entries.set(entryName, newKeyText(context.runtime.randomBytes));
      const storedText = await entries.get(entryName);
      if (isMissing) announceKey(context, vault.describe());
      return storedText;
    });
  } finally {
    await lockHeld.release();
  }
};

const fromKeychain = async (context: Context, mayMake: boolean): Promise<StoredKey | undefined> => {
  const { keychainVault } = await import('../../auth/keychain.ts');
  const vault = keychainVault(context.runtime);
  const storedText = await vault.use((entries) => entries.get(entryName));
  const text = storedText === undefined && mayMake ? await makeInKeychain(context, vault) : storedText;
  return text === undefined ? undefined : storedKeyIn(text, vault.describe());
};

const statePlace = (context: Context): string => {
  const folder = stateDirectory(context.runtime);
  if (folder === undefined)
    throw new SchedError('environment', 'No directory to store a receipt key in', {
      reason: "the home directory doesn't exist",
      advice: 'name a file for it in SCHED_RECEIPT_KEY_FILE',
    });
  return join(folder, 'receipt.key');
};

const fromState = async (context: Context, mayMake: boolean): Promise<StoredKey | undefined> => {
  const path = statePlace(context);
  const make = () => keyTextIn(path, context.runtime.randomBytes, () => announceKey(context, path));
  const text = await (mayMake ? make() : readPrivateFile(path));
  return text === undefined ? undefined : storedKeyIn(text, path, path);
};

/** The file that a person has named for a key. */
const namedFile = ({ runtime: { env } }: Context, keyFile: string | undefined): string | undefined =>
  keyFile ?? (env.SCHED_RECEIPT_KEY_FILE || undefined);

const isInKeychain = ({ runtime: { env }, settings }: Context): boolean =>
  (env.SCHED_CREDENTIAL_STORE || settings.account?.profile.login?.store) === 'keychain';

/**
 * Returns the key for the addresses in receipts: from the named file, else from the place where the login is stored.
 * With `mayMake`, creates a key if there is none. In CI the key must be in a file: a new one would be lost with the
 * machine.
 */
export const findKey = async (
  context: Context,
  keyFile: string | undefined,
  mayMake: boolean,
): Promise<StoredKey | undefined> => {
  const keyPath = namedFile(context, keyFile);
  if (keyPath !== undefined) return fromFile(keyPath, context.runtime.interrupted);
  if (context.runtime.env.CI)
    throw new SchedError('environment', 'A receipt key file is required in CI', {
      reason:
        'a key created here would be lost with the machine, and you could not resume the run or prove anything later',
      advice: [
        'create one with ',
        { command: ['compliance', 'key', 'FILE'] },
        ', store it as a secret and set SCHED_RECEIPT_KEY_FILE',
      ],
    });
  return isInKeychain(context) ? fromKeychain(context, mayMake) : fromState(context, mayMake);
};

/** Where a new key would be made. */
const newKeyPlace = async (context: Context): Promise<string> => {
  if (!isInKeychain(context)) return statePlace(context);
  const { keychainVault } = await import('../../auth/keychain.ts');
  return keychainVault(context.runtime).describe();
};

/**
 * The question before a key is made although a person has made one in a file: the receipts would need both. --yes doesn't
 * answer that, because it is about the deletion.
 */
export const secondKeyDanger = async (context: Context, keyFile?: string): Promise<Danger | undefined> => {
  if (namedFile(context, keyFile) !== undefined) return undefined;
  const made = lastKeyFile(context);
  const path = made === undefined ? undefined : await readPrivateFile(made).catch(() => undefined);
  if (path === undefined || !existsSync(path) || (await findKey(context, keyFile, false)) !== undefined)
    return undefined;
  const place = await newKeyPlace(context);
  const action = `make another receipt key in ${place}`;
  return {
    question: {
      question: `Make another receipt key in ${place}? You have made one in ${path}.`,
      action,
      facts: [['to use that one', exportLine(context, path)]],
    },
    unasked: new SchedError('confirmation-required', `Confirmation needed to ${action}`, {
      reason: `you have made one in ${path}`,
      advice: `to use that one: ${exportLine(context, path)}`,
      outcome: 'not-sent',
    }),
    about: 'this machine',
  };
};
