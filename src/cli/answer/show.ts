import { SchedError } from '../../base/errors.ts';
import { type Json, jsonText } from '../../base/json.ts';
import { capital } from '../../base/numbers.ts';
import type { BlockStyle } from '../../output/block.ts';
import { liveLine, showAlive } from '../messages/live.ts';
import { noteHidden } from '../messages/notes.ts';
import { printListing } from '../operation/listing.ts';
import { openPage } from '../operation/open-page.ts';
import { printRecord, readsAnswers, withEvent } from '../operation/print-record.ts';
import { type Context, isWatched } from '../session/context.ts';
import type {
  Answer,
  ListingAnswer,
  ManyAnswer,
  PictureAnswer,
  RecordAnswer,
  RowsAnswer,
  StreamAnswer,
  TextAnswer,
} from './answer.ts';

/** If the format can't show a record that is shown nowhere else, the error has it. */
const orInError = async ({ record }: RecordAnswer, print: () => Promise<void>): Promise<void> => {
  try {
    await print();
  } catch (error) {
    if (!(error instanceof SchedError)) throw error;
    throw new SchedError('integrity', error.message, { reason: `created: ${jsonText(record)}`, outcome: 'applied' });
  }
};

/** Says what a write has done, and prints the record. A person reads only what changed and what comes next. */
const showRecord = async (context: Context, answer: RecordAnswer): Promise<void> => {
  const { printer, notes } = context;
  const { before, done, isNew } = answer;
  const { view, record } = (printer.showsPages && (await answer.forPage?.())) || answer;
  const printPlain = () => printRecord(context, view, record, before);
  const print = () => (isNew ? orInError(answer, printPlain) : printPlain());
  if (done === undefined) return print();
  const isRead = readsAnswers(context);
  const { log, sentence = capital(log), below = [], saysAll } = { ...done, ...(isRead && (await done.closer?.())) };
  if (!isRead) {
    await notes.done(log, sentence, saysAll && below);
    return print();
  }
  if (saysAll) return notes.done(log, sentence, below);
  const embedded = await withEvent(context, view, record);
  const shown = [{ ...record, ...embedded }, before && { ...before, ...embedded }] as const;
  const lines = (await printer.answerLines?.(view, ...shown)) ?? [];
  await notes.done(log, sentence, [...lines, ...below]);
  // A record of another shape than the documented one is shown as it came.
  if (before === undefined && lines.length + below.length === 0) await print();
};

/** Says what became of each record. Who doesn't read that gets the records. */
const showMany = async (context: Context, { view, each, failure }: ManyAnswer): Promise<void> => {
  const { printer, notes, settings } = context;
  async function* pages(): AsyncGenerator<Json[]> {
    for await (const { record, done } of each) {
      if (done !== undefined) await notes.done(done.log, done.sentence, done.below);
      yield [record];
    }
  }
  /** All records as one page: the first page of a table sets its column widths. */
  async function* together(): AsyncGenerator<Json[]> {
    const all: Json[] = [];
    try {
      for await (const page of pages()) all.push(...page);
    } finally {
      if (all.length > 0) yield all;
    }
  }
  if (readsAnswers(context)) for await (const _ of pages());
  else await printer.list(view, settings.format === 'table' ? together() : pages());
  const problem = failure();
  if (problem !== undefined) throw problem;
};

const showText = async ({ printer, notes }: Context, { text, paint, footers = [] }: TextAnswer): Promise<void> => {
  if (text !== '') await printer.text(text, paint);
  for (const footer of footers) notes.footer(footer);
};

const showPicture = async (context: Context, { others, picture, footers = [], failure }: PictureAnswer) => {
  const { printer, settings, notes } = context;
  const draft = async (draw: (style: BlockStyle) => string) => printer.draftPicture?.(draw);
  const made = printer.showsPages ? await picture({ isSpoken: settings.accessible, draft }) : undefined;
  if (!printer.showsPages && others !== undefined) await show(context, others);
  if (made !== undefined) {
    let hidden: readonly string[] = [];
    await printer.draw((style) => {
      if (settings.accessible) return made.words(style);
      const drawing = made.draw(style);
      hidden = drawing.hidden ?? [];
      return drawing.picture;
    });
    noteHidden(notes, hidden);
  }
  for (const text of [...(made?.footers ?? []), ...footers]) notes.footer(text);
  // The answer on the same terminal says it already.
  if (failure !== undefined) throw isWatched(context) ? failure.with({ lines: [] }) : failure;
};

const showRows = async ({ printer, notes }: Context, { view, pages, empty }: RowsAnswer): Promise<void> => {
  const rows = await printer.list(view, pages);
  if (rows === 0 && empty !== undefined) notes.info(empty);
};

const showBelow = async ({ printer, notes }: Context, { below }: RowsAnswer | ListingAnswer): Promise<void> => {
  for (const text of (await below?.(printer.rows)) ?? []) notes.footer(text);
};

const showStream = async <Item>(context: Context, stream: StreamAnswer<Item>): Promise<void> => {
  const { runtime, settings, printer, notes } = context;
  const { view, items, alive, stopped, columns } = stream;
  if (alive !== undefined) runtime.stdout.unblock?.(runtime.interrupted);
  let failure: { error: unknown } | undefined;
  const stopShowing = alive === undefined ? () => {} : showAlive(runtime, notes, alive);
  async function* untilStopped(): AsyncGenerator<Item> {
    try {
      yield* items;
    } catch (error) {
      // A list that ends early is reported as incomplete. One that never ends can't be.
      if (alive === undefined) throw error;
      failure = { error };
    }
  }
  async function* records(): AsyncGenerator<Json[]> {
    for await (const item of untilStopped()) yield [stream.record(item)];
  }
  const hasColumns = runtime.stdout.isTerminal && !settings.accessible;
  const lineOf = (item: Item) => liveLine(stream.happening(item, hasColumns), runtime, columns, settings.accessible);
  if (settings.format === 'table')
    for await (const item of untilStopped()) await printer.text(lineOf(item), stream.paint);
  else await printer.list(view, records());
  stopShowing();
  if (failure === undefined) return;
  // Stopping is not a failure.
  if (!runtime.interrupted.aborted) throw failure.error;
  if (stopped !== undefined) notes.info(stopped);
};

/** Shows an answer in the form that was asked for. */
export const show = async (context: Context, answer: Answer): Promise<void> => {
  switch (answer.kind) {
    case 'record':
      await showRecord(context, answer);
      return answer.page && openPage(context, answer.record, answer.page);
    case 'rows':
      await showRows(context, answer);
      return showBelow(context, answer);
    case 'listing':
      await printListing(context, answer.listing);
      return showBelow(context, answer);
    case 'many':
      return showMany(context, answer);
    case 'picture':
      return showPicture(context, answer);
    case 'stream':
      return showStream(context, answer);
    case 'text':
      return showText(context, answer);
    case 'page':
      return openPage(context, answer.record, answer.page);
  }
};
