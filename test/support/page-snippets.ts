import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes the programs of a page to a directory. In the page, a comment above each has its file name. */
export const writeSnippets = (page: string, directory: string): string[] => {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
  const found = [...text.matchAll(/^<!-- (\S+) -->\n\n```\w+\n([\s\S]*?)^```$/gm)];
  for (const [, name, program] of found) writeFileSync(join(directory, name!), program!);
  return found.map(([, name]) => name!);
};
