import { isPlainId } from '../../client/ids.ts';
import { readIfPossible } from '../../jobs/read-back.ts';
import type { Json } from '../../json.ts';
import type { View } from '../../output/view.ts';
import { idIn } from '../../uri.ts';
import type { Context } from '../session/context.ts';

/** How to read the records that a page can embed, by the name of the field with their URI. */
const readers: Readonly<Record<string, (context: Context, id: string) => Promise<Json>>> = {
  event: async (context, id) => {
    const { events } = await import('../../api/events.ts');
    return (await context.client()).call(events.get, { path: { event: id } });
  },
};

/** The records that the page shows besides this one. One that can't be read is left out: the command still succeeded. */
const embeddedIn = async (context: Context, view: View, record: Json): Promise<Json> => {
  if (!context.printer.showsPages) return {};
  const embedded: Json = {};
  for (const field of view.page?.embeds ?? []) {
    const uri = record[field];
    if (typeof uri !== 'string' || !isPlainId(idIn(uri))) continue;
    const found = await readIfPossible(() => readers[field]!(context, idIn(uri)));
    if (found !== undefined) embedded[field] = found;
  }
  return embedded;
};

/** Prints a record. On its page for people, `before` shows the values that a change replaced. */
export const printRecord = async (context: Context, view: View, record: Json, before?: Json): Promise<void> => {
  const embedded = await embeddedIn(context, view, record);
  const whole = (each: Json): Json => (Object.keys(embedded).length === 0 ? each : { ...each, ...embedded });
  await context.printer.one(view, whole(record), before && whole(before));
};
