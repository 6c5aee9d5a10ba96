/** Formats that every command can print. */
export const commonFormats = ['table', 'json', 'jsonl', 'csv', 'tsv', 'yaml', 'id'] as const;

/** Formats that only some commands can print, and which ones. */
export const ownFormats = {
  ics: 'events list, events get and groups events',
  text: 'event-types slots',
} as const;

export type OwnFormat = keyof typeof ownFormats;

/** Values of `-o`. */
export const formats = [...commonFormats, ...(Object.keys(ownFormats) as OwnFormat[])] as const;

export type Format = (typeof formats)[number];

/** A streamed format: a function that formats a row, and the text around the rows. */
export interface RowFormat {
  row(record: object): string;
  open?: string;
  between?: string;
  close?: string;
  /** Printed instead of the other texts if there are no rows. */
  empty?: string;
  /** Formats a single record, if that isn't a list of one row. */
  one?(record: object): string;
}

/** The rows of a list, page by page: as they arrive, or all at once. */
export type Pages = AsyncIterable<readonly object[]> | Iterable<readonly object[]>;
