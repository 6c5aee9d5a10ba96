import { parse as parseCsv } from 'csv-parse/sync';
import { describe, expect, it, vi } from 'vitest';
import { parse as parseYaml } from 'yaml';
import type { Send } from '../../src/http/message.ts';
import { formats } from '../../src/output/formats.ts';
import { createPrinter, type PrinterOptions } from '../../src/output/printer.ts';
import { createWorld, replying } from '../support/run.ts';
import { event, eventView, hostile, madeUp, pagesOf, paper, time } from './samples.ts';

/** Everywhere the service can put text: names of fields too. */
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
const strings = [...hostile, ...hostile, ...hostile, ...madeUp(20_000, 43)];
const each = 8;
const records = Array.from({ length: Math.floor(strings.length / each) }, (_, i) =>
  poisoned(strings.slice(i * each, i * each + each), i),
);
const wellFormed = (value: unknown) =>
  JSON.parse(JSON.stringify(value).replace(/\\(\\|ud[89a-f]..)/g, (all, what) => (what === '\\' ? all : '\uFFFD')));

const shown = async (options: Partial<PrinterOptions>, isTerminal: boolean, columns = 120) => {
  const stdout = paper(isTerminal, columns);
  const base = { format: 'table', header: false, raw: false, color: true, accessible: false, ...time } as const;
  const printer = createPrinter({ ...base, ...options, stdout });
  const pages = Array.from({ length: Math.ceil(records.length / 100) }, (_, i) =>
    records.slice(i * 100, i * 100 + 100),
  );
  await printer.list(eventView, pagesOf(...pages));
  return stdout.text;
};
const linesOf = (text: string) => text.replace(/\r?\n$/, '').split('\n');

// Twenty thousand strings take their time on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

describe(`hostile: ${strings.length} strings on a terminal`, () => {
  it.each([...formats, 'jq', 'jq -o jsonl'] as const)('as %s: no control byte, no forged row', async (name) => {
    const rows = name.startsWith('jq')
      ? { jq: name === 'jq' ? '.[] | .name' : '.name', format: name === 'jq' ? ('json' as const) : ('jsonl' as const) }
      : { format: name as (typeof formats)[number] };
    const text = await shown(rows, true);
    const separators = name === 'tsv' ? /\t/g : /(?!)/g;
    expect(text.replace(ours, '').replace(separators, '')).not.toMatch(dangerous);
    const headings = { table: 1, csv: 1 }[name as string] ?? 0;
    if (!['json', 'yaml'].includes(name)) expect(linesOf(text)).toHaveLength(records.length + headings);
  });

  it('as spoken lines and as blocks', async () => {
    const spoken = await shown({ accessible: true }, true);
    expect(spoken.replace(ours, '')).not.toMatch(dangerous);
    expect(spoken.split('\n\n')).toHaveLength(records.length);
    for (const accessible of [false, true]) {
      const stdout = paper(true, 80);
      const printer = createPrinter({
        format: 'table',
        header: false,
        raw: false,
        color: true,
        accessible,
        ...time,
        stdout,
      });
      for (const record of records) await printer.one(eventView, record);
      expect(stdout.text.replace(ours, '')).not.toMatch(dangerous);
      expect(stdout.text.replace(/\x1b\[\d+m/g, '')).not.toMatch(/##(\[|vso\[)|^[^\S\n]*::/im);
    }
  });
});

describe(`hostile: ${strings.length} strings in a pipe`, () => {
  it('come back from json and jsonl exactly', async () => {
    expect(JSON.stringify(JSON.parse(await shown({ format: 'json' }, false)))).toBe(JSON.stringify(records));
    const lines = linesOf(await shown({ format: 'jsonl' }, false));
    expect(lines.map((line) => JSON.stringify(JSON.parse(line)))).toEqual(
      records.map((record) => JSON.stringify(record)),
    );
  });

  it('come back from yaml exactly', async () => {
    const part = records;
    const stdout = paper();
    const printer = createPrinter({
      format: 'yaml',
      header: false,
      raw: false,
      color: false,
      accessible: false,
      ...time,
      stdout,
    });
    await printer.list(eventView, pagesOf(part));
    expect(JSON.stringify(parseYaml(stdout.text))).toBe(JSON.stringify(part));
  });

  it('come back from csv', async () => {
    const read = parseCsv(await shown({ format: 'csv', raw: true, fields: ['name', 'uri'] }, false), {
      record_delimiter: '\r\n',
    });
    expect(read.slice(1)).toEqual(wellFormed(records.map(({ name, uri }) => [name, uri])));
    const guarded = parseCsv(await shown({ format: 'csv', fields: ['name'] }, false), {
      record_delimiter: '\r\n',
    }).flat();
    for (const cell of guarded) if (/^[=+\-@\t\r]/.test(cell)) expect(cell).toBe('no formula');
  });

  it('come back from jq, but for halves of characters', async () =>
    expect(JSON.parse(await shown({ format: 'json', jq: '.' }, false))).toEqual(wellFormed(records)));

  it('make no line of tsv', async () =>
    expect(linesOf(await shown({ format: 'tsv' }, false))).toHaveLength(records.length));
});

describe('hostile: through the commands', async () => {
  const world = await createWorld();
  const [real] = JSON.parse((await world.run('events list --limit 1 --json')).stdout);
  const evil = hostile.map((text, i) => ({
    ...real,
    uri: `${real.uri}${i}`,
    name: text,
    meeting_notes_plain: text,
    location: { type: 'custom', location: text },
  }));
  const page = { collection: evil, pagination: { count: evil.length, next_page: null, next_page_token: null } };
  const list: Send = (request) =>
    request.url.includes('/users/') ? world.service(request) : replying({ body: JSON.stringify(page) })(request);
  const terminals = ['stdout' as const, 'stderr' as const];

  it.each([...formats.map((format) => `-o ${format}`), '--accessible', '--jq .[].name'])(
    'events list %s',
    async (flags) => {
      const { code, stdout, stderr } = await world.run(`events list ${flags}`, { terminals, send: list });
      expect({ code, stderr: stderr.replaceAll('\n', '') }).toEqual({
        code: 0,
        stderr: expect.not.stringMatching(dangerous),
      });
      expect(stdout.replace(ours, '').replace(flags === '-o tsv' ? /\t/g : '', '')).not.toMatch(dangerous);
      expect(stdout.length).toBeGreaterThan(300);
    },
  );

  it.each([...formats.map((format) => `-o ${format}`), '--accessible', '--jq .name'])(
    'events get %s',
    async (flags) => {
      for (const resource of evil) {
        const { code, stdout } = await world.run(`events get ABC ${flags}`, {
          terminals,
          send: replying({ body: JSON.stringify({ resource }) }),
        });
        expect(code).toBe(0);
        expect(stdout.replace(ours, '').replace(flags === '-o tsv' ? /\t/g : '', '')).not.toMatch(dangerous);
      }
    },
  );
});
