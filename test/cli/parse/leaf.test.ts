import { describe, expect, test } from 'vitest';
import type { Command, Flag } from '../../../src/cli/command.ts';
import { Leaf } from '../../../src/cli/parse/leaf.ts';
import { readLeaf } from '../../../src/cli/parse/read-leaf.ts';
import { buildRoot, loadVerbs } from '../../../src/cli/parse/tree.ts';

const flag = (name: string, more: Partial<Flag> = {}): Flag => ({ name, description: '', heading: 'Flags', ...more });

const command: Command = {
  name: 'cancel',
  summary: '',
  arguments: [{ name: 'event', description: '', variadic: true }],
  flags: [
    flag('reason', { value: 'TEXT' }),
    flag('host', { value: 'USER', repeat: true }),
    flag('active', { negatable: true }),
    flag('input', { value: 'FILE' }),
  ],
  examples: ['events cancel ID'],
  fields: ['uri'],
  run: async () => {},
};

/** The result of parsing these words of the command. */
const read = async (...words: string[]) => {
  const leaf = new Leaf('cancel').define(command).action(() => {});
  await leaf.parseAsync(words, { from: 'user' });
  const { unknownFlags, missingValues, wantsHelp } = leaf;
  const { args, typed } = readLeaf(leaf, 'events cancel', words);
  return { args, typed, unknownFlags, missingValues, wantsHelp };
};

const nothing = { args: [], typed: {}, unknownFlags: [], missingValues: [], wantsHelp: false };

describe('leaf', () => {
  test.each<[string[], object]>([
    [['a', '-', 'b'], { args: ['a', '-', 'b'] }],
    [['set', '-2h', '-y'], { args: ['set', '-2h'], typed: { yes: true } }],
    [['-2'], { args: ['-2'] }],
    [['--reason', 'ill'], { typed: { reason: 'ill' } }],
    [['--reason=ill', 'a'], { args: ['a'], typed: { reason: 'ill' } }],
    [['--reason', '', 'a'], { args: ['a'], typed: { reason: '' } }],
    [['--reason', 'a=b'], { typed: { reason: 'a=b' } }],
    [['-o', 'json'], { typed: { output: 'json' } }],
    [['-ojson'], { typed: { output: 'json' } }],
    [['-yn'], { typed: { yes: true, 'dry-run': true } }],
    [['-y', '--no-input'], { typed: { yes: true, 'no-input': true } }],
    [['--input', 'x', '--no-input'], { typed: { input: 'x', 'no-input': true } }],
    [['--active'], { typed: { active: true } }],
    [['--no-active'], { typed: { active: false } }],
    [['--active', '--no-active'], { typed: { active: false } }],
    [['--host', 'a', '--host=b'], { typed: { host: ['a', 'b'] } }],
    [['--json', 'ID'], { args: ['ID'], typed: { json: '' } }],
    [['--json', 'uri'], { typed: { json: 'uri' } }],
    [['--json=x', 'uri'], { args: ['uri'], typed: { json: 'x' } }],
    [['--help'], { wantsHelp: true }],
    [['-h', 'a'], { args: ['a'], wantsHelp: true }],
    [['a', '--', '--yes', '--nonsense', '--help'], { args: ['a', '--yes', '--nonsense', '--help'] }],
    [['--nonsense', 'a', '-z', '--res=b'], { args: ['a'], unknownFlags: ['--nonsense', '-z', '--res=b'] }],
    [['--nonsense', '--', '--help', '-y'], { args: ['--help', '-y'], unknownFlags: ['--nonsense'] }],
    [['--yes=no'], { unknownFlags: ['--yes=no'] }],
    [['-yx'], { typed: { yes: true }, unknownFlags: ['-x'] }],
    [['a', '--reason'], { args: ['a'], missingValues: ['--reason'] }],
    [['--nonsense', '-o'], { unknownFlags: ['--nonsense'], missingValues: ['--output'] }],
  ])('reads %j', async (words, expected) => {
    expect(await read(...words)).toEqual({ ...nothing, ...expected });
  });

  test('keeps the order of typed flags', async () => {
    const leaf = new Leaf('cancel').define(command).action(() => {});
    await leaf.parseAsync(['--host', 'a', '-y', '--reason', 'x', '--host', 'b', '--no-active'], { from: 'user' });
    expect(leaf.inOrder).toEqual([
      ['host', 'a'],
      ['yes', undefined],
      ['reason', 'x'],
      ['host', 'b'],
      ['no-active', undefined],
    ]);
  });
});

describe('tree', () => {
  test('finds nouns by name and singular, and loads the verbs of one noun on demand', async () => {
    const root = buildRoot();
    const events = root.commands.find((noun) => noun.name() === 'events')!;
    expect(events.alias()).toBe('event');
    expect(events.commands).toEqual([]);
    const verbs = await loadVerbs(events);
    expect(verbs.map((verb) => verb.name())).toEqual(expect.arrayContaining(['list', 'get', 'cancel']));
    expect(root.commands.filter((noun) => noun.commands.length > 0)).toEqual([events]);
  });
});
