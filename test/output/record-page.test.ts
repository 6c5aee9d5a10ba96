import { describe, expect, it } from 'vitest';
import type { PrinterOptions } from '../../src/output/forms.ts';
import { createPrinter } from '../../src/output/printer.ts';
import type { Page, View } from '../../src/output/view.ts';
import { width } from '../../src/output/width.ts';
import { paper, time } from './samples.ts';

const page: Page = {
  title: 'name',
  lines: [
    { label: 'Length', value: 'duration', as: 'minutes' },
    { label: 'Kind', value: 'kind', as: 'words' },
    { label: 'Hosts', value: 'hosts.*.name' },
    { label: 'Computed', value: ({ kind }, { zoneLabel }) => kind && `${kind} in ${zoneLabel}` },
    { label: 'ID', value: 'uri', as: 'id' },
  ],
};

const shown = async (
  record: object,
  { before, columns = 80, ...options }: Partial<PrinterOptions> & { before?: object; columns?: number } = {},
): Promise<string> => {
  const stdout = paper(true, columns);
  const base = { format: 'table', header: false, raw: false, color: undefined, accessible: false } as const;
  const view = { columns: [], page };
  await createPrinter({ ...base, ...time, ...options, stdout }).one(view, record, before);
  return stdout.text;
};

const record = {
  uri: 'https://api.example.com/event_types/T1',
  name: 'Intro call',
  duration: 30,
  kind: 'round_robin',
  hosts: [{ name: 'Ann' }, { name: 'Bob' }],
  internal: 'not shown',
};

describe('page', () => {
  it('shows the title, then the lines in their order and words', async () =>
    expect(await shown(record)).toBe(
      [
        'Intro call',
        'Length    30 min',
        'Kind      round robin',
        'Hosts     Ann',
        '          Bob',
        'Computed  round_robin in Europe/Berlin',
        'ID        T1',
        '',
      ].join('\n'),
    ));

  it('leaves out lines without a value', async () =>
    expect(await shown({ ...record, name: ' ', kind: '', hosts: [] })).toBe('Length  30 min\nID      T1\n'));

  it('shows all fields of a record that has none of the expected ones', async () =>
    expect(await shown({ uri: 'https://api.example.com/event_types/T1', link: 'https://b.example/x' })).toBe(
      'uri   https://api.example.com/event_types/T1\nlink  https://b.example/x\n',
    ));

  it('shows values of any kind', async () =>
    expect(await shown({ name: ['a', 'b'], duration: false, hosts: [{ name: { x: 1 } }], uri: 7 })).toBe(
      'a, b\nLength  no\nHosts   {"x":1}\nID      7\n',
    ));

  it('lists all fields of a record that has nothing for the page', async () =>
    expect(await shown({ start_time: 'soon' })).toBe('start_time  soon\n'));

  it('is replaced by the fields with --fields, and unknown to machine formats', async () => {
    expect(await shown(record, { fields: ['internal'] })).toBe('internal  not shown\n');
    expect(await shown(record, { format: 'tsv' })).toContain('hosts.0.name\tAnn\n');
    expect(await shown(record, { format: 'json', before: { name: 'Old' } })).toBe(
      `${JSON.stringify(record, null, 2)}\n`,
    );
  });

  it('shows old and new values after a change', async () => {
    const before = { ...record, name: 'Intro', duration: 15, kind: null, hosts: [{ name: 'Bob' }, { name: 'Eve' }] };
    expect(await shown(record, { before })).toBe(
      [
        'Intro call',
        'Name      Intro → Intro call',
        'Length    15 min → 30 min',
        'Kind      none → round robin',
        'Hosts     - Eve',
        '          + Ann',
        '            Bob',
        'Computed  none → round_robin in Europe/Berlin',
        'ID        T1',
        '',
      ].join('\n'),
    );
    expect(await shown({ ...record, duration: null }, { before: record })).toContain('Length    30 min → none\n');
  });

  it('says the same in words for screen readers', async () => {
    expect(await shown(record, { accessible: true })).toMatch(/^Name: Intro call\nLength: 30 min\n.*\nHosts: Ann\n/);
    const before = { ...record, name: 'Intro', duration: 15, hosts: [{ name: 'Eve' }, { name: 'Bob' }] };
    expect(await shown(record, { accessible: true, before })).toBe(
      [
        'Name: Intro call (was Intro)',
        'Length: 30 min (was 15 min)',
        'Kind: round robin',
        'Hosts: removed Eve',
        'Hosts: added Ann',
        'Hosts: Bob',
        'Computed: round_robin in Europe/Berlin',
        'ID: T1',
        '',
      ].join('\n'),
    );
  });

  it('wraps long texts at 40 columns, below their label', async () => {
    const text = await shown({ ...record, name: 'word '.repeat(20), kind: 'many_words '.repeat(12) }, { columns: 40 });
    for (const line of text.trimEnd().split('\n')) expect(width(line)).toBeLessThanOrEqual(40);
    expect(text).toMatch(/\nKind {6}many words .*\n {10}(?:many|words)/);
  });

  it('keeps addresses whole, so that they can be copied', async () => {
    const address = `<${'a'.repeat(40)}@example.com>`;
    expect(await shown({ hosts: [{ name: `Ann ${address}` }] }, { columns: 40 })).toContain(address);
  });

  it('cuts very long values', async () => {
    const text = await shown({ name: 'x'.repeat(50_000), kind: ' x'.repeat(100_000) });
    expect(text.length).toBeLessThan(80_000);
    expect(text).toContain('…');
  });

  it('paints the title and the labels, and nothing else is different', async () => {
    const painted = await shown(record, { color: { depth: 1, hasLinks: false } });
    expect(painted).toContain('\x1b[1mIntro call\x1b[22m');
    expect(painted.replace(/\x1b\[\d+m/g, '')).toBe(await shown(record));
  });

  it('links a URL on a terminal that supports links, and nothing that only looks like one', async () => {
    const linked: View = { columns: [], page: { lines: [{ label: 'Join', value: 'url' }] } };
    const shown = async (url: string, hasLinks: boolean) => {
      const stdout = paper(true, 80);
      const color = { depth: 1, hasLinks } as const;
      await createPrinter({
        format: 'table',
        header: false,
        raw: false,
        accessible: false,
        ...time,
        color,
        stdout,
      }).one(linked, { url });
      return stdout.text;
    };
    const url = 'https://meet.example/a';
    expect(await shown(url, true)).toContain(`\x1b]8;;${url}\x07${url}\x1b]8;;\x07`);
    expect(await shown(url, false)).not.toContain('\x1b]8');
    for (const other of ['javascript:alert(1)', 'https://a.example b'])
      expect(await shown(other, true)).not.toContain('\x1b]8');
  });
});
