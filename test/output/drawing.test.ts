import { describe, expect, test } from 'vitest';
import { asciiForm, needsAscii } from '../../src/output/ascii.ts';
import { barLengths, cellWidth, drawCells, levelOf } from '../../src/output/drawing.ts';
import { createPaint } from '../../src/output/paint.ts';
import { width } from '../../src/output/width.ts';

const plain = createPaint(undefined);

describe('the parts of a bar', () => {
  test.each([
    [
      [0, 0],
      [0, 0],
    ],
    [
      [50, 25],
      [5, 3],
    ],
    [
      [0.01, 100],
      [1, 9],
    ],
    [
      [100, 0.01, 0.01],
      [8, 1, 1],
    ],
  ])('of %j', (parts, lengths) => {
    expect(barLengths(parts, 100, 10)).toEqual(lengths);
  });
});

test('levels compare a number with the largest, and 0 has none', () => {
  expect([0, 0.1, 3, 4, 6, 9].map((value) => levelOf(value, 9, '▂▅█'))).toEqual(['', '▂', '▂', '▅', '▅', '█']);
});

describe('drawCells', () => {
  const rows = [
    { label: '09:00', cells: [[{ text: 'Intro call' }, { text: '漢字漢字漢字漢字漢字' }], [{ text: '·' }]] },
  ];

  test('fits all cells into the screen', () => {
    for (const available of [30, 40, 80, 140]) {
      const drawn = drawCells([{ text: 'Mon' }, { text: 'Tue' }], rows, available, plain);
      for (const line of drawn.split('\n')) expect(width(line)).toBeLessThanOrEqual(available);
    }
  });

  test('has no first column if no row has a label', () => {
    const drawn = drawCells(
      [{ text: 'Mon' }, { text: 'Tue' }],
      [{ label: '', cells: [[{ text: '1' }], []] }],
      20,
      plain,
    );
    expect(drawn).toBe('Mon        Tue\n1\n');
    expect(cellWidth(20, 2)).toBe(9);
  });
});

describe('the ASCII form', () => {
  test('has no other characters and the same width', () => {
    const drawn = '▎▶×·–…▂▄▅█░▒▓';
    expect(asciiForm(drawn)).toMatch(/^[ -~]+$/);
    expect(width(asciiForm(drawn))).toBe(width(drawn));
  });

  test('keeps the levels of a picture apart', () => {
    for (const glyphs of ['·▂▅█', '·░▒▓█', '▄▒×']) expect(new Set(asciiForm(glyphs)).size).toBe(glyphs.length);
  });

  test('leaves names as they are', () => {
    expect(asciiForm('Zoë Müller 漢字')).toBe('Zoë Müller 漢字');
  });

  test.each<[Record<string, string>, boolean]>([
    [{}, false],
    [{ LANG: '' }, false],
    [{ LANG: 'C' }, true],
    [{ LANG: 'POSIX' }, true],
    [{ LANG: 'en_US.ISO-8859-1' }, true],
    [{ LANG: 'en_US.UTF-8' }, false],
    [{ LANG: 'C.utf8' }, false],
    [{ LC_ALL: 'C', LANG: 'en_US.UTF-8' }, true],
    [{ LC_ALL: '', LC_CTYPE: 'C', LANG: 'en_US.UTF-8' }, true],
    [{ LC_CTYPE: 'UTF-8', LANG: 'C' }, false],
  ])('is needed with %j: %s', (env, needed) => {
    expect(needsAscii(env)).toBe(needed);
  });
});
