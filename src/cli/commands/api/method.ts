import type { Operation } from '../../../api/operation.ts';
import type { CommandLine } from '../../../errors.ts';
import type { Invocation } from '../../command.ts';
import { commandLine } from '../../messages/shell-line.ts';
import { flagWords } from '../../parse/part.ts';
import type { TypedField } from './fields.ts';

export const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'];

interface Words {
  method?: string;
  path?: string;
}

/** Reads `[METHOD] <path>` and reports problems with them. */
export const readWords = ({ args, typed, parts, problems }: Invocation, isHidden: boolean): Words => {
  const isMethod = (word: string | undefined) => word !== undefined && methods.includes(word.toUpperCase());
  const [first, second, ...more] = args;
  if (more.length > 0) problems.add('Unexpected argument after <path>');
  if (first === undefined || (second === undefined && isMethod(first))) problems.add('Missing argument <path>');
  const path = second ?? (isMethod(first) ? undefined : first);
  const word = second !== undefined || isMethod(first) ? first : undefined;
  const given = typed.method === undefined ? word : String(typed.method);
  if (second !== undefined && !isMethod(first) && isMethod(second) && !isHidden) {
    const line = commandLine('api', second.toUpperCase(), first!, ...flagWords(parts));
    problems.add('METHOD must come before <path>', typed.header === undefined ? (own) => own.become(line) : undefined);
    return {};
  }
  if (word !== undefined && typed.method !== undefined) problems.add('METHOD is given twice');
  if (given !== undefined && !isMethod(given))
    problems.add(`METHOD must be one of ${methods.join(', ')}${isHidden ? '' : `, not "${given}"`}`);
  return {
    ...(path === undefined ? {} : { path }),
    ...(isMethod(given) ? { method: given!.toUpperCase() } : {}),
  };
};

/** The typed command with the missing method added. */
const withMethod = (
  method: string,
  path: string,
  { typed, parts }: Invocation,
  fields: readonly TypedField[],
): CommandLine => {
  const shown = fields.flatMap(({ raw, isTyped }) => [isTyped ? '-F' : '-f', raw]);
  const input = typed.input === undefined ? [] : ['--input', String(typed.input)];
  const others = parts.filter(({ flag = '' }) => !['field', 'raw-field', 'input'].includes(flag));
  return commandLine('api', method, path, ...shown, ...input, ...flagWords(others));
};

/**
 * The method if none was typed: GET, but only if that is certain. Fields could also be a body, and sched must not guess a
 * write. Fields are certain to be a query only if the catalogue says that the path accepts them there.
 */
export const impliedMethod = (
  path: string,
  rows: readonly Operation[],
  invocation: Invocation,
  fields: readonly TypedField[],
  isHidden: boolean,
): string => {
  const { typed, problems } = invocation;
  if (typed.input === undefined && (fields.length === 0 || typed.paginate === true)) return 'GET';
  const query = rows.find(({ method }) => method === 'GET')?.query?.shape;
  const write = rows.find(({ method }) => method !== 'GET')?.method;
  const fitsQuery =
    query !== undefined && (write === undefined || fields.every(({ raw }) => Object.hasOwn(query, raw.split('=')[0]!)));
  if (typed.input === undefined && fitsQuery) return 'GET';
  // A header may contain a secret (R12).
  const mayShow = !isHidden && typed.header === undefined;
  const line = withMethod(write ?? 'POST', path, invocation, fields);
  problems.add(
    typed.input === undefined && write === undefined
      ? "Missing METHOD: fields could be the query of a GET or the body of a POST, and sched doesn't guess (unlike gh)"
      : 'Missing METHOD: it is optional only for a GET without a body (unlike in gh)',
    mayShow ? (own) => own.become(line) : undefined,
  );
  return 'GET';
};
