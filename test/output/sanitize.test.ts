import { describe, expect, it } from 'vitest';
import { escapeJson, safe, safeForRunner } from '../../src/output/sanitize.ts';
import { times } from '../support/tier.ts';
import { madeUp } from './samples.ts';

const invisible = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u200B\u2060\uFEFF\u00AD\u115F\u1160\u3164\uFFA0\u180E]/u;
const invisibleInJson =
  /[\x7f-\x9f\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u200B\u2060\uFEFF\u00AD\u115F\u1160\u3164\uFFA0\u180E]/u;

const unsafeAlone = /[\x7f-\x9f\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/u;

describe('sanitize: every character', () => {
  it('is made visible if unsafe and unchanged otherwise', () => {
    const wrong: string[] = [];
    for (let code = 0x20; code <= 0xffff; code += 1) {
      const char = String.fromCharCode(code);
      const isWritten = safe(char) !== char && escapeJson(`"${char}"`) !== `"${char}"`;
      if (isWritten !== unsafeAlone.test(char)) wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
  });
});

describe('sanitize: safe', () => {
  it.each([
    ['\x1b]0;owned\x07', '\\x1b]0;owned\\x07'],
    ['\x9b31m', '\\x9b31m'],
    ['a\nb\r\nc\td', 'a\\nb\\r\\nc\\td'],
    ['\x00\x7f', '\\x00\\x7f'],
    ['abc\u202Etxt', 'abc<U+202E>txt'],
    ['pay\u200Bpal', 'pay<U+200B>pal'],
    ['soft\u00ADhyphen', 'soft<U+00AD>hyphen'],
    ['\u{E0041}', '<U+E0041>'],
    ['x\u2028y', 'x<U+2028>y'],
    ['\uD800', '<U+D800>'],
    ['\u3164', '<U+3164>'],
    ['a\u200Db', 'a<U+200D>b'],
    ['a\uFE0F', 'a<U+FE0F>'],
    ['😀\uFE0F\uFE0F', '😀\uFE0F<U+FE0F>'],
    ['🏴\u{E0061}\u{E007F}', '🏴<U+E0061><U+E007F>'],
  ])('makes %j visible', (text, shown) => expect(safe(text)).toBe(shown));

  it.each([
    'C:\\new\\table',
    'Zoë, naïve, cafe\u0301',
    '👨‍👩‍👧‍👦 👩‍❤️‍💋‍👨 🧑🏽‍⚕️ 🏳️‍🌈 ❤️ ☎︎ 1️⃣ 🇩🇪',
    '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}',
    'می\u200Cخواهم',
    'ශ්\u200Dරී',
    'ന്\u200D',
    'র\u200D্যাব',
    '葛\u{E0100}城',
    '打ち合わせ',
    'شركة',
    '한국어',
  ])('leaves %j unchanged', (text) => expect(safe(text)).toBe(text));

  it('makes a chain of joiners visible if it is longer than any emoji', () => {
    expect(safe(Array(5).fill('😀').join('\u200D'))).toContain('<U+200D>');
  });
});

describe('sanitize: safeForRunner', () => {
  it.each([
    ['##[error]x', '# #[error]x'],
    ['a ###[b ##vso[c ##VSO[d', 'a ## #[b # #vso[c # #VSO[d'],
    ['  ::set-output', '  : :set-output'],
    ['ok\n\t::error', 'ok\n\t: :error'],
    ['\x1b[2m::error', '\x1b[2m: :error'],
    ['std::vector ## [x]', 'std::vector ## [x]'],
  ])('defuses %j', (line, defused) => expect(safeForRunner(line)).toBe(defused));
});

describe('sanitize: escapeJson', () => {
  it('escapes unsafe characters and keeps the rest', () => {
    expect(escapeJson(JSON.stringify('\u202E\x7f\u{E0041}é👨‍👩‍👧'))).toBe('"\\u202e\\u007f\\udb40\\udc41é👨‍👩‍👧"');
  });

  it('keeps the layout of pretty-printed JSON', () => {
    const pretty = JSON.stringify({ a: ['x'] }, null, 2);
    expect(escapeJson(pretty)).toBe(pretty);
  });

  it('defuses commands for CI runners', () => {
    const json = escapeJson(JSON.stringify('\\##[x] ##vso[y]'));
    expect(json).not.toMatch(/##(\[|vso)/);
    expect(JSON.parse(json)).toBe('\\##[x] ##vso[y]');
  });
});

describe('sanitize: random strings', () => {
  const strings = madeUp(times(1000, 5000), 7);

  it('contain nothing invisible afterwards, even if sanitized twice', () => {
    const wrong = strings.filter((text) => {
      const shown = safe(text);
      return invisible.test(shown) || safe(shown) !== shown || /##(\[|vso\[)|^\s*::/i.test(safeForRunner(shown));
    });
    expect(wrong).toEqual([]);
  });

  it('parse back exactly from JSON', () => {
    const isWrong = (json: string) => {
      const escaped = escapeJson(json);
      return invisibleInJson.test(escaped) || JSON.stringify(JSON.parse(escaped)) !== JSON.stringify(JSON.parse(json));
    };
    const wrong = strings.filter((text) => {
      const value = { [text]: text };
      return isWrong(JSON.stringify(value)) || isWrong(JSON.stringify(value, null, 2));
    });
    expect(wrong).toEqual([]);
  });
});

describe('sanitize: safe on long text', () => {
  it('handles millions of letters', () => {
    const letters = 'a'.repeat(20_000_000);
    expect(safe(`${letters}\x00`) === `${letters}\\x00`).toBe(true);
  });
});

describe('sanitize: safeForRunner on long text', () => {
  it('handles millions of blanks', () => {
    const blanks = ' '.repeat(9_000_000);
    expect(safeForRunner(`${blanks}::x`) === `${blanks}: :x`).toBe(true);
    expect(safeForRunner(`a\n\x1b[1m ::x ::y\nb ::z`)).toBe('a\n\x1b[1m : :x ::y\nb ::z');
  });
});
