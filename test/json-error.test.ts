import { describe, expect, test } from 'vitest';
import { locateJsonError } from '../src/json-error.ts';

const good = [
  '{}',
  '[]',
  ' \r\n\t{"a": [1, -0, 1.5e-7, true, false, null, "x"], "b": {"c": {}}} \n',
  '"\\u00e9\\n\\"\\\\/\\/"',
  '0',
  '-1E+9',
  '"\u007f\u2028"',
  '[[[[]]]]',
];

const bad: [text: string, line: number, column: number, problem: string][] = [
  ['', 1, 1, 'a value is expected'],
  ['  \n ', 2, 2, 'a value is expected'],
  ['{"a":1,}', 1, 8, 'a "name" is expected'],
  ['[1,]', 1, 4, 'a value is expected'],
  ['[1 2]', 1, 4, ', or ] is expected'],
  ['{"a" 1}', 1, 6, ': is expected'],
  ['{"a":1 "b":2}', 1, 8, ', or } is expected'],
  ['{\n  "a": 1,\n  "b" 2\n}', 3, 7, ': is expected'],
  ['{a:1}', 1, 2, 'a "name" or } is expected'],
  ["{'a':1}", 1, 2, 'a "name" or } is expected'],
  ['[1', 1, 3, ', or ] is expected'],
  ['{"a":', 1, 6, 'a value is expected'],
  ['{} {}', 1, 4, 'nothing more is expected'],
  ['[}', 1, 2, 'a value or ] is expected'],
  ['{]', 1, 2, 'a "name" or } is expected'],
  ['01', 1, 2, 'nothing more is expected'],
  ['+1', 1, 1, 'a value is expected'],
  ['1.', 1, 2, 'nothing more is expected'],
  ['NaN', 1, 1, 'a value is expected'],
  ['truely', 1, 5, 'nothing more is expected'],
  ['"a\nb"', 1, 1, 'a value is expected'],
  ['"\\x"', 1, 1, 'a value is expected'],
  ['"open', 1, 1, 'a value is expected'],
  ['\uFEFF{}', 1, 1, 'a value is expected'],
  ['{} // no', 1, 4, 'nothing more is expected'],
  ['\u00a0{}', 1, 1, 'a value is expected'],
];

describe('json', () => {
  test.each(good)('finds nothing wrong with %j', (text) => {
    expect(locateJsonError(text)).toBeUndefined();
    expect(() => JSON.parse(text)).not.toThrow();
  });

  test.each(bad)('finds the place in %j: %i, %i', (text, line, column, problem) => {
    expect(locateJsonError(text)).toEqual({ line, column, problem });
  });

  test('agrees with the platform about every text cut short', () => {
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

  // The time that a search from the start for each character would need is far longer.
  test('takes deep nesting and a long text', { timeout: 5_000 }, () => {
    expect(locateJsonError('['.repeat(100_000) + ']'.repeat(100_000))).toBeUndefined();
    expect(locateJsonError(`[${'1,'.repeat(200_000)}]`)).toMatchObject({ line: 1, column: 400_002 });
    expect(locateJsonError(JSON.stringify('a'.repeat(5_000_000)))).toBeUndefined();
  });
});
