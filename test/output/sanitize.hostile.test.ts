import { parse as parseCsv } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { humanCell, humanField } from '../../src/output/cells.ts';
import { commonFormats } from '../../src/output/formats.ts';
import type { PrinterOptions } from '../../src/output/forms.ts';
import { createPrinter } from '../../src/output/printer.ts';
import { safe } from '../../src/output/sanitize.ts';
import { times } from '../support/tier.ts';
import { event, eventView, hostile, madeUp, paper, time } from './samples.ts';

/** Hostile text wherever the service can put text, including field names. */
const poisoned = ([name, id, status, start, host, key, value, note]: string[], i: number) => ({
  ...event(name!, i),
  uri: `https://api.example.com/scheduled_events/${id}`,
  status,
  start_time: start,
  location: { [key!]: value },
  event_memberships: [{ user_name: host }],
  [`x${note}`]: [note],
});

const ours = /\x1b\[\d+m|\r?\n/g;
const dangerous =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u200B\u2060\uFEFF\u00AD\u3164\u115F\u1160\uFFA0\u{E0020}]/u;
const strings = [...hostile, ...hostile, ...hostile, ...madeUp(times(400, 20_000), 43)];
const each = 8;
const records = Array.from({ length: Math.floor(strings.length / each) }, (_, i) =>
  poisoned(strings.slice(i * each, i * each + each), i),
);
const wellFormed = (value: unknown) =>
  JSON.parse(JSON.stringify(value).replace(/\\(\\|ud[89a-f]..)/g, (all, what) => (what === '\\' ? all : '\uFFFD')));

const shown = async (options: Partial<PrinterOptions>, isTerminal: boolean, records: readonly object[]) => {
  const stdout = paper(isTerminal, 120);
  const base = {
    format: 'table',
    header: false,
    raw: false,
    color: { depth: 1, hasLinks: false },
    accessible: false,
    ...time,
  } as const;
  const printer = createPrinter({ ...base, ...options, stdout });
  const pages = Array.from({ length: Math.ceil(records.length / 100) }, (_, i) =>
    records.slice(i * 100, i * 100 + 100),
  );
  await printer.list(eventView, pages);
  return stdout.text;
};
const linesOf = (text: string) => text.replace(/\r?\n$/, '').split('\n');

const obeyed = /##(\[|vso\[)|^[^\S\n]*::/im;

describe(`hostile: ${strings.length} strings on a terminal`, () => {
  it.each([...commonFormats, 'jq', 'jq -o jsonl'] as const)(
    'print no control byte and no forged row as %s',
    async (name) => {
      const rows = name.startsWith('jq')
        ? {
            jq: name === 'jq' ? '.[] | .name' : '.name',
            format: name === 'jq' ? ('json' as const) : ('jsonl' as const),
          }
        : { format: name as (typeof commonFormats)[number] };
      const text = await shown(rows, true, records);
      const separators = name === 'tsv' || name.startsWith('jq') ? /\t/g : /(?!)/g;
      expect(text.replace(ours, '').replace(separators, '')).not.toMatch(dangerous);
      const headings = { table: 1, csv: 1 }[name as string] ?? 0;
      if (!['json', 'yaml'].includes(name)) expect(linesOf(text)).toHaveLength(records.length + headings);
    },
  );

  it('print no control byte as accessible lines and as blocks', async () => {
    const spoken = await shown({ accessible: true }, true, records);
    expect(spoken.replace(ours, '')).not.toMatch(dangerous);
    expect(spoken.split('\n\n')).toHaveLength(records.length);
    for (const accessible of [false, true]) {
      const stdout = paper(true, 80);
      const printer = createPrinter({
        format: 'table',
        header: false,
        raw: false,
        color: { depth: 1, hasLinks: false },
        accessible,
        ...time,
        stdout,
      });
      for (const record of records) await printer.one(eventView, record);
      expect(stdout.text.replace(ours, '')).not.toMatch(dangerous);
      expect(stdout.text.replace(/\x1b\[\d+m/g, '')).not.toMatch(obeyed);
    }
  });

  it('have nothing dangerous after safe(), and a second safe() changes nothing', () => {
    const made = strings.map(safe);
    expect(made.join('')).not.toMatch(dangerous);
    expect(made.map(safe).join('\n')).toBe(made.join('\n'));
    const isHarmless = (text: string) => /^[ -~]*$/.test(text);
    expect(made.filter((_, i) => isHarmless(strings[i]!))).toEqual(strings.filter(isHarmless));
  });

  it('stay on one harmless line in cells of every kind', () => {
    const kinds = [
      (text: string) => humanCell(text, undefined, time),
      (text: string) => humanCell(`https://api.example.com/${text}`, 'id', time),
      (text: string) => humanCell(text, 'time', time),
      (text: string) => humanCell(['', text], 'list', time),
      (text: string) => humanCell({ [text]: text }, undefined, time),
      (text: string) => humanField(text, time),
    ];
    const cells = strings.flatMap((text) => kinds.map((cell) => cell(text)));
    expect(cells.join('')).not.toMatch(dangerous);
    expect(cells.join('\n')).not.toMatch(obeyed);
    expect(cells).not.toContain('');
  });
});

describe(`hostile: ${strings.length} strings in a pipe`, () => {
  it('parse back exactly from json and jsonl', async () => {
    expect(JSON.stringify(JSON.parse(await shown({ format: 'json' }, false, records)))).toBe(JSON.stringify(records));
    const lines = linesOf(await shown({ format: 'jsonl' }, false, records));
    expect(lines.map((line) => JSON.stringify(JSON.parse(line)))).toEqual(
      records.map((record) => JSON.stringify(record)),
    );
  });

  it('parse back exactly from yaml', async () => {
    expect(JSON.stringify(parseYaml(await shown({ format: 'yaml' }, false, records)))).toBe(JSON.stringify(records));
  });

  it('parse back from csv', async () => {
    const read = parseCsv(await shown({ format: 'csv', raw: true, fields: ['name', 'uri'] }, false, records), {
      record_delimiter: '\r\n',
    });
    expect(read.slice(1)).toEqual(wellFormed(records.map(({ name, uri }) => [name, uri])));
    const guarded = parseCsv(await shown({ format: 'csv', fields: ['name'] }, false, records), {
      record_delimiter: '\r\n',
    }).flat();
    for (const cell of guarded) if (/^[=+\-@\t\r]/.test(cell)) expect(cell).toBe('no formula');
  });

  it('parse back from jq, except lone surrogates', async () =>
    expect(JSON.parse(await shown({ format: 'json', jq: '.' }, false, records))).toEqual(wellFormed(records)));

  it('add no extra lines to tsv', async () =>
    expect(linesOf(await shown({ format: 'tsv' }, false, records))).toHaveLength(records.length));
});
