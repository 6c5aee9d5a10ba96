import { formatNumber, twoDigits } from '../base/numbers.ts';
export interface Progress {
  done: number;
  total: number;
  /** How many of those done were not accepted. */
  failed?: number;
  /** What they are called, if not failed. */
  failedWord?: string | undefined;
  /** Items done by this process, and how long it has been running. */
  ownDone: number;
  elapsedMs: number;
  /** When the wait for the rate limit ends, formatted for people. */
  waitingUntil?: string | undefined;
  waitSeconds?: number | undefined;
}

/** `3h 20m`, `4m 05s`, `12s`. */
export const durationText = (seconds: number): string => {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole}s`;
  const [minutes, rest] = [Math.floor(whole / 60), whole % 60];
  if (minutes < 60) return `${minutes}m ${twoDigits(rest)}s`;
  return `${Math.floor(minutes / 60)}h ${twoDigits(minutes % 60)}m`;
};

/** `2 h old`: its age in one unit. */
export const ageText = (ageMs: number): string => {
  const minutes = Math.max(0, Math.round(ageMs / 60_000));
  if (minutes < 60) return `${minutes} min old`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h old` : `${Math.round(hours / 24)} days old`;
};

/** Keeps the number of digits stable, so that the line doesn't jump. */
const speedText = (rate: number): string => `${rate < 10 ? rate.toFixed(1) : formatNumber(Math.round(rate))}/s`;

const rateOf = ({ ownDone, elapsedMs }: Progress): number | undefined =>
  ownDone > 0 && elapsedMs >= 500 ? (ownDone * 1000) / elapsedMs : undefined;

/** Versions of the text, from the most detailed to the shortest. */
const versionsOf = (progress: Progress): string[][] => {
  const { done, total, failed = 0, failedWord = 'failed', waitingUntil, waitSeconds = 0 } = progress;
  const rate = rateOf(progress);
  const itemsLeft = total - done;
  const count = `${formatNumber(done)}/${formatNumber(total)}${failed === 0 ? '' : `  ${formatNumber(failed)} ${failedWord}`}`;
  const remaining = itemsLeft === 0 ? [] : [`${formatNumber(itemsLeft)} left`];
  const speed = rate === undefined ? [] : [speedText(rate)];
  if (waitingUntil !== undefined) {
    const wait = `wait ${durationText(waitSeconds)}`;
    const full = `rate limit: ${wait}, until ${waitingUntil}`;
    // No speed or remaining time: during a wait they would be misleading.
    return [[count, full, ...remaining], [count, full], [count, wait, ...remaining], [count, wait], [wait]];
  }
  const remainingTime =
    rate === undefined || itemsLeft === 0 ? remaining : [`${remaining[0]}, ${durationText(itemsLeft / rate)}`];
  return [[count, ...remainingTime, ...speed], [count, ...remainingTime], [count, ...remaining], [count]];
};

const shortestBar = 6;
const longestBar = 30;

/** A progress bar with as much text as fits, in one line no wider than the terminal. */
export const progressBar = (progress: Progress, columns: number): string => {
  // The last column stays free, because a terminal would start a new line after it.
  const room = Math.max(columns - 1, 1);
  const versions = versionsOf(progress).map((parts) => parts.join('  '));
  const text = versions.find((version) => version.length + 2 + shortestBar <= room);
  if (text === undefined) return (versions.find((version) => version.length <= room) ?? '').slice(0, room);
  const size = Math.min(room - text.length - 2, longestBar);
  const fullBlocks = progress.total === 0 ? size : Math.floor((progress.done / progress.total) * size);
  return `${'█'.repeat(fullBlocks)}${'░'.repeat(size - fullBlocks)}  ${text}`;
};

/** The progress as plain text, for logs and screen readers. */
export const progressLine = (progress: Progress): string => {
  const { done, total } = progress;
  const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
  return `${percent}%: ${versionsOf(progress)[0]!.join(', ')}`;
};
