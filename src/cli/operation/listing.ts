import { limits } from '../../api/limits.ts';
import type { Operation } from '../../api/operation.ts';
import type { Input } from '../../client/client.ts';
import { rowFilter } from '../../client/filter.ts';
import type { Json } from '../../client/reading.ts';
import type { View } from '../../output/view.ts';
import type { Invocation } from '../command.ts';
import type { Notes } from '../messages/notes.ts';

/** Rows a terminal shows unless told otherwise. */
const screenful = 50;

export interface Bounds {
  limit?: number;
  pageSize: number;
}

const readCount = (name: string, raw: unknown, max: number, { problems }: Invocation): number | undefined => {
  if (raw === undefined) return undefined;
  const count = /^\d+$/.test(String(raw)) ? Number(raw) : 0;
  if (count >= 1 && count <= max) return count;
  problems.add(`--${name} '${raw}' is not a whole number from 1 to ${max}`);
  return undefined;
};

/** `--limit`, `--all` and `--page-size`. */
export const readBounds = (invocation: Invocation): Bounds => {
  const { typed, problems } = invocation;
  const limit = readCount('limit', typed.limit, Number.MAX_SAFE_INTEGER, invocation);
  const pageSize = readCount('page-size', typed['page-size'], limits.pageSize.max, invocation) ?? limits.pageSize.max;
  if (limit !== undefined && typed.all === true) problems.add('--limit and --all contradict each other');
  return { ...(limit === undefined ? {} : { limit }), pageSize };
};

/** Stops after `count` rows, and tells whether there was more. */
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

/** Whether a terminal shows what fits, and not everything. */
const isScreenful = ({ context, typed }: Invocation, { limit }: Bounds): boolean =>
  context.settings.format === 'table' && context.runtime.stdout.isTerminal && limit === undefined && typed.all !== true;

/** Counts rows as they pass, and so knows how many requests the rest of a limited listing takes at most. */
async function* foreseeing(
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

/** Which columns the terminal has no room for. */
export const noteHidden = (notes: Notes, columns: readonly string[]): void => {
  if (columns.length > 0) notes.footer(`too narrow for ${columns.join(', ')}`);
};

/** Prints pages as they arrive, and on a terminal says below them what is left out and how to see it. */
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
  // One row more than fits tells whether there is more.
  const shown = isScreenful(invocation, bounds)
    ? atMost(pages(screenful + 1, Math.min(pageSize, screenful + 1)), screenful, () => {
        more = true;
      })
    : foreseeing(pages(limit ?? Number.POSITIVE_INFINITY, pageSize), bounds, requestsPerRow, notes);
  const { rows, hiddenColumns } = await printer.list(view, shown);
  if (rows === 0) return notes.footer(`nothing found${scope === undefined ? '' : ` · ${scope}`}`);
  if (more) notes.footer(`first ${screenful} shown · the rest: --all${hint === '' ? '' : ` · ${hint}`}`);
  if (scope !== undefined) notes.footer(scope);
  noteHidden(notes, hiddenColumns);
};

export type Stage = (rows: Json[]) => Promise<Json[]>;

/** One list operation, and what is done here with its rows. */
export interface Listing {
  operation: Operation;
  view: View;
  input: Input;
  bounds: Bounds;
  /** Words for the footer: whose records these are. */
  scope?: string | undefined;
  /** What a row must be besides what the query says. */
  keep?: ((row: Json) => boolean) | undefined;
  /** Leaves out rows that only further questions can tell. */
  choose?: Stage | undefined;
  /** Adds something to rows that will be shown. */
  add?: Stage | undefined;
  /** For the footer of a list that goes on: what is perhaps wanted instead. */
  hint?: string | undefined;
}

/** Rows whose number is known only here: the limit counts what is left of them. */
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

/** Prints what one list operation gives. */
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
  // How many rows must be asked for to get one that fits is not known, so pages are as long as they may be.
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

/** How many rows the first request asks for; nothing where the list has no pages. */
export const firstCount = (invocation: Invocation, operation: Operation, bounds: Bounds): { count?: number } => {
  if (operation.query === undefined || !Object.hasOwn(operation.query.shape, 'count')) return {};
  const most = isScreenful(invocation, bounds) ? screenful + 1 : (bounds.limit ?? Number.POSITIVE_INFINITY);
  return { count: Math.min(bounds.pageSize, most) };
};
