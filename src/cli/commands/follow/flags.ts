import { readDuration } from '../../../time/duration.ts';
import { readTime } from '../../../time/read.ts';
import { timestampOf } from '../../../time/wall.ts';
import type { Invocation } from '../../command.ts';

const shortestEvery = 10_000;
const defaultUntil = '+60d';

export interface FollowFlags {
  everyMs: number;
  isOnce: boolean;
  since: number | undefined;
  /** The end of the window at that time. An offset such as +60d moves along. */
  untilAt(now: number): number;
}

const readEdge = (
  { context, problems }: Invocation,
  edge: 'since' | 'until',
  text: string,
  now: number,
): number | undefined => {
  const reading = readTime(text, { zone: context.settings.zone, now, edge });
  if (reading.ok) return timestampOf(reading.instant)!;
  problems.value(edge, text, `--${edge}: ${reading.problem}`);
  return undefined;
};

/** Reads the flags of `events follow` that are not filters. */
export const readFlags = async (invocation: Invocation): Promise<FollowFlags> => {
  const { context, typed, problems } = invocation;
  const { format, fields } = context.settings;
  const now = await context.askNow();
  const isOnce = typed.once === true;
  const everyMs = typed.every === undefined ? shortestEvery : readDuration(String(typed.every));
  if (everyMs === undefined) problems.add(`--every must be a duration such as 30s or 5m, not "${typed.every}"`);
  else if (everyMs < shortestEvery)
    problems.add(`--every must be at least 10s, not "${typed.every}", to leave the rate limit to other commands`);
  if (isOnce && typed.every !== undefined) problems.add("--once and --every can't be used together");
  const since = typed.since === undefined ? undefined : readEdge(invocation, 'since', String(typed.since), now);
  if (since !== undefined && since > now) problems.add(`--since must be in the past, not "${typed.since}"`);
  const untilText = String(typed.until ?? defaultUntil);
  const until = readEdge(invocation, 'until', untilText, now);
  if (until !== undefined && until <= now) problems.add(`--until must be in the future, not "${untilText}"`);
  if (format === 'json' && !isOnce)
    problems.add(
      typed.jq === undefined
        ? '-o json prints one array, which never ends here. Use -o jsonl, or add --once'
        : '--jq needs -o jsonl here, or --once',
    );
  if (format === 'table' && fields !== undefined)
    problems.add('--fields only works with -o jsonl, csv, tsv and yaml here, because a line for people has no fields');
  return {
    everyMs: everyMs ?? shortestEvery,
    isOnce,
    since,
    untilAt: (at) => (untilText.startsWith('+') ? readEdge(invocation, 'until', untilText, at) : until) ?? now,
  };
};
