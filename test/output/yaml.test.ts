import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { yamlDocument, yamlItem } from '../../src/output/yaml.ts';
import { times } from '../support/tier.ts';
import { hostile, madeUp } from './samples.ts';

const dangerous = /[\x00-\x09\x0b-\x1f\x7f-\x9f\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u200B\u2060\uFEFF\u00AD\u3164]/u;

describe('yaml', () => {
  it('uses block style and quotes only ambiguous strings', () =>
    expect(
      yamlDocument({
        name: 'Intro call (30 min)',
        uri: 'https://api.example.com/users/U1',
        when: '2026-11-16T09:30:00Z',
        count: 3,
        none: null,
        empty: '',
        list: ['a', ['b', { c: true }], {}, []],
        'a key': { no: 'no' },
      }),
    ).toBe(
      [
        'name: Intro call (30 min)',
        'uri: https://api.example.com/users/U1',
        'when: "2026-11-16T09:30:00Z"',
        'count: 3',
        'none: null',
        'empty: ""',
        'list:',
        '  - a',
        '  - - b',
        '    - c: true',
        '  - {}',
        '  - []',
        'a key:',
        '  "no": "no"',
        '',
      ].join('\n'),
    ));

  it('writes text of several lines as such in files that people edit, unless a line could be misread', () => {
    const plain = { description: 'Two\n\n  "lines"\n', list: [{ text: 'a: b\n# c' }] };
    const text = yamlDocument(plain, true);
    expect(text).toBe('description: |\n  Two\n\n    "lines"\nlist:\n  - text: |-\n      a: b\n      # c\n');
    expect(parse(text)).toEqual(plain);
    for (const other of [' a\nb', 'a \nb', 'a\n::warning::b', 'a\n\n', 'a\n\tb', 'a\n\u202Eb', 'a\n##[error]b'])
      expect(yamlDocument({ other }, true)).toBe(yamlDocument({ other }));
  });

  it('escapes terminal control characters', () =>
    expect(yamlDocument('\x1b[2J\u202E\u{E0041}\n')).toBe('"\\u001b[2J\\u202e\\U000e0041\\n"\n'));

  it.each([
    'true',
    'Yes',
    'off',
    'y',
    'null',
    '~',
    '1',
    '1_000',
    '0x1f',
    '1e3',
    '.inf',
    '1:30',
    '2026-01-01',
    '=',
    '<<',
    '-',
    '- a',
    '? a',
    'a: b',
    'a:',
    'a #b',
    '#a',
    '&a',
    '*a',
    '!a',
    '%a',
    '@a',
    '`a',
    '[a',
    '{a',
    '|',
    '>',
    "'a",
    '"a',
    ' a',
    'a ',
    'a\nb',
    '---',
    '...',
    'a:b',
    'a, b',
    'x'.repeat(2000),
  ])('round-trips %j as value and as key', (text) => {
    const value = { [text]: text, list: [text, { [text]: [text] }] };
    for (const version of ['1.1', '1.2'] as const) expect(parse(yamlDocument(value), { version })).toEqual(value);
  });

  it('writes numbers that every version of YAML reads as numbers', () =>
    expect(yamlItem([1e-7, -1e21, 1.5e-7, 3, -0.5])).toBe(
      ['- - 1.0e-7', '  - -1.0e+21', '  - 1.5e-7', '  - 3', '  - -0.5', ''].join('\n'),
    ));

  it('round-trips random strings', () => {
    const strings = [...hostile, ...madeUp(times(500, 4000), 11)];
    const text = strings.map((each) => yamlItem({ [each]: each, deep: [[each]] })).join('');
    expect(text).not.toMatch(dangerous);
    const document = parseDocument(text, { uniqueKeys: false });
    expect(document.errors).toEqual([]);
    const read = document.toJS() as { deep: string[][] }[];
    expect(read.length).toBe(strings.length);
    const changed = strings.filter((each, index) => {
      const isOdd = each === '__proto__' || each === 'deep';
      const entries = Object.entries({ [each]: each, deep: [[each]] });
      return !isOdd && !isDeepStrictEqual(Object.entries(read[index]!), entries);
    });
    expect(changed).toEqual([]);
  });
});
