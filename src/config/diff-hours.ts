import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../json.ts';
import { isDate } from '../time/availability-rules.ts';
import { canonicalZone } from '../time/zone.ts';
import type { ConfigPath, FieldChange, ReadConfig, ScheduleChange, World } from './model.ts';
import { type Days, datesOf, hoursOn, isSameZone, readSchedule, weekOf } from './normalize.ts';

/** What the file wants of one schedule. */
export interface WantedSchedule {
  path: ConfigPath;
  label: string;
  owner: string;
  user: string;
  eventType?: string | undefined;
  /** Missing if the plan creates the event type. */
  schedule?: Json | undefined;
  days: Days;
}

type Refuse = (path: ConfigPath, message: string) => void;

/** Joins what several entries want of one schedule. They may manage different days of it. */
const joined = (wanted: readonly WantedSchedule[], lineOf: ReadConfig['lineOf'], refuse: Refuse): WantedSchedule[] => {
  const found = new Map<unknown, WantedSchedule>();
  for (const each of wanted) {
    const id = each.schedule?.uri ?? each.path;
    const other = found.get(id);
    const clash = [...each.days].find(([day, hours]) => (other?.days.get(day) ?? hours) !== hours);
    if (clash !== undefined)
      refuse(
        each.path,
        `is the same schedule as on line ${lineOf(other!.path)}, which wants ${other!.days.get(clash[0])} for ${clash[0]}, not ${clash[1]}. Write the same hours`,
      );
    found.set(id, other ? { ...other, days: new Map([...other.days, ...each.days]) } : each);
  }
  return [...found.values()];
};

const changeOf = (wanted: WantedSchedule, world: World, line: number, refuse: Refuse): ScheduleChange[] => {
  const { path, label, owner, user, eventType, schedule, days } = wanted;
  const now = schedule && readSchedule(schedule);
  if (now && !now.ok && [...days.keys()].some((day) => day !== 'timezone')) {
    refuse(path, `can't be managed: ${now.problem}. Change them on the website first, or remove hours and dates here`);
    return [];
  }
  const current: Days = now?.ok ? now.value : new Map();
  const zone = String(days.get('timezone') ?? schedule?.timezone);
  const today = world.today(canonicalZone(zone) === undefined ? 'UTC' : zone);
  const changed = [...days].flatMap(([day, after]): [string, FieldChange][] => {
    if (isDate(day) && day < today) return [];
    const before = day === 'timezone' ? schedule?.timezone : hoursOn(current, day);
    if (schedule === undefined) return [[day, { before: null, after }]];
    const isSame = day === 'timezone' ? isSameZone(before, after) : isDeepStrictEqual(before, after);
    return isSame ? [] : [[day, { before, after }]];
  });
  if (changed.length === 0) return [];
  const names = changed.map(([day]) => day);
  const changedDates = new Map([...days].filter(([day]) => isDate(day) && names.includes(day)));
  const isWeek = names.some((day) => day !== 'timezone' && !isDate(day));
  return [
    {
      kind: 'schedule',
      action: 'update',
      path,
      line,
      label,
      owner,
      uri: schedule && String(schedule.uri),
      eventType,
      user,
      timezone: names.includes('timezone') ? days.get('timezone') : undefined,
      week: isWeek ? weekOf(days) : undefined,
      dates: datesOf(changedDates),
      fields: Object.fromEntries(changed),
    },
  ];
};

export const scheduleChanges = (
  wanted: readonly WantedSchedule[],
  world: World,
  { lineOf }: ReadConfig,
  refuse: Refuse,
): ScheduleChange[] =>
  joined(wanted, lineOf, refuse).flatMap((each) => changeOf(each, world, lineOf(each.path), refuse));
