import { describe, expect, it } from 'vitest';
import { commonFormats } from '../../src/output/formats.ts';
import type { PrinterOptions } from '../../src/output/forms.ts';
import { createPrinter } from '../../src/output/printer.ts';
import { event, eventView, hostile, paper, time } from './samples.ts';

const printer = (options: Partial<PrinterOptions>, stdout = paper(true, 100)) => ({
  stdout,
  printer: createPrinter({
    format: 'table',
    header: false,
    raw: false,
    color: undefined,
    accessible: false,
    ...time,
    ...options,
    stdout,
  }),
});

describe('printer: hostile text on a terminal', () => {
  const everywhere = hostile.map((text, i) => ({
    ...event(text, i),
    uri: `https://api.example.com/scheduled_events/${text}`,
    status: text,
    start_time: text,
    location: { [text]: text },
    event_memberships: [{ user_name: text }],
    [text]: [text],
  }));
  const ours = /\x1b\[\d+m|\n/g;
  const dangerous = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Cf}\u3164\u115F\u1160\uFFA0]/u;

  for (const format of commonFormats) {
    for (const accessible of [false, true]) {
      it(`is harmless as ${format}${accessible ? ', accessible' : ''}`, async () => {
        const { printer: hostilePrinter, stdout } = printer({
          format,
          accessible,
          color: { depth: 1, hasLinks: false },
          header: true,
        });
        await hostilePrinter.list(eventView, [everywhere]);
        for (const record of everywhere) await hostilePrinter.one(eventView, record);
        await hostilePrinter.text(hostile.filter((text) => !text.includes('\n')).join('\n'));
        const separators = { tsv: /\t/g, csv: /\r(?=\n)/g }[format as string] ?? /(?!)/g;
        expect(stdout.text.replace(separators, '').replace(ours, '')).not.toMatch(dangerous);
        expect(stdout.text.length).toBeGreaterThan(hostile.length * 10);
      });
    }
  }

  it('contains no commands for CI runners in tables and blocks', async () => {
    for (const accessible of [false, true]) {
      const { printer: hostilePrinter, stdout } = printer({ accessible }, paper(false));
      await hostilePrinter.list(eventView, [everywhere]);
      for (const record of everywhere) await hostilePrinter.one(eventView, record);
      expect(stdout.text).not.toMatch(/##(\[|vso\[)|^\s*::/im);
    }
  });

  it('keeps every row on one line', async () => {
    for (const format of ['table', 'jsonl', 'csv', 'tsv', 'id'] as const) {
      const { printer: hostilePrinter, stdout } = printer({ format });
      await hostilePrinter.list(eventView, [everywhere]);
      expect(stdout.text.trimEnd().split('\n')).toHaveLength(
        hostile.length + (['table', 'csv'].includes(format) ? 1 : 0),
      );
    }
  });
});

describe('printer: one', () => {
  it('cuts very long values, which take too long to measure', async () => {
    const { printer: blockPrinter, stdout } = printer({});
    await blockPrinter.one(eventView, { name: 'x'.repeat(30_000), spaces: ' '.repeat(100_000) });
    expect(stdout.text.length).toBeLessThan(40_000);
    expect(stdout.text).toContain('…');
  });

  it('prints a vertical block of all fields', async () => {
    const { printer: blockPrinter, stdout } = printer({});
    await blockPrinter.one(eventView, { ...event('Intro'), tags: ['a', 'b'], extra: { when: '2026-01-02T03:04:05Z' } });
    expect(stdout.text).toBe(
      [
        'uri         https://api.example.com/scheduled_events/EVENT0001',
        'name        Intro',
        'status      active',
        'start_time  Mon 2026-11-16 09:30 (Europe/Berlin)',
        'location',
        '  type      zoom_conference',
        '  join_url  –',
        'invitees_counter',
        '  active  1',
        'event_memberships',
        '  - user_name  Ann',
        '  - user_name  Bob',
        'tags        a, b',
        'extra',
        '  when  Mon 2026-01-02 03:04 (Europe/Berlin)',
        '',
      ].join('\n'),
    );
  });

  it('prints only the selected fields, in every format', async () => {
    const expected = {
      table: 'location\n  type  zoom_conference\nname  x\n',
      json: '{\n  "location": {\n    "type": "zoom_conference"\n  },\n  "name": "x"\n}\n',
      jsonl: '{"location":{"type":"zoom_conference"},"name":"x"}\n',
      csv: 'field,value\r\nlocation.type,zoom_conference\r\nname,x\r\n',
      yaml: 'location:\n  type: zoom_conference\nname: x\n',
      tsv: 'location.type\tzoom_conference\nname\tx\n',
      id: 'https://api.example.com/scheduled_events/EVENT0001\n',
    };
    for (const format of commonFormats) {
      const { printer: chosen, stdout } = printer({ format, fields: ['location.type', 'name'] });
      await chosen.one(eventView, event('x'));
      expect(stdout.text).toBe(expected[format]);
    }
  });

  it('prints a flat list of labels for screen readers', async () => {
    const { printer: spoken, stdout } = printer({ accessible: true });
    await spoken.one(eventView, { name: null, location: { type: 'zoom' } });
    expect(stdout.text).toBe('name: none\nlocation.type: zoom\n');
  });
});

describe('printer', () => {
  it('counts the written rows, even after a failure', async () => {
    const { printer: counting } = printer({ format: 'table' });
    async function* failing() {
      yield [event('a'), event('b')];
      throw new Error('gone');
    }
    await expect(counting.list(eventView, failing())).rejects.toThrow('gone');
    expect(counting.rows).toBe(2);
  });

  it('writes a table to a pipe too, 120 columns wide and without color', async () => {
    const { printer: piped, stdout } = printer({}, paper(false, 0));
    await piped.list(eventView, [[event('x'.repeat(300))]]);
    expect(piped.hiddenColumns).toEqual([]);
    expect(stdout.text.split('\n')[1]).toHaveLength(120);
  });

  it('writes values to a pipe unchanged', async () => {
    const { printer: piped, stdout } = printer({ format: 'tsv', fields: ['name'] }, paper());
    await piped.list(eventView, [[event('\x1b[31m\u202E')]]);
    expect(stdout.text).toBe('\x1b[31m\u202E\n');
  });

  it('ends its own text with a line break', async () => {
    const { printer: plain, stdout } = printer({});
    await plain.text('one\ntwo');
    await plain.text('three\n');
    expect(stdout.text).toBe('one\ntwo\nthree\n');
  });
});
