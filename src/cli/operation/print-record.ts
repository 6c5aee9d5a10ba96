import type { Json } from '../../base/json.ts';
import { idIn } from '../../base/uri.ts';
import { readIfPossible } from '../../client/change.ts';
import { isPlainId } from '../../client/ids.ts';
import type { View } from '../../output/view.ts';
import { type Context, isWatched, type Shell } from '../session/context.ts';

/** The event of a record. If it can't be read, it is left out: the command still succeeded. */
export const readEventOf = async (context: Context, { event: uri }: Json): Promise<Json | undefined> => {
  if (typeof uri !== 'string' || !isPlainId(idIn(uri))) return undefined;
  const { events } = await import('../../api/events.ts');
  const client = await context.client();
  return readIfPossible(() => client.call(events.get, { path: { event: idIn(uri) } }));
};

/** A record with its event, if its page shows that. */
export const withEvent = async (context: Shell, view: View, record: Json): Promise<Json> => {
  const isShown = view.page?.embedsEvent && context.printer.showsPages;
  const event = isShown ? await readEventOf(context, record) : undefined;
  return event === undefined ? {} : { event };
};

/** Prints a record. On its page for people, `before` shows the values that a change replaced. */
export const printRecord = async (context: Shell, view: View, record: Json, before?: Json): Promise<void> => {
  const embedded = await withEvent(context, view, record);
  await context.printer.one(view, { ...record, ...embedded }, before && { ...before, ...embedded });
};

/** Whether a person reads in words what a write has done, and needs no record. */
export const readsAnswers = (context: Shell): boolean => isWatched(context) && !context.notes.quiet;
