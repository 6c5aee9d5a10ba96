import { limits } from '../api/limits.ts';

/** One page as the service sent it, its shape already checked. */
export interface Page<Item> {
  items: Item[];
  nextToken?: string;
}

export interface ListOptions<Item> {
  /** Results wanted in all; all there are when left out. */
  limit?: number;
  /** Results asked for per request. */
  pageSize?: number;
  /** What the caller wants of the rows, whether or not the service filtered them. */
  keep?: (item: Item) => boolean;
  /**
   * Given, the next page is asked for before it is wanted, while this one is worked on; for who will take them all. It
   * comes back when the request for that page has left, unless it has to wait.
   */
  afterSend?: () => Promise<void>;
}

/** R40. A service may send some empty pages, but so many in a row will not end. */
export const mostEmptyPages = 100;

const endless = (isLoop: boolean, empty: number): string | undefined => {
  if (isLoop) return 'pagination.next_page_token repeats: the listing would never end';
  return empty < mostEmptyPages ? undefined : `${empty} pages in a row are empty, and each names a next one`;
};

/**
 * The results page by page, each fetched when it is taken, or one ahead: a consumer that stops stops the fetching.
 * What goes wrong with a page ahead is told when its turn comes. An empty page with a token goes on; a token seen before
 * ends the listing with an error, and so do too many pages in a row that the service sent empty.
 */
export async function* paginate<Item>(
  fetch: (query: { count: number; page_token?: string }, signal: AbortSignal) => Promise<Page<Item>>,
  onEndless: (problem: string) => Error,
  {
    limit = Number.POSITIVE_INFINITY,
    pageSize = limits.pageSize.max,
    keep = () => true,
    afterSend,
  }: ListOptions<Item> = {},
): AsyncGenerator<Item[]> {
  const seen = new Set<string>();
  const unwanted = new AbortController();
  let left = limit;
  let empty = 0;
  const ask = (token?: string): Promise<Page<Item>> => {
    const count = Math.min(pageSize, left);
    return fetch(token === undefined ? { count } : { count, page_token: token }, unwanted.signal);
  };
  let coming: Promise<Page<Item>> | undefined;
  try {
    for (let token: string | undefined; left > 0; ) {
      const page: Page<Item> = await (coming ?? ask(token));
      coming = undefined;
      const items = page.items.filter(keep).slice(0, left);
      left -= items.length;
      token = page.nextToken;
      // Rows that are not kept are rows all the same: a service may ignore a filter for any number of pages.
      empty = page.items.length === 0 ? empty + 1 : 0;
      const problem = token === undefined ? undefined : endless(seen.has(token), empty);
      if (afterSend !== undefined && left > 0 && token !== undefined && problem === undefined) {
        coming = ask(token);
        coming.catch(() => {});
        await afterSend();
      }
      if (items.length > 0) yield items;
      if (token === undefined) return;
      if (problem !== undefined && left > 0) throw onEndless(problem);
      seen.add(token);
    }
  } finally {
    unwanted.abort(new Error('nobody wants the next page'));
    await coming?.catch(() => {});
  }
}
