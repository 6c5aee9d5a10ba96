import { expect, test } from 'vitest';
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
