import { describe, expect, test } from 'vitest';
import { locateJsonError } from '../../src/base/json-error.ts';

const good = [
  '{}',
  '[]',
  ' \r\n\t{"a": [1, -0, 1.5e-7, true, false, null, "x"], "b": {"c": {}}} \n',
  '"\\u00e9\\u00E9\\n\\"\\\\/\\/"',
  '0',
  '-1E+9',
  '"\u007f\u2028"',
  '[[[[]]]]',
];

const bad: [text: string, line: number, column: number, problem: string][] = [
  ['', 1, 1, 'expected a value'],
  ['  \n ', 2, 2, 'expected a value'],
  ['{"a":1,}', 1, 8, 'expected a quoted name'],
  ['[1,]', 1, 4, 'expected a value'],
  ['[1 2]', 1, 4, 'expected "," or "]"'],
  ['{"a" 1}', 1, 6, 'expected ":"'],
  ['{"a":1 "b":2}', 1, 8, 'expected "," or "}"'],
  ['{\n  "a": 1,\n  "b" 2\n}', 3, 7, 'expected ":"'],
  ['{a:1}', 1, 2, 'expected a quoted name or "}"'],
  ["{'a':1}", 1, 2, 'expected a quoted name or "}"'],
  ['[1', 1, 3, 'expected "," or "]"'],
  ['{"a":', 1, 6, 'expected a value'],
  ['{} {}', 1, 4, 'expected the end of the text'],
  ['[}', 1, 2, 'expected a value or "]"'],
  ['{]', 1, 2, 'expected a quoted name or "}"'],
  ['01', 1, 2, 'expected the end of the text'],
  ['+1', 1, 1, 'expected a value'],
  ['1.', 1, 2, 'expected the end of the text'],
  ['NaN', 1, 1, 'expected a value'],
  ['truely', 1, 5, 'expected the end of the text'],
  ['"a\nb"', 1, 1, 'expected a value'],
  ['"\\x"', 1, 1, 'expected a value'],
  ['"open', 1, 1, 'expected a value'],
  ['\uFEFF{}', 1, 1, 'expected a value'],
  ['{} // no', 1, 4, 'expected the end of the text'],
  ['\u00a0{}', 1, 1, 'expected a value'],
];

describe('locateJsonError', () => {
  test.each(good)('finds no error in %j', (text) => {
    expect(locateJsonError(text)).toBeUndefined();
    expect(() => JSON.parse(text)).not.toThrow();
  });

  test.each(bad)('finds the error in %j at line %i, column %i', (text, line, column, problem) => {
    expect(locateJsonError(text)).toEqual({ line, column, problem });
  });

  test('agrees with JSON.parse about every text cut short', () => {
    const whole = '{"a": [1, -2.5e3, "x\\u0041\\n"], "b": {"c": null, "d": [true, {}]}}';
    const accepts = (text: string) => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    for (let length = 0; length <= whole.length; length += 1) {
      for (const more of ['', ',', ']', '}', '"', '1', ' ', ':']) {
        const text = whole.slice(0, length) + more;
        expect([text, locateJsonError(text) === undefined]).toEqual([text, accepts(text)]);
      }
    }
  });

  // Searching from the start for each character would take far longer.
  test('handles deep nesting and long texts', () => {
    expect(locateJsonError('['.repeat(100_000) + ']'.repeat(100_000))).toBeUndefined();
    expect(locateJsonError(`[${'1,'.repeat(200_000)}]`)).toMatchObject({ line: 1, column: 400_002 });
    expect(locateJsonError(JSON.stringify('a'.repeat(5_000_000)))).toBeUndefined();
    expect(locateJsonError(JSON.stringify('\n'.repeat(5_000_000)))).toBeUndefined();
  });
});
