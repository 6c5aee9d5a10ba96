import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { safe } from '../../src/output/sanitize.ts';
import { pad, shorten, width, wrap } from '../../src/output/width.ts';
import { sample } from '../support/tier.ts';
import { madeUp } from './samples.ts';

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
    ['●◾', 3],
  ])('of %j is %i', (text, columns) => expect(width(text)).toBe(columns));
});

describe('width: random strings', () => {
  it('is the sum of the widths of their clusters', () => {
    const clusters = new Intl.Segmenter('en', { granularity: 'grapheme' });
    const sumOf = (text: string) =>
      [...clusters.segment(text)].reduce((columns, { segment }) => columns + width(segment), 0);
    const texts = madeUp(1000, 17).map(safe);
    expect(texts).toHaveLength(1000);
    expect(texts.filter((text) => width(text) !== sumOf(text))).toEqual([]);
  });
});

describe('width: single characters', () => {
  // Ideographs, Hangul syllables and private characters are alike, so only the ends of ranges and one in 16 are tested.
  const alike = /[\p{Unified_Ideograph}\p{Co}\uAC00-\uD7A3]/u;
  const isAlike = (code: number) => alike.test(String.fromCharCode(code));
  const isNeeded = (code: number) => code % 16 === 0 || !isAlike(code) || !isAlike(code - 1) || !isAlike(code + 1);

  it('matches string-width for the first plane', () => {
    const all = Array.from({ length: 0x10000 - 0x20 }, (_, index) => 0x20 + index)
      .filter(isNeeded)
      .map((code) => String.fromCharCode(code))
      .filter((char) => !/[\p{Cc}\p{Cs}]/u.test(char));
    expect(all.length).toBeGreaterThan(15_000);
    // A few of each block of 256.
    const characters = sample(all, 8, (char) => char.charCodeAt(0) >> 8);
    expect(characters.filter((char) => width(char) !== stringWidth(char))).toEqual([]);
  });
});

describe('width: wrap', () => {
  it('leaves text that fits', () => expect(wrap('a b', 3)).toEqual(['a b']));
  it('breaks between words', () => expect(wrap('one two three', 8)).toEqual(['one two', 'three']));
  it('breaks words that are too long', () => {
    expect(wrap('打合せの時間', 5)).toEqual(['打合', 'せの', '時間']);
    expect(wrap('abcdefgh', 3)).toEqual(['abc', 'def', 'gh']);
  });
  it('keeps a URL whole, so that users can copy it', () =>
    expect(wrap('see https://api.example.com/users/U1 now', 10)).toEqual([
      'see',
      'https://api.example.com/users/U1',
      'now',
    ]));
  it.each([`sha256:${'0123456789abcdef'.repeat(4)}`, '/home/ada/.local/state/sched/receipts/r.jsonl'])(
    'keeps %s whole too',
    (word) => expect(wrap(`a ${word} b`, 20)).toEqual(['a', word, 'b']),
  );
  it('loses nothing but spaces and stays within the columns', () => {
    const text = '日本語の文章 with हिन्दी and 👨‍👩‍👧‍👦 in it, of a length that needs several lines';
    for (let columns = 3; columns < 40; columns++) {
      const lines = wrap(text, columns);
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      for (const line of lines) expect(width(line)).toBeLessThanOrEqual(columns);
    }
  });
});

describe('width: shorten', () => {
  it('leaves text that fits', () => expect(shorten('abc', 3)).toBe('abc'));
  it('marks a cut', () => expect(shorten('abcdef', 4)).toBe('abc…'));
  it('leaves no space before the mark', () => expect(shorten('ab cdef', 4)).toBe('ab…'));
  it('leaves no dot before the mark', () => {
    expect(shorten('Intro call · Ada Byron', 13)).toBe('Intro call…');
    expect(shorten('Intro call · Ada Byron', 14)).toBe('Intro call…');
    expect(shorten('Intro call · Ada Byron', 15)).toBe('Intro call · A…');
  });
  it('never splits a character', () => {
    expect(shorten('👨‍👩‍👧‍👦👨‍👩‍👧‍👦', 3)).toBe('👨‍👩‍👧‍👦…');
    expect(shorten('打合せ', 4)).toBe('打…');
    expect(shorten('e\u0301e\u0301e\u0301', 2)).toBe('e\u0301…');
  });
  it('stays within the columns, even if there are few', () => {
    for (let columns = 0; columns < 12; columns++) {
      expect(width(shorten('日本 हिन्दी 👍🏽 text', columns))).toBeLessThanOrEqual(columns);
    }
  });
});

describe('width: pad', () => {
  it('counts columns, not characters', () => expect(pad('日本', 6)).toBe('日本  '));
  it('leaves wider text unchanged', () => expect(pad('abc', 2)).toBe('abc'));
});
