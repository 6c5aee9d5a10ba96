import { SchedError } from '../../base/errors.ts';
import { type Json, jsonText } from '../../base/json.ts';
import { needsAscii } from '../../output/ascii.ts';
import type { BlockStyle } from '../../output/block.ts';
import type { View } from '../../output/view.ts';
import { noteHidden } from '../messages/notes.ts';
import { printListing } from '../operation/listing.ts';
import { openPage } from '../operation/open-page.ts';
import { printRecord, readsAnswers, withEvent } from '../operation/print-record.ts';
import { isWatched, type Shell } from '../session/context.ts';
import type { Answer, ListingAnswer, ManyAnswer, PictureAnswer, RecordAnswer, RowsAnswer } from './answer.ts';
import type { Report } from './picture.ts';
import { sayBeside, sayDone, sayEach, wholeRecord } from './say.ts';
import { hasFooters, hasLines, showFile, showRaw, showSecret, showText } from './show-text.ts';

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
const showRecord = async (context: Shell, answer: RecordAnswer): Promise<void> => {
  const { printer, settings } = context;
  const { before, done, isNew, text, asRows } = answer;
  if (text !== undefined && hasLines(context)) return showText(context, text);
  const { view, record } = (printer.showsPages && (await answer.forPage?.())) || answer;
  const whole = wholeRecord(context, { ...answer, record });
  const printPlain = async () =>
    asRows !== undefined && (settings.format === 'csv' || settings.format === 'tsv')
      ? void (await printer.list(asRows.view, [asRows.rows]))
      : printRecord(context, view, whole, before);
  const print = () => (isNew ? orInError(answer, printPlain) : printPlain());
  if (done?.log === undefined || !readsAnswers(context)) {
    if (done !== undefined) await sayBeside(context, record, done);
    return print();
  }
  const said = { ...done, ...(await done.closer?.()) };
  const { below = [], undo, saysAll } = said;
  if (saysAll) return sayDone(context, said);
  const embedded = await withEvent(context, view, record);
  const shown = [{ ...record, ...embedded }, before && { ...before, ...embedded }] as const;
  const lines = (await printer.answerLines?.(view, ...shown)) ?? [];
  await sayDone(context, said, lines);
  // A record of another shape than the documented one is shown as it came.
  if (before === undefined && undo === undefined && lines.length + below.length === 0) await print();
};

/** Says what became of each record. Who doesn't read that gets the records. */
const showMany = async (context: Shell, many: ManyAnswer): Promise<void> => {
  const { printer, settings } = context;
  const { pages, end } = sayEach(context, many);
  /** All records as one page: the first page of a table sets its column widths. */
  async function* together(): AsyncGenerator<Json[]> {
    const all: Json[] = [];
    try {
      for await (const page of pages) all.push(...page);
    } finally {
      if (all.length > 0) yield all;
    }
  }
  if (readsAnswers(context)) for await (const _ of pages);
  else await printer.list(many.view, settings.format === 'table' ? together() : pages);
  await end();
};

const showPicture = async (context: Shell, { others, picture, onScreen }: PictureAnswer) => {
  const { printer, settings, notes, runtime } = context;
  if (onScreen && !runtime.stdout.isTerminal && others !== undefined) return showForm(context, others);
  const isSeen = isWatched(context);
  const draft = async (draw: (style: BlockStyle) => string) => printer.draftPicture?.(draw);
  const isDrawn = printer.showsPages && settings.format !== 'text';
  const made = isDrawn ? await picture({ isSpoken: settings.accessible, draft }) : undefined;
  const isUnspoken = settings.accessible && made !== undefined && made.words === undefined;
  if ((!isDrawn || isUnspoken) && others !== undefined) await showForm(context, others);
  if (made !== undefined && !isUnspoken) {
    let hidden: readonly string[] = [];
    await printer.draw((blockStyle) => {
      const style = { ...blockStyle, isWatched: isSeen };
      if (settings.accessible) return made.words!(style);
      const drawing = made.draw(style);
      hidden = drawing.hidden ?? [];
      return drawing.picture;
    });
    noteHidden(notes, hidden);
  }
  for (const text of made?.footers ?? []) notes.footer(text);
};

/** Lines for people in place of a table. */
const showReport = async (context: Shell, view: View, report: Report): Promise<void> => {
  const { printer, settings, runtime } = context;
  const { rows, lines, paint, summary } = report;
  const columns = runtime.stdout.isTerminal ? runtime.stdout.columns || 80 : Number.POSITIVE_INFINITY;
  if (settings.accessible || rows.length === 0) await printer.list(view, [[...rows]]);
  else await printer.text(lines(columns), paint);
  if (summary === undefined) return;
  const { wrap } = await import('../../output/width.ts');
  const text = `${settings.accessible ? 'Summary: ' : ''}${summary}`;
  await printer.text(`\n${wrap(text, columns).join('\n')}`, (line, { heading }) => heading(line));
};

const showRows = async (context: Shell, answer: RowsAnswer): Promise<void> => {
  const { view, pages, empty, report, sentences } = answer;
  if (context.settings.format === 'text' && sentences !== undefined) return showText(context, await sentences());
  const { stdout, env } = context.runtime;
  if (context.printer.showsPages && report !== undefined)
    return showReport(context, view, report({ isTerminal: stdout.isTerminal, isAscii: needsAscii(env) }));
  const rows = await context.printer.list(view, pages);
  if (rows === 0 && empty !== undefined) context.notes.info(empty);
  await showBelow(context, answer);
};

const showBelow = async ({ printer, notes }: Shell, { below }: RowsAnswer | ListingAnswer): Promise<void> => {
  for (const text of (await below?.(printer.rows)) ?? []) notes.footer(text);
};

const showForm = async (context: Shell, answer: Answer): Promise<void> => {
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
      return (await import('./show-stream.ts')).showStream(context, answer);
    case 'text':
      return showText(context, answer.text, answer.paint);
    case 'secret':
      return showSecret(context, answer);
    case 'file':
      return showFile(context, answer);
    case 'raw':
      return showRaw(context, answer, (records) => show(context, records));
    case 'page':
      return openPage(context, answer.record, answer.page);
    case 'program':
      return answer.run(context);
    case 'nothing':
  }
};

/** Gives an answer to who gets it. Returns the number of its rows. */
const give = async (context: Shell, answer: Answer): Promise<number> => {
  const { frontend, printer } = context;
  if (frontend !== undefined) return (await import('./take.ts')).take(context, frontend, answer);
  await showForm(context, answer);
  return printer.rows;
};

/** Shows an answer in the form that was asked for, and what is said beside it. Throws its failure. */
export const show = async (context: Shell, answer: Answer): Promise<void> => {
  const { notes } = context;
  const { done, warnings = [], hints = [], footers = [] } = answer;
  for (const sentence of answer.said?.(isWatched(context)) ?? []) notes.always(sentence);
  // A record and its sentence are one form. Of several, what was done in all comes last.
  if (done !== undefined && answer.kind !== 'record' && answer.kind !== 'many') await sayDone(context, done);
  const rows = await give(context, answer);
  for (const warning of warnings) notes.warn(warning);
  for (const hint of hints) notes.info(hint);
  if (hasFooters(context, answer)) for (const footer of footers) notes.footer(footer);
  if (answer.kind === 'many') return;
  const failure = typeof answer.failure === 'function' ? await answer.failure(rows) : answer.failure;
  if (failure === undefined) return;
  const isSaid = answer.kind === 'picture' && answer.saysFailure && isWatched(context);
  throw isSaid ? failure.with({ lines: [] }) : failure;
};
