/** Values of `-o`. */
export const formats = ['table', 'json', 'jsonl', 'csv', 'tsv', 'yaml', 'id'] as const;

export type Format = (typeof formats)[number];
