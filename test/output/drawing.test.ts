import { describe, expect, test } from 'vitest';
import { asciiForm, bar, cellWidth, drawCells, needsAscii, sparkline } from '../../src/output/drawing.ts';
import { createPaint } from '../../src/output/paint.ts';
import { width } from '../../src/output/width.ts';

const plain = createPaint(undefined);

describe('bar', () => {
  test.each([
    [0, ''],
    [0.001, '▌'],
    [0.25, '█'],
    [0.4, '█▌'],
    [1, '████'],
    [2, '████'],
  ])('of the share %d', (share, drawn) => {
    expect(bar(share, 4)).toBe(drawn);
  });
});

describe('sparkline', () => {
  test('compares each number with the largest', () => {
    expect(sparkline([1, 2, 3, 4, 5, 6, 7, 8], 60)).toBe('▁▂▃▄▅▆▇█');
  });

  test('shows zero as a space, so that gaps can be seen', () => {
    expect(sparkline([8, 0, 0, 4], 60)).toBe('█  ▄');
    expect(sparkline([0, 0], 60)).toBe('');
  });

  test('adds up neighbors if there are more numbers than columns', () => {
    expect(sparkline([1, 1, 2, 2, 4, 4], 3)).toBe('▂▄█');
    expect(sparkline(new Array(1000).fill(1), 40)).toHaveLength(40);
  });

  test('of nothing is empty', () => {
    expect(sparkline([], 10)).toBe('');
  });
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
    const drawn = `▎▶×·–…${bar(0.9, 5)}${bar(0.5, 5)}▁▂▃▄▅▆▇█`;
    expect(asciiForm(drawn)).toMatch(/^[ -~]+$/);
    expect(width(asciiForm(drawn))).toBe(width(drawn));
  });

  test('keeps the levels of a sparkline apart', () => {
    expect(new Set(asciiForm('▁▂▃▄▅▆▇█')).size).toBe(8);
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
