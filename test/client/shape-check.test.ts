import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { choice, dateTime, email, flag, integer, list, record as recordOf, text } from '../../src/api/field.ts';
import { shapeError } from '../../src/client/shape-check.ts';

const known = recordOf({
  uri: text('text'),
  status: choice(['active', 'canceled'], 'state'),
  count: integer('how many'),
  done: flag('whether it is over'),
  at: z.nullable(dateTime('when')),
  place: z.optional(recordOf({ type: text('text') })),
  hosts: list(recordOf({ email: email('address') }), 'hosts'),
});

const record = {
  uri: 'x',
  status: 'active',
  count: 1,
  done: true,
  at: '2026-11-15T18:00:00Z',
  place: { type: 'zoom' },
  hosts: [{ email: 'a@b.example' }],
};

describe('shapeError', () => {
  test.each<[string, object]>([
    ['a documented record', record],
    ['an empty record', {}],
    ['null for everything', Object.fromEntries(Object.keys(record).map((name) => [name, null]))],
    ['unknown fields', { ...record, surprise: { a: [1] }, place: { type: 'zoom', more: 1 } }],
    ['a new value of an enum', { ...record, status: 'postponed' }],
    ['a string of another format', { ...record, at: 'soon', hosts: [{ email: 'nobody' }] }],
    ['a number that is not whole', { ...record, count: 1.5 }],
    ['null inside a list', { ...record, hosts: [null, {}] }],
    [
      'fields with the names of built-in ones',
      JSON.parse('{"__proto__":{"count":"x"},"constructor":1,"toString":null}'),
    ],
  ])('accepts %s', (_, value) => {
    expect(shapeError(known, value)).toBeUndefined();
  });

  test.each<[string, unknown]>([
    ['the record is not an object', []],
    ['the record is not an object', 'text'],
    ['uri is not a string', { uri: 5 }],
    ['status is not a string', { status: true }],
    ['count is not a number', { count: '1' }],
    ['done is not a boolean', { done: 'true' }],
    ['at is not a string', { at: 0 }],
    ['place is not an object', { place: 'here' }],
    ['place is not an object', { place: [] }],
    ['place.type is not a string', { place: { type: {} } }],
    ['hosts is not an array', { hosts: {} }],
    ['hosts[1].email is not a string', { hosts: [{ email: 'a@b.example' }, { email: 1 }] }],
  ])('says that %s', (problem, value) => {
    expect(shapeError(known, value)).toBe(problem);
  });

  test('does not treat inherited properties as fields', () => {
    expect(shapeError(recordOf({ constructor: text('text') }), {})).toBeUndefined();
  });

  test('starts the path with the given prefix', () => {
    expect(shapeError(known, { place: { type: 1 } }, 'collection[3]')).toBe('collection[3].place.type is not a string');
  });
});
