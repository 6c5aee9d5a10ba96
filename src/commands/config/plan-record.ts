import type { View } from '../../output/view.ts';
import { entryKey } from './screen.ts';
import type { Change, Plan } from './work-model.ts';

/* A plan for programs. */

/** What became of a change, and why. Without an apply there is nothing to tell. */
export type ResultOf = (change: Change) => { outcome: string; cause?: string | undefined } | undefined;

export const recordFields = ['file', 'digest', 'changes', 'not_in_file', 'notes'];

export const recordView: View = { columns: [], id: 'digest' };

export const planRecord = ({ file, changes, notInFile, notes }: Plan, digest: string, resultOf: ResultOf) => ({
  file,
  digest,
  changes: changes.map((change) => {
    const { action, kind, label: name, owner, uri = null, line, fields } = change;
    return { action, kind, key: entryKey(change), name, owner, uri, line, fields, ...resultOf(change) };
  }),
  not_in_file: notInFile,
  notes,
});

/** Columns in a pipe. */
export const rowColumns = ['action', 'kind', 'name', 'field', 'before', 'after', 'line', 'outcome', 'owner', 'uri'];

export const rowsView: View = { columns: rowColumns.map((path) => ({ header: path.toUpperCase(), path })) };

/** A row for each field that changes. */
export const planRows = ({ changes }: Plan, resultOf: ResultOf): Record<string, unknown>[] =>
  changes.flatMap((change) => {
    const { action, kind, label: name, owner, uri, line, fields } = change;
    const common = { action, kind, name, line, owner, uri, outcome: resultOf(change)?.outcome };
    return Object.entries(fields).map(([field, values]) => ({ ...common, field, ...values }));
  });
