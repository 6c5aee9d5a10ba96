import { describe, expect, test } from 'vitest';
import { scanWords, splitWords } from '../../src/cli/argv.ts';
import type { Flag } from '../../src/cli/command.ts';

const flag = (name: string, more: Partial<Flag> = {}): Flag => ({ name, description: '', heading: 'Flags', ...more });

const flags = [
  flag('output', { short: 'o', value: 'FORMAT' }),
  flag('json', { value: 'FIELDS', optional: true }),
  flag('tz', { value: 'ZONE' }),
  flag('yes', { short: 'y' }),
  flag('dry-run', { short: 'n' }),
  flag('no-input'),
  flag('reason', { value: 'TEXT' }),
  flag('active', { negatable: true }),
];

const split = (line: string) =>
  splitWords(line.split(' ').filter(Boolean), flags.slice(0, 6), (noun) => noun === 'doctor');
const scan = (...words: string[]) => scanWords(words, flags, (word) => word.split(',').every((part) => part === 'uri'));
const nothing = { unknown: [], valueless: [], overvalued: [] };

describe('argv: splitting', () => {
  test.each([
    ['', { rest: [] }],
    ['events', { noun: 'events', rest: [] }],
    ['events list', { noun: 'events', verb: 'list', rest: [] }],
    ['events list a b', { noun: 'events', verb: 'list', rest: ['a', 'b'] }],
    ['--yes events list', { noun: 'events', verb: 'list', rest: ['--yes'] }],
    ['events -y list a', { noun: 'events', verb: 'list', rest: ['-y', 'a'] }],
    ['-o json events list', { noun: 'events', verb: 'list', rest: ['-o', 'json'] }],
    ['-ojson events list', { noun: 'events', verb: 'list', rest: ['-ojson'] }],
    ['--output=json events list', { noun: 'events', verb: 'list', rest: ['--output=json'] }],
    [
      '--tz Europe/Paris events --output csv list',
      { noun: 'events', verb: 'list', rest: ['--tz', 'Europe/Paris', '--output', 'csv'] },
    ],
    ['--tz -y events list', { noun: 'events', verb: 'list', rest: ['--tz', '-y'] }],
    ['--json events list', { noun: 'events', verb: 'list', rest: ['--json'] }],
    ['--json=uri events list', { noun: 'events', verb: 'list', rest: ['--json=uri'] }],
    ['--nonsense events list', { noun: 'events', verb: 'list', rest: ['--nonsense'] }],
    ['doctor now', { noun: 'doctor', rest: ['now'] }],
    ['-- events list', { rest: ['--', 'events', 'list'] }],
    ['events -- list', { noun: 'events', rest: ['--', 'list'] }],
    ['events - x', { noun: 'events', verb: '-', rest: ['x'] }],
    ['--tz', { rest: ['--tz'] }],
  ])('takes apart %j', (line, words) => {
    expect(split(line)).toEqual(words);
  });
});

describe('argv: scanning', () => {
  test.each<[string[], string[]]>([
    [
      ['a', '-', 'b'],
      ['a', '-', 'b'],
    ],
    [
      ['set', '-2h', '-y'],
      ['set', '-2h', '--yes'],
    ],
    [['--reason', 'ill'], ['--reason=ill']],
    [
      ['--reason=ill', 'a'],
      ['--reason=ill', 'a'],
    ],
    [['-o', 'json'], ['--output=json']],
    [['-ojson'], ['--output=json']],
    [['-o=json'], ['--output=json']],
    [['-yn'], ['--yes', '--dry-run']],
    [
      ['-y', '--no-input'],
      ['--yes', '--no-input'],
    ],
    [
      ['--active', '--no-active'],
      ['--active', '--no-active'],
    ],
    [
      ['--help', '-h'],
      ['--help', '-h'],
    ],
    [
      ['--json', 'ID'],
      ['--json=', 'ID'],
    ],
    [['--json', 'uri'], ['--json=uri']],
    [
      ['--json', '-y'],
      ['--json=', '--yes'],
    ],
    [
      ['--json=x', 'uri'],
      ['--json=x', 'uri'],
    ],
    [
      ['--reason', '', 'a'],
      ['--reason=', 'a'],
    ],
    [['--reason', 'a=b'], ['--reason=a=b']],
  ])('makes of %j %j', (words, expected) => {
    expect(scan(...words)).toEqual({ words: expected, ...nothing });
  });

  test.each(['-y', '-n', '--yes', '-yes please', '-next week', '--', '--reason', '--help', '-o', '-'])(
    'ties the value %j to its flag',
    (value) => {
      expect(scan('--reason', value, 'a')).toEqual({ words: [`--reason=${value}`, 'a'], ...nothing });
    },
  );

  test('reads nothing behind -- as a flag', () => {
    expect(scan('a', '--', '--yes', '--nonsense', '-o')).toEqual({
      words: ['a', '--', '--yes', '--nonsense', '-o'],
      ...nothing,
    });
  });

  test('takes unknown flags out and names them all', () => {
    expect(scan('--nonsense', 'a', '-z', '--res=b')).toEqual({
      words: ['a'],
      ...nothing,
      unknown: ['--nonsense', '-z', '--res=b'],
    });
  });

  test('names a switch that was given a value, and a cluster with a letter that is no flag', () => {
    expect(scan('--yes=no')).toEqual({ words: [], ...nothing, overvalued: ['--yes'] });
    expect(scan('-yx')).toEqual({ words: [], ...nothing, unknown: ['-yx'] });
  });

  test('names a flag that lacks its value', () => {
    expect(scan('a', '--reason')).toEqual({ words: ['a'], ...nothing, valueless: ['--reason'] });
    expect(scan('-o')).toEqual({ words: [], ...nothing, valueless: ['--output'] });
  });
});
