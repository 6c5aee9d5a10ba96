import type { Counts } from '../../../jobs/receipt.ts';
import { type Progress, progressBar, progressLine } from '../../../output/progress.ts';
import { endOfWait } from '../../../time/show.ts';
import type { Context } from '../../session/context.ts';

/** The time between two progress lines in a log. */
const lineEveryMs = 5_000;

export interface ProgressReport {
  update(counts: Counts): void;
  end(): void;
}

const doneOf = ({ accepted, rejected, unknown }: Counts): number => accepted + rejected + unknown;

/** Shows the progress of a run: a bar on a terminal, otherwise a line every few seconds. */
export const reportProgress = ({ runtime, settings, notes }: Context, before: Counts): ProgressReport => {
  const { clock, stderr, env } = runtime;
  const started = clock.now();
  const hasBar = stderr.isTerminal && !settings.accessible && !notes.isJson && !env.CI;
  const progress: Progress = { done: doneOf(before), total: before.total, ownDone: 0, elapsedMs: 0 };
  let lastLineAt = started;
  const draw = () => notes.status(progressBar(progress, stderr.columns));
  const show = () => {
    if (notes.quiet) return;
    if (hasBar) return draw();
    if (clock.now() - lastLineAt < lineEveryMs) return;
    lastLineAt = clock.now();
    notes.info(progressLine(progress));
  };
  if (hasBar && !notes.quiet) {
    notes.onWait = (seconds) => {
      progress.waitingUntil = endOfWait(clock.now(), seconds, settings.zone);
      progress.waitSeconds = seconds;
      draw();
    };
    draw();
  }
  return {
    update: (counts) => {
      progress.waitingUntil = undefined;
      progress.done = doneOf(counts);
      progress.ownDone = progress.done - doneOf(before);
      progress.elapsedMs = clock.now() - started;
      show();
    },
    end: () => {
      notes.onWait = undefined;
      notes.status('');
    },
  };
};
