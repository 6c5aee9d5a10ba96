import { describe, expect, test } from 'vitest';
import { createWorld } from '../../support/run.ts';

const world = await createWorld();

type Row = { created_at: string; routing_form?: string };

const rowsOf = async (line: string): Promise<Row[]> =>
  JSON.parse((await world.run(`${line} --json=created_at,routing_form`)).stdout);

const timesOf = async (line: string) => (await rowsOf(line)).map(({ created_at }) => created_at);

describe('a window on created_at', () => {
  test.each(['routing-forms submissions', 'routing-forms submissions "Talk to us"', 'invitations list'])(
    'keeps the rows of %s from --since to just before --until',
    async (line) => {
      const all = (await timesOf(line)).sort();
      const [since, until] = [all[1]!, all.at(-1)!];
      expect((await timesOf(`${line} --since ${since} --until ${until}`)).sort()).toEqual(all.slice(1, -1));
      expect((await timesOf(`${line} --since ${until} --limit 1`)).sort()).toEqual(all.slice(-1));
    },
  );

  test('keeps the invitees of an event by the time of their booking', async () => {
    const lines = (await world.run('events list --json --jq ".[]|select(.invitees_counter.total>1)|.uri"')).stdout;
    const line = `invitees list ${lines.split('\n')[0]}`;
    const all = (await timesOf(line)).sort();
    const later = all.filter((time) => time > all[0]!);
    expect(await timesOf(`${line} --until ${all[0]}`)).toEqual([]);
    expect(await timesOf(`${line} --since ${new Date(Date.parse(all[0]!) + 1).toISOString()}`)).toEqual(later);
  });

  test('is not sent, and says so with --dry-run', async () => {
    const { requests } = await world.run('invitations list --since -30d --limit 1 --json');
    expect(requests.at(-1)!.url).not.toMatch(/created_at|since/);
    expect(requests.at(-1)!.url).toContain('count=100');
    const { stderr } = await world.run('invitations list --since -30d --until today -n');
    expect(stderr).toContain('--since and --until: not part of the request, applied to its reply');
  });

  test('that is empty is an error', async () => {
    const { code, stderr } = await world.run('invitations list --since 2026-02-01 --until 2026-01-01');
    expect(code).toBe(2);
    expect(stderr).toContain('The time window is empty');
  });
});

describe('submissions of all forms', () => {
  test.each(['asc', 'desc'])('are sorted over all forms with created_at:%s', async (direction) => {
    const expected = (await timesOf('routing-forms submissions')).sort();
    if (direction === 'desc') expected.reverse();
    const line = `routing-forms submissions --sort created_at:${direction}`;
    const rows = await rowsOf(`${line} --page-size 4`);
    expect(rows.map(({ created_at }) => created_at)).toEqual(expected);
    expect(new Set(rows.map(({ routing_form }) => routing_form)).size).toBeGreaterThan(1);
    expect(await timesOf(`${line} --limit 5`)).toEqual(expected.slice(0, 5));
  });
});
