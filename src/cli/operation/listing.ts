import { limits } from '../../api/limits.ts';
import type { Operation } from '../../api/operation.ts';
import type { Json } from '../../base/json.ts';
import { capital, formatNumber } from '../../base/numbers.ts';
import { listed, type Sentence, the, words } from '../../base/words.ts';
import { isPaged } from '../../client/client.ts';
import { rowFilter } from '../../client/filter.ts';
import type { Rest } from '../../client/paginate.ts';
import type { Input } from '../../client/wire.ts';
import type { Bounds, Listing, Remainder, Stage } from '../answer/answer.ts';
import type { Notes } from '../messages/notes.ts';
import type { Shell } from '../session/context.ts';
import type { ListPlace, ListRest } from '../session/frontend.ts';
import type { FieldFlag } from './field-flags.ts';

/** Rows that a terminal shows by default. */
const screenful = 50;

/** Whether the output is a table on a terminal. Only there may a list be shorter than what was asked for. */
export const isForPeople = ({ settings, runtime }: Shell): boolean =>
  settings.format === 'table' && runtime.stdout.isTerminal;

/** The number of rows to show: as given, else a screenful for people, else all. */
const mostRows = (context: Shell, { limit, all }: Bounds): number => {
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
export const firstInput = (context: Shell, listing: Listing): Input => {
  const { operation, input, bounds } = listing;
  if (!isPaged(operation)) return input;
  const most = isPlain(listing) ? mostRows(context, bounds) : Number.POSITIVE_INFINITY;
  return { ...input, query: { ...input.query, count: Math.min(bounds.pageSize ?? limits.pageSize.max, most) } };
};

/** A list that is being read. */
interface OpenListing {
  pages: AsyncIterable<Json[]>;
  /** Rows that it has at most. */
  limit: number;
  /** What is known of the others. */
  rest: KnownRest;
}

/** Reads a list operation from its first page, or from another place. */
export const openListing = async (context: Shell, listing: Listing, from?: ListPlace): Promise<OpenListing> => {
  const { operation, bounds, keep } = listing;
  const add = (isForPeople(context) && context.settings.fields === undefined && listing.addForScreen) || listing.add;
  const limit = mostRows(context, bounds);
  const rest = new KnownRest();
  const counted = (pages: AsyncIterable<Json[]>, requestsPerRow = 0): OpenListing => {
    return { pages: withRequestCount(pages, bounds, requestsPerRow, context.notes), limit, rest };
  };
  const own = listing.pages?.(limit, rest);
  if (own !== undefined) return counted(add === undefined ? own : withAdded(own, add));
  const { pageSize = limits.pageSize.max } = bounds;
  const client = await context.client();
  const { afterSend } = context.runtime;
  const query = from?.query ?? listing.input.query ?? {};
  const filter = rowFilter(operation, query);
  const isWhole = limit === Number.POSITIVE_INFINITY;
  const pages = client.pages(
    operation,
    { ...listing.input, query },
    {
      from,
      pageSize,
      keep: keep === undefined ? filter : (row: Json) => filter(row) && keep(row),
      onPage: (page: Rest) => rest.add(page, query),
      ...(isPlain(listing) ? { limit, afterSend } : isWhole ? { afterSend } : {}),
    },
  );
  // Nobody waits for what is only added to the rows.
  const draft = add && ((rows: Json[]) => context.printer.draft?.(rows) ?? Promise.resolve());
  return counted(choosePages(pages, { ...listing, add }, limit, rest, draft), add === undefined ? 0 : 1);
};

/** Prints the results of a list operation. On a terminal, a footer says which rows are left out and how to see them. */
export const printListing = async (context: Shell, listing: Listing): Promise<void> => {
  const { printer, notes, runtime, settings } = context;
  const { bounds, forCsv } = listing;
  const { format, fields } = settings;
  const more = format === 'csv' && fields === undefined && forCsv !== undefined ? await forCsv() : [];
  const { rows: name, since = '', hints = [], empty = `No ${name.replace(/^your /, '')} found` } = listing.scope;
  const view = { ...listing.view, columns: [...listing.view.columns, ...more], title: capital(`${name}${since}`) };
  const { pages, limit, rest } = await openListing(context, listing);
  const rows = await printer.list(view, pages);
  // Footers are for terminals. Formatting a number takes 15 ms the first time.
  if (!runtime.stderr.isTerminal) return;
  if (rows === 0) {
    const next = isForPeople(context) && settings.fields === undefined ? await listing.scope.next?.() : undefined;
    const place = notes.takePlace();
    const first = `${empty}${place === undefined ? '' : ` · ${place}`}`;
    return notes.footer([...(next === undefined ? [first] : [`${first}. Next: ${next}`]), ...hints].join('. '));
  }
  if (rows >= limit && rest.more !== undefined) {
    const part = `${formatNumber(rows)} of ${name.startsWith('your ') ? '' : 'the '}${name}`;
    const more = rest.more === 'more' ? 'For more' : 'There may be more';
    const ways = bounds.limit === undefined ? ['--all', ...hints.slice(-1)] : ['--all or --limit N'];
    notes.footer(`Showing ${part}. ${more}: ${ways.join('. ')}`);
  } else if (hints.length > 0) notes.footer([`Showing ${name}${since}`, ...hints].join('. '));
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
