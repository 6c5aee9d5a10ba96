import type { Operation } from '../../api/operation.ts';
import type { Json } from '../../base/json.ts';
import { day, minute } from '../../base/milliseconds.ts';
import type { Context } from '../../cli/session/context.ts';
import { gather } from '../../client/paginate.ts';
import type { Input, Query } from '../../client/wire.ts';
import { wireOf } from '../../dialects/dialect.ts';
import { utcText } from '../../time/wall.ts';
import type { SlotWindow } from './free-slots.ts';

/** Days that one request may ask for, if the dialect doesn't say. */
const usualDays = 7;

/** The inputs of a list that takes only some days at a time: one for each part of the window. */
export const inputsByDays = async (
  context: Context,
  row: Operation,
  query: Query,
  { since, until }: SlotWindow,
): Promise<Input[]> => {
  const longest = (wireOf(await context.dialect(), row)?.max_days ?? usualDays) * day;
  const inputs: Input[] = [];
  // Such services take no start in the past, and a request takes a while.
  for (let from = Math.max(since, context.now() + minute); from < until; from += longest) {
    const window = { start_time: utcText(from), end_time: utcText(Math.min(from + longest, until)) };
    inputs.push({ query: { ...query, ...window } });
  }
  return inputs;
};

/** Reads such a list. */
export const gatherByDays = async (...[context, row, query, window]: Parameters<typeof inputsByDays>) => {
  const client = await context.client();
  const records: Json[] = [];
  for (const input of await inputsByDays(context, row, query, window))
    records.push(...(await gather(client.pages(row, input))));
  return records;
};
