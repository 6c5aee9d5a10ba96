import type { SentSchedule } from '../../api/availability.ts';
import { idIn } from '../../base/uri.ts';
import { isDate } from '../../time/availability-rules.ts';
import { canonicalZone } from '../../time/zone.ts';
import type { WantedHours, WantedType } from './work-file-schema.ts';
import type { ConfigPath, FieldChange, ReadConfig, ScheduleChange, World, WorldType, WorldUser } from './work-model.ts';
import { type Days, hoursOn, isSameZone, readSchedule, rulesByDate, wantedDays, weekOf } from './work-normalize.ts';
import type { Refuse } from './work-read-file.ts';
import { schedulesCalled, schedulesOf } from './work-schedules.ts';

/** An entry of the file, and the event type that it means. */
export interface TypeMatch {
  path: ConfigPath;
  user: WorldUser;
  entry: WantedType;
  /** Missing if it is to be created. */
  current?: WorldType | undefined;
}

/** What the file wants of one schedule. */
interface WantedSchedule extends Pick<ScheduleChange, 'path' | 'label' | 'owner' | 'user' | 'eventType'> {
  /** Missing if the plan creates the event type. */
  schedule?: SentSchedule | undefined;
  days: Days;
}

/** The schedules of the type that its entry has hours for. */
export const wantedSchedules = (match: TypeMatch, { emails }: World, refuse: Refuse): WantedSchedule[] => {
  const { path, user, entry, current } = match;
  const all = current?.schedules ?? [];
  const want = (place: ConfigPath, hours: WantedHours | undefined, candidates: SentSchedule[]): WantedSchedule[] => {
    if (hours === undefined) return [];
    const common = { path: place, label: entry.name, owner: user.uri, days: wantedDays(hours) };
    const [schedule, ...others] = candidates;
    if (current === undefined) return [{ ...common, user: user.uri }];
    const keys = schedulesOf(schedule ? candidates : all, emails).map(({ longKey }) => longKey);
    if (schedule === undefined) refuse(place, `the event type has no such schedule. Schedules: ${keys.join(', ')}`);
    else if (others.length > 0)
      refuse(place, `stands for several schedules. Write one of these under hosts: ${keys.join(', ')}`);
    else return [{ ...common, user: String(schedule.user), eventType: String(current.record.uri), schedule }];
    return [];
  };
  const own = all.filter((schedule) => idIn(schedule.user) === idIn(user.uri));
  return [
    ...want([...path, 'availability'], entry.availability, own),
    ...Object.entries(current && entry.hosts ? entry.hosts : {}).flatMap(([key, hours]) =>
      want([...path, 'hosts', key], hours, schedulesCalled(key, all, emails)),
    ),
  ];
};

/** Joins what several entries want of one schedule. They may manage different days of it. */
const joinSchedules = (
  schedules: readonly WantedSchedule[],
  lineOf: ReadConfig['lineOf'],
  refuse: Refuse,
): WantedSchedule[] => {
  const byId = new Map<unknown, WantedSchedule>();
  for (const each of schedules) {
    const id = each.schedule?.uri ?? each.path;
    const first = byId.get(id) ?? each;
    const [day, hours] = [...each.days].find(([name, text]) => (first.days.get(name) ?? text) !== text) ?? [];
    if (day !== undefined) {
      const other = `on line ${lineOf(first.path)}, which wants ${first.days.get(day)} for ${day}, not ${hours}`;
      refuse(each.path, `is the same schedule as ${other}. Write the same hours`);
    }
    byId.set(id, { ...first, days: new Map([...first.days, ...each.days]) });
  }
  return [...byId.values()];
};

const scheduleChangeOf = (
  wantedSchedule: WantedSchedule,
  world: World,
  line: number,
  refuse: Refuse,
): ScheduleChange[] => {
  const { schedule, days, ...common } = wantedSchedule;
  const now = schedule && readSchedule(schedule);
  if (now && !now.ok && [...days.keys()].some((day) => day !== 'timezone'))
    refuse(
      wantedSchedule.path,
      `can't be managed: ${now.problem}. Change them on the website first, or remove hours and dates here`,
    );
  const current: Days = now?.ok ? now.value : new Map();
  const zone = String(days.get('timezone') ?? schedule?.timezone);
  const today = world.today(canonicalZone(zone) === undefined ? 'UTC' : zone);
  const changes = [...days].flatMap(([day, after]): [string, FieldChange][] => {
    if (isDate(day) && day < today) return [];
    if (schedule === undefined) return [[day, { before: null, after }]];
    const before = day === 'timezone' ? schedule.timezone : hoursOn(current, day);
    const isSame = day === 'timezone' ? isSameZone(before, after) : before === after;
    return isSame ? [] : [[day, { before, after }]];
  });
  if (changes.length === 0) return [];
  const fields = Object.fromEntries(changes);
  const isWeek = Object.keys(fields).some((day) => day !== 'timezone' && !isDate(day));
  return [
    {
      ...common,
      kind: 'schedule',
      action: 'update',
      line,
      uri: schedule && String(schedule.uri),
      timezone: fields.timezone && days.get('timezone'),
      week: isWeek ? weekOf(days) : undefined,
      dates: rulesByDate(new Map([...days].filter(([day]) => Object.hasOwn(fields, day)))),
      fields,
    },
  ];
};

export const scheduleChanges = (
  schedules: readonly WantedSchedule[],
  world: World,
  { lineOf }: ReadConfig,
  refuse: Refuse,
): ScheduleChange[] =>
  joinSchedules(schedules, lineOf, refuse).flatMap((each) => scheduleChangeOf(each, world, lineOf(each.path), refuse));
