/** How far bulk work has come. */
export interface Progress {
  done: number;
  total: number;
  /** Of them done since this process began, and for how long it has been at it. */
  ownDone: number;
  elapsedMs: number;
  /** When the wait for the rate limit ends, as a person reads it. */
  waitingUntil?: string | undefined;
  waitSeconds?: number | undefined;
}

const number = (value: number): string => value.toLocaleString('en-US');

/** `3h 20m`, `4m 05s`, `12s`. */
export const durationText = (seconds: number): string => {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole}s`;
  const [minutes, rest] = [Math.floor(whole / 60), whole % 60];
  if (minutes < 60) return `${minutes}m ${String(rest).padStart(2, '0')}s`;
  return `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, '0')}m`;
};

/** Always as many digits, so that the line does not tremble. */
const speedText = (rate: number): string => `${rate < 10 ? rate.toFixed(1) : number(Math.round(rate))}/s`;

const rateOf = ({ ownDone, elapsedMs }: Progress): number | undefined =>
  ownDone > 0 && elapsedMs >= 500 ? (ownDone * 1000) / elapsedMs : undefined;

/** What there is to say, from everything to the least. */
const versionsOf = (progress: Progress): string[][] => {
  const { done, total, waitingUntil, waitSeconds = 0 } = progress;
  const rate = rateOf(progress);
  const left = total - done;
  const count = `${number(done)}/${number(total)}`;
  const remaining = left === 0 ? [] : [`${number(left)} left`];
  const speed = rate === undefined ? [] : [speedText(rate)];
  if (waitingUntil !== undefined) {
    const wait = `wait ${durationText(waitSeconds)}`;
    const full = `limit: ${wait}, until ${waitingUntil}`;
    // The speed so far says nothing about the rest while it waits.
    return [[count, full, ...remaining], [count, full], [count, wait, ...remaining], [count, wait], [wait]];
  }
  const timed = rate === undefined || left === 0 ? remaining : [`${remaining[0]}, ${durationText(left / rate)}`];
  return [[count, ...timed, ...speed], [count, ...timed], [count, ...remaining], [count]];
};

const shortestBar = 6;
const longestBar = 30;

/** One line no wider than the terminal: a bar, and as much as fits beside it. */
export const progressBar = (progress: Progress, columns: number): string => {
  // The last column is left free: a terminal would begin a new line.
  const room = Math.max(columns - 1, 1);
  const versions = versionsOf(progress).map((parts) => parts.join('  '));
  const text = versions.find((version) => version.length + 2 + shortestBar <= room);
  if (text === undefined) return (versions.find((version) => version.length <= room) ?? '').slice(0, room);
  const size = Math.min(room - text.length - 2, longestBar);
  const filled = progress.total === 0 ? size : Math.floor((progress.done / progress.total) * size);
  return `${'█'.repeat(filled)}${'░'.repeat(size - filled)}  ${text}`;
};

/** The same as a sentence, for a log or a voice. */
export const progressLine = (progress: Progress): string => {
  const { done, total } = progress;
  const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
  return `${percent} %: ${versionsOf(progress)[0]!.join(', ')}`;
};
