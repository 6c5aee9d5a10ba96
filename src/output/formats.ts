/** What `-o` takes. */
export const formats = ['table', 'json', 'jsonl', 'tsv', 'id'] as const;

export type Format = (typeof formats)[number];
