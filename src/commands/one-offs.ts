import { oneOffs } from '../api/one-offs.ts';
import { capital } from '../base/numbers.ts';
import { self, the, words } from '../base/words.ts';
import { type Plan, plan } from '../cli/answer/plan.ts';
import { entry } from '../cli/input/entry.ts';
import { both, type Call, input, taking, type Values } from '../cli/input/input.ts';
import { accept, type Kind, refuse } from '../cli/input/kind.ts';
import { count, toggle } from '../cli/input/kinds.ts';
import { needs, rule } from '../cli/input/relations.ts';
import type { FieldFlag } from '../cli/operation/field-flags.ts';
import type { Decorations } from '../cli/operation/generic-command.ts';
import { type Draft, requestDraft } from '../cli/operation/input.ts';
import { recordTitle, writeAndRead } from '../cli/operation/write-result.ts';
import { bodyFlag } from '../cli/parse/shared-flags.ts';
import type { View } from '../output/view.ts';
import { isDate } from '../time/availability-rules.ts';
import { describeInstant } from '../time/label.ts';

export const examples = {
  create: [
    'one-offs create --name "Planning" --duration 45 --days 7 --weekdays-only',
    'one-offs create --name "Planning" --duration 45 --co-host jonas.weber@northlight.example --start-date 2030-12-02 --end-date 2030-12-06',
    'one-offs create --name "Planning" --duration 60 --spot 2030-12-02T15:00:00Z/2030-12-02T16:00:00Z',
  ],
};

/** A day in the calendar. */
const dateKind: Kind<string> = {
  value: 'DATE',
  json: 'string',
  read: (raw) => (isDate(raw) ? accept(raw) : refuse(words`${self} must be a date such as 2026-12-01, not "${raw}"`)),
};

type Spot = Record<'start_time' | 'end_time', string>;

/** A single time: its start and its end. */
const spotKind: Kind<Spot> = {
  value: 'START/END',
  json: 'string',
  read: async (text, { settings: { zone, zoneSource }, isTerminal, now }) => {
    const [start, end, ...rest] = text.split('/');
    if (start === undefined || end === undefined || rest.length > 0)
      return refuse(words`${self} must be START/END, such as 2026-12-01T15:00:00Z/2026-12-01T16:00:00Z, not "${text}"`);
    const { readMutationTime } = await import('../time/mutation.ts');
    const how = { zone, zoneSource, isTerminal, now: await now() };
    const [from, to] = [readMutationTime(start, how), readMutationTime(end, how)];
    if (!from.ok) return refuse(words`${self}: ${from.problem}`);
    if (!to.ok) return refuse(words`${self}: ${to.problem}`);
    if (Date.parse(to.instant) <= Date.parse(from.instant))
      return refuse(words`${self} "${text}" must end after it starts`);
    return accept({ start_time: from.instant, end_time: to.instant });
  },
};

const entries = {
  days: count('bookable for this many days from now', { least: 1 }),
  weekdaysOnly: toggle(words`with ${the('days')}: skip Saturday and Sunday`),
  startDate: entry(dateKind, 'first bookable day'),
  endDate: entry(dateKind, 'last bookable day'),
  spot: entry(spotKind, 'single bookable time', { many: true }),
};

const ways = (last: 'and' | 'or') =>
  words`${the('days')}, ${the('startDate')} with ${the('endDate')}, ${last} ${the('spot')}`;

/** One of the ways to say when it can be booked, unless `--body` says it. */
const oneWayToBook = rule(['days', 'startDate', 'endDate', 'spot'], (isGiven, { given }) => {
  const dates = (['startDate', 'endDate'] as const).filter(isGiven);
  const count = [isGiven('days'), dates.length > 0, isGiven('spot')].filter(Boolean).length;
  if (count > 1) return [{ words: words`${ways('and')} can't be used together` }];
  if (count === 0) return given.body === undefined ? [{ words: ways('or'), missing: 'days' }] : [];
  if (dates.length === 1) {
    const other = the(dates[0] === 'startDate' ? 'endDate' : 'startDate');
    return [{ words: [other], missing: other.name }];
  }
  const [first, last] = [String(given['start-date']), String(given['end-date'])];
  const isBackward = isDate(first) && isDate(last) && last < first;
  return isBackward ? [{ words: words`${the('endDate')} ${last} is before ${the('startDate')} ${first}` }] : [];
});

const ownInput = input(entries, needs(['weekdaysOnly'], ['days']), oneWayToBook);

/** When the meeting can be booked: a number of days, a date range or single times. */
const dateSetting = ({ days, weekdaysOnly, startDate, endDate, spot }: Values<typeof entries>): object | undefined => {
  if (days !== undefined) return { type: 'days_in_future', days, only_weekdays: weekdaysOnly };
  if (startDate !== undefined) return { type: 'date_range', start_date: startDate, end_date: endDate };
  return spot.length > 0 ? { type: 'spots', spots: spot } : undefined;
};

/** Several `--host` are a host and co-hosts, because the service keeps the first host in a field of its own. */
const splitHosts = (body: { host?: unknown; co_hosts?: unknown }, { values }: Draft): void => {
  if (!Array.isArray(body.host)) return;
  const [host, ...others] = body.host;
  body.host = host;
  const coHosts = values.some(([{ name }]) => name === 'co-host') ? (body.co_hosts as unknown[]) : [];
  if (others.length > 0) body.co_hosts = [...others, ...coHosts];
};

const runCreateOneOff = async (
  { request, ...values }: Values<typeof entries> & { request: Draft },
  { context }: Call,
  view: View,
): Promise<Plan> => {
  const { settings, now } = context;
  const setting = dateSetting(values);
  const input = await request.finish(async (body) => {
    splitHosts(body, request);
    if (setting !== undefined) body.date_setting = setting;
  });
  // The reply doesn't contain these times, so show how they were read.
  for (const { start_time, end_time } of values.spot) {
    const [from, to] = [start_time, end_time].map((time) => describeInstant(time, settings.zone, now()));
    context.notes.info(`Bookable: ${from} to ${to}`);
  }
  return plan({
    requests: () => ({ operation: oneOffs.create, inputs: [input] }),
    send: async () => {
      const record = await writeAndRead(context, oneOffs.create, input);
      const link = typeof record.scheduling_url === 'string' ? `, ${record.scheduling_url}` : '';
      const created = `created: ${recordTitle(record, 'a one-off event type')}`;
      const done = { log: `${created}${link}`, sentence: capital(created) };
      return { kind: 'record', view, record, done, isNew: true };
    },
  });
};

export const decorate = {
  create: (generic) => {
    const severalHosts = (flag: FieldFlag): FieldFlag => (flag.name === 'host' ? { ...flag, repeat: true } : flag);
    const request = requestDraft(oneOffs.create, generic.fieldFlags.map(severalHosts));
    return {
      ...taking(both(ownInput, request), (...call) => runCreateOneOff(...call, generic.view)),
      flags: [...request.flags, ...ownInput.flags, bodyFlag],
    };
  },
} satisfies Decorations;
