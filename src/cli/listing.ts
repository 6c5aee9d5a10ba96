import { limits } from '../api/limits.ts';
import type { Operation } from '../api/operation.ts';
import type { Input } from '../client/client.ts';
import { keepFor } from '../client/filter.ts';
import type { Json } from '../client/reading.ts';
import type { View } from '../output/view.ts';
import type { Invocation } from './command.ts';

/** Rows a terminal shows unless told otherwise. */
const screenful = 50;

export interface Bounds {
  limit?: number;
  pageSize: number;
}

const readCount = (name: string, raw: unknown, max: number, { problems }: Invocation): number | undefined => {
  if (raw === undefined) return undefined;
  const count = /^\d{1,9}$/.test(String(raw)) ? Number(raw) : 0;
  if (count >= 1 && count <= max) return count;
  problems.add(`--${name} '${raw}' is not a whole number from 1${max < Number.MAX_SAFE_INTEGER ? ` to ${max}` : ''}`);
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

/** Prints pages as they arrive, and on a terminal says below them what is left out and how to see it. */
export const printPages = async (
  { context, typed }: Invocation,
  view: View,
  pages: (limit: number, pageSize: number) => AsyncIterable<Json[]>,
  { limit, pageSize }: Bounds,
  scope?: string,
): Promise<void> => {
  const { printer, notes, runtime, settings } = context;
  const isScreenful =
    settings.format === 'table' && runtime.stdout.isTerminal && limit === undefined && typed.all !== true;
  let more = false;
  // One row more than fits tells whether there is more.
  const shown = isScreenful
    ? atMost(pages(screenful + 1, Math.min(pageSize, screenful + 1)), screenful, () => {
        more = true;
      })
    : pages(limit ?? Number.POSITIVE_INFINITY, pageSize);
  const { rows, hiddenColumns } = await printer.list(view, shown);
  if (rows === 0) return notes.footer(`nothing found${scope === undefined ? '' : ` · ${scope}`}`);
  if (more) notes.footer(`first ${screenful} shown · the rest: --all`);
  if (scope !== undefined) notes.footer(scope);
  if (hiddenColumns.length > 0) notes.footer(`too narrow for ${hiddenColumns.join(', ')}`);
};

/** Prints what one list operation gives. */
export const printListing = async (
  invocation: Invocation,
  operation: Operation,
  view: View,
  input: Input,
  bounds: Bounds,
  scope?: string,
): Promise<void> => {
  const client = await invocation.context.client();
  const keep = keepFor(operation, input.query);
  const pages = (limit: number, pageSize: number) => client.pages(operation, input, { limit, pageSize, keep });
  return printPages(invocation, view, pages, bounds, scope);
};
