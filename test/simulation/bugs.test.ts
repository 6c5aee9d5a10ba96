import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bugNames, plantIn, readBug } from './bugs.js';

const sourceOf = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8');

test('there are enough planted bugs, and no two are the same', () => {
  const plants = bugNames.map((name) => JSON.stringify(readBug(name).changes));
  expect(bugNames.length).toBeGreaterThanOrEqual(60);
  expect(new Set(plants).size).toBe(bugNames.length);
});

test.each(bugNames)('the planted bug %s fits the source and says what it breaks', (name) => {
  const { text, changes } = readBug(name);
  expect(text).toMatch(/^\S.*\bR\d+\b/s);
  expect(changes.length).toBeGreaterThan(0);
  for (const file of new Set(changes.map((change) => change.file))) {
    expect(file).toMatch(/^src\//);
    const own = changes.filter((change) => change.file === file);
    expect(plantIn(sourceOf(file), own)).not.toBe(sourceOf(file));
  }
});

test('a planted bug that no longer fits is refused', () => {
  const change = { file: 'src/a.ts', old: 'one\n', new: 'two\n' };
  expect(plantIn('zero\none\n', [change])).toBe('zero\ntwo\n');
  expect(() => plantIn('zero\n', [change])).toThrow('0 times');
  expect(() => plantIn('one\none\n', [change])).toThrow('2 times');
});
