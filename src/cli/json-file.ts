import { mostInputBytes } from '../base/errors.ts';
import { isObject, type Json } from '../base/json.ts';
import { locateJsonError } from '../base/json-error.ts';
import { type Name, self, words } from '../base/words.ts';
import type { Runtime } from '../runtime.ts';
import { readNamedFile } from '../state/named-file.ts';
import { accept, type Read, refuse } from './input/kind.ts';
import type { Problems } from './messages/problems.ts';

/** The world in which files are read. */
type Files = Pick<Runtime, 'stdin' | 'interrupted'>;

const readFileText = async (path: string, runtime: Files): Promise<string> => {
  const { stdin, interrupted } = runtime;
  const bytes = await (path === '-' ? stdin.bytes(mostInputBytes) : readNamedFile(path, interrupted));
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
};

const fileName = (path: string): string => (path === '-' ? 'stdin' : path);

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'it is a directory',
  EACCES: 'you may not read it',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'not UTF-8 text',
};

/** The text of a file, or of stdin for `-`. */
export const readText = async (path: string, runtime: Files): Promise<Read<string>> => {
  try {
    return accept(await readFileText(path, runtime));
  } catch (error) {
    runtime.interrupted.throwIfAborted();
    const { code, message } = error as NodeJS.ErrnoException;
    return refuse(words`${self}: can't read ${fileName(path)} (${reasons[code ?? ''] ?? code ?? message})`);
  }
};

/** The exact text of a file that must contain valid JSON. */
export const readJson = async (path: string, runtime: Files): Promise<Read<string>> => {
  const read = await readText(path, runtime);
  const place = 'value' in read ? locateJsonError(read.value) : undefined;
  if (place === undefined) return read;
  const { problem, line, column } = place;
  return refuse(words`${self}: ${fileName(path)} is not valid JSON: ${problem} at line ${line}, column ${column}`);
};

/** A JSON object in a file. */
export const readObject = async (path: string, runtime: Files): Promise<Read<Json>> => {
  const read = await readJson(path, runtime);
  if (!('value' in read)) return read as Read<never>;
  const value: unknown = JSON.parse(read.value);
  return isObject(value) ? accept(value) : refuse(words`${self}: ${fileName(path)} must contain a JSON object`);
};

/** Adds the problem of a file, if it has one. `name` is what names the file. */
const orProblem =
  <T>(read: (path: string, runtime: Files) => Promise<Read<T>>) =>
  async (path: string, name: Name | string, runtime: Files, problems: Problems): Promise<T | undefined> => {
    const result = await read(path, runtime);
    if (!result.ok) problems.add(result.problem.map((part) => (part === self ? name : part)));
    return 'value' in result ? result.value : undefined;
  };

/** Reads the text of a file, or of stdin for `-`. Adds a problem and returns undefined if it can't be read. */
export const readTextFile = orProblem(readText);

const readObjectFile = orProblem(readObject);

/** Reads a JSON object from a file, or from stdin for `-`. Adds a problem if that fails. */
export const readJsonFile = async (...file: Parameters<typeof readObjectFile>): Promise<Json> =>
  (await readObjectFile(...file)) ?? {};
