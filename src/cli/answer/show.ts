import { SchedError } from '../../base/errors.ts';
import { type Json, jsonText } from '../../base/json.ts';
import type { BlockStyle } from '../../output/block.ts';
import { valueAt } from '../../output/fields.ts';
import { idPath } from '../../output/view.ts';
import { type Alive, liveLine, showAlive } from '../messages/live.ts';
import { type Below, noteHidden, undoWords } from '../messages/notes.ts';
import { printListing } from '../operation/listing.ts';
import { openPage } from '../operation/open-page.ts';
import { printRecord, readsAnswers, withEvent } from '../operation/print-record.ts';
import { addFacts, isAlready } from '../operation/write-result.ts';
import { type Context, isWatched } from '../session/context.ts';
import type {
  Answer,
  Done,
  FileAnswer,
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

/** What a person reads below what a write has done, a program reads in the record, unless it was done already. */
const withEffects = ({ settings: { format, fields } }: Context, record: Json, done: Partial<Done> = {}): Json => {
  const { stays, undo, failed } = done;
  const hasFacts = format === 'json' || format === 'jsonl' || fields !== undefined;
  return hasFacts && !isAlready(record) ? addFacts(record, { stays, undo, failed }) : record;
};

/** A record with its details, for formats that name their values. */
const withDetails = ({ settings: { format, fields } }: Context, record: Json, details: Json | undefined): Json =>
  ['json', 'jsonl', 'yaml'].includes(format) || fields !== undefined ? { ...record, ...details } : record;

/** Says what a write has done. `lines` come first below it. */
const sayDone = async (
  { notes }: Context,
  { log, sentence, below = [], undo, hints = [], warnings = [] }: Partial<Done>,
  lines: readonly Below[] = [],
): Promise<void> => {
  if (log !== undefined) await notes.done(log, sentence, [...lines, ...below], undo);
  for (const hint of hints) notes.info(hint);
  for (const warning of warnings) notes.warn(warning);
};

/** Says what a write has done, and prints the record. A person reads only what changed and what comes next. */
const showRecord = async (context: Context, answer: RecordAnswer): Promise<void> => {
  const { printer } = context;
  const { before, done, isNew, text } = answer;
  if (text !== undefined && hasLines(context)) return showText(context, text);
  const { view, record } = (printer.showsPages && (await answer.forPage?.())) || answer;
  const whole = withDetails(context, withEffects(context, record, done), answer.details);
  const printPlain = () => printRecord(context, view, whole, before);
  const print = () => (isNew ? orInError(answer, printPlain) : printPlain());
  if (done?.log === undefined) {
    if (done !== undefined) await sayDone(context, done);
    return print();
  }
  const isRead = readsAnswers(context);
  const said = { ...done, ...(isRead && (await done.closer?.())) };
  const { below = [], undo, saysAll } = said;
  if (!isRead) {
    await sayDone(context, {
      ...said,
      below: saysAll ? below : [],
      undo: isAlready(record) ? undefined : undo,
    });
    return print();
  }
  if (saysAll) return sayDone(context, said);
  const embedded = await withEvent(context, view, record);
  const shown = [{ ...record, ...embedded }, before && { ...before, ...embedded }] as const;
  const lines = (await printer.answerLines?.(view, ...shown)) ?? [];
  await sayDone(context, said, lines);
  // A record of another shape than the documented one is shown as it came.
  if (before === undefined && undo === undefined && lines.length + below.length === 0) await print();
};

/** Says what became of each record. Who doesn't read that gets the records. */
const showMany = async (context: Context, { view, each, done: all, failure }: ManyAnswer): Promise<void> => {
  const { printer, notes, settings } = context;
  /** The lines that no sentence about a single record has. */
  const undo = new Set<string>();
  async function* pages(): AsyncGenerator<Json[]> {
    for await (const { record, done = {} } of each) {
      if (done.log === undefined && done.undo !== undefined) undo.add(done.undo);
      await sayDone(context, done);
      yield [withEffects(context, record, done)];
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
  const problem = failure?.();
  const done = problem === undefined ? all : undefined;
  const isBelow = done !== undefined && undo.size < 2;
  if (done !== undefined) await sayDone(context, isBelow ? { ...done, undo: [...undo][0] } : done);
  if (!isBelow) for (const line of undo) notes.info(undoWords(line));
  if (problem !== undefined) throw problem;
};

/** Whether people or lines of text are wanted, without a choice of fields. */
const hasLines = ({ settings: { format, fields, jq } }: Context): boolean =>
  (format === 'table' || format === 'tsv') && fields === undefined && jq === undefined;

const showText = async ({ printer }: Context, text: string, paint?: TextAnswer['paint']): Promise<void> => {
  if (text !== '') await printer.text(text, paint);
};

const showFile = (context: Context, { value, text, isYaml, forTool }: FileAnswer): Promise<void> => {
  const { printer, frontend, settings } = context;
  if (frontend !== undefined) return printer.one({ columns: [] }, forTool?.() ?? value);
  const isText = hasLines(context) || (isYaml && settings.format === 'yaml' && settings.jq === undefined);
  return text !== undefined && isText ? showText(context, text) : printer.whole(value);
};

const showPicture = async (context: Context, { others, picture }: PictureAnswer) => {
  const { printer, settings, notes } = context;
  const draft = async (draw: (style: BlockStyle) => string) => printer.draftPicture?.(draw);
  const made = printer.showsPages ? await picture({ isSpoken: settings.accessible, draft }) : undefined;
  if (!printer.showsPages && others !== undefined) await showForm(context, others);
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
  for (const text of made?.footers ?? []) notes.footer(text);
};

const showRows = async (context: Context, answer: RowsAnswer): Promise<void> => {
  const { view, pages, empty } = answer;
  const rows = await context.printer.list(view, pages);
  if (rows === 0 && empty !== undefined) context.notes.info(empty);
  await showBelow(context, answer);
};

const showBelow = async ({ printer, notes }: Context, { below }: RowsAnswer | ListingAnswer): Promise<void> => {
  for (const text of (await below?.(printer.rows)) ?? []) notes.footer(text);
};

/** Shows the last line of a terminal once a stream has begun. Returns a function that ends that. */
const showBegun = ({ runtime, notes }: Context, alive: () => Alive, begun: Promise<unknown> | undefined) => {
  if (begun === undefined) return showAlive(runtime, notes, alive);
  let stop: (() => void) | undefined;
  let isOver = false;
  const start = () => {
    if (!isOver) stop = showAlive(runtime, notes, alive);
  };
  begun.then(start, () => {});
  return () => {
    isOver = true;
    stop?.();
  };
};

/** Prints the items of a stream as they come. */
const printStream = async <Item>(context: Context, stream: StreamAnswer<Item>, items: AsyncIterable<Item>) => {
  const { runtime, settings, printer } = context;
  const { format, fields, jq, accessible } = settings;
  const { view, isEach, columns } = stream;
  async function* records(): AsyncGenerator<Json[]> {
    for await (const item of items) {
      const record = stream.record(item);
      // What has no ID is not an item of such a list.
      if (isEach && format === 'id' && typeof valueAt(record, idPath(view)) !== 'string') continue;
      yield [record];
    }
  }
  if (isEach && (jq !== undefined || (format === 'table' && fields !== undefined && !accessible))) {
    for await (const [record] of records()) await printer.one(view, record!);
    return;
  }
  if (format !== 'table' || (isEach && accessible)) return void (await printer.list(view, records()));
  const hasColumns = runtime.stdout.isTerminal && !accessible;
  for await (const item of items) {
    const line = liveLine(stream.happening(item, hasColumns), runtime, columns, accessible);
    await printer.text(line, (text, paint) => stream.paint(text, paint, item));
  }
};

const showStream = async <Item>(context: Context, stream: StreamAnswer<Item>): Promise<void> => {
  const { runtime, notes } = context;
  const { items, alive, begun, stopped } = stream;
  if (alive !== undefined) runtime.stdout.unblock?.(runtime.interrupted);
  let failure: { error: unknown } | undefined;
  const stopShowing = alive === undefined ? () => {} : showBegun(context, alive, begun);
  async function* untilStopped(): AsyncGenerator<Item> {
    try {
      yield* items;
    } catch (error) {
      // A list that ends early is reported as incomplete. One that never ends can't be.
      if (alive === undefined) throw error;
      failure = { error };
    }
  }
  await printStream(context, stream, untilStopped()).finally(stopShowing);
  if (failure === undefined) return;
  // Stopping is not a failure.
  if (!runtime.interrupted.aborted) throw failure.error;
  if (stopped !== undefined) notes.info(stopped);
};

const showForm = async (context: Context, answer: Answer): Promise<void> => {
  switch (answer.kind) {
    case 'record':
      await showRecord(context, answer);
      return answer.page && openPage(context, answer.record, answer.page);
    case 'rows':
      return showRows(context, answer);
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
      return showText(context, answer.text, answer.paint);
    case 'file':
      return showFile(context, answer);
    case 'page':
      return openPage(context, answer.record, answer.page);
    case 'program':
      return answer.run(context);
    case 'nothing':
  }
};

/** Shows an answer in the form that was asked for, and what is said beside it. Throws its failure. */
export const show = async (context: Context, answer: Answer): Promise<void> => {
  const { notes } = context;
  const { done, warnings = [], hints = [], footers = [] } = answer;
  for (const sentence of answer.said?.(isWatched(context)) ?? []) notes.always(sentence);
  // A record and its sentence are one form. Of several, what was done in all comes last.
  if (done !== undefined && answer.kind !== 'record' && answer.kind !== 'many') await sayDone(context, done);
  await showForm(context, answer);
  for (const warning of warnings) notes.warn(warning);
  for (const hint of hints) notes.info(hint);
  for (const footer of footers) notes.footer(footer);
  if (answer.kind === 'many' || answer.failure === undefined) return;
  const { failure, kind } = answer;
  // The picture on the same terminal says it already.
  throw kind === 'picture' && isWatched(context) ? failure.with({ lines: [] }) : failure;
};
