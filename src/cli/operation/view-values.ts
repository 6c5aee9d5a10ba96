import type { locationKinds } from '../../api/locations.ts';
import { isObject, type Json } from '../../json.ts';
import { valueAt } from '../../output/fields.ts';
import { htmlText } from '../../output/html-text.ts';
import { answerTexts, flowing } from '../../output/question-columns.ts';
import type { Column, PageLine } from '../../output/view.ts';
import { lengthLabel, spanLabel, timeLabel } from '../../time/label.ts';
import { idIn } from '../../uri.ts';

/*
 * Functions that compute the texts of a view. The service may send anything in any field, so they check each value and
 * return nothing, or the value as it is, where they can't use it.
 */

type Value = Exclude<PageLine['value'], string>;

const textAt = (record: object, path: string): string => {
  const value = valueAt(record, path);
  return typeof value === 'string' ? value : '';
};

/** Plain text, or the text of an HTML field if there is no plain one. Long HTML is cut before it is searched for tags. */
export const prose =
  (plain: string, html: string): Value =>
  (record) =>
    flowing(textAt(record, plain)) || flowing(htmlText(textAt(record, html).slice(0, 20_000)));

export const moment =
  (path: string): Value =>
  (record, { zoneLabel, now }) => {
    const value = valueAt(record, path);
    const label = typeof value === 'string' ? timeLabel(value, zoneLabel, now) : undefined;
    return label === undefined ? value : `${label} (${zoneLabel})`;
  };

export const idColumn: Column = { header: 'ID', path: 'uri', as: 'id' };
export const idLine: PageLine = { label: 'ID', value: 'uri', as: 'id' };
export const createdLine: PageLine = { label: 'Created', value: moment('created_at') };

/** When a meeting takes place, in the zone that times are shown in. */
export const span =
  (start: string, end: string): Value =>
  (record, { zoneLabel, now }) => {
    const [from, to] = [textAt(record, start), textAt(record, end)];
    const label = spanLabel(from, to, zoneLabel, now);
    if (label === undefined) return valueAt(record, start);
    return `${label} (${[zoneLabel, lengthLabel(from, to) ?? []].flat().join(', ')})`;
  };

/** The same time on the clock of somebody in another zone. Nothing if both clocks show the same. */
export const spanElsewhere =
  (start: string, end: string, zone: string): Value =>
  (record, { zoneLabel, now }) => {
    const spanIn = (each: string) => spanLabel(textAt(record, start), textAt(record, end), each, now);
    const there = spanIn(textAt(record, zone));
    return there === undefined || there === spanIn(zoneLabel) ? undefined : `${there} (${textAt(record, zone)})`;
  };

/** `Ada Byron <ada@example.com>` */
const person = (name: unknown, email: unknown): unknown => {
  if (typeof email !== 'string' || email === '') return name;
  return typeof name === 'string' && name !== '' ? `${name} <${email}>` : email;
};

const itemsAt = (record: object, path: string): Record<string, unknown>[] => {
  const value = valueAt(record, path);
  return Array.isArray(value) ? value.filter(isObject) : [];
};

/** The hosts of an event. */
export const hosts =
  (path: string): Value =>
  (record) =>
    itemsAt(record, path).map(({ user_name: name, user_email: email }) => person(name, email));

/** The invitees of an event: those that were read too, with their answers, or else their number. */
export const invitees: Value = (record) => {
  const read = itemsAt(record, '_sched.invitees');
  if (read.length > 0)
    return read.flatMap((invitee) => {
      const { name, email, status } = invitee;
      const who = person(name, email);
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

const words = (name: string): string => name.replaceAll('_', ' ');

const placeNamed = (kind: string): string =>
  Object.hasOwn(places, kind) ? places[kind as keyof typeof places] : words(kind);

/** Where a meeting takes place: `Zoom`, `Torstraße 1, Berlin (in person)`. */
export const place =
  (path: string): Value =>
  (record) => {
    const kind = placeNamed(textAt(record, `${path}.type`));
    const where = flowing(textAt(record, `${path}.location`));
    return where === '' || kind === '' ? where || kind : `${where} (${kind})`;
  };

/** The kind of a location on its own. */
export const placeKind: Value = (record) => placeNamed(textAt(record, 'kind')) || textAt(record, 'kind');

/** Each item of a list in words. An item of another form, or a value that is no list, is shown as it came. */
const eachItem = (value: unknown, words: (item: Record<string, unknown>) => unknown): unknown =>
  Array.isArray(value) ? value.map((item) => (isObject(item) ? (words(item) ?? item) : item)) : value;

/** Questions, with a mark on those that need an answer. Disabled ones are left out. */
export const questions =
  (path: string): Value =>
  (record) => {
    const value = valueAt(record, path);
    const asked = Array.isArray(value) ? value.filter((item) => !isObject(item) || item.enabled !== false) : value;
    return eachItem(asked, ({ name, required }) => (required === true && name ? `${name} (required)` : name));
  };

/** `120 EUR, stripe, paid` */
export const payment: Value = ({ payment: paid }) => {
  if (!isObject(paid)) return undefined;
  const { amount, currency, provider, successful } = paid;
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
  const { reconfirmation: asked } = record;
  if (!isObject(asked) || !Object.hasOwn(asked, 'confirmed_at')) return asked;
  return asked.confirmed_at === null ? 'asked for' : moment('reconfirmation.confirmed_at')(record, time);
};

/** What to say about a field that is usually false. */
export const ifTrue =
  (path: string, words: string): Value =>
  (record) =>
    valueAt(record, path) === true ? words : undefined;

const isUri = (value: unknown): value is string => typeof value === 'string' && /^https?:\/\//.test(value);

/** `ScheduledEvent` ⇒ `scheduled event`. */
const lowerWords = (name: unknown): string =>
  typeof name === 'string' ? name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase() : '';

/** What was done, with the verb first because a table may cut the end: `Cancel scheduled event`. */
export const actionText = (entry: object): unknown => {
  const { action, namespace, fully_qualified_name: name } = entry as Json;
  const [verb, noun] = [lowerWords(action), lowerWords(namespace)];
  return verb === '' || noun === '' ? name : `${verb[0]!.toUpperCase()}${verb.slice(1)} ${noun}`;
};

/**
 * What an entry of the activity log is about. The service doesn't document the details, so this takes any: first the
 * record, by name and ID, then plain values such as the changed fields.
 */
export const aboutText = (entry: object): unknown => {
  const { details } = entry as Json;
  if (!isObject(details)) return details;
  const { name, ...rest } = details;
  const references = Object.entries(rest).filter(([, value]) => isUri(value));
  const others = Object.values(rest).flatMap((value) => (isUri(value) ? [] : [value].flat()));
  const plain = others.filter((value) => typeof value === 'string' || typeof value === 'number');
  const [first] = references;
  // One reference is enough beside a name: the event, but not its event type too.
  const record =
    typeof name === 'string' && name !== ''
      ? [first === undefined ? name : `${name} (${idIn(first[1])})`]
      : references.map(([key, uri]) => `${key.replaceAll('_', ' ')} ${idIn(uri)}`);
  const text = [...record, ...plain].join(', ');
  return text === '' && Object.keys(details).length > 0 ? details : text;
};
