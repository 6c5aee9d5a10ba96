import { type Entry, entry } from '../../cli/input/entry.ts';
import { input, type Values } from '../../cli/input/input.ts';
import { accept, type Kind } from '../../cli/input/kind.ts';
import { file, toggle, word } from '../../cli/input/kinds.ts';
import { listEntries } from '../../cli/operation/list-input.ts';
import { formats } from '../../output/formats.ts';
import { bookingEntries } from '../booking/booking-context.ts';
import type { GivenField } from './body-fields.ts';

const adding = <T>(one: Entry<T>, more: string): Entry<T> => ({
  ...one,
  description: `${one.description}; ${more}`,
});

/** All commands take a format, so it is already checked. */
const formatKind: Kind = { value: 'FORMAT', json: 'string', choices: formats, read: accept };

const entries = {
  method: word('HTTP method, same as the METHOD argument', { short: 'X', value: 'METHOD' }),
  rawField: word('text field: in the query of a GET, otherwise in the JSON body', {
    short: 'f',
    value: 'KEY=VALUE',
    many: true,
  }),
  field: word('like -f, but converts true, false, null and whole numbers; @FILE or @- reads the value', {
    short: 'F',
    value: 'KEY=VALUE',
    many: true,
  }),
  input: file('read the body from a file, or - for stdin; fields then go in the query'),
  header: word("request header, as 'Name: value'", { short: 'H', value: 'HEADER', many: true }),
  paginate: toggle('fetch all pages of a list and print one array of items', { heading: 'Listing' }),
  limit: adding(listEntries.limit, 'needs --paginate'),
  pageSize: adding(listEntries.pageSize, 'needs --paginate'),
  include: toggle('print the status and headers of the reply before the body', { short: 'i', heading: 'Output' }),
  silent: toggle("don't print the body", { heading: 'Output' }),
  output: entry(formatKind, 'output format (default: the unchanged reply)', { short: 'o', heading: 'Output' }),
  ifAbsent: adding(bookingEntries.ifAbsent, 'only with POST /invitees'),
  allowDuplicate: adding(bookingEntries.allowDuplicate, 'only with POST /invitees'),
};

export const apiFlags = input(entries);

export type ApiFlags = Omit<Values<typeof entries>, 'rawField' | 'field' | 'output'>;

/** A request as it is given. */
export interface GivenRequest extends ApiFlags {
  /** `[METHOD] <path>`, and words that are too many. */
  words: readonly string[];
  /** In the order they were given: lists of objects depend on it. */
  fields: readonly GivenField[];
  /** Even a wrong one can't be used with `count`. */
  hasPageSize: boolean;
}
