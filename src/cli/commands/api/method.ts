import type { Operation } from '../../../api/operation.ts';
import type { Invocation, Typed } from '../../command.ts';
import type { Fix } from '../../messages/problems.ts';
import type { TypedField } from './body-fields.ts';

export const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'];

/** Suggests the typed command with these arguments, unless it has a header, which may contain a secret (R12). */
const withArguments = (args: readonly string[], typed: Typed): Fix | undefined => {
  if (typed.header !== undefined) return undefined;
  return (own) => {
    own.reveal();
    own.setArguments(args);
  };
};

/** Reads `[METHOD] <path>` and reports problems with them. */
export const readWords = (
  { args, typed, problems }: Invocation,
  isHidden: boolean,
): { method?: string | undefined; path?: string | undefined } => {
  const isMethod = (word: string | undefined) => word !== undefined && methods.includes(word.toUpperCase());
  const [first, second, ...more] = args;
  if (more.length > 0) problems.add('Unexpected argument after <path>');
  if (first === undefined || (second === undefined && isMethod(first))) problems.add('Missing argument <path>');
  const path = second ?? (isMethod(first) ? undefined : first);
  const word = second !== undefined || isMethod(first) ? first : undefined;
  const given = typed.method === undefined ? word : String(typed.method);
  if (second !== undefined && !isMethod(first) && isMethod(second) && !isHidden) {
    problems.add('METHOD must come before <path>', withArguments([second.toUpperCase(), first!], typed));
    return {};
  }
  if (word !== undefined && typed.method !== undefined) problems.add('METHOD is given twice');
  if (given !== undefined && !isMethod(given))
    problems.add(`METHOD must be one of ${methods.join(', ')}${isHidden ? '' : `, not "${given}"`}`);
  return { path, method: isMethod(given) ? given!.toUpperCase() : undefined };
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
  problems.add(
    typed.input === undefined && write === undefined
      ? "Missing METHOD: fields could be the query of a GET or the body of a POST, and sched doesn't guess (unlike gh)"
      : 'Missing METHOD: it is optional only for a GET without a body (unlike in gh)',
    isHidden ? undefined : withArguments([write ?? 'POST', path], typed),
  );
  return 'GET';
};
