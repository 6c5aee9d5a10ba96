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
  ])('returns the value at %s', (path, value) => expect(valueAt(record, path)).toEqual(value));
});

describe('fields: select', () => {
  const json = (...fields: string[]) => JSON.stringify(select(record, fields));

  it('keeps the nesting and the requested order', () =>
    expect(json('location.type', 'uri')).toBe('{"location":{"type":"zoom"},"uri":"u"}'));
  it('merges fields of one object', () =>
    expect(json('location.url', 'location.type')).toBe('{"location":{"url":null,"type":"zoom"}}'));
  it('selects from each item of a list', () => {
    expect(json('hosts.*.email')).toBe('{"hosts":[{"email":"a"},{"email":"b"}]}');
    expect(json('hosts.email')).toBe('{"hosts":[{"email":"a"},{"email":"b"}]}');
    expect(json('hosts.1.email')).toBe('{"hosts":[{"email":"b"}]}');
  });
  it('merges fields of all items with fields of single items', () => {
    const both = '{"hosts":[{"tags":[1,2],"email":"a"},{"tags":null,"email":"b"}]}';
    expect(json('hosts.*.tags', 'hosts.email')).toBe(both);
    expect(json('hosts.tags', 'hosts.*.email')).toBe(
      '{"hosts":[{"email":"a","tags":[1,2]},{"email":"b","tags":null}]}',
    );
    expect(json('hosts.*.email', 'hosts.0.tags')).toBe('{"hosts":[{"email":"a","tags":[1,2]},{"email":"b"}]}');
    expect(json('hosts.email', 'hosts.1.*')).toBe('{"hosts":[{"email":"a"},{"email":"b"}]}');
  });
  it('keeps the positions of single items if requested', () =>
    expect(leaves(select(record, ['hosts.1.email', 'uri'], true))).toEqual([
      ['hosts.1.email', 'b'],
      ['uri', 'u'],
    ]));
  it('returns null for missing fields', () =>
    expect(json('gone', 'nothing.x', 'constructor')).toBe('{"gone":null,"nothing":null,"constructor":null}'));
  it('selects the whole field if both the field and a part of it are requested', () =>
    expect(json('location.type', 'location')).toBe('{"location":{"type":"zoom","url":null}}'));
  it('treats __proto__ as plain data', () => {
    expect(json('__proto__.x')).toBe('{"__proto__":{"x":1}}');
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});

describe('fields: leaves', () => {
  it('returns every value with its path', () =>
    expect(leaves({ a: { b: 1 }, c: [{ d: null }], e: [], f: {} })).toEqual([
      ['a.b', 1],
      ['c.0.d', null],
      ['e', []],
      ['f', {}],
    ]));
  it('returns nothing for an empty record', () => expect(leaves({})).toEqual([]));
});

describe('fields: checkFields', () => {
  const known = ['uri', 'name', 'status', 'location'];

  it('accepts paths whose first name is known', () =>
    expect(checkFields(['uri', 'location.whatever.*'], known)).toEqual([]));
  it('suggests the closest name and lists all fields', () =>
    expect(checkFields(['stauts', 'uri', 'xyzzy'], known)).toEqual([
      'Unknown field "stauts". Did you mean "status"?',
      'Unknown field "xyzzy". Available fields: uri, name, status, location',
    ]));
  it('rejects empty parts', () => {
    for (const field of ['', '.uri', 'location..type', 'uri.'])
      expect(checkFields([field], known)[0]).toContain('not a valid field path');
  });
});
