import { counted, formatNumber } from '../../../numbers.ts';
import { asciiForm, bar, needsAscii, sparkline } from '../../../output/drawing.ts';
import type { Column, View } from '../../../output/view.ts';
import { wrap } from '../../../output/width.ts';
import type { Context } from '../../session/context.ts';
import type { EventCounts, StatsRow } from './counts.ts';
import { type Grouping, isTimeGrouping } from './group-by.ts';

/** Widths of the bars, by the least width of the terminal. */
const barWidths = [
  [120, 40],
  [100, 30],
  [0, 16],
] as const;

const columnsOf = ({ runtime }: Context): number => runtime.stdout.columns || 80;

const drawnFor = ({ runtime }: Context, text: string): string => (needsAscii(runtime.env) ? asciiForm(text) : text);

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;

/** The columns for people. The bars compare the groups with the largest one. */
export const chartView = (view: View, rows: readonly StatsRow[], context: Context): View => {
  const most = rows.reduce((largest, { booked }) => Math.max(largest, booked), 0);
  const [, length] = barWidths.find(([columns]) => columnsOf(context) >= columns)!;
  const hasNoShows = rows.some(({ no_shows: noShows }) => noShows !== null);
  const columns: Column<StatsRow>[] = [
    { header: 'NAME', path: 'name', priority: 5, value: ({ name }) => drawnFor(context, name) },
    { header: 'BOOKED', path: 'booked', as: 'count', priority: 4 },
    { header: 'CANCELED', path: 'canceled', as: 'count', priority: 3 },
    ...(hasNoShows ? [{ header: 'NO-SHOWS', path: 'no_shows', as: 'count' as const, priority: 3 }] : []),
    { header: 'HOURS', path: 'hours', as: 'count', priority: 1, value: ({ hours }) => hours.toFixed(2) },
    { header: 'SHARE', path: 'share', as: 'count', priority: 2.5, value: ({ share }) => percent(share) },
    ...(context.settings.accessible
      ? []
      : [
          {
            header: 'CHART',
            path: 'booked',
            priority: 2,
            shrink: false,
            value: ({ booked }: StatsRow) => drawnFor(context, bar(booked / most, length)),
          },
        ]),
  ];
  return { ...view, tableColumns: () => columns as Column[] };
};

const severalNote = 'Events with several hosts are in several rows, but count once in the total';

/** The lines below the table: the course of time as a line of bars, and the total. */
export const closingLines = (
  by: Grouping,
  counts: EventCounts,
  rows: readonly StatsRow[],
  context: Context,
): string[] => {
  const { total, noShows } = counts;
  const known = rows.filter(({ key }) => key !== 'unknown');
  const hasLine = isTimeGrouping(by) && known.length > 1 && !context.settings.accessible;
  const names = [known[0]?.name ?? '', known.at(-1)?.name ?? ''];
  const line = hasLine ? sparkline(counts.series(), Math.min(60, columnsOf(context))) : '';
  const isSeveral = rows.reduce((sum, { booked }) => sum + booked, 0) > total.booked;
  const totals = [
    `Total: ${counted(total.booked, 'event')}`,
    `${formatNumber(total.canceled)} canceled`,
    ...(noShows === null ? [] : [counted(noShows, 'no-show')]),
    counted(total.hours, 'hour'),
  ].join(', ');
  return [
    '',
    ...(hasLine ? [drawnFor(context, line), drawnFor(context, `${names[0]} to ${names[1]}`)] : []),
    ...wrap(totals, columnsOf(context)),
    ...(isSeveral ? wrap(severalNote, columnsOf(context)) : []),
  ];
};
