import { describe, expect, test } from 'vitest';
import { assumptionsPage } from '../../src/docs/assumptions.ts';

/** The page without its introduction. */
const sectionsOf = (sources: Record<string, string>) => assumptionsPage(sources).replace(/^[\s\S]*?(?=## )/, '');

describe('assumptionsPage', () => {
  test('lists files by path, and leaves out those without an assumption', () => {
    const sources = {
      'src/b.ts': '// Assumed: b.\n',
      'src/a.ts': '// Assumed: a.\n',
      'src/c.ts': '// Why.\n',
    };
    expect(sectionsOf(sources)).toBe('## src/a.ts\n\n- a.\n\n## src/b.ts\n\n- b.\n');
  });

  test.each([
    ['a line comment', '  // Assumed: one.\n  const x = 1;\n', '- `x`: one.'],
    ['several lines', '// Assumed: one,\n// and two.\nexport type X = 1;\n', '- `X`: one, and two.'],
    ['a doc comment', '/** Assumed: one. */\nexport const x = 1;\n', '- `x`: one.'],
    [
      'a long doc comment',
      '/**\n * Text before. Assumed: one,\n * and two.\n */\n  first_name: 1,\n',
      '- `first_name`: one, and two.',
    ],
    ['two in one comment', '// Assumed: one. Assumed: two.\n  cancel() {\n', '- `cancel`: one.\n- `cancel`: two.'],
    ['a mark of the operation', '  // Assumed: one.\n  assumed: true,\n', '- one.'],
  ])('reads %s', (_, text, item) => {
    expect(sectionsOf({ 'src/a.ts': text })).toBe(`## src/a.ts\n\n${item}\n`);
  });

  test('leaves out strings', () => {
    expect(assumptionsPage({ 'src/a.ts': "const text = 'Assumed: one.';\n" })).not.toContain('## ');
  });
});
