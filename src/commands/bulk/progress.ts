import type { Context } from '../../cli/session/context.ts';
import { appendFile } from '../../node/files.ts';
import { asciiForm, needsAscii } from '../../output/ascii.ts';
import { plainCell } from '../../output/cells.ts';
import { type Progress, progressBar, progressLine } from '../../output/progress.ts';
import { safe } from '../../output/sanitize.ts';
import { endOfWait } from '../../time/show.ts';
import type { Counts } from './work-receipt.ts';

/** The time between two progress lines in a log. */
const lineEveryMs = 5_000;

const doneOf = ({ accepted, rejected, unknown }: Counts): number => accepted + rejected + unknown;

/** Shows the progress of a run: a bar in the status line, otherwise a line every few seconds. */
export const reportProgress = ({ runtime, settings, notes }: Context, before: Counts, failedWord?: string) => {
  const { clock } = runtime;
  const startedAt = clock.now();
  const progress: Progress = {
    done: doneOf(before),
    total: before.total,
    failed: before.rejected,
    failedWord,
    ownDone: 0,
    elapsedMs: 0,
  };
  let lastLineAt = startedAt;
  const draw = (shown: Progress, columns: number): string => {
    // The status line leaves two more columns free, for a `^C`.
    const line = progressBar(shown, columns - 2);
    return needsAscii(runtime.env) ? asciiForm(line) : line;
  };
  const bar = (waitUntil: number | undefined, columns: number): string => {
    if (waitUntil === undefined) return draw(progress, columns);
    const waitSeconds = Math.ceil((waitUntil - clock.now()) / 1000);
    const waitingUntil = endOfWait(waitUntil - waitSeconds * 1000, waitSeconds, settings.zone);
    return draw({ ...progress, waitingUntil, waitSeconds }, columns);
  };
  const show = () => {
    if (notes.draw(bar) || clock.now() - lastLineAt < lineEveryMs) return;
    lastLineAt = clock.now();
    notes.info(progressLine(progress));
  };
  notes.draw(bar);
  return {
    update: (counts: Counts): void => {
      progress.done = doneOf(counts);
      progress.failed = counts.rejected + counts.unknown;
      progress.ownDone = progress.done - doneOf(before);
      progress.elapsedMs = clock.now() - startedAt;
      show();
    },
    end: () => void notes.draw(undefined),
  };
};

const cell = (value: unknown): string => safe(plainCell(value)).replaceAll('|', '\\|').replaceAll('`', "'");

/** Adds a sentence and a table to the summary page of a GitHub Actions job, if there is one. */
export const addStepSummary = async (
  { runtime, notes }: Context,
  operation: string,
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
  sentence?: string,
): Promise<void> => {
  const file = runtime.env.GITHUB_STEP_SUMMARY;
  if (!file) return;
  const lines = [columns, columns.map(() => '---'), ...rows.map((row) => row.map(cell))];
  const table = lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
  const parts = [
    `### sched ${operation.replace('.', ' ')}`,
    ...(sentence === undefined ? [] : [sentence]),
    ...(rows.length === 0 ? [] : [table]),
  ];
  await appendFile(file, runtime.secrets.redact(`${parts.join('\n\n')}\n\n`)).catch((error: NodeJS.ErrnoException) => {
    notes.info(`Can't write the step summary: ${error.code}`);
  });
};
