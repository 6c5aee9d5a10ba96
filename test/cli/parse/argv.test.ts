import { describe, expect, test } from 'vitest';
import type { Flag } from '../../../src/cli/command.ts';
import { commandFirst, joinFields } from '../../../src/cli/parse/argv.ts';
import { optionOf } from '../../../src/cli/parse/leaf.ts';

const flag = (name: string, more: Partial<Flag> = {}): Flag => ({ name, description: '', heading: 'Flags', ...more });

const flags = [
  flag('output', { short: 'o', value: 'FORMAT' }),
  flag('json', { value: 'FIELDS', optional: true }),
  flag('tz', { value: 'ZONE' }),
  flag('yes', { short: 'y' }),
  flag('dry-run', { short: 'n' }),
  flag('no-input'),
  flag('reason', { value: 'TEXT' }),
];

const options = flags.map(optionOf);

const split = (line: string) =>
  commandFirst(line.split(' ').filter(Boolean), options.slice(0, 6), (noun) => noun === 'doctor');

test.each([
  ['events list', 0],
  ['--yes -o json events --tz UTC list', 3],
  ['-y doctor --yes', 1],
  ['--yes', 0],
])('argv: counts the words before the noun: %s', (line, early) => {
  expect(split(line).early).toBe(early);
});

describe('argv: flags before the command', () => {
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
    ['-yo json events list', { noun: 'events', verb: 'list', rest: ['-yo', 'json'] }],
    ['-oy events list', { noun: 'events', verb: 'list', rest: ['-oy'] }],
  ])('move after it: %j', (line, words) => {
    expect(split(line)).toEqual({ ...words, early: expect.any(Number) });
  });
});

describe('argv: a bare --json', () => {
  const join = (line: string) =>
    joinFields(line.split(' '), options, (word) => word.split(',').every((part) => part === 'uri')).join(' ');

  test.each([
    ['--json', '--json='],
    ['--json ID', '--json= ID'],
    ['--json uri', '--json=uri'],
    ['--json uri,uri ID', '--json=uri,uri ID'],
    ['--json -y', '--json= -y'],
    ['--json=x uri', '--json=x uri'],
    ['ID --json', 'ID --json='],
    ['-y --json uri', '-y --json=uri'],
    // The value of another flag.
    ['--reason --json uri', '--reason --json uri'],
    ['-o --json uri', '-o --json uri'],
    ['-yo --json uri', '-yo --json uri'],
    ['--reason=x --json uri', '--reason=x --json=uri'],
    ['-ox --json uri', '-ox --json=uri'],
    ['-oy --json uri', '-oy --json=uri'],
    ['-- --json uri', '-- --json uri'],
  ])('%s: %s', (line, joined) => {
    expect(join(line)).toBe(joined);
  });
});
