import { describe, expect, it } from 'vitest';
import { checkFields, leaves, select, valueAt } from '../../src/output/fields.ts';

const record =
  JSON.parse(`{"uri":"u","location":{"type":"zoom","url":null},"hosts":[{"email":"a","tags":[1,2]},{"email":"b"}],
  "__proto__":{"x":1},"nothing":null}`);

describe('fields: valueAt', () => {
  it.each([
    ['uri', 'u'],
    ['location.type', 'zoom'],
    ['location', { type: 'zoom', url: null }],
    ['hosts.*.email', ['a', 'b']],
    ['hosts.email', ['a', 'b']],
    ['hosts.1.email', 'b'],
    ['hosts.9.email', null],
    ['hosts.length.x', [null, null]],
    ['location.*', ['zoom', null]],
    ['missing.deep', null],
    ['uri.length', null],
    ['nothing.x', null],
    ['__proto__.x', 1],
    ['constructor.name', null],
    ['toString', null],
  ])('%s', (path, value) => expect(valueAt(record, path)).toEqual(value));
});

describe('fields: select', () => {
  const json = (...fields: string[]) => JSON.stringify(select(record, fields));

  it('keeps the nesting and the order asked for', () =>
    expect(json('location.type', 'uri')).toBe('{"location":{"type":"zoom"},"uri":"u"}'));
  it('joins fields of one object', () =>
    expect(json('location.url', 'location.type')).toBe('{"location":{"url":null,"type":"zoom"}}'));
  it('reaches through lists', () => {
    expect(json('hosts.*.email')).toBe('{"hosts":[{"email":"a"},{"email":"b"}]}');
    expect(json('hosts.email')).toBe('{"hosts":[{"email":"a"},{"email":"b"}]}');
    expect(json('hosts.1.email')).toBe('{"hosts":[{"email":"b"}]}');
  });
  it('joins what is asked of each item and of single ones', () => {
    const both = '{"hosts":[{"tags":[1,2],"email":"a"},{"tags":null,"email":"b"}]}';
    expect(json('hosts.*.tags', 'hosts.email')).toBe(both);
    expect(json('hosts.tags', 'hosts.*.email')).toBe(
      '{"hosts":[{"email":"a","tags":[1,2]},{"email":"b","tags":null}]}',
    );
    expect(json('hosts.*.email', 'hosts.0.tags')).toBe('{"hosts":[{"email":"a","tags":[1,2]},{"email":"b"}]}');
    expect(json('hosts.email', 'hosts.1.*')).toBe('{"hosts":[{"email":"a"},{"email":"b"}]}');
  });
  it('keeps the places of single items where they are named', () =>
    expect(leaves(select(record, ['hosts.1.email', 'uri'], true))).toEqual([
      ['hosts.1.email', 'b'],
      ['uri', 'u'],
    ]));
  it('gives null for what is missing', () =>
    expect(json('gone', 'nothing.x', 'constructor')).toBe('{"gone":null,"nothing":null,"constructor":null}'));
  it('takes the whole where whole and part are asked for', () =>
    expect(json('location.type', 'location')).toBe('{"location":{"type":"zoom","url":null}}'));
  it('treats __proto__ as data', () => {
    expect(json('__proto__.x')).toBe('{"__proto__":{"x":1}}');
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});

describe('fields: leaves', () => {
  it('names every value by its path', () =>
    expect(leaves({ a: { b: 1 }, c: [{ d: null }], e: [], f: {} })).toEqual([
      ['a.b', 1],
      ['c.0.d', null],
      ['e', []],
      ['f', {}],
    ]));
  it('finds none in an empty record', () => expect(leaves({})).toEqual([]));
});

describe('fields: checkFields', () => {
  const known = ['uri', 'name', 'status', 'location'];

  it('is content with known first parts', () => expect(checkFields(['uri', 'location.whatever.*'], known)).toEqual([]));
  it('suggests the nearest name and lists all', () =>
    expect(checkFields(['stauts', 'uri', 'xyzzy'], known)).toEqual([
      "unknown field 'stauts', did you mean 'status'?",
      "unknown field 'xyzzy'",
      'the fields are uri, name, status, location',
    ]));
  it('refuses empty parts', () => {
    for (const field of ['', '.uri', 'location..type', 'uri.'])
      expect(checkFields([field], known)[0]).toContain('not a field path');
  });
});
