import { plainCell } from './cells.ts';
import { safe } from './sanitise.ts';

export interface CsvChoices {
  /** Leaves cells alone that a spreadsheet would run. */
  raw: boolean;
  isTerminal: boolean;
}

/** What makes a spreadsheet run a cell (OWASP, CSV injection); the wide forms are taken for the narrow ones by some. */
const formula = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

const cell = (value: unknown, { raw, isTerminal }: CsvChoices): string => {
  const whole = plainCell(value);
  // A number is no formula, whatever its sign.
  const guarded =
    !raw && typeof value !== 'number' && typeof value !== 'bigint' && formula.test(whole) ? `'${whole}` : whole;
  const text = isTerminal ? safe(guarded) : guarded;
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** RFC 4180, with its line break. */
export const csvLine = (values: readonly unknown[], choices: CsvChoices): string =>
  `${values.map((value) => cell(value, choices)).join(',')}\r\n`;
