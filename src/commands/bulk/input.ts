import { the, words } from '../../base/words.ts';
import { input, type Values } from '../../cli/input/input.ts';
import { count, file, text, toggle } from '../../cli/input/kinds.ts';
import { needs, rule } from '../../cli/input/relations.ts';

const runEntries = {
  receipt: file('receipt file to write or to resume (default: in the state directory)', { heading: 'More flags' }),
  again: toggle('repeat a run that finished within the last 12 hours', { heading: 'More flags' }),
};

/** Where the receipt of a run is, and whether a finished run is repeated. */
export type RunOptions = Values<typeof runEntries>;

const itemEntries = (things: string, thing: string) => ({
  from: file(`read ${things} from a file, or - for stdin: one per line, CSV, JSON or JSONL`),
  column: text('CSV column to read, by name or number', { value: 'NAME' }),
  field: text('JSON field to read, as a.b', { value: 'PATH' }),
  skipInvalid: toggle(`skip lines without a valid ${thing}, and count them`),
  ...runEntries,
});

/** What a command takes that reads a list of items from a file. */
export type ItemFile = Values<ReturnType<typeof itemEntries>>;

const oneWayToRead = rule(['column', 'field'], (isGiven) =>
  isGiven('column') && isGiven('field')
    ? [{ words: words`${the('column')} (for CSV) can't be used with ${the('field')} (for JSON)` }]
    : [],
);

export const itemInput = (things: string, thing: string) =>
  input(itemEntries(things, thing), needs(['column', 'field'], ['from']), oneWayToRead);

/** Items are arguments, or in a file. */
export const argumentsApart = (name: string) =>
  rule([name, 'from'], (isGiven) =>
    isGiven(name) && isGiven('from') ? [{ words: words`Arguments can't be used with ${the('from')}` }] : [],
  );

/** What a command takes that reads a file whose lines have several values. `when` says what its values are used with. */
export const recordFile = (things: string, verb: string, when = words`with ${the('from')}`) => ({
  from: file(`read ${things} from a file, or - for stdin: CSV, JSON or JSONL with named columns`),
  skipInvalid: toggle(words`${when}: skip wrong lines and ${verb} the others (exit code 11)`),
  ...runEntries,
  confirm: count(words`${when}: confirm this number of ${things}`, { value: 'COUNT', heading: 'Safety' }),
  max: count(words`${when}: stop if there are more ${things} than this`, { heading: 'Safety' }),
});

/** How an input file is read, for the help of every command that reads one. */
export const inputNote =
  'In a plain list, a line that starts with # is a comment if a space follows or the line has no @. A CSV row with a broken quote or a different number of cells is an error that names the line; --skip-invalid skips such lines. If several columns or fields match, choose one with --column or --field. Skipped lines are counted before anything is sent.';
