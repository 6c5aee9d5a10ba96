import { describe, expect, it } from 'vitest';
import { createPrinter, type PrinterOptions } from '../../src/output/printer.ts';
import type { View } from '../../src/output/view.ts';
import { width } from '../../src/output/width.ts';
import { sample } from '../support/tier.ts';
import { event, eventView, paper, time } from './samples.ts';

const table = async (pages: object[][], columns: number, options: Partial<PrinterOptions> = {}) => {
  const stdout = paper(true, columns);
  const base = { format: 'table', header: false, raw: false, color: undefined, accessible: false, ...time } as const;
  const result = await createPrinter({ ...base, ...options, stdout }).list(eventView, pages);
  return { ...result, text: stdout.text, lines: stdout.text.trimEnd().split('\n') };
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
    expect(narrow.lines[1]).toBe('EVENT0001  A very long name of…   Mon 2026-11-16 09:30   active');
  });

  it('shows an extra column only where no essential text is shortened for it, and never in a pipe', async () => {
    const view: View = {
      columns: [
        { header: 'START', path: 'start_time', as: 'time', priority: 5 },
        { header: 'END', path: 'end_time', as: 'clock', priority: 1.5, extra: true },
        { header: 'NAME', path: 'name', priority: 4 },
      ],
      id: 'start_time',
    };
    const record = {
      start_time: '2026-11-16T08:30:00Z',
      end_time: '2026-11-16T09:00:00Z',
      name: 'A name of thirty characters ok',
    };
    const shown = async (columns: number, options: Partial<PrinterOptions> = {}) => {
      const stdout = paper(true, columns);
      const base = { format: 'table', header: true, raw: false, color: undefined, accessible: false, ...time } as const;
      const { hiddenColumns } = await createPrinter({ ...base, ...options, stdout }).list(view, [[record]]);
      return { hiddenColumns, head: stdout.text.split('\n')[0] };
    };
    expect((await shown(80)).head).toContain('END');
    expect(await shown(56)).toEqual({ hiddenColumns: [], head: 'START (Europe/Berlin)  NAME' });
    expect((await shown(80, { format: 'tsv' })).head).toBe('start_time\tname');
    expect((await shown(80, { format: 'tsv', fields: ['end_time'] })).head).toBe('end_time');
  });

  it('never cuts or drops the ID', async () => {
    const { lines, hiddenColumns } = await table([[event('Intro', 1)]], 5);
    expect(lines).toEqual(['ID', 'EVENT0001']);
    expect(hiddenColumns).toEqual(['NAME', 'START', 'STATUS', 'INVITEES', 'HOSTS']);
  });

  it('keeps the ID even if it is the least important and rightmost column', async () => {
    const stdout = paper(true, 10);
    const view: View = {
      columns: [
        { header: 'STATUS', path: 'status', as: 'status', priority: 1 },
        { header: 'ID', path: 'uri', as: 'id' },
      ],
    };
    const base = {
      format: 'table',
      header: false,
      raw: false,
      color: undefined,
      accessible: false,
      ...time,
      stdout,
    } as const;
    await createPrinter(base).list(view, [[event('x', 1)]]);
    expect(stdout.text).toBe('ID\nEVENT0001\n');
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
    const rows = Array.from({ length: 101 }, (_, i) => event(names[i % names.length]!, i));
    for (const columns of sample([50, 80, 120], 1)) {
      const long = await table([rows], columns, { color: { depth: 1, hasLinks: false } });
      const short = await table([rows.slice(0, 100)], columns, { color: { depth: 1, hasLinks: false } });
      expect(long.lines.slice(0, 101)).toEqual(short.lines);
      expect(
        (await table([rows.slice(0, 100), rows.slice(100)], columns, { color: { depth: 1, hasLinks: false } })).text,
      ).toBe(long.text);
    }
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
    expect(text).toContain('ID: EVENT0001\nNAME: none\nSTART: Mon 2026-11-16 09:30 (Europe/Berlin)\n');
    expect(text).toContain('HOSTS: Ann, Bob\n\nID: EVENT0002\n');
  });
});
