import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** Writes the programs of a page to a directory. In the page, a comment above each has its file name. */
export const writeSnippets = (page: string, directory: string): string[] => {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
  const found = [...text.matchAll(/^<!-- (\S+) -->\n\n```\w+\n([\s\S]*?)^```$/gm)];
  for (const [, name, program] of found) writeFileSync(join(directory, name!), program!);
  return found.map(([, name]) => name!);
};

export interface WorkflowStep {
  uses?: string;
  run?: string;
  if?: string;
  env?: Record<string, string>;
  with?: Record<string, string>;
}

export interface WorkflowJob {
  'runs-on': string;
  env?: Record<string, string>;
  steps: WorkflowStep[];
}

/** The jobs of the workflows in a page. */
export const jobsOf = (page: string): Record<string, WorkflowJob> => {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, block]) => block!);
  return Object.assign({}, ...blocks.filter((block) => /^jobs:/m.test(block)).map((block) => parse(block).jobs));
};
