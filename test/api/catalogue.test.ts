import { expect, test } from 'vitest';
import { loadCatalogue } from '../../src/api/catalogue.ts';

test('every row has the name of its noun and verb', async () => {
  const rows = Object.entries(await loadCatalogue()).flatMap(([noun, verbs]) =>
    Object.entries(verbs).map(([verb, { name }]) => [`${noun}.${verb}`, name]),
  );
  expect(rows.filter(([place, name]) => place !== name)).toEqual([]);
  expect(rows.length).toBeGreaterThan(40);
});
