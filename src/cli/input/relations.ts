import { type Issue, listed, the, words } from '../../base/words.ts';
import type { How } from './kind.ts';

/** What values of a call have to do with each other. It sees what is given, not what it means. */
export interface Relation<Key extends string = string> {
  readonly keys: readonly Key[];
  check(isGiven: (key: Key) => boolean, how: How): Issue[];
}

/** Only one of each group can be given. All that clash are named in one sentence. */
export const apart = <const Key extends string>(...groups: (readonly Key[])[]): Relation<Key> => ({
  keys: groups.flat(),
  check: (isGiven) => {
    const clashing = groups.map((group) => group.filter(isGiven)).filter(({ length }) => length > 1);
    const names = [...new Set(clashing.flat())].map(the);
    return names.length === 0 ? [] : [{ words: words`${listed(names, 'and')} can't be used together` }];
  },
});

/** Each of the values makes sense only with one of the others. */
export const needs = <const Key extends string>(keys: readonly Key[], others: readonly Key[]): Relation<Key> => ({
  keys: [...keys, ...others],
  check: (isGiven) => {
    if (others.some(isGiven)) return [];
    return keys.filter(isGiven).map((key) => ({ words: words`${the(key)} needs ${listed(others.map(the), 'or')}` }));
  },
});

/** The others can't be used with the one. `why` ends the sentence. */
export const excludes = <const Key extends string>(one: Key, others: readonly Key[], why = ''): Relation<Key> => ({
  keys: [one, ...others],
  check: (isGiven) =>
    isGiven(one)
      ? others.filter(isGiven).map((key) => ({ words: words`${the(key)} can't be used with ${the(one)}${why}` }))
      : [],
});

/**
 * A rule that the others can't express. It can ask for the format and the screen, which are no values of the call. What is
 * given has the names of flags: `given['at-least']`.
 */
export const rule = <const Key extends string>(keys: readonly Key[], check: Relation<Key>['check']): Relation<Key> => ({
  keys,
  check,
});
