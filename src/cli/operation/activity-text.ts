import { isObject, type Json } from '../../base/json.ts';
import { idIn } from '../../base/uri.ts';
import { valueAt } from '../../output/fields.ts';

/*
 * What an entry of the activity log says to people: `canceled Support call · Thu 19 Nov 10:00`. The service doesn't
 * document actions and details, so unknown ones are shown as they come.
 */

const isWebUrl = (text: string): boolean => /^https?:\/\//.test(text);

/** `ScheduledEvent` ⇒ `scheduled event`. */
const lowerWords = (name: unknown): string =>
  typeof name === 'string' ? name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase() : '';

const pastOf: Readonly<Record<string, string>> = {
  Book: 'booked',
  Cancel: 'canceled',
  Create: 'created',
  Delete: 'deleted',
  Send: 'sent',
  Update: 'changed',
};

const nounOf: Readonly<Record<string, string>> = {
  AvailabilitySchedule: 'availability hours',
  EventType: 'the event type',
  Group: 'the group',
  Invitee: 'an invitee of',
  Organization: 'the organization',
  OrganizationInvitation: 'an invitation',
  OrganizationMembership: 'a member',
  RoutingForm: 'the routing form',
  ScheduledEvent: '',
  Share: 'a booking link for',
  WebhookSubscription: 'a webhook',
};

/** An action in words of its own. `person` is whom it is about, if known. */
const phrases: Readonly<Record<string, (person: string) => string>> = {
  'User.SignIn': () => 'logged in',
  'Invitee.MarkNoShow': (person) => `marked ${person} as no-show`,
  'Invitee.UndoNoShow': (person) => `took back the no-show of ${person}`,
  'InviteeData.RequestDeletion': () => 'asked to delete data',
  'OrganizationInvitation.Create': () => 'sent an invitation',
  'OrganizationInvitation.Delete': () => 'revoked an invitation',
  'OrganizationMembership.Delete': () => 'removed a member',
};

const renamed = 'renamed the organization';

const wordIn = <Word>(table: Readonly<Record<string, Word>>, key: unknown): Word | undefined =>
  typeof key === 'string' && Object.hasOwn(table, key) ? table[key] : undefined;

const textAt = (record: object, path: string): string => {
  const value = valueAt(record, path);
  return typeof value === 'string' ? value : '';
};

/** What was done. An action that sched doesn't know keeps its words: `Rotate api key`. */
const deed = (entry: Json, name: string): string => {
  const { action, namespace, fully_qualified_name: whole } = entry;
  const phrase = wordIn(phrases, whole);
  if (phrase !== undefined) return phrase(textAt(entry, '_sched.person') || 'an invitee');
  if (whole === 'Organization.Update' && String(valueAt(entry, 'details.fields')) === 'name') return renamed;
  const [past, noun] = [wordIn(pastOf, action), wordIn(nounOf, namespace)];
  if (past !== undefined && noun !== undefined) {
    const what = noun === '' && name === '' ? 'an event' : noun;
    return [past, what, name].filter((part) => part !== '').join(' ');
  }
  const [verb, thing] = [lowerWords(action), lowerWords(namespace)];
  const own = verb === '' || thing === '' ? String(whole ?? '') : `${verb} ${thing}`;
  return [own, name].filter((part) => part !== '').join(' · ');
};

/** Details that a sentence says in other words, or that help nobody. */
const unsaid = ['role', 'scope', 'rules'];

/** `1 address`, `3 addresses` */
const numberText = (count: number, key: string): string =>
  `${count} ${count === 1 ? key.replace(/sses$/, 'ss').replace(/(?<!s)s$/, '') : key}`;

/** Further facts: plain values such as the changed fields, and the records of an entry that has no name. */
const otherFacts = (details: Json, isKnown: boolean, isNamed: boolean): string[] =>
  Object.entries(details).flatMap(([key, value]) => {
    const words = key.replaceAll('_', ' ');
    if (key === 'name' || (isKnown && unsaid.includes(key))) return [];
    const values: unknown[] = Array.isArray(value) ? value : [value];
    return values.flatMap((each) => {
      if (typeof each === 'number') return numberText(each, words);
      if (typeof each !== 'string' || (isKnown && unsaid.includes(each))) return [];
      if (isWebUrl(each)) return isKnown || isNamed ? [] : `${words} ${idIn(each)}`;
      return each.replaceAll('_', ' ');
    });
  });

/** What was done, and to what. */
export const activityText = (record: object): unknown => {
  const entry = record as Json;
  const { details, fully_qualified_name: whole, namespace } = entry;
  const name = textAt(entry, 'details.name');
  const done = deed(entry, name);
  const isKnown = wordIn(phrases, whole) !== undefined || wordIn(nounOf, namespace) !== undefined;
  // A service may write text instead of facts.
  const told = isObject(details) ? details : { details };
  const facts = done === renamed ? [] : otherFacts(told, isKnown, name !== '');
  return [done, textAt(entry, '_sched.when'), facts.join(', ')].filter((part) => part !== '').join(' · ');
};
