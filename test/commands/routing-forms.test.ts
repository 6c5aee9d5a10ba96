import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { createWorld } from '../support/run.ts';

test('routing-forms submissions --sort puts the submissions of all forms in one order', async () => {
  const world = await createWorld();
  const listed = async (flags: string): Promise<{ created_at: string; routing_form: string }[]> =>
    JSON.parse((await world.run(`routing-forms submissions --json=created_at,routing_form ${flags}`)).stdout);
  const times = async (flags: string) => (await listed(flags)).map(({ created_at: at }) => at);
  const all = await listed('');
  expect(new Set(all.map(({ routing_form: form }) => form)).size).toBeGreaterThan(1);
  const oldestFirst = all.map(({ created_at: at }) => at).sort();
  expect(await times('--sort created_at')).toEqual(oldestFirst);
  expect(await times('--sort created_at:asc --limit 2')).toEqual(oldestFirst.slice(0, 2));
  expect(await times('--sort created_at:desc')).toEqual(oldestFirst.toReversed());
  const since = oldestFirst[1];
  expect(await times(`--sort created_at:desc --limit 2 --since ${since}`)).toEqual(
    oldestFirst.toReversed().slice(0, 2),
  );
});

test('routing-forms submissions sends nothing while a flag has a problem', async () => {
  const world = await createWorld();
  const line = 'routing-forms submissions PTGWAKBAYES6AVK5 --limit 1 --all -o csv';
  const { code, stderr, requests } = await world.run(line);
  expect([code, requests]).toEqual([2, []]);
  expect(stderr).toContain("--limit and --all can't be used together");
});

test('routing-forms submissions -o csv names the form of each row in the last column', async () => {
  const world = await createWorld();
  const [head, ...rows] = parse((await world.run('routing-forms submissions -o csv')).stdout) as string[][];
  const forms = JSON.parse((await world.run('routing-forms list --json=uri,name')).stdout) as Json[];
  expect(head!.at(-1)).toBe('form');
  const place = head!.indexOf('routing_form');
  expect(rows.length).toBeGreaterThan(1);
  for (const row of rows) expect(row.at(-1)).toBe(forms.find(({ uri }) => uri === row[place])!.name);
});
