import { capital } from '../../capital.ts';
import { budgetKey } from '../../http/rate-limit.ts';
import { formatNumber } from '../../numbers.ts';
import type { BlockStyle } from '../../output/block.ts';
import { barLengths } from '../../output/drawing.ts';
import { gap } from '../../output/grid.ts';
import { durationText } from '../../output/progress.ts';
import type { View } from '../../output/view.ts';
import { pad, width } from '../../output/width.ts';
import type { Level } from '../../state/shared-budget.ts';
import type { LeafCommand } from '../command.ts';
import { type Call, input, taking } from '../input/input.ts';
import { timeOfDay } from '../messages/live.ts';
import { commandHere, localCommand } from '../messages/suggested-line.ts';
import { bookerOf } from '../session/network.ts';

const view: View = {
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

const names: Record<number, string> = { 60000: 'a minute', 3600000: 'an hour', 86400000: 'a day' };

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
  const shown = rows.map((row) => {
    const { window, limit, remaining, reset_s: seconds } = row;
    const used = limit === null || remaining === null ? undefined : limit - remaining;
    const count = used === undefined ? 'none left' : `${formatNumber(used)} of ${formatNumber(limit!)} used`;
    const reset =
      seconds === null ? '' : `resets in ${durationText(seconds)}, at ${timeOfDay(now + seconds * 1000, zone)}`;
    const share = used === undefined ? 1 : used / Math.max(1, limit!);
    return { name: capital(window), share, count, reset, waiting: waitingText(row) };
  });
  const widest = (texts: readonly string[]) => Math.max(...texts.map(width));
  const [name, count] = [widest(shown.map((each) => each.name)), widest(shown.map((each) => each.count))];
  const room = Math.min(available - name - count - widest(shown.map((each) => each.reset)) - 3 * gap.length, mostBar);
  return shown
    .flatMap((each) => {
      const [full = 0] = barLengths([each.share], 1, room);
      const drawn = '█'.repeat(Math.max(0, full)) + '░'.repeat(Math.max(0, room - full));
      const parts = [
        pad(each.name, name),
        ...(room < leastBar ? [] : [each.share >= 1 ? paint.warning(drawn) : drawn]),
        pad(each.count, count),
        each.reset,
      ];
      const line = parts.join(gap).trimEnd();
      return [line, ...(each.waiting.length === 0 ? [] : [`${gap}waiting: ${each.waiting.join(', ')}`])];
    })
    .map((line) => `${line}\n`)
    .join('');
};

const run = async (_: object, { context }: Call): Promise<void> => {
  const { runtime, notes, settings, printer } = context;
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
  const known = rows.filter(({ limit, remaining, waiting }) => limit !== null || remaining === 0 || waiting.length > 0);
  const isDrawn = settings.format === 'table' && settings.fields === undefined && !settings.accessible;
  if (isDrawn && known.length > 0) await printer.draw((style) => gauges(known, now, style, settings.zone));
  else await printer.list(view, [known]);
  if (known.length > 0) return;
  notes.footer(
    connection.isSandbox
      ? `With --sandbox, no rate limit is remembered between commands. A sandbox that runs has one: ${localCommand('sandbox', 'start')}`
      : `No rate limit is known yet. Send a request first, such as ${commandHere(context, 'users', 'me')}`,
  );
};

export const ratelimit: LeafCommand = {
  ...taking(input({}), run),
  examples: ['ratelimit', 'ratelimit --json'],
  notes: [
    "Sends no request. It shows what your sched processes have learned from the service's replies and share with each other, on all machines with the same SCHED_SHARED_STATE. Other users of the same token show up only in those replies.",
  ],
  fields: ['window', 'limit', 'remaining', 'reset_at', 'reset_s', 'waiting'],
};
