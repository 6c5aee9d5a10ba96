import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { exitCodes } from '../../../src/base/errors.ts';
import { sharedFlags } from '../../../src/cli/parse/shared-flags.ts';
import { findNoun, nouns } from '../../../src/commands/registry.ts';
import { commandsOf } from '../../../src/commands/schema/command.ts';
import { skillText } from '../../../src/commands/skill/skill-text.ts';
import { createWorld, isWrite, outputs, terminals } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const registry = { nouns, findNoun };
const skill = await skillText(registry, 'skill');
const lines = [
  ...new Set([...skill.matchAll(/^(sched .+)$|`(sched [^`]+)`/gm)].map(([, own, inline]) => own ?? inline!)),
];

const world = await createWorld({ home: temporaryDirectory('skill') });

describe('the skill', () => {
  test('has a name and a description, ten commands, and at most 120 lines', () => {
    const [, front, body] = skill.split(/^---$/m);
    const { name, description } = parseYaml(front!);
    expect(name).toBe('sched');
    expect(description.length).toBeLessThanOrEqual(1024);
    expect(skill.split('\n').length).toBeLessThanOrEqual(120);
    const [, commands] = body!.split('```');
    expect(commands!.match(/^sched /gm)).toHaveLength(10);
    expect(body).not.toMatch(/\{[a-z ]+\}/);
    for (const [code, number] of Object.entries(exitCodes)) expect(body).toContain(`\n- ${number} ${code}: `);
  });

  test('says which of its commands change data, and shows only their dry run', () => {
    const changes = [...skill.matchAll(/^# .+ \(changes data\)\nsched (\S+ \S+)(.*)$/gm)];
    expect(changes.map(([, name]) => name)).toEqual(['invitees create', 'events move', 'events cancel']);
    for (const [, , rest] of changes) expect(rest).toMatch(/ --dry-run$/);
  });

  test('names only flags that exist', async () => {
    const commands = (await Promise.all(Object.keys(nouns).map((noun) => commandsOf(noun, registry)))).flat();
    const flags = [...sharedFlags, ...commands.flatMap(([, command]) => command.flags)].map((flag) => flag.name);
    const named = [...skill.matchAll(/(?<![\w-])--([a-z][a-z-]+)/g)].map(([, name]) => name);
    expect([...flags, 'help']).toEqual(expect.arrayContaining(named));
  });

  test.each(lines)('is right about %s', async (line) => {
    const { code, stdout, stderr, requests } = await world.run(line.replace(/^sched /, ''));
    expect([code, stderr]).toEqual([0, stderr]);
    expect(stdout).not.toBe('');
    expect(requests.filter(isWrite)).toEqual([]);
  });

  test('is a section of AGENTS.md with --agents', async () => {
    const { stdout } = await world.run('skill print --agents');
    expect(stdout).toMatch(/^## Schedule with sched\n/);
    expect(stdout.match(/^#+ (?!.*\nsched )/gm)).toEqual(['## ', '### ', '### ', '### ', '### ']);
    expect(stdout.replaceAll(/^#+ /gm, '')).toBe(skill.replace(/^---\n.*\n---\n\n/s, '').replaceAll(/^#+ /gm, ''));
  });
});

describe('sched skill install', () => {
  const folder = () => join(temporaryDirectory('skills'), 'sched');

  test('shows the file, and writes it after a yes', async () => {
    const directory = folder();
    const { code, screen } = await world.run(['skill', 'install', directory], { terminals, stdin: 'y\n' });
    expect(code, screen).toBe(0);
    expect(screen).toContain('# Schedule with sched');
    expect(screen.indexOf('# Schedule with sched')).toBeLessThan(screen.indexOf(`SKILL.md?`));
    expect(readFileSync(join(directory, 'SKILL.md'), 'utf8')).toBe(skill);
    expect(readdirSync(directory)).toEqual(['SKILL.md']);
    expect(statSync(join(directory, 'SKILL.md')).mode & 0o777).toBe(0o644);
    const again = await world.run(['skill', 'install', directory]);
    expect([again.code, again.stdout]).toEqual([0, '']);
    expect(again.stderr).toContain('already up to date');
  });

  test.each([
    ['no', { terminals, stdin: 'n\n' }],
    ['nobody', {}],
  ])('writes nothing and creates nothing if %s answers', async (_, options) => {
    const directory = folder();
    const { code } = await world.run(['skill', 'install', directory], options);
    expect([code, existsSync(directory)]).toEqual([12, false]);
  });

  test('says so where no directory can be created', async () => {
    const { code, stderr } = await world.run(['skill', 'install', '/proc/x', '--yes']);
    expect([code, stderr]).toEqual([3, expect.stringContaining("Can't write /proc/x/SKILL.md")]);
  });

  test('shows what changes in an older file, made harmless, and replaces it with --yes', async () => {
    const directory = folder();
    mkdirSync(directory);
    const path = join(directory, 'SKILL.md');
    writeFileSync(path, skill.replace('## Rules\n', '## Old rules \u001b[2J\n'));
    const options = { terminals: outputs };
    const { code, stdout, stderr } = await world.run(['skill', 'install', directory, '--yes'], options);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^From line \d+:\n-## Old rules \\x1b\[2J\n\+## Rules\n$/);
    expect(readFileSync(path, 'utf8')).toBe(skill);
  });

  test('refuses a symbolic link, and never writes through it', async () => {
    const directory = folder();
    mkdirSync(directory);
    writeFileSync(join(directory, 'other'), 'mine');
    symlinkSync(join(directory, 'other'), join(directory, 'SKILL.md'));
    const { code, stderr } = await world.run(['skill', 'install', directory, '--yes']);
    expect([code, readFileSync(join(directory, 'other'), 'utf8')]).toEqual([exitCodes.environment, 'mine']);
    expect(stderr).toContain('symbolic link');
  });

  test('needs a directory: it never guesses one', async () => {
    const { code, stderr } = await world.run('skill install --yes', { terminals });
    expect(code).toBe(2);
    expect(stderr).toContain('Missing argument <dir>');
  });
});
