import type { Flag } from '../../command.ts';
import { count, file, toggle } from '../../input/kinds.ts';

const receiptFlags: Flag[] = [
  {
    name: 'receipt',
    value: 'FILE',
    description: 'receipt file to write or to resume (default: in the state directory)',
    heading: 'More flags',
  },
  { name: 'again', description: 'repeat a run that finished within the last 12 hours', heading: 'More flags' },
];

/** Flags of every command that reads a list of items from a file. */
export const bulkFlags = (things: string, thing: string): Flag[] => [
  {
    name: 'from',
    value: 'FILE',
    description: `read ${things} from a file, or - for stdin: one per line, CSV, JSON or JSONL`,
  },
  { name: 'column', value: 'NAME', description: 'CSV column to read, by name or number' },
  { name: 'field', value: 'PATH', description: 'JSON field to read, as a.b' },
  { name: 'skip-invalid', description: `skip lines without a valid ${thing}, and count them` },
  ...receiptFlags,
];

/** Flags for a file whose lines have several values. `when` says what they are used with. */
export const recordFileFlags = (things: string, verb: string, when = 'with --from'): Flag[] => [
  {
    name: 'from',
    value: 'FILE',
    description: `read ${things} from a file, or - for stdin: CSV, JSON or JSONL with named columns`,
  },
  { name: 'skip-invalid', description: `${when}: skip wrong lines and ${verb} the others (exit code 11)` },
  ...receiptFlags,
  { name: 'confirm', value: 'COUNT', description: `${when}: confirm this number of ${things}`, heading: 'Safety' },
  { name: 'max', value: 'N', description: `${when}: stop if there are more ${things} than this`, heading: 'Safety' },
];

/** The same as values of an input. */
export const recordFile = (things: string, verb: string, when = 'with --from') => ({
  from: file(`read ${things} from a file, or - for stdin: CSV, JSON or JSONL with named columns`),
  skipInvalid: toggle(`${when}: skip wrong lines and ${verb} the others (exit code 11)`),
  receipt: file('receipt file to write or to resume (default: in the state directory)', { heading: 'More flags' }),
  again: toggle('repeat a run that finished within the last 12 hours', { heading: 'More flags' }),
  confirm: count(`${when}: confirm this number of ${things}`, { value: 'COUNT', heading: 'Safety' }),
  max: count(`${when}: stop if there are more ${things} than this`, { heading: 'Safety' }),
});

export const bookingFileFlags = recordFileFlags('bookings', 'book');

/** How an input file is read, for the help of every command that reads one. */
export const inputNote =
  'In a plain list, a line that starts with # is a comment if a space follows or the line has no @. A CSV row with a broken quote or a different number of cells is an error that names the line; --skip-invalid skips such lines. If several columns or fields match, choose one with --column or --field. Skipped lines are counted before anything is sent.';
