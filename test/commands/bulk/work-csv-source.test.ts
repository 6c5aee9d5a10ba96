import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldAddress } from '../../../src/api/email-address.ts';
import { csvRecords } from '../../../src/commands/bulk/work-csv-source.ts';
import { readItems } from '../../../src/commands/bulk/work-items.ts';
import { makePlan } from '../../../src/commands/bulk/work-plan.ts';
import { BadInput } from '../../../src/commands/bulk/work-text-source.ts';
import { runs } from '../../support/tier.ts';

const planOf = async (text: string, column?: string) => {
  const plan = makePlan(
    await readItems(new TextEncoder().encode(text), {
      name: 'x.csv',
      column,
      usual: ['email'],
      isItem: (word) => word.includes('@'),
      isSurelyItem: (word) => foldAddress(word) !== undefined,
    }),
    foldAddress,
  );
  return { ...plan, items: plan.items.map(({ text }) => text) };
};

/** Addresses in a file that are neither sent nor on a reported line. Empty if the file is refused. */
const lostIn = async (text: string, column?: string): Promise<string[]> => {
  const plan = await planOf(text, column).catch((error) => {
    if (error instanceof BadInput) return undefined;
    throw error;
  });
  if (plan === undefined) return [];
  const { items, invalid, duplicates, skipped } = plan;
  const counted = new Set([...invalid.map(({ line }) => line), ...duplicates, ...Object.values(skipped).flat()]);
  return text
    .split(/\r\n|\r|\n/)
    .flatMap((line, index) => (counted.has(index + 1) ? [] : (line.match(/\w+@x\.example/g) ?? [])))
    .filter((address) => !items.includes(address));
};

/** `[description, text, reported lines, sent addresses]` */
const corpus: [string, string, number[], string[]][] = [
  ['an unclosed quote', 'email,name\na@x.example,"A\nb@x.example,B\nc@x.example,C\n', [2, 3, 4], []],
  ['an unclosed quote in the last line', 'email,name\na@x.example,A\nb@x.example,"B', [3], ['a@x.example']],
  ['a quote alone', 'email,name\na@x.example,"\nb@x.example,B\n', [2, 3], []],
  ['text after a closing quote', 'email,name\na@x.example,"A" x\nb@x.example,B\n', [2], ['b@x.example']],
  ['a quote in a cell', 'email,name\na@x.example,6" tall\nb@x.example,B\n', [2], ['b@x.example']],
  [
    'a quote closed rows later',
    'email,name\na@x.example,"A\nb@x.example,B\nc@x.example,C"\nd@x.example,D\n',
    [2, 3, 4],
    ['d@x.example'],
  ],
  [
    'a quote closed by the next one',
    'email,name\na@x.example,"A\nb@x.example,"B"\nc@x.example,C\n',
    [2, 3],
    ['c@x.example'],
  ],
  [
    'a quote before the address',
    'name,email\n"A,a@x.example\nB",b@x.example\nC,c@x.example\n',
    [2, 3],
    ['c@x.example'],
  ],
  [
    'swallowed rows with other cells',
    'email,name\na@x.example,"A\nb@x.example,B,b"\nc@x.example,C\n',
    [2, 3],
    ['c@x.example'],
  ],
  ['too many cells', 'email,name\na@x.example,A,a\nb@x.example,B\n', [2], ['b@x.example']],
  ['too few cells', 'name,email\nA\nB,b@x.example\n', [2], ['b@x.example']],
  ['two addresses in a quoted cell', 'email\n"a@x.example\nb@x.example"\nc@x.example\n', [2, 3], ['c@x.example']],
  [
    'two addresses in a cell',
    'email\na@x.example b@x.example\n"c@x.example,d@x.example"\ne@x.example\n',
    [2, 3],
    ['e@x.example'],
  ],
];

describe('CSV', () => {
  test.each(corpus)('with %s has those lines reported and the rest sent', async (_, text, lines, sent) => {
    for (const ending of ['\n', '\r\n', '\r'])
      for (const mark of ['', '\uFEFF']) {
        const { items, invalid } = await planOf(`${mark}${text.replaceAll('\n', ending)}`);
        expect({ lines: invalid.map(({ line }) => line), sent: items }).toEqual({ lines, sent });
      }
    expect(await lostIn(text)).toEqual([]);
  });

  test.each([
    ['an unclosed quote', 'email,"name\na@x.example,A\n', 'line 1: a quote is opened and never closed'],
    ['text after a closing quote', '\nemail,"name" x\na@x.example,A\n', 'line 2: there is text after a closing quote'],
    ['a swallowed row', 'email,"name\na@x.example,A"\nb@x.example,B\n', 'line 1: a quoted cell seems to contain whole'],
  ])('with %s in its first row is refused', async (_, text, words) => {
    await expect(planOf(text)).rejects.toThrow(words);
  });

  test('needs --column if two columns match', async () => {
    await expect(planOf('Email,EMAIL \na@x.example,b@x.example\n')).rejects.toThrow(
      '--column 1 (email) or --column 2 (email)',
    );
    await expect(planOf('email,EMAIL\na@x.example,b@x.example\n', 'email')).rejects.toThrow(
      '--column 1 (email) or --column 2',
    );
    await expect(planOf('email,x\na@x.example,\nb@x.example,c@x.example\n')).rejects.toThrow(
      '--column 1 or --column 2',
    );
    expect((await planOf('email,x\na@x.example,b@x.example\n', 'email')).items).toEqual(['a@x.example']);
    await expect(planOf('email,x\na@x.example,\n', '3')).rejects.toThrow('there is no column 3: the columns are');
  });

  test('may have blanks around cells, empty cells between tabs, and blank rows', async () => {
    expect((await planOf('name\temail\n\ta@x.example\n"b" \t "b@x.example"\n')).items).toEqual([
      'a@x.example',
      'b@x.example',
    ]);
    const { items, skipped, invalid } = await planOf('\nemail,name\n , \na@x.example,"1\r\n2"\r\n,\n\n');
    expect({ items, skipped, invalid }).toEqual({
      items: ['a@x.example'],
      skipped: { header: [2], comment: [], blank: [1, 3, 6, 7] },
      invalid: [],
    });
    expect((await planOf('email,"the\nname"\na@x.example,A\n')).skipped.header).toEqual([1, 2]);
  });

  test('has its delimiter detected outside quotes', async () => {
    const { items } = await planOf('email;"name, first, last"\na@x.example;A\n');
    expect(items).toEqual(['a@x.example']);
  });

  test('with a quote that spans over a thousand lines has an unclosed quote', async () => {
    const rows = Array.from({ length: 3000 }, (_, index) => `p${index}@x.example,P`);
    const { items, invalid } = await planOf(['email,name', 'a@x.example,"A', ...rows, 'z@x.example,Z"'].join('\n'));
    expect(items).toEqual([]);
    expect([invalid.length, invalid.at(-1)!.line]).toEqual([3002, 3003]);
    const long = Array.from({ length: 900 }, () => 'word').join('\n');
    expect((await planOf(`email,name\na@x.example,"${long}"\n`)).items).toEqual(['a@x.example']);
  });

  test('has correct line numbers with any line ending', () => {
    const records = [...csvRecords('a,"1\r\n\r\n2"\r\nb,"3\r4"\rc,5\n')];
    expect(records.map(({ first, last }) => [first, last])).toEqual([
      [1, 3],
      [4, 5],
      [6, 6],
    ]);
  });

  test('loses no address, whatever its rows', async () => {
    const name = fc.constantFrom(
      '',
      'A',
      '"A"',
      '"A',
      'A"',
      '"A"a',
      '"A""a"',
      'A,a',
      '"A,a"',
      '"A\na"',
      '"',
      '""',
      '"""',
      'A"a',
      ' "A" ',
    );
    const rows = fc.array(name, { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(rows, fc.boolean(), fc.constantFrom('\n', '\r\n', '\r'), async (names, isFirst, ending) => {
        const row = (address: string, each: string) => (isFirst ? `${address},${each}` : `${each},${address}`);
        const lines = names.map((each, index) => row(`p${index}@x.example`, each));
        const text = [row('email', 'name'), ...lines, ''].join('\n').replaceAll('\n', ending);
        expect(await lostIn(text)).toEqual([]);
      }),
      runs(60, 300),
    );
  });
});
