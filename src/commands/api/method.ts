import type { Operation } from '../../api/operation.ts';
import type { Fix, Problems } from '../../cli/messages/problems.ts';
import type { GivenRequest } from './flags.ts';

export const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'];

/** Suggests the same command with these arguments, unless it has a header, which may contain a secret (R12). */
const withArguments = (args: readonly string[], { header }: GivenRequest): Fix | undefined => {
  if (header.length > 0) return undefined;
  return (own) => {
    own.reveal();
    own.setArguments(args);
  };
};

/** Reads `[METHOD] <path>` and reports problems with them. */
export const readWords = (
  request: GivenRequest,
  problems: Problems,
  isHidden: boolean,
): { method?: string | undefined; path?: string | undefined } => {
  const isMethod = (word: string | undefined) => word !== undefined && methods.includes(word.toUpperCase());
  const [first, second, ...more] = request.words;
  if (more.length > 0) problems.add('Unexpected argument after <path>');
  if (first === undefined || (second === undefined && isMethod(first))) problems.add('Missing argument <path>');
  const path = second ?? (isMethod(first) ? undefined : first);
  const word = second !== undefined || isMethod(first) ? first : undefined;
  const given = request.method ?? word;
  if (second !== undefined && !isMethod(first) && isMethod(second) && !isHidden) {
    problems.add('METHOD must come before <path>', withArguments([second.toUpperCase(), first!], request));
    return {};
  }
  if (word !== undefined && request.method !== undefined) problems.add('METHOD is given twice');
  if (given !== undefined && !isMethod(given))
    problems.add(`METHOD must be one of ${methods.join(', ')}${isHidden ? '' : `, not "${given}"`}`);
  return { path, method: isMethod(given) ? given!.toUpperCase() : undefined };
};

/**
 * The method if none is given: GET, but only if that is certain. Fields could also be a body, and sched must not guess a
 * write. Fields are certain to be a query only if the catalogue says that the path accepts them there.
 */
export const impliedMethod = (
  path: string,
  rows: readonly Operation[],
  request: GivenRequest,
  problems: Problems,
  isHidden: boolean,
): string => {
  const { input, fields, paginate } = request;
  if (input === undefined && (fields.length === 0 || paginate)) return 'GET';
  const query = rows.find(({ method }) => method === 'GET')?.query?.shape;
  const write = rows.find(({ method }) => method !== 'GET')?.method;
  const fitsQuery =
    query !== undefined && (write === undefined || fields.every(({ raw }) => Object.hasOwn(query, raw.split('=')[0]!)));
  if (input === undefined && fitsQuery) return 'GET';
  problems.add(
    input === undefined && write === undefined
      ? "Missing METHOD: fields could be the query of a GET or the body of a POST, and sched doesn't guess (unlike gh)"
      : 'Missing METHOD: it is optional only for a GET without a body (unlike in gh)',
    isHidden ? undefined : withArguments([write ?? 'POST', path], request),
  );
  return 'GET';
};
