import { describe, expect, test } from 'vitest';
import type { SchedError } from '../../../src/base/errors.ts';
import type { Command, Flag } from '../../../src/cli/command.ts';
import { accept } from '../../../src/cli/input/kind.ts';
import { noAccount } from '../../../src/cli/messages/suggested-line.ts';
import { Group, Leaf } from '../../../src/cli/parse/leaf.ts';
import { argumentsIn } from '../../../src/cli/parse/line-part.ts';
import { readLeaf } from '../../../src/cli/parse/read-leaf.ts';
import { buildRoot, loadVerbs, parseCommandLine } from '../../../src/cli/parse/tree.ts';

const flag = (name: string, { value, ...more }: Partial<Flag> & { value?: string } = {}): Flag => ({
  name,
  description: '',
  heading: 'Flags',
  kind: { json: 'string', ...(value && { value }), ...(value === 'TEXT' && { isProse: true }), read: accept },
  ...more,
});

const command: Command = {
  name: 'cancel',
  summary: '',
  arguments: [{ name: 'event', description: '', variadic: true }],
  flags: [
    flag('reason', { value: 'TEXT' }),
    flag('host', { value: 'USER', repeat: true }),
    flag('active', { negatable: 'make it inactive' }),
    flag('input', { value: 'FILE' }),
  ],
  examples: ['events cancel ID'],
  fields: ['uri'],
  run: async () => ({ kind: 'nothing' }),
};

const parsed = async (words: string[]): Promise<Leaf> => {
  const leaf = new Leaf('cancel').describe(command).action(() => {});
  new Group('sched').addCommand(new Group('events').addCommand(leaf));
  await leaf.parseAsync(words, { from: 'user' });
  return leaf;
};

/** The result of parsing these words of the command. */
const read = async (...words: string[]) => {
  const leaf = await parsed(words);
  const { given, parts, problems } = await readLeaf(leaf, noAccount);
  const { event: _, ...flags } = given;
  const found: Pick<SchedError, 'message' | 'facts'>[] = [];
  try {
    problems.check();
  } catch (error) {
    found.push(error as SchedError);
  }
  return {
    args: argumentsIn(parts),
    flags,
    wantsHelp: leaf.wantsHelp,
    problems: found.map(({ message }) => message),
    meant: found.map(({ facts }) => facts.hint).join(),
  };
};

const nothing = { args: [], flags: {}, wantsHelp: false, problems: [], meant: '' };

describe('leaf', () => {
  test.each<[string[], object]>([
    [['a', '-', 'b'], { args: ['a', '-', 'b'] }],
    [['set', '-2h', '-y'], { args: ['set', '-2h'], flags: { yes: true } }],
    [['-2'], { args: ['-2'] }],
    [['--reason', 'ill'], { flags: { reason: 'ill' } }],
    [['--reason=ill', 'a'], { args: ['a'], flags: { reason: 'ill' } }],
    [['--reason', '', 'a'], { args: ['a'], flags: { reason: '' } }],
    [['--reason', 'a=b'], { flags: { reason: 'a=b' } }],
    [['-o', 'json'], { flags: { output: 'json' } }],
    [['-ojson'], { flags: { output: 'json' } }],
    [['-yn'], { flags: { yes: true, 'dry-run': true } }],
    [['-y', '--no-input'], { flags: { yes: true, 'no-input': true } }],
    [['--input', 'x', '--no-input'], { flags: { input: 'x', 'no-input': true } }],
    [['--active'], { flags: { active: true } }],
    [['--no-active'], { flags: { active: false } }],
    [
      ['--active', '--no-active'],
      { flags: { active: false }, problems: ["--active and --no-active can't be used together"] },
    ],
    [['--host', 'a', '--host=b'], { flags: { host: ['a', 'b'] } }],
    [['--json', 'ID'], { args: ['ID'], flags: { json: '' } }],
    [['--json', 'uri'], { flags: { json: 'uri' } }],
    [['--json', 'uri,uri', 'ID'], { args: ['ID'], flags: { json: 'uri,uri' } }],
    [['--json', '-y'], { flags: { json: '', yes: true } }],
    [['--json=x', 'uri'], { args: ['uri'], flags: { json: 'x' } }],
    // The value of another flag.
    [['--reason', '--json', 'uri'], { args: ['uri'], flags: { reason: '--json' } }],
    [['-yo', '--json', 'uri'], { args: ['uri'], flags: { yes: true, output: '--json' } }],
    [['-oy', '--json', 'uri'], { flags: { output: 'y', json: 'uri' } }],
    [['--help'], { flags: { help: true }, wantsHelp: true }],
    [['-yh', 'a'], { args: ['a'], flags: { yes: true, help: true }, wantsHelp: true }],
    [['a', '--', '--yes', '--nonsense', '--help'], { args: ['a', '--yes', '--nonsense', '--help'] }],
    [
      ['--nonsense', '--', '--help', '-y'],
      { args: ['--help', '-y'], problems: ['Unknown flag --nonsense (see sched events cancel --help)'] },
    ],
    [['-yx'], { flags: { yes: true }, problems: ['Unknown flag -yx (see sched events cancel --help)'] }],
    [
      ['--reas=b', 'a'],
      {
        args: ['a'],
        flags: { reason: 'b' },
        problems: ['Unknown flag --reas. Did you mean --reason?'],
        meant: 'sched events cancel --reason=b a',
      },
    ],
    [
      ['--raeson', 'not well', 'a'],
      {
        args: ['a'],
        flags: { reason: 'not well' },
        problems: ['Unknown flag --raeson. Did you mean --reason?'],
        meant: "sched events cancel --reason 'not well' a",
      },
    ],
    [
      ['--active=false'],
      {
        flags: { active: false },
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
        flags: { reason: 'ill' },
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

  test('keeps the order of what was typed, and spells out short flags in one word', async () => {
    const { parts } = await parsed(['--host=a', '-yo', 'id', 'x', '--host', 'b', '--no-active', '--', '-y']);
    expect(parts).toEqual([
      { words: ['--host=a'], flag: 'host', value: 'a' },
      { words: ['--yes'], flag: 'yes' },
      { words: ['--output', 'id'], flag: 'output', value: 'id' },
      { words: ['x'], value: 'x' },
      { words: ['--host', 'b'], flag: 'host', value: 'b' },
      { words: ['--no-active'], flag: 'no-active' },
      { words: ['--'] },
      { words: ['-y'], value: '-y' },
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

  test.each<[string, { path: string; args?: string[]; flags?: object; wrong?: string[] }]>([
    ['events list', { path: 'events list' }],
    ['event list a b', { path: 'events list', args: ['a', 'b'] }],
    ['--yes events list', { path: 'events list', flags: { yes: true } }],
    ['events -y list a', { path: 'events list', args: ['a'], flags: { yes: true } }],
    ['-ojson events list', { path: 'events list', flags: { output: 'json' } }],
    ['-yo json events list', { path: 'events list', flags: { yes: true, output: 'json' } }],
    ['-oy events list', { path: 'events list', flags: { output: 'y' } }],
    ['--tz UTC events --output csv list', { path: 'events list', flags: { tz: 'UTC', output: 'csv' } }],
    ['--tz -y events list', { path: 'events list', flags: { tz: '-y' } }],
    ['--json events list', { path: 'events list', flags: { json: '' } }],
    ['--json=uri events list', { path: 'events list', flags: { json: 'uri' } }],
    ['--nonsense events list', { path: 'events list', wrong: ['--nonsense'] }],
    ['-y doctor now --yes', { path: 'doctor', args: ['now'], flags: { yes: true } }],
    ['', { path: 'sched' }],
    ['--tz', { path: 'sched', wrong: ['--tz'] }],
    ['-- events list', { path: 'sched', args: ['--', 'events', 'list'] }],
    ['nothing -y list', { path: 'sched', args: ['nothing', '-y', 'list'] }],
    ['events -- list', { path: 'events', args: ['--', 'list'] }],
    ['-y events - x', { path: 'events', args: ['-', 'x'] }],
  ])(
    'finds the command, and reads the flags before it: %j',
    async (line, { path, args = [], flags = {}, wrong = [] }) => {
      const found = await parseCommandLine(line.split(' ').filter(Boolean));
      expect({
        path: found instanceof Leaf ? found.path : found.name(),
        args: found.args,
        flags: found.opts(),
        wrong: found.parts.filter((part) => part.wrong !== undefined).flatMap(({ words }) => words),
      }).toEqual({ path, args, flags, wrong });
    },
  );
});
