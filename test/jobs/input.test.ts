import { describe, expect, test } from 'vitest';
import { foldAddress } from '../../src/jobs/address.ts';
import { type InputOptions, readEntries } from '../../src/jobs/input.ts';
import { digestOf, estimatedSeconds, linesText, makePlan } from '../../src/jobs/plan.ts';

async function* inPieces(bytes: Uint8Array, size: number) {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

const read = async (text: string | Uint8Array, options: Partial<InputOptions> = {}, size = 7) => {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const entries: [number, string][] = [];
  const usual = ['email', 'mail'];
  const isItem = (word: string) => word.includes('@');
  for await (const { line, text: item } of readEntries(inPieces(bytes, size), { name: 'x', usual, isItem, ...options }))
    entries.push([line, item]);
  return entries;
};

const two = [
  [1, 'a@x.example'],
  [3, 'b@x.example'],
];

describe('input: text', () => {
  test('is an item a line, with comments and empty lines between', async () => {
    expect(await read('a@x.example\n# note\n  b@x.example  \n\n')).toEqual(two);
  });

  test.each(['\n', '\r\n', '\r'])('knows the line ending %j in pieces of any size', async (ending) => {
    for (const size of [1, 2, 3, 5, 100])
      expect(await read(['a@x.example', '# note', 'b@x.example', ''].join(ending), {}, size)).toEqual(two);
  });

  test('does without a last line break', async () => {
    expect(await read('a@x.example\n\nb@x.example')).toEqual(two);
  });

  const text = 'a@x.example\r\n# ümläut\r\nb@x.example\r\n';
  const little = Buffer.from(`\uFEFF${text}`, 'utf16le');
  test.each<[string, Uint8Array]>([
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${text}`)],
    ['UTF-16 little-endian', little],
    ['UTF-16 big-endian', Buffer.from(little).swap16()],
    ['UTF-16 without a mark', Buffer.from(text, 'utf16le')],
    ['UTF-16 big-endian without a mark', Buffer.from(text, 'utf16le').swap16()],
  ])('reads %s', async (_, bytes) => {
    for (const size of [1, 3, 1000]) expect(await read(bytes, {}, size)).toEqual(two);
  });

  test('refuses what is no text, without quoting it', async () => {
    await expect(read(new Uint8Array([0x61, 0x40, 0xff, 0xfe, 0xfd]))).rejects.toThrow('neither UTF-8 nor UTF-16');
    await expect(read(new Uint8Array([0x61, 0x40, 0x0a, 0, 0x0a]))).rejects.toThrow('neither UTF-8 nor UTF-16');
  });

  test('of nothing is nothing', async () => {
    for (const nothing of ['', '\n', '\uFEFF', '# only a comment']) expect(await read(nothing)).toEqual([]);
  });
});

describe('input: CSV', () => {
  const csv = 'name,Email\r\n"Byron, Ada",a@x.example\r\n"two\nlines ""quoted""",b@x.example\r\n\r\nx,\r\n';
  const rows = [
    [2, 'a@x.example'],
    [3, 'b@x.example'],
    [6, ''],
  ];

  test.each([
    ['by its name', { column: 'email' }],
    ['by its number', { column: '2' }],
    ['by its usual name', { name: 'people.csv' }],
  ])('finds the column %s', async (_, options) => {
    for (const size of [1, 2, 3, 50]) expect(await read(csv, options, size)).toEqual(rows);
  });

  test('takes semicolons and tabs', async () => {
    for (const mark of [';', '\t'])
      expect(await read(`name${mark}email\n"a${mark}b"${mark}a@x.example\n`, { column: 'email' })).toEqual([
        [2, 'a@x.example'],
      ]);
  });

  test('without a header begins with the first line', async () => {
    expect(await read('a@x.example,1\nb@x.example,2\n', { column: '1' })).toEqual([
      [1, 'a@x.example'],
      [2, 'b@x.example'],
    ]);
  });

  test('asks which column is meant, without naming any', async () => {
    await expect(read('a@x.example,1\n', { name: 'x.csv' })).rejects.toThrow(/^which column is meant\? name it/);
    await expect(read('a,b\n', { column: 'c' })).rejects.toThrow('the first line names no such column');
  });
});

describe('input: JSON', () => {
  test.each([
    ['strings', '["a@x.example", "b@x.example"]', {}],
    ['objects', '[{"email":"a@x.example"},{"Email":"b@x.example"}]', {}],
    ['a nested field', '[{"p":{"q":"a@x.example"}},{"p":{"q":"b@x.example"}}]', { field: 'p.q' }],
    ['lines', '{"email":"a@x.example"}\n{"email":"b@x.example"}\n', {}],
    ['lines of strings', '"a@x.example"\n"b@x.example"', { name: 'x.jsonl' }],
  ])('of %s', async (_, text, options) => {
    expect(await read(text, options)).toEqual([
      [1, 'a@x.example'],
      [2, 'b@x.example'],
    ]);
  });

  test('whose field is a list holds many', async () => {
    expect(await read('{"people":["a@x.example","b@x.example"]}', { field: 'people' })).toEqual([
      [1, 'a@x.example'],
      [1, 'b@x.example'],
    ]);
  });

  test('that lacks the field, or holds something else, is an item that is none', async () => {
    expect(await read('[{}, 7, null, {"email": 7}]')).toEqual([1, 2, 3, 4].map((line) => [line, '']));
  });

  test('that is broken is named by its place, never quoted', async () => {
    await expect(read('["a@x.example",\n oops]')).rejects.toThrow(/^it is not JSON: .* at line 2, column \d+$/);
    await expect(read('{"email":"a@x.example"}\noops\n', { name: 'x.jsonl' })).rejects.toThrow('line 2 is not JSON');
  });
});

describe('plan', () => {
  const plan = async (text: string) => {
    const entries = async function* () {
      for (const [line, item] of await read(text)) yield { line, text: item };
    };
    return makePlan(entries(), { fold: foldAddress });
  };

  test('keeps each address once, as it was first typed', async () => {
    const { items, duplicates, invalid } = await plan('Ada@X.example\nada@x.EXAMPLE\nb@x.example\nnobody\n@\n');
    expect({ items, duplicates, invalid }).toEqual({
      items: ['Ada@X.example', 'b@x.example'],
      duplicates: 1,
      invalid: [4, 5],
    });
  });

  test('has one digest for one set, whatever the order, the case and the rest of the file', async () => {
    const { digest } = await plan('a@x.example\nb@x.example\n');
    expect((await plan('# x\nB@x.example\na@x.example\na@x.example\n')).digest).toBe(digest);
    expect((await plan('a@x.example\n')).digest).not.toBe(digest);
    expect(digest).toBe(digestOf(['b@x.example', 'a@x.example']));
  });

  test.each([
    'a b@x.example',
    'a@x',
    '@x.example',
    'a@@x.example',
    'Ada <a@x.example>',
    'mailto:a@x.example',
    `${'a'.repeat(250)}@x.example`,
  ])('takes %j for no address', (text) => {
    expect(foldAddress(text)).toBeUndefined();
  });

  test('estimates by the limit of a minute', () => {
    expect([0, 1, 500, 4000].map((requests) => estimatedSeconds(requests, 500))).toEqual([0, 1, 100, 800]);
    expect(estimatedSeconds(4000, 100)).toBe(39 * 60);
  });

  test('names lines, and not too many of them', () => {
    expect(linesText([4, 17])).toBe('4, 17');
    expect(linesText([1, 2, 3, 4], 2)).toBe('1, 2 and 2 more');
  });
});
