import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/cli/command.ts';
import { commandHelp, paragraphsOf } from '../../../src/cli/help/command-help.ts';
import { HelpPage } from '../../../src/cli/help/help-page.ts';
import { nounHelp, topHelp, welcome } from '../../../src/cli/help/overview.ts';
import { topicHelp, topics } from '../../../src/cli/help/topics.ts';
import { allFlags } from '../../../src/cli/parse/all-flags.ts';
import type { Leaf } from '../../../src/cli/parse/leaf.ts';
import { sharedFlags } from '../../../src/cli/parse/shared-flags.ts';
import { buildTree } from '../../../src/cli/parse/tree.ts';
import { nouns } from '../../../src/commands/registry.ts';
import { commandLinesIn } from '../../every-command/help-lines.ts';
import { createWorld } from '../../support/run.ts';
import { splitCommandLine } from '../../support/shell-words.ts';
import { sample } from '../../support/tier.ts';

const root = await buildTree();
const loaded: { words: string; noun: string; command: Command; leaf: Leaf }[] = [];
const nounCommands = new Map<string, Command[]>();
for (const noun of root.commands) {
  const leaves = (noun.commands.length === 0 ? [noun] : noun.commands) as Leaf[];
  nounCommands.set(
    noun.name(),
    leaves.map((leaf) => leaf.definition),
  );
  for (const leaf of leaves) {
    const words = leaf === noun ? noun.name() : `${noun.name()} ${leaf.name()}`;
    loaded.push({ words, noun: noun.name(), command: leaf.definition, leaf });
  }
}

const world = await createWorld();

const plainPage = (columns: number) => new HelpPage({ columns, heading: (text) => text });
const helpOf = (leaf: Leaf, columns: number) => commandHelp(leaf, plainPage(columns));

const tooWide = (text: string, columns: number) =>
  text
    .split('\n')
    .map((line) => line.replace(/ \\$/, ''))
    // A single word can't be broken: an address, a path, something in quotes.
    .filter((line) => line.length > columns && !/^\s*(export )?(\$\(.*\)|'[^']*'|\S+)$/.test(line));

describe('help', () => {
  test.each(sample(loaded, 1, ({ noun }) => noun))('of $words fits 40 columns', ({ leaf }) => {
    expect(tooWide(helpOf(leaf, 40), 40)).toEqual([]);
  });

  test.each(loaded)('of $words fits 80 columns, and its examples can be copied', ({ words, command, leaf }) => {
    const text = helpOf(leaf, 80);
    expect(tooWide(text, 80)).toEqual([]);
    expect(text).not.toMatch(/\ban user/);
    expect(text.split('\n')[0]).toMatch(new RegExp(`^Usage: sched ${words}( |$)`));
    expect(commandLinesIn(text).slice(0, command.examples.length)).toEqual(
      command.examples.map((example) => `sched ${example}`),
    );
  });

  test.each(loaded)('of $words has a summary and two examples of the command itself', ({ words, command }) => {
    expect(command.summary).toMatch(/^[A-Z].*[^.]$/);
    expect(command.examples.length).toBeGreaterThanOrEqual(2);
    expect(new Set(command.examples).size).toBe(command.examples.length);
    for (const example of command.examples) expect(`${example} `.startsWith(`${words} `), example).toBe(true);
  });

  test.each(loaded)('of $words mentions in its notes only flags that its noun has', ({ noun, command }) => {
    const named = (command.notes ?? []).flatMap((note) => note.match(/(?<![\w-])--[a-z][\w-]*/g) ?? []);
    const known = nounCommands.get(noun)!.flatMap((each) => allFlags(each).map(({ name }) => `--${name}`));
    expect(named.filter((flag) => !known.includes(flag))).toEqual([]);
  });

  test('of a noun of one command has the summary of that command', () => {
    expect(nouns.doctor!.summary).toBe(nounCommands.get('doctor')![0]!.summary);
  });

  test.each([40, 80])('of nouns, topics and the overview fits %i columns', (columns) => {
    const page = plainPage(columns);
    const texts = [
      welcome(root, page),
      topHelp(root, page),
      ...root.commands.filter((noun) => noun.commands.length > 0).map((noun) => nounHelp(noun, page)),
      ...Object.keys(topics).map((name) => topicHelp(name, plainPage(columns))),
    ];
    expect(texts.flatMap((text) => tooWide(text, columns))).toEqual([]);
  });

  test.each([60, 80])('of topics aligns the second column of their tables at %i columns', (columns) => {
    const items = plainPage(columns).items([
      ['1 a', 'one '.repeat(40).trim()],
      ['22 bb', 'two'],
    ]);
    const lines = items.split('\n');
    expect(lines.length).toBeGreaterThan(3);
    expect(lines[0]).toMatch(/^ {2}1 a {4}one/);
    expect(lines.at(-1)).toBe('  22 bb  two');
    for (const line of lines.slice(1, -1)) expect(line).toMatch(/^ {9}one/);
  });

  test('of the first page lists every topic, --help and --version on lines of their own', () => {
    const text = topHelp(root, plainPage(80));
    for (const [name, { summary }] of Object.entries(topics))
      expect(text).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'));
    expect(text).toMatch(/^ {2}-h, --help +\S/m);
    expect(text).toMatch(/^ {2}--version +\S/m);
  });

  test('shows shared flags in a topic of their own, and points to it', () => {
    const list = loaded.find(({ words }) => words === 'events list')!;
    const own = helpOf(list.leaf, 80);
    expect(own.replaceAll('\n', ' ')).toContain('Shared flags: sched help flags');
    expect(own).toContain('Details: sched man events list.');
    const topic = topicHelp('flags', plainPage(80));
    for (const { name } of sharedFlags) {
      expect(topic).toContain(`--${name}`);
      expect(own).not.toMatch(new RegExp(`^  (-\\w, )?--${name}\\b`, 'm'));
    }
  });

  test('puts examples first, then needed flags, and last what few people need', () => {
    const create = loaded.find(({ words }) => words === 'invitees create')!;
    const lines = helpOf(create.leaf, 80).split('\n');
    const flags = lines.filter((line) => line.startsWith('  --'));
    const needed = flags.map((line) => /\(required(, or --[\w-]+)?\)$/.test(line));
    expect(needed.slice(0, 6)).toEqual([true, true, true, true, true, false]);
    expect(needed.filter(Boolean)).toHaveLength(5);
    const [examples, rest, utm] = ['Examples:', 'More flags:', '  --utm-term'].map((start) =>
      lines.findIndex((line) => line.startsWith(start)),
    );
    expect(lines.findIndex((line) => line.startsWith('  --answer'))).toBeGreaterThan(examples!);
    expect(utm).toBeGreaterThan(rest!);
    expect(rest).toBeGreaterThan(examples!);
    // A screen and a half.
    expect(lines.findIndex((line) => line.startsWith('Safety:'))).toBeLessThanOrEqual(36);
  });

  test('says what the opposite of a flag does', () => {
    const update = loaded.find(({ words }) => words === 'event-types update')!;
    expect(helpOf(update.leaf, 80)).toMatch(/--no-active +make it unbookable/);
  });

  test.each([
    [{ NO_COLOR: '' }, true],
    [{ NO_COLOR: '1' }, false],
  ])('has bold headings on a terminal (%o: %s)', async (env, isBold) => {
    const { stdout } = await world.run('events list --help', { terminals: ['stdout'], columns: 80, env });
    expect(stdout.includes('\x1b[1mUsage:')).toBe(isBold);
    expect((await world.run('events list --help')).stdout).toMatch(/^Usage: /);
  });

  test('of the environment names every variable that is read', () => {
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
    const text = sources.map((path) => readFileSync(join('src', path), 'utf8')).join('');
    const read = new Set(Array.from(text.matchAll(/(?:\benv\.|\bvariable: ')(SCHED_[A-Z_]+)/g), ([, name]) => name!));
    expect(read.size).toBeGreaterThan(15);
    const told = topicHelp('environment', plainPage(80));
    expect([...read].filter((name) => !told.includes(`${name} `))).toEqual([]);
  });

  test('names the plan that an operation needs', () => {
    const activity = loaded.find(({ words }) => words === 'activity list')!;
    expect(paragraphsOf(activity.leaf.definition).join(' ')).toContain('scope activity_log:read, Enterprise plan');
  });

  test('of a noun marks the commands that only some services have', () => {
    const users = nounHelp(root.commands.find((noun) => noun.name() === 'users')!, plainPage(80));
    expect(users).toMatch(/^ {2}busy .* \(only some services\)$/m);
    expect(users).toMatch(/^ {2}get +Show a user$/m);
  });

  test('lists the allowed values of a flag, and its default', () => {
    const list = loaded.find(({ words }) => words === 'events list')!;
    const text = helpOf(list.leaf, 100);
    expect(text).toMatch(/--status WORD +only events with this status: active, canceled/);
    expect(text).toMatch(/--with WHAT +include with each event: invitees/);
    expect(text).toMatch(/--week +today and the six days after it/);
  });

  test('has no request flag with the name of a shared flag', () => {
    const shared = new Set(sharedFlags.map(({ name }) => name));
    const clashes = loaded.flatMap(({ words, command }) =>
      command.flags.filter((flag) => 'field' in flag && shared.has(flag.name)).map(({ name }) => `${words} --${name}`),
    );
    expect(clashes).toEqual([]);
  });

  test('groups the flags under headings', () => {
    const list = loaded.find(({ words }) => words === 'events list')!;
    const headings = helpOf(list.leaf, 80).match(/^[A-Z]\w+:$/gm);
    expect(headings).toEqual(['Examples:', 'Filters:', 'Listing:', 'Output:']);
  });
});

/** Arguments that every command rejects, each for a different reason. */
const wrong = ['--no-such-flag', '--color=pink', '--timeout=soon'];

describe('an invalid command line', () => {
  test('is reported in lines that fit a terminal, and the suggested command can be copied', async () => {
    const { stderr } = await world.run('invitees create', { terminals: ['stderr'], columns: 80 });
    expect(tooWide(stderr, 80)).toEqual([]);
    const [, hint] = stderr.split('\ntry: ');
    expect(hint!.replace(/ \\\n +/g, ' ').trim()).toBe(
      'sched invitees create --event-type NAME --start TIME --email EMAIL --name TEXT --timezone ZONE',
    );
    const piped = await world.run('invitees create');
    expect(piped.stderr.trimEnd().split('\n')).toHaveLength(2);
  });

  // `api` and `completion` parse their own arguments, but problems of shared flags are reported with theirs.
  const tried = sample(loaded, 1, ({ noun }) => noun);
  test.each(tried)('of $words: all problems are reported at once, without an example', async ({ words }) => {
    const { code, stderr, stdout, requests } = await world.run([...splitCommandLine(words), ...wrong]);
    expect({ code, stdout, requests }).toEqual({ code: 2, stdout: '', requests: [] });
    const [error, ...more] = stderr.trimEnd().split('\n');
    expect(error).toContain('Unknown flag --no-such-flag');
    expect(error).toContain('--color must be one of auto, always, never, not "pink"');
    expect(error).toContain('--timeout must be a duration such as 90s or 2m, not "soon"');
    // Nothing resembles --no-such-flag, so the command can't be corrected.
    expect(more).toEqual([]);
  });

  const lacking = loaded.filter(
    ({ command }) =>
      !command.freeForm &&
      command.operation !== undefined &&
      (command.arguments.some(({ required }) => required) ||
        command.flags.some((flag) => 'required' in flag && flag.required === true)),
  );

  test.each(sample(lacking, 1, ({ noun }) => noun))(
    'of $words: missing parts are reported with other problems, and the suggested command has them',
    async (each) => {
      const { words, command } = each;
      const { code, stderr, requests } = await world.run([...splitCommandLine(words), '--color=pink']);
      expect({ code, requests }).toEqual({ code: 2, requests: [] });
      expect(stderr).toContain('not "pink"');
      expect(stderr).toMatch(/[Mm]issing|is required|Nothing to change|needs|no address|give |Use /);
      const [, hint] = stderr.split('\ntry: ');
      if (hint !== undefined) expect(hint).toMatch(new RegExp(`^sched ${words} `));
      for (const flag of command.flags) {
        if (!('required' in flag && flag.required === true)) continue;
        if (flag.name === 'group') continue;
        expect(stderr, flag.name).toMatch(new RegExp(`Missing required flags? .*--${flag.name}\\b`));
        expect(hint).toContain(` --${flag.name} `);
      }
    },
  );
});
