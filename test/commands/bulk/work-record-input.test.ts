import { describe, expect, test } from 'vitest';
import { readRecords } from '../../../src/commands/bulk/work-record-input.ts';
import { BadInput } from '../../../src/commands/bulk/work-text-source.ts';

const known = ['email', 'name', 'note'];

const read = async (text: string, name = '-') => {
  const records = [];
  const columnOf = (column: string) => known.find((each) => each === column.trim().toLowerCase());
  const bytes = new TextEncoder().encode(text);
  for (const record of await readRecords(bytes, { name, columnOf, columns: known.join(', ') }))
    if ('value' in record) records.push({ line: record.line, values: Object.fromEntries(record.value) });
    else if ('problem' in record) records.push({ line: record.line, problem: record.problem });
  return records;
};

describe('readRecords', () => {
  test('gives each CSV row its first line, across quoted line breaks and blank lines', async () => {
    expect(await read('Email;Name;note\r\na@b.example;Ada;"two\r\nlines"\r\n\r\nb@b.example;;\r\n')).toEqual([
      { line: 2, values: { email: 'a@b.example', name: 'Ada', note: 'two\nlines' } },
      { line: 5, values: { email: 'b@b.example', name: '', note: '' } },
    ]);
  });

  test('reads a JSON list by position, and JSONL by line', async () => {
    const values = { email: 'a@b.example', name: null };
    expect(await read(JSON.stringify([values, 1]))).toEqual([
      { line: 1, values },
      { line: 2, problem: 'it is not a JSON object' },
    ]);
    expect(await read(`${JSON.stringify(values)}\n\n{"name":"a","name":"b"}\n{"x":1}\nno`, 'f.jsonl')).toEqual([
      { line: 1, values },
      { line: 3, problem: 'it has the same field twice' },
      { line: 4, problem: 'unknown field "x"; the known ones are email, name, note' },
      { line: 5, problem: 'it is not JSON' },
    ]);
  });

  test.each([
    ['email,name\na@b.example', 'it has 1 cell, but the first line has 2'],
    ['email,name\na@b.example,"Ada', 'a quote is opened and never closed'],
  ])('reports a broken row: %j', async (text, problem) => {
    expect(await read(text)).toEqual([{ line: 2, problem }]);
  });

  test('reports every line of a broken row', async () => {
    const problem = 'a quoted cell seems to contain whole rows';
    expect(await read('email,name\na@b.example,"Ada\nb@b.example,Bob"')).toEqual([
      { line: 2, problem },
      { line: 3, problem },
    ]);
  });

  test('accepts a record whose own address is on the first of its lines', async () => {
    expect(await read('email,note\na@b.example,"one\ntwo"')).toEqual([
      { line: 2, values: { email: 'a@b.example', note: 'one\ntwo' } },
    ]);
  });

  test.each([
    ['email,phone,fax\n', 'line 1: unknown columns "phone", "fax"; the known ones are email, name, note'],
    ['email,Email\n', 'line 1: the column "Email" is there twice'],
    ['a@b.example,name\n', 'line 1 must have the column names; the known ones are email, name, note'],
    ['x,y\n', 'line 1 must have the column names; the known ones are email, name, note'],
  ])('refuses a header without quoting data: %j', async (text, problem) => {
    await expect(read(text)).rejects.toEqual(new BadInput(problem));
  });
});
