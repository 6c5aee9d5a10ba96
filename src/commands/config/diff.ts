import { SchedError } from '../../base/errors.ts';
import type { PictureAnswer, RecordAnswer, RowsAnswer } from '../../cli/answer/answer.ts';
import type { Picture, PictureStyle } from '../../cli/answer/picture.ts';
import type { Call } from '../../cli/input/input.ts';
import { commandHere } from '../../cli/messages/suggested-line.ts';
import { placeFacts } from '../../cli/session/confirm.ts';
import type { Context } from '../../cli/session/context.ts';
import type { View } from '../../output/view.ts';
import { todayIn } from '../availability/schedule-facts.ts';
import { addStepSummary } from '../bulk/progress.ts';
import type { DiffInput } from './input.ts';
import { planRecord, planRows, type ResultOf, recordView, rowColumns, rowsView } from './plan-record.ts';
import { type Comparison, compareWithService, readUnmanaged } from './read-plan.ts';
import { drawnPlan, type Entry, planEntries, planSummary } from './screen.ts';

/** The part of a digest that people see and type. */
export const shortDigest = ({ digest }: Pick<Comparison, 'digest'>): string => digest.slice(0, 12);

export const entriesNow = (context: Context, { plan }: Comparison): Entry[] =>
  planEntries(plan, todayIn(context, context.settings.zone));

/** How people see a plan. Asks the service for the name of the organization. */
export const planPicture = async (context: Context, comparison: Comparison, apply?: string): Promise<Picture> => {
  // The heading says by itself that this is the sandbox.
  const place = (await placeFacts(context)).map(([, value]) => value).filter((value) => value !== 'sandbox');
  const facts = { plan: comparison.plan, entries: entriesNow(context, comparison), place, apply };
  const drawn = (style: PictureStyle, isSpoken: boolean): string =>
    drawnPlan({ ...facts, ...(style.isWatched ? {} : { digest: shortDigest(comparison) }) }, style, isSpoken);
  return { draw: (style) => ({ picture: drawn(style, false) }), words: (style) => drawn(style, true) };
};

const summaryOf = (context: Context, comparison: Comparison): string =>
  planSummary({
    plan: comparison.plan,
    entries: entriesNow(context, comparison),
    digest: shortDigest(comparison),
  });

/** A plan for programs. Adds it to the summary page of a job, below what became of it. */
export const planAnswer = async (
  context: Context,
  verb: 'diff' | 'apply',
  comparison: Comparison,
  resultOf: ResultOf = () => undefined,
  remark?: string,
): Promise<RecordAnswer> => {
  const { plan, digest } = comparison;
  const summary = summaryOf(context, comparison);
  const rows = planRows(plan, resultOf);
  const columns = rowColumns.slice(0, verb === 'diff' ? 7 : 8);
  const cells = rows.map((row) => columns.map((column) => row[column]));
  await addStepSummary(
    context,
    `config ${verb}`,
    columns,
    cells,
    remark === undefined ? summary : `${remark}.\n\n${summary}`,
  );
  return {
    kind: 'record',
    view: recordView,
    record: planRecord(plan, digest, resultOf),
    asRows: { view: rowsView, rows },
  };
};

const unmanagedView: View = {
  columns: ['kind', 'name', 'owner', 'uri'].map((path) => ({
    header: path === 'uri' ? 'ID' : path.toUpperCase(),
    path,
    ...(path === 'uri' ? { as: 'id' as const } : { priority: 3 }),
  })),
};

const listUnmanaged = async (context: Context, { file, exitCode }: DiffInput): Promise<RowsAnswer> => {
  const rows = await readUnmanaged(context, file);
  const differs = new SchedError('conflict', `${file.name} does not manage everything`, { answered: true, lines: [] });
  return {
    kind: 'rows',
    view: unmanagedView,
    pages: [rows],
    empty: `Nothing is outside ${file.name}`,
    // A tool returns one record.
    forTool: () => ({ unmanaged: rows }),
    failure: exitCode && rows.length > 0 ? differs : undefined,
  };
};

export const runDiff = async (input: DiffInput, { context }: Call): Promise<PictureAnswer | RowsAnswer> => {
  const { file, exitCode, unmanaged } = input;
  if (unmanaged) return listUnmanaged(context, input);
  const comparison = await compareWithService(context, file);
  const { plan } = comparison;
  const answer = await planAnswer(context, 'diff', comparison);
  const apply = commandHere(context, 'config', 'apply', file.path, '--confirm', shortDigest(comparison));
  const differs = new SchedError('conflict', `${plan.file} differs from the service`, { answered: true, lines: [] });
  return {
    kind: 'picture',
    picture: () => planPicture(context, comparison, apply),
    // The record of a tool says it all.
    others: { ...answer, done: { hints: [summaryOf(context, comparison)] }, forTool: () => answer.record },
    failure: exitCode && plan.changes.length > 0 ? differs : undefined,
  };
};
