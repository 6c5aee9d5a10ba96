import { expect, test } from 'vitest';
import { allFlags } from '../../src/cli/parse/all-flags.ts';
import { nouns } from '../../src/commands/registry.ts';
import { createWorld } from '../support/run.ts';
import { sample } from '../support/tier.ts';

const perNoun = await Promise.all(
  Object.entries(nouns).map(async ([noun, { leaf, commands }]) =>
    (await commands()).map((command) => ({ command, words: leaf ? [noun] : [noun, command.name] })),
  ),
);
const all = perNoun.flatMap((commands) =>
  sample(commands, 1).map(({ command, words }) => [words.join(' '), command, words] as const),
);

const world = await createWorld();

test.each(all)('%s refuses every single-value flag that is given twice', async (_, command, words) => {
  const single = allFlags(command).filter(({ kind, repeat }) => kind.value !== undefined && !repeat);
  expect(single.length).toBeGreaterThan(0);
  // All at once: a command reports all problems together.
  const twice = single.flatMap(({ name }) => [`--${name}=a`, `--${name}=b`]);
  const { code, stderr, requests } = await world.run([...words, ...twice]);
  expect({ code, requests }).toEqual({ code: 2, requests: [] });
  const hasEventColor = single.some(({ name }) => name === 'event-color');
  for (const { name } of single)
    if (name !== 'color' || !hasEventColor) expect(stderr).toContain(`--${name} can only be given once`);
});

test.each([
  ['before and after the command', '--tz UTC events list --tz UTC', '--tz'],
  ['by its short name', 'events list -o json --output json', '--output'],
  ['with and without a value', 'events list --json --json=uri', '--json'],
  // A color that --color doesn't take is read as the color of the event type.
  ['as another flag', 'event-types create --color=a --color=b', '--event-color'],
  ['as another flag', 'event-types update X --color=a --color=b', '--event-color'],
])('refuses a flag given twice %s', async (_, line, flag) => {
  const { code, stderr, requests } = await world.run(line);
  expect({ code, requests }).toEqual({ code: 2, requests: [] });
  expect(stderr).toContain(`${flag} can only be given once`);
});

test('refuses a switch together with its opposite', async () => {
  const { code, stderr } = await world.run('event-types list --active --no-active');
  expect(code).toBe(2);
  expect(stderr).toContain("--active and --no-active can't be used together");
});

test('accepts a switch that is given twice', async () => {
  const { code } = await world.run('--quiet events list --quiet --json --json --limit 1');
  expect(code).toBe(0);
});
