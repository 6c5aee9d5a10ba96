import { readFile } from 'node:fs/promises';
import { isObject, type Json } from '../client/reading.ts';
import type { Runtime } from '../runtime.ts';
import { locateJsonError } from '../state/json.ts';
import type { Problems } from './problems.ts';

const textOf = async (path: string, runtime: Runtime): Promise<string> => {
  const bytes = path === '-' ? await runtime.stdin.bytes() : await readFile(path);
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
};

/** A JSON object from a file, or from stdin for `-`. What is wrong with it is added to the problems. */
export const readJsonFile = async (path: string, flag: string, runtime: Runtime, problems: Problems): Promise<Json> => {
  const name = path === '-' ? 'stdin' : path;
  let text: string;
  try {
    text = await textOf(path, runtime);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    problems.add(
      `${flag}: cannot read ${name} (${code === 'ENOENT' ? 'no such file' : code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'not UTF-8 text' : (code ?? message)})`,
    );
    return {};
  }
  const place = locateJsonError(text);
  if (place !== undefined) {
    problems.add(`${flag}: ${name} is not JSON: ${place.problem} at line ${place.line}, column ${place.column}`);
    return {};
  }
  const value: unknown = JSON.parse(text);
  if (isObject(value)) return value;
  problems.add(`${flag}: ${name} does not hold a JSON object`);
  return {};
};
