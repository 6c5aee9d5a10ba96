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
}

/**
 * The results page by page, each fetched when it is taken: a consumer that stops stops the fetching.
 * An empty page with a token goes on; a token seen before ends the listing with an error.
 */
export async function* paginate<Item>(
  fetch: (query: { count: number; page_token?: string }) => Promise<Page<Item>>,
  onLoop: () => Error,
  { limit = Number.POSITIVE_INFINITY, pageSize = limits.pageSize.max, keep = () => true }: ListOptions<Item> = {},
): AsyncGenerator<Item[]> {
  const seen = new Set<string>();
  let token: string | undefined;
  for (let left = limit; left > 0; ) {
    const count = Math.min(pageSize, left);
    const page = await fetch(token === undefined ? { count } : { count, page_token: token });
    const items = page.items.filter(keep).slice(0, left);
    if (items.length > 0) yield items;
    left -= items.length;
    token = page.nextToken;
    if (token === undefined) return;
    if (seen.has(token)) throw onLoop();
    seen.add(token);
  }
}
