import { isObject } from '../../base/json.ts';
import { worldJsonSchema } from '../world/schema.ts';
import { mayBeAddress } from './forget.ts';

/*
 * Invented people in place of real ones, and the search for what is real in a text that should have nothing real.
 */

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Names of hosts, as they are in links. */
const hostNames = /[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+/gu;

/** What must not be in an export. All texts are in lower case; a name is its words, with a space between. */
export interface RealTexts {
  addresses: Set<string>;
  hosts: Set<string>;
  names: Set<string>;
  /** How many words a name has at most, by its first word. */
  lengths: Map<string, number>;
}

export const noTexts = (): RealTexts => ({
  addresses: new Set(),
  hosts: new Set(),
  names: new Set(),
  lengths: new Map(),
});

/** Fields whose texts name somebody or something. Also those that `sched` doesn't know: `guest_name`. */
const namesSomething = /^(?!fully_qualified_).*(name|title|slug|company)$/i;

/** Adds all names, addresses and hosts of links that are anywhere in a record. */
export const addTexts = (real: RealTexts, value: unknown, field = ''): void => {
  if (Array.isArray(value)) for (const each of value) addTexts(real, each, field);
  if (isObject(value)) for (const [name, each] of Object.entries(value)) addTexts(real, each, name);
  if (typeof value !== 'string') return;
  for (const [found] of value.matchAll(mayBeAddress)) real.addresses.add(found.replace(/%40/i, '@').toLowerCase());
  for (const [, host] of value.matchAll(/https?:\/\/([^\s/:"'<>?#]+)/gi)) real.hosts.add(host!.toLowerCase());
  if (!namesSomething.test(field)) return;
  const words = wordsIn(value);
  if (words.length === 0) return;
  real.names.add(words.join(' '));
  real.lengths.set(words[0]!, Math.max(real.lengths.get(words[0]!) ?? 0, words.length));
};

/** Words that every world file may have: of its format, of time zones, and those below. */
const ownWords = (): Set<string> =>
  new Set([
    ...wordsIn(JSON.stringify(worldJsonSchema())),
    ...Intl.supportedValuesOf('timeZone').flatMap(wordsIn),
    ...wordsIn('utc gmt sun mon tue wed thu fri sat invented organization owner member meeting group form choice'),
  ]);

/**
 * Finds something real in a text. A file of a database has words of many kinds, so there only names of several words count
 * (`atLeast` 2).
 */
export const findReal = (text: string, real: RealTexts, atLeast = 1): string | undefined => {
  for (const [found] of text.matchAll(mayBeAddress))
    if (real.addresses.has(found.replace(/%40/i, '@').toLowerCase())) return 'an address';
  for (const [found] of text.matchAll(hostNames))
    if (real.hosts.has(found.toLowerCase())) return 'the address of a website';
  const own = ownWords();
  const words = wordsIn(text);
  for (const [at, first] of words.entries())
    for (let length = Math.min(real.lengths.get(first) ?? 0, words.length - at); length >= atLeast; length--) {
      const name = words.slice(at, at + length);
      const isOwn = name.every((word) => own.has(word) || word.length < 3 || /^\d+$/.test(word));
      if (!isOwn && real.names.has(name.join(' '))) return 'a name';
    }
  return undefined;
};

const syllables = [...'bdfgklmnprstv'].flatMap((consonant) => [...'aeiou'].map((vowel) => consonant + vowel));

/** A word of at least three syllables, another one for each number. */
const wordOf = (number: number): string => {
  let word = '';
  for (let rest = number; rest > 0 || word.length < 6; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length];
  return word;
};

const capital = (word: string): string => `${word[0]!.toUpperCase()}${word.slice(1)}`;

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
    if (!real.lengths.has(word)) return word;
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
