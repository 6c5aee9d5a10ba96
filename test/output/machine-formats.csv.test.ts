import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { plainCell } from '../../src/output/cells.ts';
import { csvLine, machineFormats, writeRows } from '../../src/output/machine-formats.ts';
import { event, eventView, hostile, madeUp, paper } from './samples.ts';

const pipe = { raw: false, isTerminal: false };
const cell = (value: unknown, choices = pipe) => csvLine([value], choices).slice(0, -2);

describe('csv: cell', () => {
  it.each([
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['a\r\nb', '"a\r\nb"'],
    [' padded ', '" padded "'],
    [null, ''],
    [true, 'true'],
    [['a', 'b'], '"a,b"'],
    [{ a: 1 }, '"{""a"":1}"'],
    ['Zoë 打合せ', 'Zoë 打合せ'],
  ])('writes %j as %s', (value, text) => expect(cell(value)).toBe(text));

  const blanks = [' ', '\xa0', '\ufeff', '\u200b', '\u3000', '\x00', ' \xa0\ufeff'];
  it.each([
    ...['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '=HYPERLINK("x","y")'],
    ...blanks.flatMap((blank) => ['=1', '+1', '-1', '@A1', '\t=1', '\r=1', '＝1'].map((text) => blank + text)),
  ])('escapes the formula %j', (text) => {
    expect(parse(csvLine([text], pipe))[0]![0]).toBe(`'${text}`);
    expect(parse(csvLine([text], { ...pipe, raw: true }))[0]![0]).toBe(text);
  });

  it('escapes a list that starts with a formula', () => expect(cell(['=1', 'b'])).toBe(`"'=1,b"`));
  it('does not escape numbers', () => {
    expect(cell(-5)).toBe('-5');
    expect(cell('-5')).toBe("'-5");
  });
  it('stays on one safe line on a terminal', () =>
    expect(cell('a\r\n\x1b[2J', { raw: true, isTerminal: true })).toBe('a\\r\\n\\x1b[2J'));
});

describe('csv: another parser', () => {
  it('reads the same values as in JSON with --raw', async () => {
    // UTF-8 can't encode lone surrogates.
    const texts = [...hostile, ...madeUp(2000, 3)].filter((text) => !/\p{Cs}/u.test(text));
    const records = texts.map((text, i) => ({
      ...event(text, i),
      location: { [text]: text },
      tags: [text, null, text],
    }));
    const fields = ['uri', 'name', 'location', 'tags', 'invitees_counter.active', 'missing'];
    const stdout = paper();
    const format = machineFormats.csv(eventView, { fields, header: false, raw: true, isTerminal: false });
    await writeRows(stdout, () => format, [records.slice(0, 50), records.slice(50)], { rows: 0 });
    const [header, ...rows] = parse(stdout.text, { record_delimiter: '\r\n' });
    expect(header).toEqual(fields);
    expect(rows).toEqual(
      records.map((record) => [
        record.uri,
        record.name,
        JSON.stringify(record.location),
        plainCell(record.tags),
        String(record.invitees_counter.active),
        '',
      ]),
    );
  });
});
