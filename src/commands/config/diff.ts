import { SchedError } from '../../base/errors.ts';
import type { Call } from '../../cli/input/input.ts';
import { commandHere } from '../../cli/messages/suggested-line.ts';
import { printRows } from '../../cli/operation/listing.ts';
import { placeFacts } from '../../cli/session/confirm.ts';
import { type Context, isWatched } from '../../cli/session/context.ts';
import type { View } from '../../output/view.ts';
import { todayIn } from '../availability/schedule-facts.ts';
import { addStepSummary } from '../bulk/progress.ts';
import type { DiffInput } from './input.ts';
import { planRecord, planRows, type ResultOf, recordView, rowColumns, rowsView } from './plan-record.ts';
import { type Comparison, compareWithService, readUnmanaged } from './read-plan.ts';
import { drawnPlan, type Entry, type PlanStyle, planEntries, planSummary } from './screen.ts';

/** The part of a digest that people see and type. */
export const shortDigest = ({ digest }: Pick<Comparison, 'digest'>): string => digest.slice(0, 12);

export const entriesNow = (context: Context, { plan }: Comparison): Entry[] =>
  planEntries(plan, todayIn(context, context.settings.zone));

/** How people see a plan. Asks the service for the name of the organization. */
export const planText = async (context: Context, comparison: Comparison, apply?: string) => {
  // The heading says by itself that this is the sandbox.
  const place = (await placeFacts(context)).map(([, value]) => value).filter((value) => value !== 'sandbox');
  const facts = {
    plan: comparison.plan,
    entries: entriesNow(context, comparison),
    place,
    ...(isWatched(context) ? {} : { digest: shortDigest(comparison) }),
    apply,
  };
  return (style: PlanStyle): string => drawnPlan(facts, style, context.settings.accessible);
};

/** Adds a plan to the summary page of a job, below what became of it, and prints it for programs. */
export const printConfigPlan = async (
  context: Context,
  verb: 'diff' | 'apply',
  comparison: Comparison,
  resultOf: ResultOf = () => undefined,
  remark?: string,
): Promise<void> => {
  const { printer, settings, notes, frontend } = context;
  const { plan, digest } = comparison;
  const summary = planSummary({ plan, entries: entriesNow(context, comparison), digest: shortDigest(comparison) });
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

const unmanagedView: View = {
  columns: ['kind', 'name', 'owner', 'uri'].map((path) => ({
    header: path === 'uri' ? 'ID' : path.toUpperCase(),
    path,
    ...(path === 'uri' ? { as: 'id' as const } : { priority: 3 }),
  })),
};

const listUnmanaged = async (context: Context, { file, exitCode }: DiffInput): Promise<void> => {
  const rows = await readUnmanaged(context, file);
  // A tool returns one record.
  if (context.frontend !== undefined) return context.printer.one(recordView, { unmanaged: rows });
  await printRows(context, unmanagedView, [rows], `Nothing is outside ${file.name}`);
  if (exitCode && rows.length > 0)
    throw new SchedError('conflict', `${file.name} does not manage everything`, { answered: true, lines: [] });
};

export const runDiff = async (input: DiffInput, { context }: Call): Promise<void> => {
  const { file, exitCode, unmanaged } = input;
  if (unmanaged) return listUnmanaged(context, input);
  const comparison = await compareWithService(context, file);
  if (context.printer.showsPages) {
    const apply = commandHere(context, 'config', 'apply', file.path, '--confirm', shortDigest(comparison));
    await context.printer.draw(await planText(context, comparison, apply));
  }
  await printConfigPlan(context, 'diff', comparison);
  if (!exitCode || comparison.plan.changes.length === 0) return;
  throw new SchedError('conflict', `${comparison.plan.file} differs from the service`, { answered: true, lines: [] });
};
