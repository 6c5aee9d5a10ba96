import type { Counts } from '../../../jobs/receipt.ts';
import { type Progress, progressBar, progressLine } from '../../../output/progress.ts';
import { createShowTime } from '../../../time/show.ts';
import type { Context } from '../../session/context.ts';

/** Between two lines of a log. */
const lineEveryMs = 5_000;

export interface ProgressReport {
  update(counts: Counts): void;
  end(): void;
}

const doneOf = ({ accepted, rejected, unknown }: Counts): number => accepted + rejected + unknown;

/** Shows how far bulk work has come: a bar on a terminal, now and then a line elsewhere. */
export const reportProgress = ({ runtime, settings, notes }: Context, before: Counts): ProgressReport => {
  const { clock, stderr, env } = runtime;
  const started = clock.now();
  const hasBar = stderr.isTerminal && !settings.accessible && !notes.isJson && !env.CI;
  const progress: Progress = { done: doneOf(before), total: before.total, ownDone: 0, elapsedMs: 0 };
  let said = started;
  const draw = () => notes.status(progressBar(progress, stderr.columns));
  const show = () => {
    if (notes.quiet) return;
    if (hasBar) return draw();
    if (clock.now() - said < lineEveryMs) return;
    said = clock.now();
    notes.info(progressLine(progress));
  };
  if (hasBar && !notes.quiet) {
    notes.onWait = (seconds) => {
      const until = new Date(clock.now() + seconds * 1000).toISOString();
      // The day is today or tomorrow: the time is enough.
      progress.waitingUntil = createShowTime(settings.zone).show(until).split(' ').at(-1);
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
