import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { assumptionsIn, assumptionsPage } from '../../scripts/docs/assumptions.ts';

/** The page without its introduction. */
const sectionsOf = (sources: Record<string, string>) => assumptionsPage(sources).replace(/^[\s\S]*?(?=## )/, '');

describe('assumptionsPage', () => {
  test('groups assumptions by area, and leaves out other comments', () => {
    const sources = {
      'src/b.ts': '// Assumed (events.one): one.\n\n// Assumed (activity.two): two.\n',
      'src/a.ts': '// Assumed (events.three): three.\n',
      'src/c.ts': '// Why.\n',
    };
    expect(sectionsOf(sources)).toBe(
      '## activity\n\n- `activity.two` (src/b.ts): two.\n\n' +
        '## events\n\n- `events.one` (src/b.ts): one.\n- `events.three` (src/a.ts): three.\n',
    );
  });

  test.each([
    ['a line comment', '  // Assumed (a.b): one.\n  const x = 1;\n', ['one.']],
    ['several lines', '// Assumed (a.b): one,\n// and two.\n', ['one, and two.']],
    ['a doc comment', '/** Assumed (a.b): one. */\n', ['one.']],
    ['a long doc comment', '/**\n * Text before. Assumed (a.b): one,\n * and two.\n */\n', ['one, and two.']],
    ['two in one comment', '// Assumed (a.b): one. Assumed (a.c): two.\n', ['one.', 'two.']],
  ])('reads %s', (_, text, found) => {
    expect(assumptionsIn({ 'src/a.ts': text }).map(({ text }) => text)).toEqual(found);
  });

  test('leaves out strings', () => {
    expect(assumptionsIn({ 'src/a.ts': "const text = 'Assumed (a.b): one.';\n" })).toEqual([]);
  });
});

describe('assumptions in src', () => {
  const sources = Object.fromEntries(
    readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => [`src/${path}`, readFileSync(`src/${path}`, 'utf8')]),
  );
  const found = assumptionsIn(sources);

  test('have unique IDs', () => {
    const ids = found.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test('have an ID wherever a comment has the word Assumed', () => {
    const comments = (text: string) => text.split('\n').map((line) => /(?:\/\/|\*) .*/.exec(line)?.[0] ?? '');
    const marks = (text: string) =>
      comments(text)
        .join('\n')
        .match(/\bAssumed\b/g)?.length ?? 0;
    const unread = Object.keys(sources).filter(
      (file) => found.filter((assumption) => assumption.file === file).length !== marks(sources[file]!),
    );
    expect(unread).toEqual([]);
  });
});
