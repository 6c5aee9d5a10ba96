import { isObject } from '../../base/json.ts';
import { capital } from '../../base/numbers.ts';
import { mayBeAddress } from '../rules/forgotten-texts.ts';
import { wrongZone } from '../rules/local-time.ts';
import { recordTables } from '../store/migrations.ts';
import type { Store } from '../store/store.ts';
import { worldJsonSchema } from '../world/schema.ts';

/*
 * Invented people in place of real ones, and the search for what is real in a text that should have nothing real.
 */

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Names of hosts, as they are in links. */
const hostNames = /(?<![\p{L}\p{N}-])[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+/gu;

/** Names that begin with the same words, by the word that follows. */
interface Names {
  next: Map<string, Names>;
  /** Whether a name ends here. */
  isName: boolean;
}

const noNames = (): Names => ({ next: new Map(), isName: false });

/** What must not be in an export. All texts are in lower case. */
export interface RealTexts {
  addresses: Set<string>;
  hosts: Set<string>;
  names: Names;
}

export const noTexts = (): RealTexts => ({
  addresses: new Set(),
  hosts: new Set(),
  names: noNames(),
});

/** Where a name ends among all names, to which it is added. */
export const endOf = (real: RealTexts, name: string): Names =>
  wordsIn(name).reduce((before, word) => {
    const names = before.next.get(word) ?? noNames();
    before.next.set(word, names);
    return names;
  }, real.names);

/** Fields whose texts name somebody or something. Also those that `sched` doesn't know: `guest_name`. */
const namesSomething = /^(?!fully_qualified_).*(name|title|slug|company)$/i;

/** Adds all names, addresses and hosts of links that are anywhere in a record. */
export const addTexts = (real: RealTexts, value: unknown, field = ''): void => {
  if (Array.isArray(value)) for (const each of value) addTexts(real, each, field);
  if (isObject(value)) for (const [name, each] of Object.entries(value)) addTexts(real, each, name);
  if (typeof value !== 'string') return;
  for (const [found] of value.matchAll(mayBeAddress)) real.addresses.add(found.replace(/%40/i, '@').toLowerCase());
  for (const [, host] of value.matchAll(/https?:\/\/([^\s/:"'<>?#]+)/gi)) real.hosts.add(host!.toLowerCase());
  if (namesSomething.test(field)) endOf(real, value).isName = true;
};

/** The time zones in a text: they are taken over. */
const zonesIn = (text: string): string[] =>
  [...new Set(text.match(/[A-Z][\w+-]*(?:\/[\w+-]+)+/g))].filter((zone) => wrongZone(zone).length === 0);

/** Words that an export may have whatever is in the mirror: of its format, of its time zones, and those below. */
const ownWords = (text: string): Set<string> =>
  new Set([
    ...wordsIn(JSON.stringify(worldJsonSchema())),
    ...zonesIn(text).flatMap(wordsIn),
    ...wordsIn('utc gmt true false null sun mon tue wed thu fri sat invented organization owner member meeting group'),
    ...wordsIn('form question choice answer message hours user invitee people example'),
    // Links of a sandbox.
    ...wordsIn('book avatars svg schedules shows cancellations reschedulings'),
  ]);

/** A number, also with the signs of a time: `31T00`, `000Z`. */
const isNumber = /^\d+(?:t\d+)?z?$/;

const findAddress = (text: string, real: RealTexts): string | undefined => {
  for (const [found] of text.matchAll(mayBeAddress))
    if (real.addresses.has(found.replace(/%40/i, '@').toLowerCase())) return 'an address';
  for (const [found] of text.matchAll(hostNames))
    if (real.hosts.has(found.toLowerCase())) return 'the address of a website';
  return undefined;
};

/** Finds names of at least so many words. */
const findName = (texts: readonly string[], real: RealTexts, atLeast: number): string | undefined => {
  const own = ownWords(texts.join('\n'));
  const isOwn = (word: string) => own.has(word) || word.length < 3 || isNumber.test(word);
  for (const words of texts.map(wordsIn))
    for (let from = 0; from < words.length; from += 1) {
      let names = real.names.next.get(words[from]!);
      for (let to = from + 1; names !== undefined; to += 1) {
        if (names.isName && to - from >= atLeast && !words.slice(from, to).every(isOwn)) return 'a name';
        names = to < words.length ? names.next.get(words[to]!) : undefined;
      }
    }
  return undefined;
};

/** Finds something real in a text. */
export const findReal = (text: string, real: RealTexts): string | undefined =>
  findAddress(text, real) ?? findName([text], real, 1);

/** All texts in the records of a sandbox, without names of fields. */
export const textsIn = (store: Store): string[] => {
  const leaves = (value: unknown): string[] =>
    typeof value === 'string' ? [value] : Object.values((value as object | null) ?? {}).flatMap(leaves);
  return recordTables.flatMap((table) =>
    store.all<{ doc: string }>(`SELECT doc FROM ${table}`).flatMap(({ doc }) => leaves(JSON.parse(doc))),
  );
};

/** Finds something real in the file of a sandbox. Its words are of many kinds, so only names of several words count. */
export const findRealInFile = (bytes: string, texts: readonly string[], real: RealTexts): string | undefined =>
  findAddress(bytes, real) ?? findName(texts, real, 2);

const syllables = [...'bdfgklmnprstv'].flatMap((consonant) => [...'aeiou'].map((vowel) => consonant + vowel));

/** A word of at least three syllables, another one for each number. */
const wordOf = (number: number): string => {
  let word = '';
  for (let rest = number; rest > 0 || word.length < 6; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length];
  return word;
};

export interface Person {
  name: string;
  email: string;
}

/** Makes people whose names nobody in `real` has: the same person for the same address. */
export const inventor = (real: RealTexts): ((address: string) => Person) => {
  const people = new Map<string, Person>();
  let number = 0;
  /** Primes spread the words. */
  const freeWord = (step: number): string => {
    const word = wordOf(((number * step) % syllables.length ** 3) + Math.floor(number / syllables.length ** 3));
    if (!real.names.next.has(word)) return word;
    number += 1;
    return freeWord(step);
  };
  return (address) => {
    const key = address.trim().toLowerCase();
    const known = people.get(key);
    if (known !== undefined) return known;
    number += 1;
    const [first, last] = [freeWord(7919), freeWord(104_729)];
    const person = { name: `${capital(first)} ${capital(last)}`, email: `${first}.${last}.${number}@people.example` };
    people.set(key, person);
    return person;
  };
};
