import { day, hour, minute } from '../base/milliseconds.ts';
import { capital, formatNumber } from '../base/numbers.ts';
import { the, words } from '../base/words.ts';
import type { PictureAnswer, RowsAnswer } from '../cli/answer/answer.ts';
import type { LeafCommand } from '../cli/command.ts';
import { type Call, input, taking } from '../cli/input/input.ts';
import { timeOfDay } from '../cli/messages/live.ts';
import { commandHere, localCommand } from '../cli/messages/suggested-line.ts';
import { bookerOf } from '../cli/session/network.ts';
import { budgetKey } from '../http/rate-limit.ts';
import type { BlockStyle } from '../output/block.ts';
import { barLengths } from '../output/drawing.ts';
import { gap } from '../output/grid.ts';
import { durationText } from '../output/progress.ts';
import type { View } from '../output/view.ts';
import { pad, width } from '../output/width.ts';
import type { Level } from '../state/shared-budget.ts';

const rateLimitView: View = {
  columns: [
    { header: 'WINDOW', path: 'window', shrink: false, priority: 6 },
    { header: 'LIMIT', path: 'limit', as: 'count', priority: 5 },
    { header: 'REMAINING', path: 'remaining', as: 'count', priority: 4 },
    { header: 'RESETS', path: 'reset_at', as: 'time', priority: 3 },
    { header: 'IN', path: 'reset_s', as: 'seconds', priority: 2 },
    { header: 'WAITING', path: 'waiting', as: 'list', priority: 1, value: waitingText },
  ],
  id: 'window',
};

const names: Record<number, string> = { [minute]: 'a minute', [hour]: 'an hour', [day]: 'a day' };

interface WindowRow {
  window: string;
  limit: number | null;
  remaining: number | null;
  reset_at: string | null;
  reset_s: number | null;
  waiting: { pid: number; host?: string; since: string; until: string }[];
}

function waitingText(row: object): string[] {
  return (row as WindowRow).waiting.map(({ pid, host }) => `process ${pid}${host === undefined ? '' : ` on ${host}`}`);
}

/** A bar is at least as wide as this, or left out. */
const [leastBar, mostBar] = [8, 24];

/** A line for each limit: how much of it is used, and when it starts again. */
const gauges = (rows: readonly WindowRow[], now: number, { paint, available }: BlockStyle, zone: string): string => {
  const gaugeRows = rows.map((row) => {
    const { window, limit, remaining, reset_s: seconds } = row;
    const usedCount = limit === null || remaining === null ? undefined : limit - remaining;
    const count = usedCount === undefined ? 'none left' : `${formatNumber(usedCount)} of ${formatNumber(limit!)} used`;
    const reset =
      seconds === null ? '' : `resets in ${durationText(seconds)}, at ${timeOfDay(now + seconds * 1000, zone)}`;
    const share = usedCount === undefined ? 1 : usedCount / Math.max(1, limit!);
    return { name: capital(window), share, count, reset, waiting: waitingText(row) };
  });
  const widest = (texts: readonly string[]) => Math.max(...texts.map(width));
  const [name, count] = [widest(gaugeRows.map((each) => each.name)), widest(gaugeRows.map((each) => each.count))];
  const room = Math.min(
    available - name - count - widest(gaugeRows.map((each) => each.reset)) - 3 * gap.length,
    mostBar,
  );
  return gaugeRows
    .flatMap((each) => {
      const [full = 0] = barLengths([each.share], 1, room);
      const bar = '█'.repeat(Math.max(0, full)) + '░'.repeat(Math.max(0, room - full));
      const parts = [
        pad(each.name, name),
        ...(room < leastBar ? [] : [each.share >= 1 ? paint.warning(bar) : bar]),
        pad(each.count, count),
        each.reset,
      ];
      const line = parts.join(gap).trimEnd();
      return [line, ...(each.waiting.length === 0 ? [] : [`${gap}waiting: ${each.waiting.join(', ')}`])];
    })
    .map((line) => `${line}\n`)
    .join('');
};

const runRateLimit = async (_: object, { context }: Call): Promise<PictureAnswer | RowsAnswer> => {
  const { runtime, settings } = context;
  const connection = await context.connection();
  const credential = await connection.credentials.current();
  const { budget } = await context.sharedState();
  const now = runtime.clock.now();
  const rowsOf = async (kind: 'general' | 'bookings'): Promise<WindowRow[]> => {
    const key = budgetKey(kind, credential, bookerOf(runtime, connection));
    const { levels, waiting, closedUntil } = await budget.look(key);
    const isClosed = closedUntil > now;
    const rowOf = (level: Level, index: number): WindowRow => {
      const end = Math.max(level.end, isClosed && index === 0 ? closedUntil : 0);
      return {
        window: `${kind === 'general' ? 'requests' : 'bookings'} ${names[level.length]}`,
        limit: level.limit,
        remaining: isClosed && index === 0 ? 0 : level.remaining,
        reset_at: end === 0 ? null : new Date(end).toISOString(),
        reset_s: end === 0 ? null : Math.max(0, Math.ceil((end - now) / 1000)),
        waiting:
          index > 0
            ? []
            : waiting.map(({ pid, host, since, until }) => ({
                pid,
                ...(host === undefined ? {} : { host }),
                since: new Date(since).toISOString(),
                until: new Date(until).toISOString(),
              })),
      };
    };
    return levels.map(rowOf).filter((row, index) => row.limit !== null || (index === 0 && row.reset_at !== null));
  };
  const rows = [...(await rowsOf('general')), ...(await rowsOf('bookings'))];
  const knownRows = rows.filter(
    ({ limit, remaining, waiting }) => limit !== null || remaining === 0 || waiting.length > 0,
  );
  const others: RowsAnswer = { kind: 'rows', view: rateLimitView, pages: [knownRows] };
  if (knownRows.length > 0) {
    const draw = (style: BlockStyle) => ({ picture: gauges(knownRows, now, style, settings.zone) });
    return { kind: 'picture', others, picture: async () => ({ draw }) };
  }
  const none = connection.isSandbox
    ? words`Single ${the('sandbox')} commands have no rate limit. To try one: ${localCommand('sandbox', 'start')}`
    : `No rate limit is known yet. Send a request first: ${commandHere(context, 'users', 'me')}`;
  return { ...others, footers: [none] };
};

export const ratelimit: LeafCommand = {
  ...taking(input({}), runRateLimit),
  examples: ['ratelimit', 'ratelimit --json'],
  notes: [
    "Sends no request. It shows what your sched processes have learned from the service's replies and share with each other, on all machines with the same SCHED_SHARED_STATE. Other users of the same token show up only in those replies.",
  ],
  fields: ['window', 'limit', 'remaining', 'reset_at', 'reset_s', 'waiting'],
};
