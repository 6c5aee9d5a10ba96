import { jsonText } from '../base/json.ts';
import type { Env } from '../base/system.ts';
import type { Output } from '../runtime.ts';
import { ownColumns } from './cells.ts';
import type { Color } from './color.ts';
import { select } from './fields.ts';
import type { Format, Pages } from './formats.ts';
import { type Choices, machineFormats, type RowTally, recordText, writeRows } from './machine-formats.ts';
import type { OpenPager } from './pager.ts';
import { type Column, idPath, type TimeStyle, type View } from './view.ts';

export interface PrinterOptions extends TimeStyle, Omit<Choices, 'isTerminal'> {
  format: Exclude<Format, 'text'>;
  /** A jq program to run on the records: on all of them as one list, or on each one with `jsonl`. */
  jq?: string | undefined;
  env?: Env;
  /** Stops a jq program that never ends. */
  interrupted?: AbortSignal;
  /** Where the records come from, if a heading should say that: `sandbox`. */
  takePlace?: (() => string | undefined) | undefined;
  /** Receives debug output of a jq program. */
  say?(line: string): void;
  /** Receives the number of rows of a list that have arrived, and 0 at its end. */
  onRows?: ((count: number) => void) | undefined;
  /** Receives the records that are printed. */
  onRecords?: ((records: readonly object[]) => void) | undefined;
  /** Shows lines until the output that they are a draft of. */
  onDraft?: ((lines: readonly string[]) => void) | undefined;
  /** Opens a pager for output longer than the screen; undefined turns paging off. */
  openPager?: OpenPager | undefined;
  stdout: Output;
  color: Color | undefined;
  accessible: boolean;
}

/** How the records of a command are printed. */
export interface Form {
  list(view: View, pages: Pages): Promise<void>;
  one(view: View, record: object, before?: object): Promise<void>;
  /** A value made by sched, if that isn't just JSON. Selected fields are ignored. */
  whole?(value: unknown): Promise<void>;
}

/** A form that tables have no part in. */
type MachineFormat = keyof typeof machineFormats;

/** Columns that programs get after those they expect. */
const ownIn = (format: MachineFormat, view: View, records: readonly object[]): Column[] =>
  format === 'csv' || format === 'tsv' ? ownColumns(view.columns, records, idPath(view)) : [];

/** Records for programs. */
export const machineForm = (options: PrinterOptions, format: MachineFormat, tally: RowTally): Form => {
  const { stdout, fields, header, raw, localTime } = options;
  const choices = { fields, header, raw, localTime, isTerminal: stdout.isTerminal };
  return {
    list: (view, pages) => {
      const formatFor = (first: readonly object[]) =>
        machineFormats[format]({ ...view, columns: [...view.columns, ...ownIn(format, view, first)] }, choices);
      return writeRows(stdout, formatFor, pages, tally);
    },
    one: (view, record) => stdout.write(recordText(machineFormats[format](view, choices), record)),
    whole: async (value) => {
      const records = format === 'jsonl' && Array.isArray(value) ? value : [value];
      const all = machineFormats[format]({ columns: [] }, { ...choices, fields: undefined });
      for (const record of records) await stdout.write(recordText(all, record));
    },
  };
};

/** What a jq program makes of the records: of all as one list, or of each one with `jsonl`. */
export const jqForm = (options: PrinterOptions, program: string, tally: RowTally): Form => {
  const { stdout, format, fields, env, interrupted, say } = options;
  const run = async (inputs: readonly string[], isUnsent = false): Promise<void> => {
    const { printJq } = await import('./jq.ts');
    await printJq({ program, compact: format === 'jsonl', env, interrupted, stdout, say, isUnsent }, inputs);
  };
  const chosenJson = (record: object): string => jsonText(fields ? select(record, fields) : record);
  return {
    list: async (_, pages) => {
      const all: string[] = [];
      for await (const page of pages) {
        const records = page.map(chosenJson);
        if (format !== 'jsonl') for (const record of records) all.push(record);
        else {
          await run(records);
          tally.rows += records.length;
        }
      }
      if (format === 'jsonl') return;
      await run([`[${all.join(',')}]`]);
      tally.rows += all.length;
    },
    one: (_, record) => run([chosenJson(record)]),
    whole: (value) => run([jsonText(value)], true),
  };
};
