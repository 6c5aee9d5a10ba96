import { listed, self, the, words } from '../../base/words.ts';
import { type Entry, entry, type Refusal, type TakeResult } from '../../cli/input/entry.ts';
import type { Raw } from '../../cli/input/given.ts';
import { both, type Input, input, related, unless, type Values } from '../../cli/input/input.ts';
import { accept, type How, type Kind, refuse } from '../../cli/input/kind.ts';
import { file, moment, toggle } from '../../cli/input/kinds.ts';
import { excludes, needs, rule } from '../../cli/input/relations.ts';
import type { GenericCommand } from '../../cli/operation/generic-command.ts';
import { type RequestValues, requestInput } from '../../cli/operation/input.ts';
import { bodyFlag } from '../../cli/parse/shared-flags.ts';
import type { Rule } from '../../time/availability-rules.ts';
import type { CheckResult } from '../../time/reading.ts';

/** What a text means in the time zone of a schedule: today is another date there. */
type InZone<T> = (zone: string) => T;

/** Today at the time of the call, in any time zone. */
const todayOf = async ({ now }: How): Promise<InZone<string>> => {
  const { todayIn } = await import('./schedule-facts.ts');
  const time = await now();
  return (zone) => todayIn({ now: () => time }, zone);
};

/** The time zone to read days in before a schedule is known. */
const firstZone = async (how: How): Promise<string> => {
  const { zoneOf } = await import('./schedule-facts.ts');
  return zoneOf({ timezone: how.given.timezone }, how);
};

const rulesKind = (value: string, reader: 'readRule' | 'readDays'): Kind<InZone<CheckResult<Rule[]>>> => ({
  value,
  json: 'string',
  read: async (raw, how) => {
    const { [reader]: read } = await import('../../time/read-rules.ts');
    const today = await todayOf(how);
    const rulesIn: InZone<CheckResult<Rule[]>> = (zone) => read(raw, () => today(zone));
    const first = rulesIn(await firstZone(how));
    return first.ok ? accept(rulesIn) : refuse(words`${self} ${first.problem}`);
  },
});

const dayKind = rulesKind('DAY', 'readDays');

const days = {
  rule: entry(
    rulesKind('RULE', 'readRule'),
    "hours for a weekday or a date, as 'monday 09:00-12:00,13:00-17:00' or '2026-12-24 09:00-12:00'",
    { many: true },
  ),
  dayOff: entry(dayKind, 'day to set as unavailable: date, tomorrow, range of dates, or weekday (every week)', {
    many: true,
  }),
  remove: entry(dayKind, 'day whose rule to remove: date, tomorrow, range of dates, or weekday (every week)', {
    many: true,
  }),
};

/** Rules to set, and days whose rules to remove. */
export type Days = Record<'set' | 'removed', Rule[]>;

/** The given days as a whole, because none of them may be given twice. None if no day is given. */
const daysInput: Input<{ daysIn?: InZone<Days> }> = {
  ...input(days),
  draft: async (invocation, how) => {
    const { problems, context } = invocation;
    const { dayOf } = await import('../../time/availability-rules.ts');
    const finish = await input(days).draft(invocation, how);
    const values: Partial<Values<typeof days>> = await finish(context);
    const daysIn = (zone: string): Days => {
      const read = (key: keyof typeof days) =>
        (values[key] ?? []).flatMap((rulesIn) => {
          const rules = rulesIn(zone);
          if (!rules.ok) problems.report({ words: words`${the(key)} ${rules.problem}` });
          return rules.ok ? rules.value : [];
        });
      const set = [...read('rule'), ...read('dayOff').map((day) => ({ ...day, intervals: [] }))];
      const removed = read('remove');
      const daysToChange = [...set, ...removed].map(dayOf);
      for (const day of new Set(daysToChange.filter((name, index) => daysToChange.indexOf(name) !== index)))
        problems.report({ words: words`${day} is given twice` });
      return { set, removed };
    };
    daysIn(await firstZone(how));
    const isGiven = Object.values(values).some(({ length }) => length > 0);
    return async () => (isGiven ? { daysIn } : {});
  },
};

const scope = {
  replace: toggle('replace all rules with the given ones'),
  all: toggle('change your own schedules of all your event types'),
};

/** Values that say what to change. */
export const changing = ['rule', 'dayOff', 'remove', 'replace', 'timezone', 'body'];

const changesSomething = rule([...changing, 'all'], (isGiven) => {
  const ways = ['rule', 'dayOff', 'remove', ...(isGiven('all') ? [] : ['timezone'])];
  if ((isGiven('all') ? ways : changing).some(isGiven)) return [];
  return [{ words: words`Nothing to change. Use ${listed(ways.map(the), 'or')}`, adds: the('rule') }];
});

const replacesWithSomething = rule(['replace', 'rule', 'dayOff', 'all'], (isGiven) =>
  !isGiven('replace') || isGiven('all') || isGiven('rule') || isGiven('dayOff')
    ? []
    : [{ words: words`${the('replace')} needs at least one ${the('rule')} or ${the('dayOff')}` }],
);

const namesNoSchedule = rule(['all', 'schedule'], (isGiven) =>
  isGiven('all') && isGiven('schedule') ? [{ words: words`${the('all')} can't be used with a schedule` }] : [],
);

/** The commands of the two operations: for one schedule, and for all schedules of an event type. */
export type Updates = Record<'one' | 'all', GenericCommand>;

export type UpdateInput = Values<typeof scope> & { daysIn?: InZone<Days>; request?: RequestValues };

export const updateInput = ({ one, all }: Updates): Input<UpdateInput> => {
  const [ofOne, ofAll] = [one, all].map(({ operation, fieldFlags }) => requestInput(operation, fieldFlags));
  const request: Input<{ request: RequestValues }> = {
    flags: [...one.fieldFlags, bodyFlag],
    arguments: one.arguments,
    draft: (invocation, how) => (how.given.schedule === undefined ? ofAll! : ofOne!).draft(invocation, how),
  };
  return both(
    related(
      both(daysInput, input(scope)),
      namesNoSchedule,
      ...['eventType', 'timezone', 'replace', 'body'].map((key) => excludes(key, ['all'])),
      changesSomething,
      replacesWithSomething,
      excludes('remove', ['replace']),
    ),
    unless(['all'], request),
  );
};

const noDates: InZone<string[]> = () => [];

/** Reads dates in words. Without quotes, `dec 24` is two arguments, and `dec 24..dec 31` is three. */
const takeDates = async (given: readonly Raw[], how: How): Promise<TakeResult<InZone<string[]>>> => {
  const { every, list, from } = how.given;
  if (every !== undefined || from !== undefined) return accept(noDates);
  if (given.length === 0) return list === true ? accept(noDates) : 'missing';
  const { readDatesOff } = await import('../../time/read-rules.ts');
  const today = await todayOf(how);
  const datesIn = (zone: string, refusals: Refusal[] = []): string[] => {
    const read = (parts: readonly Raw[]) => readDatesOff(parts.join(' '), () => today(zone));
    const dates = new Set<string>();
    for (let rest = given; rest.length > 0; ) {
      const count = [3, 2].find((most) => rest.length >= most && read(rest.slice(0, most)).ok) ?? 1;
      const reading = read(rest.slice(0, count));
      if (reading.ok) for (const date of reading.value) dates.add(date);
      else refusals.push({ ok: false, problem: words`${reading.problem}`, raw: rest[0]! });
      rest = rest.slice(count);
    }
    return [...dates].sort();
  };
  const refusals: Refusal[] = [];
  datesIn(how.settings.zone, refusals);
  return refusals.length === 0 ? accept((zone: string) => datesIn(zone)) : { refusals };
};

const dates: Entry<InZone<string[]>> = {
  kind: { json: 'string', read: accept },
  description: '2026-12-24, dec 24, tomorrow, friday (the first one after today) or 2026-12-24..2026-12-31',
  place: 'argument',
  many: true,
  take: takeDates,
};

const weekdayKind: Kind<Rule[]> = {
  value: 'DAY',
  json: 'string',
  read: async (raw) => {
    const { readDays } = await import('../../time/read-rules.ts');
    const reading = readDays(raw, undefined, 'a weekday such as friday, fri or sat-sun');
    if (!reading.ok) return refuse(words`${self} ${reading.problem}`);
    const hasDate = reading.value.some(({ type }) => type === 'date');
    return hasDate ? refuse(words`${self} "${raw}" is not a weekday`) : accept(reading.value);
  },
};

const off = {
  date: dates,
  undo: toggle('remove the days off on these dates'),
  list: toggle('list your days off from today on'),
  from: file('take the days of the events in a calendar file (.ics) off, or - for stdin'),
  timed: toggle(words`with ${the('from')}: also events at times of a day, not only all-day events`),
  until: moment(words`with ${the('from')}: the last day (default a year from now)`, { edge: 'until', in: 'future' }),
  every: entry(weekdayKind, 'take a weekday off every week: friday, fri or sat-sun', { many: true }),
};

export type OffInput = Values<typeof off>;

const oneAtATime = rule(['date', 'undo', 'list', 'every', 'from'], (isGiven) => {
  const problems = [];
  if (isGiven('from') && isGiven('date')) problems.push(words`${the('from')} can't be used with dates`);
  if (!isGiven('every')) {
    if (isGiven('list') && (isGiven('undo') || isGiven('date')))
      problems.push(words`${the('list')} can't be used with dates or ${the('undo')}`);
  } else {
    if (isGiven('date') || isGiven('list'))
      problems.push(words`${the('every')} can't be used with dates or ${the('list')}`);
    if (isGiven('undo'))
      problems.push(
        words`${the('undo')} brings back days off of single dates. For weekly hours, use the line that ${the('every')} has printed`,
      );
  }
  return problems.map((each) => ({ words: each }));
});

export const offInput = input(
  off,
  oneAtATime,
  excludes('from', ['every', 'list']),
  needs(['timed', 'until'], ['from']),
);
