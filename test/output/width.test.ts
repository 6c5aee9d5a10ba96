import { describe, expect, it } from 'vitest';
import { pad, shorten, width } from '../../src/output/width.ts';

describe('width', () => {
  it.each([
    ['abc', 3],
    ['打合せ', 6],
    ['한국', 4],
    ['\u1112\u1161\u11AB', 2],
    ['cafe\u0301', 4],
    ['👨‍👩‍👧‍👦', 2],
    ['🇩🇪', 2],
    ['👍🏽', 2],
    ['❤️', 2],
    ['🫩', 2],
    ['مرحبا', 5],
    ['می\u200Cخواهم', 7],
    ['हिन्दी', 5],
    ['น้ำ', 2],
    ['葛\u{E0100}城', 4],
    ['…', 1],
  ])('of %j is %i', (text, columns) => expect(width(text)).toBe(columns));
});

describe('width: shorten', () => {
  it('leaves what fits', () => expect(shorten('abc', 3)).toBe('abc'));
  it('marks what is cut', () => expect(shorten('abcdef', 4)).toBe('abc…'));
  it('leaves no blank before the mark', () => expect(shorten('ab cdef', 4)).toBe('ab…'));
  it('never splits a character', () => {
    expect(shorten('👨‍👩‍👧‍👦👨‍👩‍👧‍👦', 3)).toBe('👨‍👩‍👧‍👦…');
    expect(shorten('打合せ', 4)).toBe('打…');
    expect(shorten('e\u0301e\u0301e\u0301', 2)).toBe('e\u0301…');
  });
  it('stays within the columns, however few', () => {
    for (let columns = 0; columns < 12; columns++) {
      expect(width(shorten('日本 हिन्दी 👍🏽 text', columns))).toBeLessThanOrEqual(columns);
    }
  });
});

describe('width: pad', () => {
  it('counts columns, not characters', () => expect(pad('日本', 6)).toBe('日本  '));
  it('leaves what is wider', () => expect(pad('abc', 2)).toBe('abc'));
});
