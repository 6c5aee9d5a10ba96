import type { Json } from '../../base/json.ts';
import { idIn } from '../../base/uri.ts';
import { readIfPossible } from '../../client/change.ts';
import { isPlainId } from '../../client/ids.ts';
import type { View } from '../../output/view.ts';
import type { Context } from '../session/context.ts';

/** The event of a record. If it can't be read, it is left out: the command still succeeded. */
export const readEventOf = async (context: Context, { event: uri }: Json): Promise<Json | undefined> => {
  if (typeof uri !== 'string' || !isPlainId(idIn(uri))) return undefined;
  const { events } = await import('../../api/events.ts');
  const client = await context.client();
  return readIfPossible(() => client.call(events.get, { path: { event: idIn(uri) } }));
};

/** Prints a record. On its page for people, `before` shows the values that a change replaced. */
export const printRecord = async (context: Context, view: View, record: Json, before?: Json): Promise<void> => {
  const isShown = view.page?.embedsEvent && context.printer.showsPages;
  const event = isShown ? await readEventOf(context, record) : undefined;
  const embedded = event === undefined ? {} : { event };
  await context.printer.one(view, { ...record, ...embedded }, before && { ...before, ...embedded });
};
