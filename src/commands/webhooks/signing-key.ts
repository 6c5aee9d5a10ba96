import { dirname, join } from 'node:path';
import { SchedError } from '../../base/errors.ts';
import { type Sentence, self, words } from '../../base/words.ts';
import { type EntryOptions, entry } from '../../cli/input/entry.ts';
import { accept, type Kind, refuse } from '../../cli/input/kind.ts';
import type { Context } from '../../cli/session/context.ts';
import { stateDirectory } from '../../cli/session/shared-state.ts';
import type { HeadlessRuntime } from '../../runtime.ts';
import { ensureLastingDirectory } from '../../state/directories.ts';
import { createKeyFile } from '../../state/key-file.ts';
import { readNamedFile } from '../../state/named-file.ts';

export const keyFileText = 'file with the key that signs deliveries; created with a new key if it does not exist';

const keyFileKind: Kind<string> = {
  value: 'FILE',
  json: 'string',
  offers: 'files',
  read: (raw) => (raw === '' || raw === '-' ? refuse(words`${self} must be the name of a file`) : accept(raw)),
};

/** R13: the key itself is never the value of a flag. */
export const keyFileEntry = <const Options extends EntryOptions>(description: Sentence, options: Options) =>
  entry(keyFileKind, description, options);

/** A key and blanks. */
const longestKeyFile = 64 * 1024;

/** R12: shorter texts are too common to be removed from output. */
const shortestKey = 8;

const trouble = (path: string, reason: string): SchedError =>
  new SchedError('environment', `Can't read the signing key ${path}`, { reason });

export const keyProblem = (key: string): string | undefined => {
  if (key === '') return 'the file is empty';
  if (!/^[\x20-\x7e]+$/.test(key)) return 'a signing key is one line of printable ASCII characters';
  return key.length < shortestKey ? `a signing key has at least ${shortestKey} characters` : undefined;
};

/**
 * The key in a file: its content without one line break at the end. Undefined if the file doesn't exist. From now on the
 * key is removed from all output (R12). Follows symbolic links: a mounted secret is often one, and the user named the file.
 */
export const readSigningKey = async (
  path: string,
  { interrupted, secrets }: HeadlessRuntime,
): Promise<string | undefined> => {
  const bytes = await readNamedFile(path, interrupted, longestKeyFile).catch((error: NodeJS.ErrnoException) => {
    interrupted.throwIfAborted();
    if (error.code === 'ENOENT') return undefined;
    throw trouble(path, error.code ?? error.message);
  });
  if (bytes === undefined) return undefined;
  const key = bytes.toString('utf8').replace(/\r?\n$/, '');
  secrets.keep(key, 'signing key');
  const problem = keyProblem(key);
  if (problem !== undefined) throw trouble(path, problem);
  return key;
};

/** Creates the file with a new random key, for its owner only. If another process creates it first, uses that key. */
export const createSigningKey = async (path: string, { runtime, notes }: Context): Promise<string> => {
  if (await createKeyFile(path, runtime.randomBytes))
    notes.info(`Created a signing key in ${path}. The receiver of the deliveries needs it too`);
  return (await readSigningKey(path, runtime))!;
};

/** A key of sched's own, for a person who names none. Undefined if there is no place for it. */
export const ownKeyFile = async (runtime: HeadlessRuntime): Promise<{ path: string; isNew: boolean } | undefined> => {
  const state = stateDirectory(runtime);
  if (state === undefined) return undefined;
  const path = join(state, 'webhooks', 'signing.key');
  ensureLastingDirectory(dirname(path));
  return { path, isNew: await createKeyFile(path, runtime.randomBytes) };
};

/** The key in a file, which is created if it is missing. */
export const signingKeyIn = async (path: string, context: Context): Promise<string> =>
  (await readSigningKey(path, context.runtime)) ?? createSigningKey(path, context);
