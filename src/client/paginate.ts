import { limits } from '../api/limits.ts';

/** One page as the service sent it, after checking its shape. */
export interface ListPage<Item> {
  items: Item[];
  nextToken?: string;
}

/** Where a page begins. Without a token it is the first page. */
interface Place {
  token?: string;
  /** Results to request. Default: as many as the list needs, up to the page size. */
  count?: number;
}

export interface ListOptions<Item> {
  /** The page to begin with. Default: the first one. */
  from?: Place | undefined;
  /** Maximum number of results. Default: all. */
  limit?: number;
  /** Results per request. */
  pageSize?: number;
  /** Keeps the rows that the caller wants, whether or not the service filtered them. */
  keep?: (item: Item) => boolean;
  /**
   * If set, the next page is requested while the caller works on this one; for callers that take all pages. Resolves
   * when the request for that page has left, unless the request has to wait.
   */
  afterSend?: () => Promise<void>;
  /** Called for each page, before its rows are yielded. */
  onPage?: (rest: Rest) => void;
}

/** What a list has beyond the rows yielded so far. */
export interface Rest {
  /** Where this page begins. */
  place: Place;
  /** Token of the next page, if there is one. */
  nextToken: string | undefined;
  /** Wanted rows of this page are left out because of the limit. */
  isCut: boolean;
  /** Some rows of this page were not wanted, so the next page may have no wanted ones. */
  isFiltered: boolean;
}

/** R40. A service may send some empty pages, but this many in a row mean that the list never ends. */
const mostEmptyPages = 100;

const endless = (isLoop: boolean, empty: number): string | undefined => {
  if (isLoop) return 'pagination.next_page_token repeats, so the list would never end';
  return empty < mostEmptyPages ? undefined : `${empty} empty pages in a row, each with a next page`;
};

/**
 * Yields the results page by page. Each page is fetched when the caller takes it, or one page ahead; no more pages are
 * fetched after the caller stops. An error in a page fetched ahead is thrown when its turn comes. The list continues
 * after an empty page with a token. It ends with an error if a token repeats, or after `mostEmptyPages` empty pages.
 */
export async function* paginate<Item>(
  fetch: (query: { count: number; page_token?: string }, signal: AbortSignal) => Promise<ListPage<Item>>,
  onEndless: (problem: string) => Error | Promise<Error>,
  {
    from,
    limit = Number.POSITIVE_INFINITY,
    pageSize = limits.pageSize.max,
    keep = () => true,
    afterSend,
    onPage,
  }: ListOptions<Item> = {},
): AsyncGenerator<Item[]> {
  const seenTokens = new Set<string>();
  const unwanted = new AbortController();
  let rowsLeft = limit;
  let empty = 0;
  let place = { count: Math.min(pageSize, rowsLeft), ...from };
  const ask = ({ token, count }: typeof place): Promise<ListPage<Item>> =>
    fetch(token === undefined ? { count } : { count, page_token: token }, unwanted.signal);
  let coming: Promise<ListPage<Item>> | undefined;
  try {
    while (rowsLeft > 0) {
      const page: ListPage<Item> = await (coming ?? ask(place));
      coming = undefined;
      const matches = page.items.filter(keep);
      const items = matches.slice(0, rowsLeft);
      rowsLeft -= items.length;
      const token = page.nextToken;
      onPage?.({
        place,
        nextToken: token,
        isCut: matches.length > items.length,
        isFiltered: matches.length < page.items.length,
      });
      if (place.token !== undefined) seenTokens.add(place.token);
      // Count the rows before `keep`: a service may ignore a filter for any number of pages.
      empty = page.items.length === 0 ? empty + 1 : 0;
      const problem = token === undefined ? undefined : endless(seenTokens.has(token), empty);
      if (token !== undefined) place = { token, count: Math.min(pageSize, rowsLeft) };
      if (afterSend !== undefined && rowsLeft > 0 && token !== undefined && problem === undefined) {
        coming = ask(place);
        coming.catch(() => {});
        await afterSend();
      }
      if (items.length > 0) yield items;
      if (token === undefined) return;
      if (problem !== undefined && rowsLeft > 0) throw await onEndless(problem);
    }
  } finally {
    unwanted.abort(new Error('the next page is no longer needed'));
    await coming?.catch(() => {});
  }
}

/** The rows of all pages. */
export const gather = async <Item>(pages: AsyncIterable<Item[]>): Promise<Item[]> => {
  const rows: Item[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
};
