import type { Json } from '../../base/json.ts';
import { capital } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import { readIfPossible } from '../../client/change.ts';
import { isPlainId } from '../../client/ids.ts';
import type { View } from '../../output/view.ts';
import type { Below } from '../messages/notes.ts';
import { type Context, isWatched } from '../session/context.ts';

/** The event of a record. If it can't be read, it is left out: the command still succeeded. */
export const readEventOf = async (context: Context, { event: uri }: Json): Promise<Json | undefined> => {
  if (typeof uri !== 'string' || !isPlainId(idIn(uri))) return undefined;
  const { events } = await import('../../api/events.ts');
  const client = await context.client();
  return readIfPossible(() => client.call(events.get, { path: { event: idIn(uri) } }));
};

/** A record with its event, if its page shows that. */
const withEvent = async (context: Context, view: View, record: Json): Promise<Json> => {
  const isShown = view.page?.embedsEvent && context.printer.showsPages;
  const event = isShown ? await readEventOf(context, record) : undefined;
  return event === undefined ? {} : { event };
};

/** Prints a record. On its page for people, `before` shows the values that a change replaced. */
export const printRecord = async (context: Context, view: View, record: Json, before?: Json): Promise<void> => {
  const embedded = await withEvent(context, view, record);
  await context.printer.one(view, { ...record, ...embedded }, before && { ...before, ...embedded });
};

interface Answer {
  /** What was done: `changed: Intro call` */
  done: string;
  /** The same for a person, if that needs other words. */
  sentence?: string;
  /** What a person may do next, such as undo it. */
  below?: readonly Below[];
  before?: Json | undefined;
  /** Prints the record. */
  print?(): Promise<void>;
}

/** Whether a person reads in words what a write has done, and needs no record. */
export const readsAnswers = (context: Context): boolean => isWatched(context) && !context.notes.quiet;

/** Says what a write has done, and prints the record. A person reads only what changed and what comes next. */
export const answerWrite = async (context: Context, view: View, record: Json, answer: Answer): Promise<void> => {
  const { done, sentence = capital(done), below = [], before } = answer;
  const { print = () => printRecord(context, view, record, before) } = answer;
  if (!readsAnswers(context)) {
    await context.notes.done(done, sentence);
    return print();
  }
  const embedded = await withEvent(context, view, record);
  const shown = [{ ...record, ...embedded }, before && { ...before, ...embedded }] as const;
  const lines = (await context.printer.answerLines?.(view, ...shown)) ?? [];
  await context.notes.done(done, sentence, [...lines, ...below]);
  // A record of another shape than the documented one is shown as it came.
  if (before === undefined && lines.length + below.length === 0) await print();
};
