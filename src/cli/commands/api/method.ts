import { compliance } from '../../../api/compliance.ts';
import type { Operation } from '../../../api/operation.ts';
import { shellWord } from '../../../shell-quote.ts';
import type { Invocation } from '../../command.ts';
import type { TypedField } from './fields.ts';

export const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'];

interface Words {
  method?: string;
  path?: string;
}

/** `[METHOD] <path>`: which word is which, and what is wrong with them. */
export const readWords = ({ args, typed, problems }: Invocation, isHidden: boolean): Words => {
  const isMethod = (word: string | undefined) => word !== undefined && methods.includes(word.toUpperCase());
  const [first, second, ...more] = args;
  if (more.length > 0) problems.add('there are words behind the path');
  if (first === undefined || (second === undefined && isMethod(first))) problems.add('<path> is missing');
  const path = second ?? (isMethod(first) ? undefined : first);
  const word = second !== undefined || isMethod(first) ? first : undefined;
  const given = typed.method === undefined ? word : String(typed.method);
  if (second !== undefined && !isMethod(first) && isMethod(second) && !isHidden) {
    problems.add('METHOD comes first', `sched api ${second.toUpperCase()} ${shellWord(first!)}`);
    return {};
  }
  if (word !== undefined && typed.method !== undefined) problems.add('METHOD is given twice');
  if (given !== undefined && !isMethod(given))
    problems.add(`METHOD ${isHidden ? '' : `'${given}' `}is not one of ${methods.join(', ')}`);
  return {
    ...(path === undefined ? {} : { path }),
    ...(isMethod(given) ? { method: given!.toUpperCase() } : {}),
  };
};

/** The command as it was typed, with the method that was left out. */
const withMethod = (
  method: string,
  path: string,
  { typed }: Invocation,
  fields: readonly TypedField[],
  isHidden: boolean,
) => {
  const shown = isHidden ? ['…'] : fields.flatMap(({ raw, isTyped }) => [isTyped ? '-F' : '-f', shellWord(raw)]);
  const input = typed.input === undefined ? [] : ['--input', shellWord(String(typed.input))];
  return ['sched api', method, isHidden ? compliance.delete.path : shellWord(path), ...shown, ...input].join(' ');
};

/**
 * The method where none was typed: GET, if that is withOutcome what is meant. Fields could as well be a body, and a write
 * must not come from a guess: only a path that the catalogue knows to take them in its query is clear.
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
      ? 'METHOD is missing: fields are the query of a GET and the body of a POST, and it is not guessed which (unlike in gh)'
      : 'METHOD is missing: it may be left out for a plain GET only, and a body needs one (unlike in gh)',
    withMethod(write ?? 'POST', path, invocation, fields, isHidden),
  );
  return 'GET';
};
