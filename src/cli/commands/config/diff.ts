import { SchedError } from '../../../errors.ts';
import type { Call } from '../../input/input.ts';
import { commandHere } from '../../messages/suggested-line.ts';
import { todayIn } from '../../scheduling/schedule-facts.ts';
import { placeOf } from '../../session/confirm.ts';
import type { Context } from '../../session/context.ts';
import { addStepSummary } from '../bulk/show-progress.ts';
import { drawnPlan, type Entry, entriesOf, type PlanStyle, summaryOf } from './draw-plan.ts';
import type { DiffInput } from './input.ts';
import { planRecord, planRows, type ResultOf, recordView, rowColumns, rowsView } from './plan-record.ts';
import { type ReadPlan, readPlan } from './read-plan.ts';

/** The part of a digest that people see and type. */
export const shortDigest = ({ digest }: Pick<ReadPlan, 'digest'>): string => digest.slice(0, 12);

export const entriesNow = (context: Context, { plan }: ReadPlan): Entry[] =>
  entriesOf(plan, todayIn(context, context.settings.zone));

/** How people see a plan. Asks the service for the name of the organization. */
export const planText = async (context: Context, read: ReadPlan, apply?: string) => {
  // The heading says by itself that this is the sandbox.
  const place = (await placeOf(context)).map(([, value]) => value).filter((value) => value !== 'sandbox');
  const facts = { plan: read.plan, entries: entriesNow(context, read), place, digest: shortDigest(read), apply };
  return (style: PlanStyle): string => drawnPlan(facts, style, context.settings.accessible);
};

/** Adds a plan to the summary page of a job, below what became of it, and prints it for programs. */
export const printPlan = async (
  context: Context,
  verb: 'diff' | 'apply',
  read: ReadPlan,
  resultOf: ResultOf = () => undefined,
  remark?: string,
): Promise<void> => {
  const { printer, settings, notes, frontend } = context;
  const { plan, digest } = read;
  const summary = summaryOf({ plan, entries: entriesNow(context, read), digest: shortDigest(read) });
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
  if (printer.showsPages) return;
  if (verb === 'diff' && frontend === undefined) notes.info(summary);
  if (settings.format === 'tsv' || settings.format === 'csv') await printer.list(rowsView, [rows]);
  else await printer.one(recordView, planRecord(plan, digest, resultOf));
};

export const runDiff = async ({ file, exitCode }: DiffInput, { context }: Call): Promise<void> => {
  const read = await readPlan(context, file);
  if (context.printer.showsPages) {
    const apply = commandHere(context, 'config', 'apply', file.path, '--confirm', shortDigest(read));
    await context.printer.draw(await planText(context, read, apply));
  }
  await printPlan(context, 'diff', read);
  if (!exitCode || read.plan.changes.length === 0) return;
  throw new SchedError('conflict', `${read.plan.file} differs from the service`, { answered: true, lines: [] });
};
