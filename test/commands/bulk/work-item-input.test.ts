import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldAddress } from '../../../src/api/email-address.ts';
import { type ItemOptions, readItems } from '../../../src/commands/bulk/work-items.ts';
import {
  estimatedSeconds,
  inputDigest,
  leftOutText,
  linesText,
  makePlan,
} from '../../../src/commands/bulk/work-plan.ts';
import { anyAddress, noAddress } from '../../support/addresses.ts';
import { runs } from '../../support/tier.ts';

const entriesOf = (text: string | Uint8Array, options: Partial<ItemOptions> = {}) =>
  readItems(typeof text === 'string' ? new TextEncoder().encode(text) : text, {
    name: 'x',
    usual: ['email', 'emails', 'mail'],
    isItem: (word) => word.includes('@'),
    isSurelyItem: (word) => foldAddress(word) !== undefined,
    ...options,
  });

/** The items of a text, or the problem in place of an item. Skipped lines are left out. */
const read = async (...given: Parameters<typeof entriesOf>) => {
  const entries: [number, string][] = [];
  for (const entry of await entriesOf(...given)) {
    if ('value' in entry) entries.push([entry.line, entry.value]);
    else if ('problem' in entry) entries.push([entry.line, `! ${entry.problem}`]);
  }
  return entries;
};

const planOf = async (...given: Parameters<typeof entriesOf>) => makePlan(await entriesOf(...given), foldAddress);

const two = [
  [1, 'a@x.example'],
  [3, 'b@x.example'],
];

describe('input: text', () => {
  test('has one item per line, with comments and blank lines between', async () => {
    expect(await read('a@x.example\n# note\n  b@x.example  \n\n')).toEqual(two);
  });

  test.each(['\n', '\r\n', '\r'])('may have the line ending %j', async (ending) => {
    expect(await read(['a@x.example', '# note', 'b@x.example', ''].join(ending))).toEqual(two);
  });

  test('needs no final line break, and may mix line endings', async () => {
    for (const text of ['a@x.example\n\nb@x.example', 'a@x.example\r\n\rb@x.example\r'])
      expect(await read(text)).toEqual(two);
  });

  const text = 'a@x.example\r\n# ümläut\r\nb@x.example\r\n';
  const little = Buffer.from(`\uFEFF${text}`, 'utf16le');
  test.each<[string, Uint8Array]>([
    ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${text}`)],
    ['UTF-16 little-endian', little],
    ['UTF-16 big-endian', Buffer.from(little).swap16()],
    ['UTF-16 without a byte order mark', Buffer.from(text, 'utf16le')],
    ['UTF-16 big-endian without a byte order mark', Buffer.from(text, 'utf16le').swap16()],
  ])('may be %s', async (_, bytes) => {
    expect(await read(bytes)).toEqual(two);
  });

  test('is refused if it is binary, without quoting it', async () => {
    await expect(read(new Uint8Array([0x61, 0x40, 0xff, 0xfe, 0xfd]))).rejects.toThrow('neither UTF-8 nor UTF-16');
    await expect(read(new Uint8Array([0x61, 0x40, 0x0a, 0, 0x0a]))).rejects.toThrow('neither UTF-8 nor UTF-16');
  });

  test('may be empty', async () => {
    for (const nothing of ['', '\n', '\uFEFF', '# only a comment']) expect(await read(nothing)).toEqual([]);
  });
});

describe('input: lines', () => {
  test('are comments only if # is followed by a blank or the line has no @', async () => {
    const { items, skipped } = await planOf('#a@x.example\n# b@x.example\n#\n#note\n#\tc@x.example\n');
    expect([items, skipped.comment]).toEqual([[{ text: '#a@x.example', line: 1 }], [2, 3, 4, 5]]);
  });

  test('can be addresses that start like JSON', async () => {
    for (const address of ['{a}@x.example', '"john doe"@x.example', '{"a"}@x.example'.replaceAll('"', "'")])
      expect((await planOf(`\n${address}\n`)).items).toEqual([{ text: address, line: 2 }]);
  });

  test('with several values are rejected', async () => {
    const rows = await read('a@x.example,A\nb@x.example;B\n"c,d"@x.example\n');
    expect(rows).toEqual([
      [1, expect.stringContaining('--column')],
      [2, expect.stringContaining('--column')],
      [3, '"c,d"@x.example'],
    ]);
  });

  test('are all either sent or reported by number', async () => {
    const line = fc.oneof(
      { weight: 3, arbitrary: anyAddress },
      fc.constantFrom('a@x.example', 'A@X.example', '', ' ', '#', '# a@x.example', '#a@x.example', '#note', 'nobody'),
      noAddress,
    );
    const file = fc.array(
      // A line break would make two lines, and NUL isn't text.
      line.filter((text) => !/[\r\n\0\p{Cs}]/u.test(text)),
      { minLength: 1, maxLength: 20 },
    );
    const endings = fc.constantFrom('\n', '\r\n', '\r');
    await fc.assert(
      fc.asyncProperty(file, endings, fc.constantFrom('', '\uFEFF'), async (more, ending, mark) => {
        // If the first line were quoted, it could be JSON.
        const lines = ['first@x.example', ...more];
        const plan = await planOf(`${mark}${lines.map((each) => `${each}${ending}`).join('')}`, { name: 'x.txt' });
        const { items, duplicates, invalid, skipped } = plan;
        const counted = [...duplicates, ...invalid.map(({ line }) => line), ...Object.values(skipped).flat()];
        expect(new Set(counted).size).toBe(counted.length);
        const typed = lines.map((each, index) => ({ text: each.trim(), line: index + 1 }));
        expect(items).toEqual(typed.filter(({ line }) => !counted.includes(line)));
      }),
      runs(20, 300),
    );
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
  ])('has its column found %s', async (_, options) => {
    expect(await read(csv, options)).toEqual(rows);
  });

  test('may use semicolons and tabs', async () => {
    for (const mark of [';', '\t'])
      expect(await read(`name${mark}email\n"a${mark}b"${mark}a@x.example\n`, { column: 'email' })).toEqual([
        [2, 'a@x.example'],
      ]);
  });

  test('without a header has items from the first line on', async () => {
    expect(await read('a@x.example,1\nb@x.example,2\n', { column: '1' })).toEqual([
      [1, 'a@x.example'],
      [2, 'b@x.example'],
    ]);
  });

  test('needs --column if no column matches, without quoting any', async () => {
    for (const [text, number] of [
      ['a@x.example,1', 1],
      ['1,a@x.example', 2],
      ['a,b', 1],
    ] as const)
      await expect(read(`${text}\n`, { name: 'x.csv' })).rejects.toThrow(
        `can't tell which column to use: add --column with its name or number, such as --column ${number}`,
      );
    await expect(read('a,b\n', { column: 'c' })).rejects.toThrow(
      'there is no column with that name: the columns are 1 (a), 2 (b)',
    );
    await expect(read('a,b\n', { column: '3' })).rejects.toThrow('there is no column 3: the columns are 1 (a), 2 (b)');
    await expect(read('Ada,a@x.example\n', { column: 'c' })).rejects.toThrow(
      'there is no column with that name: the first line has no names; use a number from 1 to 2',
    );
  });
});

describe('input: JSON', () => {
  test.each([
    ['a list of strings', '["a@x.example", "b@x.example"]', {}],
    ['a list of objects', '[{"email":"a@x.example"},{"Email":"b@x.example"}]', {}],
    [
      'a list of objects with a nested field',
      '[{"p":{"q":"a@x.example"}},{"p":{"q":"b@x.example"}}]',
      { field: 'p.q' },
    ],
    ['one object per line', '{"email":"a@x.example"}\n{"email":"b@x.example"}\n', {}],
    ['one string per line', '"a@x.example"\n"b@x.example"', { name: 'x.jsonl' }],
  ])('can be %s', async (_, text, options) => {
    expect(await read(text, options)).toEqual([
      [1, 'a@x.example'],
      [2, 'b@x.example'],
    ]);
  });

  test('can have a field with a list of items', async () => {
    expect(await read('{"people":["a@x.example","b@x.example"]}', { field: 'people' })).toEqual([
      [1, 'a@x.example'],
      [1, 'b@x.example'],
    ]);
  });

  test('has invalid items if the field is missing or not a string', async () => {
    expect(await read('[{}, 7, null, {"email": 7}]')).toEqual([1, 2, 3, 4].map((line) => [line, '']));
  });

  test('is rejected where an object has the same field twice', async () => {
    const twice = '{"email":"a@x.example","\\u0065mail":"b@x.example"}';
    const problem = '! it has the same field twice';
    expect(await read(`[{"email":"c@x.example"},\n${twice},{"p":[${twice}]}]`)).toEqual([
      [1, 'c@x.example'],
      [2, problem],
      [3, problem],
    ]);
    expect(await read(`{"email":"c@x.example"}\n${twice}\n`)).toEqual([
      [1, 'c@x.example'],
      [2, problem],
    ]);
    expect(await read('[{"email":"email"},{"a":{"email":"x"},"email":"{\\"email\\":1}"}]')).toHaveLength(2);
  });

  test('needs --field if an object has addresses in two fields', async () => {
    await expect(read('[{"email":"a@x.example","emails":[]}]')).rejects.toThrow('use --field email or --field emails');
    await expect(read('{"Email":"a@x.example","email":"b@x.example"}')).rejects.toThrow(
      'use --field Email or --field email',
    );
    await expect(read('{"email":"a@x.example","work":"b@x.example"}')).rejects.toThrow(
      'use --field email or --field work',
    );
    await expect(read('{"email":"a@x.example","more":["-",["b@x.example"]]}')).rejects.toThrow(
      'use --field email or --field more',
    );
    expect(await read('{"email":"a@x.example","work":"b@x.example"}', { field: 'work' })).toEqual([[1, 'b@x.example']]);
  });

  test('counts an empty list as blank', async () => {
    expect((await planOf('[{"emails":[]},{"emails":["a@x.example"]}]')).skipped.blank).toEqual([1]);
  });

  test('is reported by line and column if it is broken, without quoting it', async () => {
    await expect(read('["a@x.example",\n oops]')).rejects.toThrow(/^it is not JSON: .* at line 2, column \d+$/);
    expect(await read('{"email":"a@x.example"}\noops\n', { name: 'x.jsonl' })).toEqual([
      [1, 'a@x.example'],
      [2, '! it is not JSON'],
    ]);
  });
});

describe('input of many equal characters', () => {
  const many = (text: string) => text.repeat(200_000);
  // A regular expression that tries each start again takes a minute for each of these.
  test.each<[string, string, Partial<ItemOptions>, number]>([
    ['escaped quotes in text', `a@x.example\n"${many('\\"')}`, {}, 2],
    ['blanks in a CSV cell', `email,note\na@x.example,"1\n${many(' ')}2"`, { name: 'x.csv' }, 1],
    ['quotes in a CSV cell', `email,note\na@x.example,"1\n${many('""')}2"`, { name: 'x.csv' }, 1],
    [
      'lines with quotes in a CSV cell',
      `email,note\na@x.example,"${`${'b'.repeat(2000)}""\n`.repeat(990)}"`,
      { name: 'x.csv' },
      1,
    ],
    ['escapes in a JSON string', `["${'\\n'.repeat(5_000_000)}"]`, { name: 'x.json' }, 1],
  ])('is read at once: %s', async (_, text, options, count) => {
    expect(await read(text, options)).toHaveLength(count);
  });

  test('is refused at once: line breaks in JSON', async () => {
    await expect(read(`"a"${many('\n')}x`, { name: 'x.json' })).rejects.toThrow('it is not JSON');
  });
});

describe('plan', () => {
  test('has each address once, as first typed', async () => {
    const { items, duplicates, invalid } = await planOf('Ada@X.example\nada@x.EXAMPLE\nb@x.example\nnobody\n@\n');
    expect({ items, duplicates, invalid }).toEqual({
      items: [
        { text: 'Ada@X.example', line: 1 },
        { text: 'b@x.example', line: 3 },
      ],
      duplicates: [2],
      invalid: [{ line: 4 }, { line: 5 }],
    });
  });

  test('has the same digest for the same set, regardless of order, case and other lines', async () => {
    const { digest } = await planOf('a@x.example\nb@x.example\n');
    expect((await planOf('# x\nB@x.example\na@x.example\na@x.example\n')).digest).toBe(digest);
    expect((await planOf('a@x.example\n')).digest).not.toBe(digest);
    expect(digest).toBe(inputDigest(['b@x.example', 'a@x.example']));
  });

  test('estimates the duration by the rate limit per minute', () => {
    expect([0, 1, 500, 4000].map((requests) => estimatedSeconds(requests, 500))).toEqual([0, 1, 100, 800]);
    expect(estimatedSeconds(4000, 100)).toBe(39 * 60);
  });

  test('counts everything left out of the input', async () => {
    const text = '# note\nemail\n\na@x.example\nA@x.example\n\n';
    expect(leftOutText(await planOf(text))).toBe('1 duplicate, 1 invalid line, 1 comment, 2 blank lines');
    expect(leftOutText(await planOf('a@x.example\n'))).toBe('');
  });

  test('lists line numbers, up to a maximum', () => {
    expect(linesText([4, 17])).toBe('4, 17');
    expect(linesText(Array.from({ length: 22 }, (_, index) => index + 1))).toMatch(/^1, 2, .*, 20 and 2 more$/);
  });
});
