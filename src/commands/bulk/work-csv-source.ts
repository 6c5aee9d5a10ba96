import { CsvError, parse } from 'csv-parse/sync';
import { splitLines } from './work-text-source.ts';

/** The lines of a record or of a broken one. */
export interface LineRange {
  first: number;
  last: number;
}

export interface CsvRecord extends LineRange {
  /** Trimmed. */
  cells: string[];
  /** For a record of several lines: each line split on its own. Otherwise empty. */
  rows: string[][];
}

export interface BrokenRecord extends LineRange {
  problem: string;
}

/** The delimiter that is most frequent in the first line. */
const delimiterOf = (line: string): string => {
  const outside = line.replace(/"[^"]*"/g, '');
  const count = (mark: string) => outside.split(mark).length;
  return [',', ';', '\t'].reduce((best, mark) => (count(mark) > count(best) ? mark : best));
};

const quoteNotClosed = 'CSV_QUOTE_NOT_CLOSED';

/** Used instead of the parser's messages, which quote the text. */
const problems: Readonly<Record<string, string>> = {
  [quoteNotClosed]: 'a quote is opened and never closed',
  INVALID_OPENING_QUOTE: 'there is a quote in the middle of a cell',
};
const otherProblem = 'there is text after a closing quote';

/** The most lines a record may span. A quote that is still open after them counts as never closed. */
const mostLines = 1000;

/**
 * The records of a CSV (RFC 4180, also with semicolons or tabs). Lines are counted here, because the parser counts a
 * Windows line break inside quotes twice, and to report which lines an unclosed quote affects.
 */
export function* csvRecords(text: string): Generator<CsvRecord | BrokenRecord> {
  let delimiter: string | undefined;
  const read = (lines: readonly string[]): { cells: string[] } | { code: string } => {
    try {
      const [cells = ['']] = parse(lines.join('\n'), { delimiter: delimiter!, record_delimiter: '\n', trim: true });
      return { cells: cells.map((cell) => cell.trim()) };
    } catch (error) {
      if (error instanceof CsvError) return { code: error.code };
      throw error;
    }
  };
  let lines: string[] = [];
  let [first, last] = [1, 0];
  for (const line of splitLines(text)) {
    last += 1;
    if (lines.length === 0) first = last;
    if (lines.length === mostLines) continue;
    lines.push(line);
    if (line.trim() !== '') delimiter ??= delimiterOf(line);
    const isRest = lines.length > 1;
    // A line without a quote can't close one.
    if (isRest && !line.includes('"')) continue;
    // A line of an open record is the rest of a quoted cell. Reading all lines again each time takes quadratic time.
    const alone = delimiter === undefined ? { cells: [''] } : read([isRest ? `"${line}` : line]);
    if ('code' in alone && alone.code === quoteNotClosed) continue;
    const record = isRest && 'cells' in alone ? read(lines) : alone;
    const rows = lines.length === 1 ? [] : lines.map((each) => each.split(delimiter!));
    if ('cells' in record) yield { first, last, cells: record.cells, rows };
    else yield { first, last, problem: problems[record.code] ?? otherProblem };
    lines = [];
  }
  if (lines.length > 0) yield { first, last, problem: problems[quoteNotClosed]! };
}
