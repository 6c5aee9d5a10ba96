import { isPlainId } from '../../client/ids.ts';
import { readIfPossible } from '../../jobs/read-back.ts';
import type { Json } from '../../json.ts';
import type { View } from '../../output/view.ts';
import { idIn } from '../../uri.ts';
import type { Context } from '../session/context.ts';

/** The event of a record, if its page shows that too. If it can't be read, it is left out: the command still succeeded. */
const eventOf = async (context: Context, { page }: View, { event: uri }: Json): Promise<{ event?: Json }> => {
  if (!page?.embedsEvent || !context.printer.showsPages || typeof uri !== 'string' || !isPlainId(idIn(uri))) return {};
  const { events } = await import('../../api/events.ts');
  const client = await context.client();
  const event = await readIfPossible(() => client.call(events.get, { path: { event: idIn(uri) } }));
  return event === undefined ? {} : { event };
};

/** Prints a record. On its page for people, `before` shows the values that a change replaced. */
export const printRecord = async (context: Context, view: View, record: Json, before?: Json): Promise<void> => {
  const embedded = await eventOf(context, view, record);
  await context.printer.one(view, { ...record, ...embedded }, before && { ...before, ...embedded });
};
