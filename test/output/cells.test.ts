import { describe, expect, it } from 'vitest';
import { humanCell, humanField, tsvCell } from '../../src/output/cells.ts';
import type { CellKind } from '../../src/output/view.ts';
import { time } from './samples.ts';

describe('cells: tsvCell', () => {
  it.each([
    [null, ''],
    [undefined, ''],
    [true, 'true'],
    [0, '0'],
    ['a\tb\nc\rd\\e', 'a\\tb\\nc\\rd\\\\e'],
    [['a', 'b', null], 'a,b,'],
    [[], '[]'],
    [{ a: [1] }, '{"a":[1]}'],
    [[{ a: 'x"y' }], '[{"a":"x\\\\"y"}]'],
    ['\u202E', '\u202E'],
  ])('writes %j as one cell', (value, text) => expect(tsvCell(value)).toBe(text));
});

describe('cells: humanCell', () => {
  it.each<[unknown, CellKind | undefined, string]>([
    [null, undefined, '–'],
    ['', undefined, '–'],
    [[], 'list', '–'],
    [true, 'boolean', 'yes'],
    [false, undefined, 'no'],
    [30, 'minutes', '30 min'],
    [['Ann', 'Bob'], 'list', 'Ann, Bob'],
    ['https://api.example.com/users/U1', 'id', 'U1'],
    ['plain', 'id', 'plain'],
    ['2026-11-16T09:30:00Z', 'time', 'Mon 2026-11-16 09:30'],
    ['soon', 'time', 'soon'],
    ['2026-02-30T00:00:00Z', 'time', '2026-02-30T00:00:00Z'],
    ['a\nb', undefined, 'a\\nb'],
    ['::error', undefined, ': :error'],
    [{ a: 1 }, undefined, '{"a":1}'],
  ])('shows %j as %s as %j', (value, as, text) => expect(humanCell(value, as, time)).toBe(text));
});

describe('cells: humanField', () => {
  it('adds the zone to a time', () =>
    expect(humanField('2026-11-16T09:30:00+01:00', time)).toBe('Mon 2026-11-16 09:30 (Europe/Berlin)'));
});
