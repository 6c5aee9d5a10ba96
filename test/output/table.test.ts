import { describe, expect, it } from 'vitest';
import type { PrinterOptions } from '../../src/output/forms.ts';
import { createPrinter } from '../../src/output/printer.ts';
import { width } from '../../src/output/width.ts';
import { sample } from '../support/tier.ts';
import { event, eventView, paper, time } from './samples.ts';

const table = async (pages: object[][], columns: number, options: Partial<PrinterOptions> = {}) => {
  const stdout = paper(true, columns);
  const base = { format: 'table', header: false, raw: false, color: undefined, accessible: false, ...time } as const;
  const printer = createPrinter({ ...base, ...options, stdout });
  const rows = await printer.list(eventView, pages);
  return { rows, hiddenColumns: printer.hiddenColumns, text: stdout.text, lines: stdout.text.trimEnd().split('\n') };
};

const names = [
  'Intro',
  '打ち合わせ：四半期レビューと来期の計画',
  'اجتماع الفريق',
  '👨‍👩‍👧‍👦 🇩🇪 👍🏽 🫩',
  'हिन्दी बैठक',
  'cafe\u0301',
  'a\nb',
  null,
];

describe('table', () => {
  it('puts two spaces between columns, right-aligns numbers and shows the zone in the header', async () => {
    const { text } = await table([[event('Intro', 1), event(null, 12)]], 100);
    expect(text).toBe(
      [
        'ID         NAME   START (Europe/Berlin)  STATUS    INVITEES  HOSTS',
        'EVENT0001  Intro  Mon 2026-11-16 09:30   active           1  Ann, Bob',
        'EVENT0012  –      Mon 2026-11-16 09:30   canceled        12  Ann, Bob',
        '',
      ].join('\n'),
    );
  });

  it.each([60, 80, 120, 200])('aligns text of every script at %i columns', async (columns) => {
    const { lines } = await table([names.map((name, i) => event(name, i))], columns);
    expect(lines).toHaveLength(names.length + 1);
    const starts = lines.slice(1).map((line) => width(line.slice(0, line.indexOf('Mon 2026'))));
    expect(new Set(starts).size).toBe(1);
    for (const line of lines) expect(width(line)).toBeLessThanOrEqual(columns);
  });

  it('shortens columns before dropping any, and drops the least important first', async () => {
    const long = event('A very long name of an event that does not fit', 1);
    expect((await table([[long]], 90)).hiddenColumns).toEqual([]);
    const narrow = await table([[long]], 63);
    expect(narrow.hiddenColumns).toEqual(['INVITEES', 'HOSTS']);
    expect(narrow.lines[1]).toBe('EVEN  A very long name of an ev…  Mon 2026-11-16 09:30   active');
  });

  it('shortens the ID first, then drops it, and the name last', async () => {
    const rows = [event('Intro', 1), event('Intro', 12)];
    const shown = async (columns: number) => (await table([rows], columns)).lines.at(-1);
    expect(await shown(80)).toContain('EVENT0012');
    expect(await shown(66)).toContain('EVENT001 ');
    expect(await shown(30)).toBe('EVENT001');
  });

  it('keeps the widths of the first page, but never cuts IDs and numbers', async () => {
    const { lines, rows } = await table([[], [event('Short', 1)], [event('Much longer', 123_456_789)]], 200);
    expect(rows).toBe(2);
    expect(lines).toHaveLength(3);
    expect(lines[2]).toContain('Much…  Mon');
    expect(lines[2]).toContain('EVENT123456789  ');
    expect(lines[2]).toContain('123456789  Ann');
  });

  it('looks the same for long and short lists, on one page or two', async () => {
    const rows = Array.from({ length: 41 }, (_, i) => event(names[i % names.length]!, i));
    for (const columns of sample([50, 80, 120], 1)) {
      const long = await table([rows], columns, { color: { depth: 1, hasLinks: false } });
      const short = await table([rows.slice(0, 40)], columns, { color: { depth: 1, hasLinks: false } });
      expect(long.lines.slice(0, 41)).toEqual(short.lines);
      expect(
        (await table([rows.slice(0, 40), rows.slice(40)], columns, { color: { depth: 1, hasLinks: false } })).text,
      ).toBe(long.text);
    }
  });

  it('has an ASCII form for terminals with another encoding', async () => {
    const rows = [event('Intro – call', 1), event(null, 2)];
    const plain = await table([rows], 100, { env: { LC_ALL: 'C' } });
    expect(plain.text).not.toMatch(/[^\n -~]/);
    expect((await table([rows], 100, { env: { LC_ALL: 'C.UTF-8' } })).text).toContain('Intro – call');
  });

  it('prints nothing if there are no records', async () => {
    const { text, rows } = await table([[]], 80);
    expect({ text, rows }).toEqual({ text: '', rows: 0 });
  });

  it('colors only text that is clear without color', async () => {
    const { text } = await table([[event(null, 1), event('x', 2)]], 100, { color: { depth: 1, hasLinks: false } });
    expect(text).toContain('\x1b[32mactive\x1b[39m');
    expect(text).toContain('\x1b[31mcanceled\x1b[39m');
    expect(text).toContain('\x1b[2m–\x1b[22m');
    expect(text).toContain('\x1b[1mID\x1b[22m');
  });

  it('shows selected fields under their requested names', async () => {
    const { lines } = await table([[event('x', 1)]], 100, { fields: ['uri', 'location.type', 'start_time'] });
    expect(lines).toEqual([
      'uri        location.type    start_time (Europe/Berlin)',
      'EVENT0001  zoom_conference  Mon 2026-11-16 09:30',
    ]);
  });

  it('prints label and value lines for screen readers', async () => {
    const { text } = await table([[event(null, 1)], [event('b', 2)]], 20, { accessible: true });
    expect(text).toContain('ID: EVENT0001\nName: none\nStart: Mon 2026-11-16 09:30 (Europe/Berlin)\n');
    expect(text).toContain('Hosts: Ann, Bob\n\nID: EVENT0002\n');
  });
});
