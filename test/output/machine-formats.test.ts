import { describe, expect, it } from 'vitest';
import { ClosedPipe } from '../../src/base/errors.ts';
import { type Choices, type MachineFormat, machineFormats, writeRows } from '../../src/output/machine-formats.ts';
import { event, eventView, paper } from './samples.ts';

const plain: Choices = { header: false, raw: false, isTerminal: false };

const listed = async (format: MachineFormat, pages: object[][], choices: Partial<Choices> = {}) => {
  const stdout = paper();
  await writeRows(stdout, () => machineFormats[format](eventView, { ...plain, ...choices }), pages, { rows: 0 });
  return stdout.text;
};

describe('machine: json', () => {
  it('is one array across pages, formatted like JSON.stringify', async () => {
    const events = [event('a', 1), event('b', 2), event('c', 3)];
    expect(await listed('json', [events.slice(0, 2), [], events.slice(2)])).toBe(
      `${JSON.stringify(events, null, 2)}\n`,
    );
  });

  it('is an empty array if there are no records', async () => expect(await listed('json', [[]])).toBe('[]\n'));

  it('contains only the selected fields', async () =>
    expect(JSON.parse(await listed('json', [[event('a')]], { fields: ['name', 'location.type'] }))).toEqual([
      { name: 'a', location: { type: 'zoom_conference' } },
    ]));

  it('does not parse after a failure in the middle, and the tally counts the written rows', async () => {
    const stdout = paper();
    const tally = { rows: 0 };
    async function* failing() {
      yield [event('a'), event('b')];
      throw new Error('gone');
    }
    await expect(writeRows(stdout, () => machineFormats.json(eventView, plain), failing(), tally)).rejects.toThrow(
      'gone',
    );
    expect(() => JSON.parse(stdout.text)).toThrow();
    expect(JSON.parse(`${stdout.text}]`)).toEqual([event('a'), event('b')]);
    expect(tally.rows).toBe(2);
  });
});

describe('machine: line formats', () => {
  it('tsv has full values in the columns of the view', async () =>
    expect(await listed('tsv', [[event('a\tb')]])).toBe(
      'https://api.example.com/scheduled_events/EVENT0001\ta\\tb\t2026-11-16T09:30:00.000000Z\tactive\t1\tAnn,Bob\n',
    ));

  it('tsv has a header of field paths if requested, even without rows', async () => {
    expect(await listed('tsv', [], { header: true, fields: ['uri', 'location.type'] })).toBe('uri\tlocation.type\n');
    expect(await listed('tsv', [[event('a')]], { header: true, fields: ['name'] })).toBe('name\na\n');
  });

  it('csv always has a header, and the same values as tsv in quotes', async () => {
    expect(await listed('csv', [])).toBe(
      'uri,name,start_time,status,invitees_counter.active,event_memberships.*.user_name\r\n',
    );
    expect(await listed('csv', [[event('a "b"\n', 2)]], { fields: ['name', 'event_memberships.user_name'] })).toBe(
      'name,event_memberships.user_name\r\n"a ""b""\n","Ann,Bob"\r\n',
    );
  });

  it('yaml is one sequence across pages', async () => {
    expect(await listed('yaml', [[]])).toBe('[]\n');
    expect(await listed('yaml', [[{ a: 1, b: { c: [] } }], [], [{ a: 'x' }]])).toBe(
      '- a: 1\n  b:\n    c: []\n- a: x\n',
    );
  });

  it('id prints only the uri', async () =>
    expect(await listed('id', [[event('a', 7)]])).toBe('https://api.example.com/scheduled_events/EVENT0007\n'));

  it('id rejects records without a uri', async () =>
    await expect(listed('id', [[{ name: 'a' }]])).rejects.toMatchObject({ category: 'usage' }));
});

describe('machine: writing', () => {
  const rows = machineFormats.jsonl(eventView, plain);

  it('flushes every page, and long pages in chunks', async () => {
    const stdout = paper();
    const long = Array.from({ length: 100 }, () => ({ notes: 'n'.repeat(2000) }));
    await writeRows(stdout, () => rows, [[{ a: 1 }], long], { rows: 0 });
    expect(stdout.writes[0]).toBe('{"a":1}\n');
    expect(stdout.writes.length).toBe(5);
    expect(Math.max(...stdout.writes.map((text) => text.length))).toBeLessThan(70_000);
  });

  it('fetches the next page only after stdout accepted the last one', async () => {
    const order: string[] = [];
    async function* pages() {
      for (const page of ['1', '2']) {
        order.push(`fetch ${page}`);
        yield [{ page }];
      }
    }
    const stdout = {
      ...paper(),
      async write() {
        await new Promise((resolve) => setImmediate(resolve));
        order.push('written');
      },
    };
    await writeRows(stdout, () => rows, pages(), { rows: 0 });
    expect(order).toEqual(['fetch 1', 'written', 'fetch 2', 'written']);
  });

  it('stops fetching when the pipe is closed', async () => {
    let stopped = false;
    async function* endless() {
      try {
        for (;;) yield [{ a: 1 }];
      } finally {
        stopped = true;
      }
    }
    const stdout = {
      ...paper(),
      async write() {
        throw new ClosedPipe();
      },
    };
    const tally = { rows: 0 };
    await expect(writeRows(stdout, () => rows, endless(), tally)).rejects.toBeInstanceOf(ClosedPipe);
    expect(stopped).toBe(true);
    expect(tally.rows).toBe(0);
  });
});
