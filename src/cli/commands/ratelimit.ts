import { budgetKey } from '../../http/rate-limit.ts';
import type { View } from '../../output/view.ts';
import type { Level } from '../../state/shared-budget.ts';
import type { Invocation, LeafCommand } from '../command.ts';
import { noteHidden } from '../operation/listing.ts';
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

const run = async ({ context, problems }: Invocation): Promise<void> => {
  problems.check();
  const { runtime, notes } = context;
  const connection = await context.connection();
  const credential = await connection.credentials.current();
  const { budget } = await context.sharedState();
  const now = runtime.clock.now();
  const rowsOf = async (kind: 'general' | 'bookings'): Promise<WindowRow[]> => {
    const key = budgetKey(kind, credential, bookerOf(runtime, connection));
    const { levels, waiting, closedUntil } = await budget.look(key, kind);
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
  noteHidden(notes, (await context.printer.list(view, [known])).hiddenColumns);
  if (known.length > 0) return;
  notes.footer(
    connection.isSandbox
      ? 'No rate limit is stored with --sandbox, only with sched sandbox start'
      : 'No rate limit is known yet. Send a request first, such as sched users me',
  );
};

export const ratelimit: LeafCommand = {
  arguments: [],
  flags: [],
  examples: ['ratelimit', 'ratelimit --json'],
  notes: [
    "Sends no request. It shows what your sched processes have learned from the service's replies and share with each other, on all machines with the same SCHED_SHARED_STATE. Other users of the same token show up only in those replies.",
  ],
  fields: ['window', 'limit', 'remaining', 'reset_at', 'reset_s', 'waiting'],
  run,
};
