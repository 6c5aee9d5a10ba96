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
  letLeave?: () => Promise<void>;
}

/**
 * The results page by page, each fetched when it is taken, or one ahead: a consumer that stops stops the fetching.
 * What goes wrong with a page ahead is told when its turn comes. An empty page with a token goes on; a token seen before
 * ends the listing with an error.
 */
export async function* paginate<Item>(
  fetch: (query: { count: number; page_token?: string }, signal: AbortSignal) => Promise<Page<Item>>,
  onLoop: () => Error,
  {
    limit = Number.POSITIVE_INFINITY,
    pageSize = limits.pageSize.max,
    keep = () => true,
    letLeave,
  }: ListOptions<Item> = {},
): AsyncGenerator<Item[]> {
  const seen = new Set<string>();
  const unwanted = new AbortController();
  let left = limit;
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
      const isLoop = token !== undefined && seen.has(token);
      if (letLeave !== undefined && left > 0 && token !== undefined && !isLoop) {
        coming = ask(token);
        coming.catch(() => {});
        await letLeave();
      }
      if (items.length > 0) yield items;
      if (token === undefined) return;
      if (isLoop && left > 0) throw onLoop();
      seen.add(token);
    }
  } finally {
    unwanted.abort(new Error('nobody wants the next page'));
    await coming?.catch(() => {});
  }
}
