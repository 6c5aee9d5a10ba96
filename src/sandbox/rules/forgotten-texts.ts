import { isObject } from '../../base/json.ts';
import { decodeUri } from '../../base/uri.ts';
import type { Store } from '../store/store.ts';

/*
 * Texts without people whose data was deleted: their addresses, and their names in the records of the same event. Both the
 * sandbox and a mirror of a service remove them from texts that others wrote.
 */

export const gone = 'deleted';

/** Where a text may hold an address: also in a link, where the sign is encoded. No address is longer, but a text may be. */
export const mayBeAddress = /[^\s\0"'<>()[\]:;,\\/?&=#|@]{1,320}(?:@|%40)[^\s\0"'<>()[\]:;,\\/?&=#|@]{1,320}/gi;

/**
 * The same from its sign on, which is rare in a text. Before it stand all signs that the name in an address may have, and what
 * is before them in a link or in quotes.
 */
const fromSign = /(?:@|%40)(?<=([^\s\0"<>()[\]:;,\\@]{1,320})(?:@|%40))[^\s\0"'<>()[\]:;,\\/?&=#|@]{1,320}/gi;

/** What may be the address at the end of such a text. It may have signs around it, or be encoded. */
const endings = (text: string): string[] =>
  [...text.slice(0, text.search(/@|%40/i)).matchAll(/(?<=^|['/?&=#|])/g)].map(({ index }) => text.slice(index));

const spellings = (text: string): string[] => {
  const core = text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
  return [...new Set([text, core].flatMap((each) => [each, decodeUri(each) ?? each]))];
};

/** Removes addresses from a text. It may be JSON: nothing that belongs to its form is touched. */
export const withoutAddresses =
  (isGone: (address: string) => boolean): Change =>
  (text) => {
    let [changed, from] = ['', 0];
    for (const { 0: rest, 1: before = '', index } of text.matchAll(fromSign)) {
      const start = Math.max(from, index - before.length);
      const end = index + rest.length;
      const found = text.slice(start, end);
      const ending = start === index ? undefined : endings(found).find((each) => spellings(each).some(isGone));
      if (ending === undefined) continue;
      changed += `${text.slice(from, end - ending.length)}${gone}`;
      from = end;
    }
    return changed + text.slice(from);
  };

/** What may stay of a deleted invitee: nothing that a person typed, and no field that the service may add. */
export const harmless = new Set(
  'uri status event created_at updated_at rescheduled old_invitee new_invitee scheduling_method invitee_scheduled_by'.split(
    ' ',
  ),
);

/** Fields with words of the service, such as Asia/Tokyo and zoom. They may be somebody's name. */
const ownWords = new Set([...harmless, 'timezone', 'type']);

export type Change = (text: string) => string;

/** The name of a field can be an address, too. */
export const mapTexts = (value: unknown, changeName: Change, changeText = changeName): unknown => {
  if (typeof value === 'string') return changeText(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, changeName, changeText));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      changeName(name),
      mapTexts(each, changeName, ownWords.has(name) ? changeName : changeText),
    ]),
  );
};

/** The location of an event, if an invitee typed it. */
export const withoutInviteesWords = <Event extends { location?: unknown }>(event: Event): Event =>
  isObject(event.location) && ['outbound_call', 'ask_invitee'].includes(String(event.location.type))
    ? { ...event, location: { ...event.location, location: null } }
    : event;

export const namesOf = ({
  name,
  first_name: first,
  last_name: last,
}: { [Field in 'name' | 'first_name' | 'last_name']?: unknown }): unknown[] => [name, `${first} ${last}`];

/** Finds texts as whole words: Eve is in no `event`. */
export const anyOf = (texts: readonly unknown[]): RegExp => {
  const found = texts
    .flatMap((text) => (typeof text === 'string' && text.trim().length > 1 ? text.trim() : []))
    .map((text) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
  const words = found.length > 0 ? `(?:${found.join('|')})` : '(?!)';
  return new RegExp(`(?<![\\p{L}\\p{N}])${words}(?![\\p{L}\\p{N}])`, 'giu');
};

/** Members are no invitees: their own addresses stay. */
export const membersIn = (store: Store): Set<string> =>
  new Set(
    store
      .all<{ email: string }>('SELECT lower(email) AS email FROM users WHERE email IS NOT NULL')
      .map((row) => row.email),
  );

const uncleanFact = 'unclean';

/** Notes, in the transaction that removes people, that they may be left in free space of the file or in its log. */
export const noteUnclean = (store: Store): void => store.setFact(uncleanFact, 1);

export const noteClean = (store: Store): void => void store.run('DELETE FROM meta WHERE key = ?', uncleanFact);

export const isUnclean = (store: Store): boolean =>
  store.recall(uncleanFact, () => store.fact(uncleanFact) !== undefined);
