import { appendFile } from 'node:fs/promises';
import { safe } from '../../../output/sanitise.ts';
import type { Context } from '../../session/context.ts';
import type { BulkResult } from './result.ts';

const cell = (value: unknown): string => safe(String(value)).replaceAll('|', '\\|').replaceAll('`', "'");

/** Adds a table to the summary page of a GitHub Actions job, if there is one. */
export const addStepSummary = async (
  { runtime, notes }: Context,
  title: string,
  state: string,
  { receipt: _, ...result }: BulkResult,
): Promise<void> => {
  const file = runtime.env.GITHUB_STEP_SUMMARY;
  if (!file) return;
  const facts = { ...result, state };
  const rows = [Object.keys(facts), Object.keys(facts).map(() => '---'), Object.values(facts).map(cell)];
  const table = rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
  await appendFile(file, runtime.secrets.redact(`### ${title}\n\n${table}\n\n`)).catch(
    (error: NodeJS.ErrnoException) => {
      notes.info(`Can't write the step summary: ${error.code}`);
    },
  );
};
