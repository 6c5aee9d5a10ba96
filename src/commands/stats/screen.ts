import { counted, formatNumber, twoDigits } from '../../base/numbers.ts';
import type { BlockStyle } from '../../output/block.ts';
import { shownText } from '../../output/cells.ts';
import { barLengths, levelOf } from '../../output/drawing.ts';
import { drawGrid, gap } from '../../output/grid.ts';
import { headingLines } from '../../output/heading.ts';
import { shorten, width, wrap } from '../../output/width.ts';
import { Count, type CountedGroup, type EventCounts } from './counts.ts';
import { groupLabel, type StatsGroup, shortLabelOf, withEmptyGroups } from './group-by.ts';
import type { Grouping, Sort } from './input.ts';

/** Everything that the pictures show. */
export interface Stats {
  /** One grouping, or two. */
  by: readonly Grouping[];
  counts: EventCounts;
  sort: Sort | undefined;
  /** The wall-clock times of the window, where it has an edge. */
  window: { since?: number | undefined; until?: number | undefined };
  /** The present as a wall-clock time. */
  today: number;
  /** `Your events` */
  title: string;
  zone: string;
  /** The colors of event types, by URI. */
  colors: ReadonlyMap<string, unknown>;
}

/** The groups of the first or second grouping, with those without events unless they are sorted. */
const countedGroupsAt = ({ by, counts, sort, window }: Stats, place: 0 | 1): CountedGroup[] => {
  const groups = counts.groups(place, place === 0 ? sort : undefined);
  if (place === 0 && sort !== undefined) return groups;
  const byKey = new Map(groups.map((each) => [each.group.key, each.count]));
  const all = withEmptyGroups(
    by[place]!,
    groups.map(({ group }) => group),
    window,
  );
  return all.map((group) => ({ group, count: byKey.get(group.key) ?? new Count() }));
};

const percent = (share: number): string => (share > 0 && share < 0.005 ? '<1%' : `${Math.round(share * 100)}%`);

/** `11  10%`, and `0` without a rate. Right-aligned texts keep their numbers below each other. */
const withRate = (count: number, all: number): string =>
  `${formatNumber(count)} ${(count === 0 ? '' : percent(count / all)).padStart(4)}`;

/** A line of the chart: one group, or a pair of groups. */
interface ChartRow {
  label: string;
  count: Count;
  color?: unknown;
}

/** `83 h 45`, and `28 h` with room for minutes, so that hours are below each other. */
const hoursText = (hours: number): string => {
  const minutes = Math.round(hours * 60);
  const rest = minutes % 60;
  return `${formatNumber(Math.floor(minutes / 60))} h${rest === 0 ? '   ' : ` ${twoDigits(rest)}`}`;
};

/** The columns of numbers. The later they are here, the earlier a narrow terminal leaves them out. */
const numberColumns = ({ counts }: Stats): { title: string; textOf(count: Count): string }[] => [
  { title: 'BOOKED', textOf: ({ booked }) => formatNumber(booked) },
  { title: 'CANCELED', textOf: ({ canceled, booked }) => withRate(canceled, booked) },
  ...(counts.hasNoShows
    ? [{ title: 'NO-SHOWS', textOf: ({ noShows, invitees }: Count) => withRate(noShows, invitees) }]
    : []),
  { title: 'HOURS', textOf: ({ hours }) => hoursText(hours) },
  { title: 'SHARE', textOf: ({ booked }) => percent(booked / counts.total.booked) },
];

const leastBar = 10;
const longestBar = 40;
/** A name may be cut to this width before a number is left out. */
const leastName = 14;

const glyphs = { active: '▄', 'no-show': '×', canceled: '▒' } as const;

const barOf = ({ count, color }: ChartRow, most: number, columns: number, { paint }: BlockStyle): string => {
  const { booked, canceled } = count;
  const noShows = Math.min(count.noShows, booked - canceled);
  const [heldLength, canceledLength, missedLength] = barLengths(
    [booked - canceled - noShows, canceled, noShows],
    most,
    columns,
  );
  const active = glyphs.active.repeat(heldLength!);
  return [
    typeof color === 'string' ? paint.mark(color, active) : paint.done(active),
    paint.warning(glyphs['no-show'].repeat(missedLength!)),
    paint.faint(glyphs.canceled.repeat(canceledLength!)),
  ].join('');
};

/** Bars beside their numbers. A narrow terminal shows fewer numbers, but always the bars. */
const drawChart = (stats: Stats, rows: readonly ChartRow[], style: BlockStyle) => {
  const { available, paint } = style;
  const head = stats.by[0]!.replace('-', ' ').toUpperCase();
  const nameWidth = rows.reduce((most, { label }) => Math.max(most, width(label)), width(head));
  const all = numberColumns(stats).map(({ title, textOf }) => {
    const texts = rows.map(({ count }) => textOf(count));
    return { title, texts, width: texts.reduce((most, text) => Math.max(most, text.length), title.length) };
  });
  const bars = Math.min(leastBar, Math.floor(available / 4));
  const roomFor = (shownColumns: typeof all): number =>
    available - bars - shownColumns.reduce((sum, column) => sum + column.width + gap.length, gap.length);
  const columns = [...all];
  while (columns.length > 1 && roomFor(columns) < Math.min(nameWidth, leastName)) columns.pop();
  const name = Math.max(1, Math.min(nameWidth, roomFor(columns)));
  const length = Math.max(1, Math.min(longestBar, bars + roomFor(columns) - name));
  const most = rows.reduce((largest, { count }) => Math.max(largest, count.booked), 0);
  const lines = rows.map((row, index) => [
    ...[shorten(row.label, name), ...columns.map(({ texts }) => texts[index]!)].map((text) =>
      row.count.booked === 0 ? paint.faint(text) : text,
    ),
    barOf(row, most, length, style),
  ]);
  const heads = [shorten(head, name), ...columns.map(({ title }) => title), ''].map(paint.heading);
  const picture = drawGrid(
    [heads, ...lines],
    [
      { width: name },
      ...columns.map((column) => ({ width: column.width, align: 'right' as const })),
      { width: length },
    ],
  );
  const shownGlyphs = Object.entries(glyphs).filter(([word]) => word !== 'no-show' || stats.counts.hasNoShows);
  const legend = shownGlyphs.map(([word, glyph]) => `${glyph} ${word}`).join(gap);
  return {
    picture: `${picture}\n${paint.faint(shorten(legend, available))}\n`,
    hidden: all.slice(columns.length).map(({ title }) => title),
  };
};

const shades = '░▒▓█';

/** The head of a column of a heat map is cut to this width. */
const longestHead = 8;

/** Rows and columns of a heat map by the place of their grouping, and whether the rows have short names. */
const heatForms: readonly (readonly [rows: 0 | 1, columns: 0 | 1, isShort: boolean])[] = [
  [0, 1, false],
  [1, 0, false],
  [0, 1, true],
  [1, 0, true],
];

/** A shade and a number for each pair of groups. */
const heatOf = (stats: Stats, [rowPlace, columnPlace, isShort]: (typeof heatForms)[number]) => {
  const [rowsBy, columnsBy] = [stats.by[rowPlace]!, stats.by[columnPlace]!];
  const columns = countedGroupsAt(stats, columnPlace).map(({ group }) => group);
  const bookedIn = (row: StatsGroup, column: StatsGroup): number =>
    (rowPlace === 0 ? stats.counts.of(row, column) : stats.counts.of(column, row)).booked;
  const rows = countedGroupsAt(stats, rowPlace).map(({ group }) => ({
    label: shownText(isShort ? shortLabelOf(rowsBy, group) : groupLabel(rowsBy, group, stats.today)),
    values: columns.map((column) => bookedIn(group, column)),
  }));
  const most = rows.reduce((largest, { values }) => Math.max(largest, ...values), 0);
  const heads = columns.map((group) => shorten(shownText(shortLabelOf(columnsBy, group)), longestHead));
  const shadeLength = isShort ? 1 : 2;
  const cell = shadeLength + 1 + formatNumber(most).length;
  const widths = heads.map((head) => Math.max(width(head), cell));
  const name = rows.reduce((widest, { label }) => Math.max(widest, width(label)), 1);
  return { rows, most, heads, shadeLength, cell, widths, name };
};

/** What the shades mean: `░ 1–3  ▒ 4–7  ▓ 8–11  █ 12`. */
const heatLegend = (most: number): string => {
  const values = Array.from({ length: most }, (_, index) => index + 1);
  return [...shades]
    .flatMap((shade) => {
      const own = values.filter((value) => levelOf(value, most, shades) === shade);
      const [least, last] = [own[0], own.at(-1)];
      if (least === undefined || last === undefined) return [];
      return `${shade} ${formatNumber(least)}${last === least ? '' : `–${formatNumber(last)}`}`;
    })
    .join(gap);
};

const widthOf = (widths: readonly number[]): number => widths.reduce((sum, each) => sum + gap.length + each, 0);

/** A heat map. If no form of it fits, its columns are drawn in several parts. */
const drawHeat = (stats: Stats, { available, paint }: BlockStyle): string => {
  const forms = heatForms.map((form) => heatOf(stats, form));
  const fitting = forms.find(({ name, widths }) => Math.min(leastName, name) + widthOf(widths) <= available);
  const { rows, most, heads, shadeLength, cell, widths, name } = fitting ?? forms[2]!;
  const room = available - Math.min(leastName, name);
  const perPart = fitting === undefined ? Math.max(1, Math.floor(room / widthOf([Math.max(...widths)]))) : heads.length;
  const cellOf = (value: number): string => {
    if (value === 0) return paint.faint('·');
    const shade = levelOf(value, most, shades).repeat(shadeLength);
    return `${paint.done(shade)}${formatNumber(value).padStart(cell - shadeLength)}`;
  };
  const drawPart = (from: number, to: number): string => {
    const own = widths.slice(from, to);
    const first = Math.max(1, Math.min(name, available - widthOf(own)));
    return drawGrid(
      [
        ['', ...heads.slice(from, to)].map(paint.heading),
        ...rows.map(({ label, values }) => [shorten(label, first), ...values.slice(from, to).map(cellOf)]),
      ],
      [{ width: first }, ...own.map((each) => ({ width: each, align: 'right' as const }))],
    );
  };
  const parts: string[] = [];
  for (let from = 0; from < heads.length; from += perPart) parts.push(drawPart(from, from + perPart));
  const legend = wrap(heatLegend(most), available).map((line) => `${paint.faint(line)}\n`);
  return [...parts, legend.join('')].join('\n');
};

/** The groups, or the pairs of groups that have events. */
const chartRows = (stats: Stats): ChartRow[] => {
  const { by, counts, today, colors } = stats;
  const label = (place: 0 | 1, group: StatsGroup) => shownText(groupLabel(by[place]!, group, today));
  if (by.length === 1)
    return countedGroupsAt(stats, 0).map(({ group, count }) => ({
      label: label(0, group),
      count,
      color: colors.get(group.key),
    }));
  const seconds = countedGroupsAt(stats, 1);
  return countedGroupsAt(stats, 0).flatMap(({ group: first }) =>
    seconds
      .map(({ group: second }) => ({
        label: `${label(0, first)}, ${label(1, second)}`,
        count: counts.of(first, second),
      }))
      .filter(({ count }) => count.booked > 0),
  );
};

const severalNote = 'An event with several hosts counts for each of them, but once in the total';

/** `174 hours 30 minutes` */
const totalHours = (hours: number): string => {
  const minutes = Math.round(hours * 60);
  const [whole, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [whole > 0 || rest === 0 ? counted(whole, 'hour') : [], rest > 0 ? counted(rest, 'minute') : []]
    .flat()
    .join(' ');
};

const countFacts = ({ by, counts }: Stats, { booked, canceled, noShows, invitees, hours }: Count): string[] => [
  // A person has bookings: an event with two people is two of them.
  counted(booked, by.includes('invitee') ? 'booking' : 'event').replace(/^0 /, 'no '),
  ...(canceled === 0 ? [] : [`${formatNumber(canceled)} canceled (${percent(canceled / booked)})`]),
  ...(counts.hasNoShows && invitees > 0
    ? [`${counted(noShows, 'no-show')} (${percent(noShows / invitees)} of ${counted(invitees, 'invitee')})`]
    : []),
  ...(booked === 0 ? [] : [totalHours(hours)]),
];

const closingLines = (stats: Stats): string[] => {
  const { by, counts } = stats;
  const rows = by.includes('host') ? counts.groups(by[0] === 'host' ? 0 : 1) : [];
  const isSeveral = rows.reduce((sum, { count }) => sum + count.booked, 0) > counts.total.booked;
  return [`Total: ${countFacts(stats, counts.total).join(', ')}`, ...(isSeveral ? [severalNote] : [])];
};

/** `Your events by host and week` */
const statsTitle = ({ title, by }: Stats): string =>
  `${title} by ${by.map((name) => name.replace('-', ' ')).join(' and ')}`;

/** Draws the counts for a terminal. `hidden` are the columns that don't fit. */
export const drawStats = (stats: Stats, style: BlockStyle): { picture: string; hidden: string[] } => {
  const { picture, hidden } =
    stats.by.length === 1
      ? drawChart(stats, chartRows(stats), style)
      : { picture: `${drawHeat(stats, style)}\n`, hidden: [] };
  const title = headingLines(statsTitle(stats), [stats.zone], style)
    .map((line) => `${line}\n`)
    .join('');
  const closing = closingLines(stats).flatMap((line) => wrap(line, style.available));
  return { picture: `${title}\n${picture}${closing.join('\n')}\n`, hidden };
};

/** The counts in sentences, for screen readers. */
export const spokenStats = (stats: Stats): string =>
  [
    `${statsTitle(stats)}, time zone ${stats.zone}.`,
    ...chartRows(stats).map(({ label, count }) => `${label}: ${countFacts(stats, count).join(', ')}.`),
    ...closingLines(stats).map((line) => `${line}.`),
  ]
    .map((line) => `${line}\n`)
    .join('');
