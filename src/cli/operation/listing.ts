import { limits } from '../../api/limits.ts';
import type { Operation } from '../../api/operation.ts';
import type { Json } from '../../base/json.ts';
import { capital, formatNumber } from '../../base/numbers.ts';
import { listed, type Sentence, the, words } from '../../base/words.ts';
import { isPaged } from '../../client/client.ts';
import { rowFilter } from '../../client/filter.ts';
import type { ListOptions, Rest } from '../../client/paginate.ts';
import type { Input } from '../../client/wire.ts';
import type { Pages } from '../../output/formats.ts';
import type { ListPlace, ListRest } from '../../output/printer.ts';
import type { View } from '../../output/view.ts';
import type { Bounds, Listing, Remainder, Scope, Stage } from '../answer/answer.ts';
import type { Notes } from '../messages/notes.ts';
import type { Context } from '../session/context.ts';
import type { FieldFlag } from './field-flags.ts';

/** Rows that a terminal shows by default. */
const screenful = 50;

/** Whether the output is a table on a terminal. Only there may a list be shorter than what was asked for. */
export const isForPeople = ({ settings, runtime }: Context): boolean =>
  settings.format === 'table' && runtime.stdout.isTerminal;

/** The number of rows to show: as given, else a screenful for people, else all. */
const mostRows = (context: Context, { limit, all }: Bounds): number => {
  if (limit !== undefined) return limit;
  return isForPeople(context) && !all ? screenful : Number.POSITIVE_INFINITY;
};

/** Whether a list has more rows than are shown. It learns this from the pages, without a request of its own. */
class KnownRest implements ListRest, Remainder {
  place: ListPlace | undefined;
  nextToken: string | undefined;
  /** Rows were left out: on their page because of the limit, or after the page was read. */
  isCut = false;
  isFiltered = false;

  /** Adds a page of a list with this query. */
  add({ place, isCut, nextToken, isFiltered }: Rest, query: NonNullable<Input['query']>): void {
    this.place = { ...place, query };
    this.nextToken = nextToken;
    this.isCut ||= isCut;
    this.isFiltered ||= isFiltered;
  }

  /** With a filter, the next page may have no matching row. */
  get more(): 'more' | 'maybe more' | undefined {
    if (this.isCut) return 'more';
    if (this.nextToken === undefined) return undefined;
    return this.isFiltered ? 'maybe more' : 'more';
  }
}

/** Counts the rows that pass, to tell how many requests the rest of a limited list needs at most. */
async function* withRequestCount(
  pages: AsyncIterable<Json[]>,
  { limit, pageSize = limits.pageSize.max }: Bounds,
  requestsPerRow: number,
  notes: Notes,
): AsyncGenerator<Json[]> {
  if (limit === undefined) return yield* pages;
  let rowsLeft = limit;
  notes.ahead = () => ({ requests: Math.ceil(rowsLeft / pageSize) + rowsLeft * requestsPerRow, isMost: true });
  try {
    for await (const page of pages) {
      rowsLeft -= page.length;
      yield page;
    }
  } finally {
    notes.ahead = undefined;
  }
}

/** Prints a list that needs no footer. Says so if it is `empty`. */
export const printRows = async (
  { printer, notes }: Pick<Context, 'printer' | 'notes'>,
  view: View,
  pages: Pages,
  empty?: string,
): Promise<void> => {
  const rows = await printer.list(view, pages);
  if (rows === 0 && empty !== undefined) notes.info(empty);
};

/** Prints pages as they arrive. On a terminal, a footer says which rows are left out and how to see them. */
const printPages = async (
  context: Context,
  view: View,
  pages: (limit: number, remainder: KnownRest) => AsyncIterable<Json[]>,
  bounds: Bounds,
  scope: Scope,
  requestsPerRow = 0,
): Promise<void> => {
  const { printer, notes, runtime, settings } = context;
  const limit = mostRows(context, bounds);
  const remainder = new KnownRest();
  const countedPages = withRequestCount(pages(limit, remainder), bounds, requestsPerRow, notes);
  const { rows: name, since = '', hints = [], empty = `No ${name.replace(/^your /, '')} found` } = scope;
  const rows = await printer.list({ ...view, title: capital(`${name}${since}`) }, countedPages, remainder);
  // Footers are for terminals. Formatting a number takes 15 ms the first time.
  if (!runtime.stderr.isTerminal) return;
  if (rows === 0) {
    const next = isForPeople(context) && settings.fields === undefined ? await scope.next?.() : undefined;
    const place = notes.takePlace();
    const first = `${empty}${place === undefined ? '' : ` · ${place}`}`;
    return notes.footer([...(next === undefined ? [first] : [`${first}. Next: ${next}`]), ...hints].join('. '));
  }
  if (rows >= limit && remainder.more !== undefined) {
    const part = `${formatNumber(rows)} of ${name.startsWith('your ') ? '' : 'the '}${name}`;
    const more = remainder.more === 'more' ? 'For more' : 'There may be more';
    const ways = bounds.limit === undefined ? ['--all', ...hints.slice(-1)] : ['--all or --limit N'];
    notes.footer(`Showing ${part}. ${more}: ${ways.join('. ')}`);
  } else if (hints.length > 0) notes.footer([`Showing ${name}${since}`, ...hints].join('. '));
};

/** Applies `choose` and `add`. The limit counts the rows that `choose` keeps. */
async function* choosePages(
  pages: AsyncIterable<Json[]>,
  { choose = async (rows) => rows, add = async (rows) => rows }: Listing,
  limit: number,
  remainder: KnownRest,
  draft: (rows: Json[]) => Promise<void> = async () => {},
): AsyncGenerator<Json[]> {
  let rowsLeft = limit;
  for await (const page of pages) {
    const chosenRows = await choose(page);
    const rows = chosenRows.slice(0, rowsLeft);
    remainder.isFiltered ||= chosenRows.length < page.length;
    remainder.isCut ||= rows.length < chosenRows.length;
    if (rows.length > 0) {
      await draft(rows);
      yield await add(rows, draft);
    }
    rowsLeft -= rows.length;
    if (rowsLeft <= 0) return;
  }
}

async function* withAdded(pages: AsyncIterable<Json[]>, add: Stage): AsyncGenerator<Json[]> {
  for await (const page of pages) yield await add(page);
}

/** With a filter it is unknown how many rows are needed to find enough, so pages have their full size. */
const isPlain = ({ keep, choose }: Listing): boolean => keep === undefined && choose === undefined;

/** The input of the first request, for `--dry-run` and `--curl`. */
export const firstInput = (context: Context, listing: Listing): Input => {
  const { operation, input, bounds } = listing;
  if (!isPaged(operation)) return input;
  const most = isPlain(listing) ? mostRows(context, bounds) : Number.POSITIVE_INFINITY;
  return { ...input, query: { ...input.query, count: Math.min(bounds.pageSize ?? limits.pageSize.max, most) } };
};

/** Prints the results of a list operation. */
export const printListing = async (context: Context, listing: Listing): Promise<void> => {
  const { operation, bounds, scope, keep, forCsv } = listing;
  const { format, fields } = context.settings;
  const add = (isForPeople(context) && fields === undefined && listing.addForScreen) || listing.add;
  const more = format === 'csv' && fields === undefined && forCsv !== undefined ? await forCsv() : [];
  const view = more.length === 0 ? listing.view : { ...listing.view, columns: [...listing.view.columns, ...more] };
  if (listing.pages !== undefined) {
    const own = listing.pages;
    const pages = (limit: number, remainder: KnownRest) =>
      add === undefined ? own(limit, remainder) : withAdded(own(limit, remainder), add);
    return printPages(context, view, pages, bounds, scope);
  }
  const { pageSize = limits.pageSize.max } = bounds;
  const client = await context.client();
  const { afterSend } = context.runtime;
  const { from } = context.printer;
  const query = from?.query ?? listing.input.query ?? {};
  const input = { ...listing.input, query };
  const filter = rowFilter(operation, query);
  const readPages = (remainder: KnownRest, options: ListOptions<Json>) => {
    const onPage = (rest: Rest) => remainder.add(rest, query);
    return client.pages(operation, input, { from, pageSize, onPage, ...options });
  };
  // Nobody waits for what is only added to the rows.
  const draft = add && ((rows: Json[]) => context.printer.draft?.(rows) ?? Promise.resolve());
  const keepRow = keep === undefined ? filter : (row: Json) => filter(row) && keep(row);
  const pages = (limit: number, remainder: KnownRest) => {
    const isWhole = limit === Number.POSITIVE_INFINITY;
    const options = isPlain(listing) ? { limit, afterSend } : isWhole ? { afterSend } : {};
    return choosePages(
      readPages(remainder, { keep: keepRow, ...options }),
      { ...listing, add },
      limit,
      remainder,
      draft,
    );
  };
  return printPages(context, view, pages, bounds, scope, add === undefined ? 0 : 1);
};

/** A filter for the conditions that only sched applies to the rows. Undefined if there are none. */
export const keepOf = (operation: Operation, rows: Input['query'] = {}): ((row: Json) => boolean) | undefined =>
  Object.keys(rows).length === 0 ? undefined : rowFilter(operation, rows);

/** Which conditions are not part of the request, for `--dry-run` and `--curl`. */
export const rowRemarks = (flags: readonly FieldFlag[], rows: Input['query'] = {}): Sentence[] => {
  const unsent = flags.filter(({ path, part }) => part === 'rows' && rows[path[0]!] !== undefined);
  const names = unsent.map(({ name }) => the(name));
  return names.length === 0 ? [] : [words`${listed(names, 'and')}: not part of the request, applied to its reply`];
};

/** Notes them. */
export const noteRowFilters = ({ notes }: Context, ...remarks: Parameters<typeof rowRemarks>): void => {
  for (const remark of rowRemarks(...remarks)) notes.info(remark);
};
