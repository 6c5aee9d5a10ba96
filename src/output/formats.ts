/** Formats that every command can print. */
export const commonFormats = ['table', 'json', 'jsonl', 'csv', 'tsv', 'yaml', 'id'] as const;

/** Values of `-o`. Only events can be a calendar. */
export const formats = [...commonFormats, 'ics'] as const;

export type Format = (typeof formats)[number];
