import { describe, expect, test } from 'vitest';
import { mergePages } from '../../../src/cli/commands/routing-forms.ts';
import type { Json } from '../../../src/json.ts';

/** A list of pages. Each letter is a row whose time is its place in the alphabet. */
const listOf = (pages: string[], taken: string[] = []) =>
  (async function* () {
    for (const page of pages) {
      taken.push(page);
      yield [...page].map((id): Json => ({ id, at: new Date(id.charCodeAt(0) * 1000).toISOString() }));
    }
  })();

const merged = async (sort: string, ...lists: string[][]): Promise<string> => {
  const ids: unknown[] = [];
  for await (const page of mergePages(
    lists.map((pages) => listOf(pages)),
    sort,
  ))
    ids.push(...page.map(({ id }) => id));
  return ids.join('');
};

describe('mergePages', () => {
  test.each<[string, string[][], string]>([
    [
      'at:asc',
      [
        ['ad', 'eh'],
        ['bc', '', 'fg'],
      ],
      'abcdefgh',
    ],
    ['at', [['c'], [], ['ab'], ['']], 'abc'],
    ['at:desc', [['he', 'da'], ['gfcb']], 'hgfedcba'],
    ['at:desc', [], ''],
  ])('merges by %s: %j', async (sort, lists, expected) => {
    expect(await merged(sort, ...lists)).toBe(expected);
  });

  test('takes the lists one after another where times cannot be read', async () => {
    expect(await merged('nothing:desc', ['ac', 'e'], ['bd'])).toBe('acebd');
  });

  test('reads a page only when it is needed, and stops with its reader', async () => {
    const [one, other]: [string[], string[]] = [[], []];
    const pages = mergePages([listOf(['ab', 'gh'], one), listOf(['cd', 'ef'], other)], 'at');
    expect((await pages.next()).value).toMatchObject([{ id: 'a' }, { id: 'b' }]);
    await pages.return(undefined);
    expect([one, other]).toEqual([['ab'], ['cd']]);
  });
});
