import { describe, expect, test } from 'vitest';
import { asciiJson, jsonText, parseJson } from '../../src/base/json.ts';

describe('json', () => {
  test.each([
    '12345678901234567890',
    '[9007199254740993,-9007199254740993,9007199254740991]',
    '{"12345678901234567890":"x: 12345678901234567890","a":{"b":[12345678901234567890]}}',
    '{"text":"\\": 12345678901234567890, \\\\","big":12345678901234567890}',
    '{"__proto__":{"a":12345678901234567890}}',
    '{"n":1.5,"m":-0.25,"e":1e-7,"t":true,"z":null,"s":""}',
  ])('returns %s unchanged', (text) => expect(jsonText(parseJson(text))).toBe(text));

  test('uses BigInt only for numbers that a JavaScript number cannot represent', () => {
    expect(parseJson('[9007199254740991, 9007199254740993, 1234567890123456.5, 1e20]')).toEqual([
      9007199254740991,
      9007199254740993n,
      1234567890123456.5,
      1e20,
    ]);
  });

  test('does not parse a string as a number', () => {
    const text = '["\\u000012345678901234567890",12345678901234567890]';
    expect(parseJson(text)).toEqual(['\x0012345678901234567890', Number('12345678901234567890')]);
  });

  test('does not write a string as a number', () => {
    const value = { '\x001': ['\x002', '\0\x003', '"\x004"'], large: 12345678901234567890n };
    expect(JSON.parse(jsonText(value))).toEqual({ ...value, large: Number('12345678901234567890') });
    expect(jsonText([12345678901234567890n, '\x005'])).toBe('[12345678901234567890,"\\u00005"]');
  });

  test('rejects invalid JSON', () => {
    expect(() => parseJson('[12345678901234567890')).toThrow(SyntaxError);
    expect(() => parseJson('[012345678901234567890]')).toThrow(SyntaxError);
  });

  test('does not convert extremely long numbers', () => {
    expect(parseJson('1'.repeat(1_000_000))).toBe(Number.POSITIVE_INFINITY);
  });

  test('reads very deep nesting and very long escapes', () => {
    const deep = `${'['.repeat(100_000)}12345678901234567890${']'.repeat(100_000)}`;
    expect(Array.isArray(parseJson(deep))).toBe(true);
    const long = `["${'\\n'.repeat(7_000_000)}",12345678901234567890]`;
    expect((parseJson(long) as string[])[0]).toHaveLength(7_000_000);
  });
});

test('asciiJson escapes what is beyond ASCII, and keeps line breaks', () => {
  expect(asciiJson('{"name":"Zoë\u007f 😀"}\n')).toBe('{"name":"Zo\\u00eb\\u007f \\ud83d\\ude00"}\n');
});
