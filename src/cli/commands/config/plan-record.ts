import type { Change, Plan } from '../../../config/model.ts';
import type { View } from '../../../output/view.ts';
import { keyOf } from './plan-entries.ts';

/* A plan for programs. */

/** What became of a change, in a word, and why. */
export interface ChangeResult {
  outcome: string;
  cause?: string | undefined;
}

/** The result of a change. Without an apply there is none. */
export type ResultOf = (change: Change) => ChangeResult | undefined;

const changeRecord = (change: Change, resultOf: ResultOf) => {
  const { action, kind, label, owner, uri, line, fields } = change;
  return { action, kind, key: keyOf(change), name: label, owner, uri: uri ?? null, line, fields, ...resultOf(change) };
};

export const recordFields = ['file', 'digest', 'changes', 'not_in_file', 'notes'];

export const recordView: View = { columns: [], id: 'digest' };

export const planRecord = (plan: Plan, digest: string, resultOf: ResultOf = () => undefined) => ({
  file: plan.file,
  digest,
  changes: plan.changes.map((change) => changeRecord(change, resultOf)),
  not_in_file: plan.notInFile,
  notes: plan.notes,
});

/** Columns in a pipe. */
export const rowColumns = [
  'action',
  'kind',
  'name',
  'field',
  'before',
  'after',
  'line',
  'owner',
  'uri',
  'outcome',
] as const;

export const rowsView: View = { columns: rowColumns.map((path) => ({ header: path.toUpperCase(), path })), id: 'uri' };

/** One row for each field that changes, for csv, tsv and tables in Markdown. */
export const planRows = (plan: Plan, resultOf: ResultOf = () => undefined) =>
  plan.changes.flatMap((change) => {
    const { action, kind, label: name, owner, uri, line, fields } = change;
    const { outcome } = resultOf(change) ?? {};
    const common = { action, kind, name, line, owner, uri, outcome };
    const rows = Object.entries(fields).map(([field, values]) => ({ ...common, field, ...values }));
    return rows.length === 0 ? [common] : rows;
  });
