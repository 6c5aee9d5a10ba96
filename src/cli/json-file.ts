import { mostInputBytes } from '../errors.ts';
import { isObject, type Json } from '../json.ts';
import { locateJsonError } from '../json-error.ts';
import type { Runtime } from '../runtime.ts';
import { readNamedFile } from '../state/named-file.ts';
import type { Problems } from './messages/problems.ts';

const textOf = async (path: string, runtime: Runtime): Promise<string> => {
  const { stdin, interrupted } = runtime;
  const bytes = await (path === '-' ? stdin.bytes(mostInputBytes) : readNamedFile(path, interrupted));
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
};

const nameOf = (path: string): string => (path === '-' ? 'stdin' : path);

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'it is a directory',
  EACCES: 'you may not read it',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'not UTF-8 text',
};

/** Reads the text of a file, or of stdin for `-`. Adds a problem and returns undefined if it can't be read. */
export const readTextFile = async (
  path: string,
  flag: string,
  runtime: Runtime,
  problems: Problems,
): Promise<string | undefined> => {
  try {
    return await textOf(path, runtime);
  } catch (error) {
    runtime.interrupted.throwIfAborted();
    const { code, message } = error as NodeJS.ErrnoException;
    problems.add(`${flag}: can't read ${nameOf(path)} (${reasons[code ?? ''] ?? code ?? message})`);
    return undefined;
  }
};

/** Reads a file that must contain valid JSON, and returns its exact text. */
export const readJsonText = async (
  path: string,
  flag: string,
  runtime: Runtime,
  problems: Problems,
): Promise<string | undefined> => {
  const text = await readTextFile(path, flag, runtime, problems);
  const place = text === undefined ? undefined : locateJsonError(text);
  if (place === undefined) return text;
  problems.add(
    `${flag}: ${nameOf(path)} is not valid JSON: ${place.problem} at line ${place.line}, column ${place.column}`,
  );
  return undefined;
};

/** Reads a JSON object from a file, or from stdin for `-`. Adds a problem if that fails. */
export const readJsonFile = async (path: string, flag: string, runtime: Runtime, problems: Problems): Promise<Json> => {
  const text = await readJsonText(path, flag, runtime, problems);
  if (text === undefined) return {};
  const value: unknown = JSON.parse(text);
  if (isObject(value)) return value;
  problems.add(`${flag}: ${nameOf(path)} must contain a JSON object`);
  return {};
};
