import { eventTypes } from '../../api/event-types.ts';
import { counted } from '../../base/numbers.ts';
import type { Bounds, PictureAnswer } from '../../cli/answer/answer.ts';
import { commandHere } from '../../cli/messages/suggested-line.ts';
import { fillScope } from '../../cli/operation/default-scope.ts';
import { withFacts } from '../../cli/operation/write-result.ts';
import type { Context } from '../../cli/session/context.ts';
import { gather } from '../../client/paginate.ts';
import type { BlockStyle } from '../../output/block.ts';
import { cutLong, humanText } from '../../output/cells.ts';
import { fill, headingLines } from '../../output/heading.ts';
import type { View } from '../../output/view.ts';
import { pad, width, wrap } from '../../output/width.ts';
import { datesOffWords, isKnown, otherDatesWords, type Rule, weekWords } from '../../time/availability-rules.ts';
import { ownSchedules } from './own-schedules.ts';
import { ownSchedulesByType, shownRules, todayIn, zoneOf } from './schedule-facts.ts';

/** Hours, and the event types that have them. */
interface SharedHours {
  zone: string;
  rules: Rule[];
  types: string[];
}

/** More than any terminal shows of a name. */
const longestName = 80;

/** The user's hours, each with the event types that share them: first those of the most. */
const readSharedHours = async (context: Context): Promise<SharedHours[]> => {
  const query: Record<string, string> = {};
  await fillScope(eventTypes.list, { query }, context);
  const types = await gather((await context.client()).pages(eventTypes.list, { query }));
  const shared = new Map<string, SharedHours>();
  for (const { type, schedules } of await ownSchedulesByType(context, types, await context.identity.user()))
    for (const schedule of schedules) {
      const [zone, rules] = [zoneOf(schedule, context), shownRules(schedule)];
      const key = JSON.stringify([zone, rules]);
      const { types: names } = shared.get(key) ?? { types: [] };
      shared.set(key, {
        zone,
        rules,
        types: [...names, humanText(cutLong(String(type.name ?? type.uri), longestName))],
      });
    }
  return [...shared.values()].sort((one, other) => other.types.length - one.types.length);
};

/** Labels and what they say: the week, days off and other dates from today on. */
const hoursLines = (context: Context, { zone, rules }: SharedHours): [label: string, texts: string[]][] => {
  const today = todayIn(context, zone);
  const week = weekWords(rules);
  const [off, other] = [datesOffWords(rules, today), otherDatesWords(rules, today)];
  return [
    ...(week.length === 0 ? [['Week', ['no hours']] as [string, string[]]] : week),
    ...(off.length === 0 ? [] : [['Off', off] as [string, string[]]]),
    ...(other.length === 0 ? [] : [['Other', other] as [string, string[]]]),
    ...(rules.every(isKnown) ? [] : [['Unknown', ["sched can't read some of the rules"]] as [string, string[]]]),
  ];
};

const labelWidth = 10;

const drawHours = (context: Context, all: readonly SharedHours[], { paint, available, place }: BlockStyle): string => {
  const zones = new Set(all.map(({ zone }) => zone));
  const lines = all.flatMap((hours, index) => {
    const count = counted(hours.types.length, 'event type');
    const own = zones.size === 1 ? '' : ` · ${hours.zone}`;
    const names = wrap(`${count}${own}: ${hours.types.join(', ')}`, available);
    const body = hoursLines(context, hours).flatMap(([label, texts], place) => {
      const isWeek = /\d/.test(texts[0]!) && place === 0;
      return fill(texts, label === 'Off' || label === 'Other' ? ' · ' : '  ', available - labelWidth).map(
        (text, line) => {
          const row = `${paint.faint(pad(line === 0 ? label : '', labelWidth))}${text}`;
          const rest = available - labelWidth - width(text) - width(count);
          const isBeside = all.length === 1 && isWeek && line === 0 && rest >= 3;
          return isBeside ? `${row}${' '.repeat(Math.min(rest, 7))}${paint.faint(count)}` : row;
        },
      );
    });
    return [...(all.length === 1 ? [] : [...(index === 0 ? [] : ['']), ...names.map(paint.faint)]), ...body];
  });
  const heading = headingLines('Your hours', zones.size === 1 ? [all[0]!.zone] : [], { paint, available, place });
  return [...heading, ...lines].map((line) => `${line}\n`).join('');
};

const spokenHours = (context: Context, all: readonly SharedHours[]): string =>
  all
    .flatMap((hours) => [
      `Hours of ${counted(hours.types.length, 'event type')}, time zone ${hours.zone}: ${hours.types.join(', ')}.`,
      ...hoursLines(context, hours).map(([label, texts]) => `${label}: ${texts.join(', ')}.`.replaceAll('–', ' to ')),
    ])
    .map((line) => `${line}\n`)
    .join('');

/** The user's own schedules, each with the event types that use it. */
async function* ownPages(context: Context, { limit }: Bounds) {
  const own = await ownSchedules(context);
  yield own.slice(0, limit).map(({ schedule, types }) => withFacts(schedule, { event_types: types }));
}

/** The hours in which the user can be booked, for people. Others get the schedules. */
export const ownHours = (context: Context, view: View, bounds: Bounds): PictureAnswer => ({
  kind: 'picture',
  others: { kind: 'rows', view, pages: ownPages(context, bounds) },
  picture: async () => {
    await context.askNow();
    const all = await readSharedHours(context);
    const isEmpty = all.length === 0;
    return {
      draw: (style) => ({ picture: isEmpty ? '' : drawHours(context, all, style) }),
      words: () => spokenHours(context, all),
      footers: [
        isEmpty
          ? `No event type has hours of yours: ${commandHere(context, 'event-types', 'list')}`
          : `Take days off: ${commandHere(context, 'availability', 'off', '2026-12-24..2026-12-31')}`,
      ],
    };
  },
});
