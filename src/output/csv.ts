import { plainCell } from './cells.ts';
import { safe } from './sanitize.ts';

export interface CsvChoices {
  /** Don't escape cells that look like formulas. */
  raw: boolean;
  isTerminal: boolean;
}

/**
 * Starts of cells that spreadsheets run as formulas (OWASP, CSV injection). Some also run the full-width forms, and some
 * drop blanks and invisible characters before them.
 */
const formula = /^[\s\p{Cc}\p{Cf}]*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/u;

const cell = (value: unknown, { raw, isTerminal }: CsvChoices): string => {
  const whole = plainCell(value);
  // Numbers are never formulas, even with a sign.
  const guarded =
    !raw && typeof value !== 'number' && typeof value !== 'bigint' && formula.test(whole) ? `'${whole}` : whole;
  const text = isTerminal ? safe(guarded) : guarded;
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** One line of CSV (RFC 4180), including its line break. */
export const csvLine = (values: readonly unknown[], choices: CsvChoices): string =>
  `${values.map((value) => cell(value, choices)).join(',')}\r\n`;
