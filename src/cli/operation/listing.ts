import { limits } from '../../api/limits.ts';
import type { Operation } from '../../api/operation.ts';
import type { Input } from '../../client/client.ts';
import { rowFilter } from '../../client/filter.ts';
import type { Json } from '../../client/reading.ts';
import type { View } from '../../output/view.ts';
import type { Invocation } from '../command.ts';
import type { Notes } from '../messages/notes.ts';
import type { FieldFlag } from './field-flags.ts';
import { readWholeNumber } from './whole-number.ts';

/** Rows that a terminal shows by default. */
const screenful = 50;

export interface Bounds {
  limit?: number;
  pageSize: number;
}

/** Reads `--limit`, `--all` and `--page-size`. */
export const readBounds = (invocation: Invocation): Bounds => {
  const { typed, problems } = invocation;
  const limit = readWholeNumber('limit', invocation, 1);
  const pageSize =
    readWholeNumber('page-size', invocation, limits.pageSize.min, limits.pageSize.max) ?? limits.pageSize.max;
  if (limit !== undefined && typed.all === true) problems.add("--limit and --all can't be used together");
  return { ...(limit === undefined ? {} : { limit }), pageSize };
};

/** Stops after `count` rows. Calls `onMore` if there were more. */
async function* atMost(pages: AsyncIterable<Json[]>, count: number, onMore: () => void): AsyncGenerator<Json[]> {
  let left = count;
  for await (const page of pages) {
    if (page.length > left) {
      if (left > 0) yield page.slice(0, left);
      return onMore();
    }
    left -= page.length;
    yield page;
  }
}

/** Whether the list is cut to the default number of rows on a terminal. */
const isScreenful = ({ context, typed }: Invocation, { limit }: Bounds): boolean =>
  context.settings.format === 'table' && context.runtime.stdout.isTerminal && limit === undefined && typed.all !== true;

/** Counts the rows that pass, to tell how many requests the rest of a limited list needs at most. */
async function* withRequestCount(
  pages: AsyncIterable<Json[]>,
  { limit, pageSize }: Bounds,
  requestsPerRow: number,
  notes: Notes,
): AsyncGenerator<Json[]> {
  if (limit === undefined) return yield* pages;
  let left = limit;
  notes.ahead = () => ({ requests: Math.ceil(left / pageSize) + left * requestsPerRow, isMost: true });
  try {
    for await (const page of pages) {
      left -= page.length;
      yield page;
    }
  } finally {
    notes.ahead = undefined;
  }
}

/** Notes which columns are hidden because the terminal is too narrow. */
export const noteHidden = (notes: Notes, columns: readonly string[]): void => {
  if (columns.length > 0) notes.footer(`${columns.join(', ')} hidden: terminal too narrow`);
};

/** Prints pages as they arrive. On a terminal, a footer says which rows are left out and how to see them. */
export const printPages = async (
  invocation: Invocation,
  view: View,
  pages: (limit: number, pageSize: number) => AsyncIterable<Json[]>,
  bounds: Bounds,
  scope?: string,
  hint = '',
  requestsPerRow = 0,
): Promise<void> => {
  const { printer, notes } = invocation.context;
  const { limit, pageSize } = bounds;
  let more = false;
  // Ask for one extra row, to know whether there are more.
  const shown = isScreenful(invocation, bounds)
    ? atMost(pages(screenful + 1, Math.min(pageSize, screenful + 1)), screenful, () => {
        more = true;
      })
    : withRequestCount(pages(limit ?? Number.POSITIVE_INFINITY, pageSize), bounds, requestsPerRow, notes);
  const { rows, hiddenColumns } = await printer.list(view, shown);
  if (rows === 0) return notes.footer(`Nothing found${scope === undefined ? '' : `. ${scope}`}`);
  if (more) notes.footer(`Showing the first ${screenful}. For all: --all${hint === '' ? '' : `. ${hint}`}`);
  if (scope !== undefined) notes.footer(scope);
  noteHidden(notes, hiddenColumns);
};

export type Stage = (rows: Json[]) => Promise<Json[]>;

/** A list operation, and how its rows are filtered and shown. */
export interface Listing {
  operation: Operation;
  view: View;
  input: Input;
  bounds: Bounds;
  /** A footer text that says whose records these are. */
  scope?: string | undefined;
  /** A condition on rows, in addition to the query. */
  keep?: ((row: Json) => boolean) | undefined;
  /** Filters rows with further requests. */
  choose?: Stage | undefined;
  /** Adds data to the rows that will be shown. */
  add?: Stage | undefined;
  /** A suggestion for the footer of a list that is cut. */
  hint?: string | undefined;
}

/** Applies `choose` and `add`. The limit counts the rows that `choose` keeps. */
async function* chosen(
  pages: AsyncIterable<Json[]>,
  { choose = async (rows) => rows, add = async (rows) => rows }: Listing,
  limit: number,
): AsyncGenerator<Json[]> {
  let left = limit;
  for await (const page of pages) {
    const rows = (await choose(page)).slice(0, left);
    if (rows.length > 0) yield await add(rows);
    left -= rows.length;
    if (left <= 0) return;
  }
}

/** Prints the results of a list operation. */
export const printListing = async (invocation: Invocation, listing: Listing): Promise<void> => {
  const { operation, view, input, bounds, scope, keep, choose, add, hint } = listing;
  const client = await invocation.context.client();
  const { afterSend } = invocation.context.runtime;
  const asked = rowFilter(operation, input.query);
  if (keep === undefined && choose === undefined && add === undefined) {
    const pages = (limit: number, pageSize: number) =>
      client.pages(operation, input, { limit, pageSize, keep: asked, afterSend });
    return printPages(invocation, view, pages, bounds, scope, hint);
  }
  const wanted = keep === undefined ? asked : (row: Json) => asked(row) && keep(row);
  // It is unknown how many rows are needed to find enough matches, so use the full page size.
  const pages = (limit: number) => {
    const ahead = limit === Number.POSITIVE_INFINITY ? { afterSend } : {};
    return chosen(
      client.pages(operation, input, { pageSize: bounds.pageSize, keep: wanted, ...ahead }),
      listing,
      limit,
    );
  };
  return printPages(invocation, view, pages, bounds, scope, hint, add === undefined ? 0 : 1);
};

/** A filter for the conditions that only sched applies to the rows. Undefined if there are none. */
export const keepOf = (operation: Operation, rows: Input['query'] = {}): ((row: Json) => boolean) | undefined =>
  Object.keys(rows).length === 0 ? undefined : rowFilter(operation, rows);

/** Notes, for `--dry-run` and `--curl`, which typed flags are not part of the request. */
export const noteRowFilters = ({ context, typed }: Invocation, flags: readonly FieldFlag[]): void => {
  const names = flags.filter(({ name, part }) => part === 'rows' && typed[name] !== undefined);
  if (names.length === 0) return;
  const words = names.map(({ name }) => `--${name}`).join(' and ');
  context.notes.info(`${words}: not part of the request, applied to its reply`);
};

/** The `count` of the first request. Empty if the list has no pages. */
export const firstCount = (
  invocation: Invocation,
  operation: Operation,
  bounds: Bounds,
  rows: Input['query'] = {},
): { count?: number } => {
  if (operation.query === undefined || !Object.hasOwn(operation.query.shape, 'count')) return {};
  if (Object.keys(rows).length > 0) return { count: bounds.pageSize };
  const most = isScreenful(invocation, bounds) ? screenful + 1 : (bounds.limit ?? Number.POSITIVE_INFINITY);
  return { count: Math.min(bounds.pageSize, most) };
};
