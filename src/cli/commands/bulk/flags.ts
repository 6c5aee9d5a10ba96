import type { Flag } from '../../command.ts';

/** Flags of every command that takes its items from a file. */
export const bulkFlags = (things: string, thing: string): Flag[] => [
  {
    name: 'from',
    value: 'FILE',
    description: `${things} from a file, or - for stdin: one a line, CSV, JSON or JSONL`,
    heading: 'Flags',
  },
  { name: 'column', value: 'NAME', description: 'column of a CSV, by name or number', heading: 'Flags' },
  { name: 'field', value: 'PATH', description: 'field of each JSON object, as a.b', heading: 'Flags' },
  { name: 'skip-invalid', description: `leave out lines that hold no ${thing}, and count them`, heading: 'Flags' },
  {
    name: 'receipt',
    value: 'FILE',
    description: 'where the receipt is written, and read to go on (default: the state directory)',
    heading: 'Flags',
  },
  { name: 'again', description: 'do what was done within the last 12 hours once more', heading: 'Flags' },
];

/** How a file is read, for the help of every command that takes one. */
export const inputNote =
  'In a list, a comment is # and a blank, or a line with # and no @. A CSV row with a broken quote or another number of cells is an error that names its line; --skip-invalid leaves such lines out. Where several columns or fields fit, choose with --column or --field. Whatever is left out of a file is counted before anything is sent.';
