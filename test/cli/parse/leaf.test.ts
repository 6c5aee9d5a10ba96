import { describe, expect, test } from 'vitest';
import type { Command, Flag } from '../../../src/cli/command.ts';
import { Leaf } from '../../../src/cli/parse/leaf.ts';
import { readLeaf } from '../../../src/cli/parse/read-leaf.ts';
import { buildRoot, loadVerbs } from '../../../src/cli/parse/tree.ts';
import type { SchedError } from '../../../src/errors.ts';

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
  const { args, typed, problems } = readLeaf(leaf, 'events cancel', words);
  const found: Pick<SchedError, 'message' | 'facts'>[] = [];
  try {
    problems.check();
  } catch (error) {
    found.push(error as SchedError);
  }
  return {
    args,
    typed,
    wantsHelp: leaf.wantsHelp,
    problems: found.map(({ message }) => message),
    meant: found.map(({ facts }) => facts.hint).join(),
  };
};

const nothing = { args: [], typed: {}, wantsHelp: false, problems: [], meant: '' };

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
    [
      ['--active', '--no-active'],
      { typed: { active: false }, problems: ["--active and --no-active can't be used together"] },
    ],
    [['--host', 'a', '--host=b'], { typed: { host: ['a', 'b'] } }],
    [['--json', 'ID'], { args: ['ID'], typed: { json: '' } }],
    [['--json', 'uri'], { typed: { json: 'uri' } }],
    [['--json=x', 'uri'], { args: ['uri'], typed: { json: 'x' } }],
    [['--help'], { wantsHelp: true }],
    [['-h', 'a'], { args: ['a'], wantsHelp: true }],
    [['a', '--', '--yes', '--nonsense', '--help'], { args: ['a', '--yes', '--nonsense', '--help'] }],
    [
      ['--nonsense', '--', '--help', '-y'],
      { args: ['--help', '-y'], problems: ['Unknown flag --nonsense (see sched events cancel --help)'] },
    ],
    [['-yx'], { typed: { yes: true }, problems: ['Unknown flag -yx (see sched events cancel --help)'] }],
    [
      ['--reas=b', 'a'],
      {
        args: ['a'],
        typed: { reason: 'b' },
        problems: ['Unknown flag --reas. Did you mean --reason?'],
        meant: 'sched events cancel --reason=b a',
      },
    ],
    [
      ['--raeson', 'not well', 'a'],
      {
        args: ['a'],
        typed: { reason: 'not well' },
        problems: ['Unknown flag --raeson. Did you mean --reason?'],
        meant: "sched events cancel --reason 'not well' a",
      },
    ],
    [
      ['--active=false'],
      {
        typed: { active: false },
        problems: ["--active doesn't take a value"],
        meant: 'sched events cancel --no-active',
      },
    ],
    [
      ['a', '--reason'],
      { args: ['a'], problems: ['--reason needs a value'], meant: 'sched events cancel a --reason TEXT' },
    ],
    [
      ['--event', 'a'],
      {
        args: ['a'],
        problems: ['Unknown flag --event. <event> is an argument: leave out --event'],
        meant: 'sched events cancel a',
      },
    ],
    [
      ['-reason', 'ill'],
      {
        typed: { reason: 'ill' },
        problems: ['Unknown flag -reason. Did you mean --reason?'],
        meant: 'sched events cancel --reason ill',
      },
    ],
  ])('reads %j', async (words, expected) => {
    expect(await read(...words)).toEqual({ ...nothing, ...expected });
  });

  test('reports an unknown flag alone if the next word may be its value', async () => {
    await expect(read('--nonsense', 'a')).rejects.toThrow('Unknown flag --nonsense (see sched events cancel --help)');
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
