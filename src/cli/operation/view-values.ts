import type { locationKinds } from '../../api/locations.ts';
import { isObject, type Json, recordsIn } from '../../base/json.ts';
import { day, minute } from '../../base/milliseconds.ts';
import { counted } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import { valueAt } from '../../output/fields.ts';
import { htmlText } from '../../output/html-text.ts';
import { answerTexts, flowing } from '../../output/question-columns.ts';
import type { Column, PageLine, View } from '../../output/view.ts';
import { allDatesOff, datesOffFrom, rulesTexts, withoutDatesOff } from '../../time/availability-rules.ts';
import { dateText } from '../../time/days.ts';
import { dayText, lengthLabel, spanLabel, timeLabel } from '../../time/label.ts';
import { wallClock } from '../../time/show.ts';
import { fullDateLabel, midnightOf, timestampOf } from '../../time/wall.ts';
import { readZone } from '../../time/zone.ts';

/*
 * Functions that compute the texts of a view. The service may send anything in any field, so they check each value and
 * return nothing, or the value as it is, where they can't use it.
 */

type Value = Exclude<PageLine['value'], string>;

const fieldText = (record: object, path: string): string => {
  const value = valueAt(record, path);
  return typeof value === 'string' ? value : '';
};

/** Plain text, or the text of an HTML field if there is no plain one. Long HTML is cut before it is searched for tags. */
export const prose =
  (plain: string, html: string): Value =>
  (record) =>
    flowing(fieldText(record, plain)) || flowing(htmlText(fieldText(record, html).slice(0, 20_000)));

export const momentValue =
  (path: string): Value =>
  (record, { zoneLabel, now }) => {
    const value = valueAt(record, path);
    const label = typeof value === 'string' ? timeLabel(value, zoneLabel, now) : undefined;
    return label === undefined ? value : `${label} (${zoneLabel})`;
  };

/** On a narrow screen the ID is the first to go: people choose by name. */
export const idColumn: Column = { header: 'ID', path: 'uri', as: 'id', priority: -1 };
export const idLine: PageLine = { label: 'ID', value: 'uri', as: 'id' };
export const createdLine: PageLine = { label: 'Created', value: momentValue('created_at') };

/** When a meeting takes place, in the zone that times are shown in. */
export const span =
  (start: string, end: string): Value =>
  (record, { zoneLabel, now }) => {
    const [from, to] = [fieldText(record, start), fieldText(record, end)];
    const label = spanLabel(from, to, zoneLabel, now);
    if (label === undefined) return valueAt(record, start);
    return `${label} (${[zoneLabel, lengthLabel(from, to) ?? []].flat().join(', ')})`;
  };

/** How long it is until an active event starts: `in 4 h 37 min`, `in 3 days`. */
export const startsIn: Value = (record, { now }) => {
  const minutes = Math.ceil(((timestampOf(fieldText(record, 'start_time')) ?? 0) - now) / minute);
  if (minutes <= 0 || valueAt(record, 'status') !== 'active') return undefined;
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60)];
  if (days >= 2) return `in ${days} days`;
  return `in ${[hours > 0 ? `${hours} h` : [], minutes % 60 > 0 ? `${minutes % 60} min` : []].flat().join(' ')}`;
};

/** The same time on the clock of somebody in another zone. Nothing if both clocks show the same. */
export const spanElsewhere =
  (start: string, end: string, zone: string): Value =>
  (record, { zoneLabel, now }) => {
    const spanIn = (each: string) => spanLabel(fieldText(record, start), fieldText(record, end), each, now);
    const there = spanIn(fieldText(record, zone));
    return there === undefined || there === spanIn(zoneLabel) ? undefined : `${there} (${fieldText(record, zone)})`;
  };

/** `Ada Byron <ada@example.com>` */
const personText = (name: unknown, email: unknown): unknown => {
  if (typeof email !== 'string' || email === '') return name;
  return typeof name === 'string' && name !== '' ? `${name} <${email}>` : email;
};

const itemsAt = (record: object, path: string): Json[] => recordsIn(valueAt(record, path));

/** The hosts of an event. */
export const hosts =
  (path: string): Value =>
  (record) =>
    itemsAt(record, path).map(({ user_name: name, user_email: email }) => personText(name, email));

/** The people an event is shown with: active ones, or all if the event is canceled. Undefined if they were not read. */
const comers = (event: object): Json[] | undefined => {
  if (valueAt(event, '_sched.invitees') === null) return undefined;
  const read = itemsAt(event, '_sched.invitees');
  const active = read.filter(({ status }) => status !== 'canceled');
  return active.length > 0 ? active : read;
};

/** Who comes to an event: `Jonathan Wolfe +2`, or how many if the people were not read. */
export const whoText = (event: object): unknown => {
  const people = comers(event);
  const active = valueAt(event, 'invitees_counter.active');
  if (people === undefined) return typeof active === 'number' && active > 0 ? counted(active, 'invitee') : undefined;
  const [first] = people;
  const name = first?.name ?? first?.email;
  return people.length > 1 ? `${name} +${people.length - 1}` : name;
};

export const isCanceled = (record: object): boolean => valueAt(record, 'status') === 'canceled';

/** The name with a mark in the color of the event type: `×` if it is canceled. */
export const markedName = (name: (record: object) => unknown): Pick<Column, 'value' | 'paint'> => ({
  value: (record) => `${isCanceled(record) ? '×' : '●'} ${name(record) ?? '–'}`,
  paint: (text, record, paint) => {
    if (isCanceled(record)) return paint.faint(text);
    const color = valueAt(record, '_sched.color') ?? valueAt(record, 'color');
    return `${paint.mark(color, text.slice(0, 1))}${text.slice(1)}`;
  },
});

/** The heading of a day in a list: `Today, Mon 16 Nov`. */
export const dayHeading =
  (path: string): NonNullable<View['section']> =>
  (record, { zoneLabel, now }) => {
    const at = timestampOf(fieldText(record, path));
    if (at === undefined) return 'No date';
    const clock = wallClock(zoneLabel);
    const [midnight, today] = [at, now].map((each) => midnightOf(clock(each))) as [number, number];
    const near = { [today - day]: 'Yesterday, ', [today]: 'Today, ', [today + day]: 'Tomorrow, ' }[midnight] ?? '';
    return `${near}${dayText(midnight, today)}`;
  };

/** The invitees of an event: those that were read too, with their answers, or else their number. */
export const invitees: Value = (record) => {
  const read = itemsAt(record, '_sched.invitees');
  if (read.length > 0)
    return read.flatMap((invitee) => {
      const { name, email, status } = invitee;
      const who = personText(name, email);
      return [status === 'canceled' ? `${who} (canceled)` : who, ...answerTexts(invitee)];
    });
  const [active, limit] = ['active', 'limit'].map((name) => valueAt(record, `invitees_counter.${name}`));
  return typeof active === 'number' && typeof limit === 'number' ? `${active} of ${limit}` : active;
};

const places: Record<(typeof locationKinds)[number], string> = {
  physical: 'in person',
  custom: '',
  ask_invitee: 'the invitee chooses',
  inbound_call: 'phone, the invitee calls',
  outbound_call: 'phone, the host calls',
  google_conference: 'Google Meet',
  zoom_conference: 'Zoom',
  microsoft_teams_conference: 'Microsoft Teams',
  webex_conference: 'Webex',
  gotomeeting_conference: 'GoTo Meeting',
};

const placeNamed = (kind: string): string =>
  Object.hasOwn(places, kind) ? places[kind as keyof typeof places] : kind.replaceAll('_', ' ');

/** Where a meeting takes place: `Zoom`, `Torstraße 1, Berlin (in person)`. */
export const place =
  (path: string): Value =>
  (record) => {
    const kind = placeNamed(fieldText(record, `${path}.type`));
    const where = flowing(fieldText(record, `${path}.location`));
    return where === '' || kind === '' ? where || kind : `${where} (${kind})`;
  };

/** A place by its name, as an event has it or a request: `Zoom`, `Torstraße 1, Berlin`. */
export const placeName = (location: object): string =>
  flowing(fieldText(location, 'location')) || placeNamed(fieldText(location, 'type') || fieldText(location, 'kind'));

export const eventPlace = ({ location }: { location?: unknown }): string =>
  isObject(location) ? placeName(location) : '';

/**
 * Questions, with a mark on those that need an answer. Disabled ones are left out. An item of another form, or a value
 * that is no list, is shown as it came.
 */
export const questions: Value = ({ custom_questions: value }) => {
  if (!Array.isArray(value)) return value;
  const questions = value.filter((item) => !isObject(item) || item.enabled !== false);
  return questions.map((item) => {
    const { name, required } = isObject(item) ? item : {};
    return required === true && name ? `${name} (required)` : (name ?? item);
  });
};

/** `120 EUR, stripe, paid` */
export const payment: Value = ({ payment: paymentRecord }) => {
  if (!isObject(paymentRecord)) return undefined;
  const { amount, currency, provider, successful } = paymentRecord;
  const state = successful === true ? 'paid' : successful === false ? 'failed' : undefined;
  const sum = [amount, currency].filter((part) => part !== undefined && part !== null).join(' ');
  return [sum, provider, state].filter((part) => typeof part === 'string' && part !== '').join(', ');
};

/**
 * Whether the invitee confirmed once more.
 * Assumed (invitees.reconfirmation): `reconfirmation` has `confirmed_at`, which is null until the invitee reconfirms.
 * The documentation doesn't show its contents.
 */
export const reconfirmation: Value = (record, time) => {
  const { reconfirmation: request } = record;
  if (!isObject(request) || !Object.hasOwn(request, 'confirmed_at')) return request;
  return request.confirmed_at === null ? 'asked for' : momentValue('reconfirmation.confirmed_at')(record, time);
};

/** What to say about a field that is usually false. */
export const ifTrue =
  (path: string, words: string): Value =>
  (record) =>
    valueAt(record, path) === true ? words : undefined;

/** The name of the group of a relationship if it was read, else its ID. */
export const groupName = (relationship: object): unknown => {
  const group = valueAt(relationship, 'group');
  return valueAt(relationship, '_sched.group') ?? (typeof group === 'string' ? idIn(group) : group);
};

/** The hours of a schedule for people: `Mon–Fri 09:00–12:30, 13:00–17:00`, `Sat 31 Oct 2026 off`. */
export const hoursTexts = (schedule: object): string[] => [
  ...rulesTexts(withoutDatesOff(schedule)).map(hoursText),
  ...allDatesOff(schedule),
];

/** The same without days off that are over: `Tue 1 Dec off`. */
export const hoursFrom = (now: number) => (schedule: object) => {
  const zone = readZone(String(valueAt(schedule, 'timezone')));
  const today = dateText(zone.ok ? wallClock(zone.zone)(now) : now);
  return [...rulesTexts(withoutDatesOff(schedule)).map(hoursText), ...datesOffFrom(schedule, today)];
};

const hoursText = (text: string): string =>
  text
    .replace(/^[a-z]{3}(-[a-z]{3})?/, (days) => days.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()))
    .replace(/\d{4}-\d\d-\d\d/g, (date) => fullDateLabel(timestampOf(`${date}T00:00:00Z`) ?? 0))
    .replace(/(\d\d:\d\d|^[A-Z][a-z]{2})-/g, '$1–')
    .replaceAll(',', ', ');
