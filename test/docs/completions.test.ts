import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { scopes } from '../../src/api/scopes.ts';
import { topics } from '../../src/cli/help/topics.ts';
import { zones } from '../../src/docs/zones.ts';
import { formats } from '../../src/output/formats.ts';
import { sample } from '../support/tier.ts';
import {
  type Complete,
  callsIn,
  completeInBash,
  completeInBashWithPackage,
  completeInFish,
  completeInZsh,
  linesOfZsh,
  playground,
  programIn,
  scriptOf,
  type Write,
  wordsOfLines,
  writeInBash,
  writeInFish,
  writeInZsh,
} from './shells.ts';

const shells: [string, Complete][] = [
  ['bash', completeInBash],
  ['bash with bash-completion', completeInBashWithPackage],
  ['zsh', completeInZsh],
  ['fish', completeInFish],
];

const writing: [string, Write][] = [
  ['bash', writeInBash],
  ['zsh', writeInZsh],
  ['fish', writeInFish],
];

const europeanZones = (letter: string): string[] => zones.filter((zone) => zone.startsWith(`Europe/${letter}`));

/** What TAB offers at the end of a line. */
const situations: [string, string[]][] = [
  ['sched ev', ['event-types', 'events']],
  ['sched invitee', ['invitees']],
  ['sched --sandbox ev', ['event-types', 'events']],
  ['sched -o json --tz UTC ev', ['event-types', 'events']],
  ['sched --output=json ev', ['event-types', 'events']],
  ['sched events ', ['agenda', 'cancel', 'follow', 'get', 'list', 'stats']],
  ['sched event c', ['cancel']],
  ['sched events stats --by w', ['week', 'weekday']],
  ['sched --sandbox event c', ['cancel']],
  ['sched help events c', ['cancel']],
  ['sched comp', ['completion', 'compliance']],
  ['sched completion ', ['bash', 'fish', 'powershell', 'zsh']],
  ['sched completion p', ['powershell']],
  ['sched profiles set t', ['timezone', 'token_url']],
  ['sched events list --st', ['--status']],
  ['sched events cancel ID --rea', ['--reason']],
  ['sched --ver', ['--verbose', '--version']],
  ['sched events list --ver', ['--verbose']],
  ['sched event-types list --no-a', ['--no-active']],
  ['sched completion --he', ['--header', '--help']],
  ['sched api --head', ['--header']],
  ['sched events list --status ', ['active', 'canceled']],
  ['sched events list --status=c', ['canceled']],
  ['sched -o ', [...formats].sort()],
  ['sched events list -o js', ['json', 'jsonl']],
  ['sched events list --output=js', ['json', 'jsonl']],
  ['sched events list --since 2026-12-01T15:00 --st', ['--status']],
  ['sched events list --fields st', ['start_time', 'status']],
  ['sched events list --fields uri,st', ['start_time', 'status']],
  ['sched events list --fields status,st', ['start_time']],
  ['sched events list --json=st', ['start_time', 'status']],
  ['sched users me --json=uri,ti', ['timezone']],
  ['sched events list --fields location.t', ['location.type']],
  [
    'sched events list --fields uri,invitees_counter.',
    ['active', 'limit', 'total'].map((name) => `invitees_counter.${name}`),
  ],
  ['sched events list --json=event_memberships.user_', ['event_memberships.user_email', 'event_memberships.user_name']],
  ['sched events list --sort ', ['start_time:asc', 'start_time:desc']],
  ['sched events list --sort=st', ['start_time:asc', 'start_time:desc']],
  ['sched events list --sort start_time:d', ['start_time:desc']],
  ['sched invitees create --body book', ['booking.json', 'bookings/']],
  ['sched compliance verify book', ['booking.json', 'bookings/']],
  ['sched compliance bundle book', ['booking.json', 'bookings/']],
  ['sched hel', ['help']],
  ['sched help e', ['environment', 'event-types', 'events', 'exit-codes']],
  ['sched help f', ['flags', 'formatting']],
  ['sched -o json help ti', ['time']],
  ['sched help events ', ['agenda', 'cancel', 'follow', 'get', 'list', 'stats']],
  ['sched e', ['event-types', 'events']],
  ['sched help flags ', []],
  ['sched auth login --scopes us', ['users:read']],
  ['sched auth login --scopes=users:', ['users:read']],
  ['sched auth login --scopes groups:read,web', ['webhooks:read', 'webhooks:write']],
  ['sched auth login --scopes=groups:read,webhooks:w', ['webhooks:write']],
  ['sched auth login --scopes webhooks:read,web', ['webhooks:write']],
  ['sched auth login --add-scopes users:read,data', ['data_compliance:write']],
  ['sched events list --user ', ['me']],
  ['sched events list --user=m', ['me']],
  ['sched event-types create --owner ', ['me']],
  ['sched one-offs create --host ', ['me']],
  ['sched events list --org ', ['current']],
  ['sched groups list --org=c', ['current']],
  ['sched users get ', ['me']],
  ['sched members get m', ['me']],
  ['sched sandbox start --seed ', ['demo', 'empty', 'large:1000']],
  ['sched sandbox reset --seed=large:', ['large:1000']],
  ['sched --tz Europe/B', europeanZones('B')],
  ['sched events list --tz=Europe/L', europeanZones('L')],
  ['sched --tz U', ['UTC']],
  ['sched invitees create --timezone Asia/Kol', ['Asia/Kolkata']],
  ['sched one-offs create --timezone=America/Argentina/B', ['America/Argentina/Buenos_Aires']],
  ['sched orgs get ', ['current']],
  ['sched profiles add work --user ', ['me']],
  ['sched profiles add work --org ', ['current']],
  ['sched compliance delete --org ', ['current']],
  // Nothing is known of these.
  ['sched events cancel ID --reason ', []],
  ['sched events cancel ID --reason --ye', []],
  ['sched profiles add work-2', []],
  ['sched nonsense ', []],
  ['sched events nonsense --st', []],
  ['sched events list -- --st', []],
];

/** Lines that only the program can complete. */
const profiles = ['home', 'work', 'work-2.eu'];
const profileSituations: [string, string[]][] = [
  ['sched -p ', profiles],
  ['sched --profile w', ['work', 'work-2.eu']],
  ['sched --profile=w', ['work', 'work-2.eu']],
  ['sched events list --profile work-', ['work-2.eu']],
  ['sched -o json -p h', ['home']],
  ['sched profiles show ', profiles],
  ['sched profile use h', ['home']],
  ['sched profiles remove work-', ['work-2.eu']],
  ['sched --sandbox profiles export w', ['work', 'work-2.eu']],
  ['sched profiles set timezone UTC -p ho', ['home']],
];

/** Invalid profile names, in case a program prints them anyway. */
const oddNames = [
  'a b',
  'b$(>trace)',
  'c`>trace`',
  'd\'e"f',
  'e;>trace',
  'f*',
  'g\\h',
  'h#i',
  'i&>trace',
  'j|k',
  'l>trace',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's, not ours
  'm${x:=$(>trace)}',
  'n[1]',
  'o{1..2}',
  'p!q',
  '~r',
];

/** Lines that would create a file `trace` if anything on them were run. */
const traps = [
  'sched $(touch trace) ev',
  'sched `touch trace` ev',
  'sched events $(>trace) --',
  'sched events list --status $(>trace)',
  'sched events list --status=$(>trace)',
  'sched events list --output=`>trace`',
  'sched events list --fields $(>trace),st',
  'sched events list --fields uri,$(>trace)',
  'sched events list --json=a[$(>trace)]',
  'sched invitees create --body $(>trace)',
  'sched invitees create --body $(>trace)/',
  'sched invitees create --body `>trace`/b',
  'sched invitees create --body "$(>trace)/b',
  'sched invitees create --body *(e:">trace":)',
  'sched a[$(>trace)] ev',
  "sched events list --status '$(>trace)' --st",
  'sched events list --status "$(>trace)" --st',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's, not ours
  'sched events list ${x:=$(>trace)} --st',
  'sched $(>trace)',
  'sched `>trace`',
  'sched -p $(>trace)',
  'sched --profile=`>trace`',
  'sched profiles show "$(>trace)',
  'sched $(>trace) -p ',
  'sched profiles use b$',
  // Completing a program's arguments must not run it.
  './sched -p ',
  './sched profiles show ',
];

describe.each(shells)('completions: %s', (shell, complete) => {
  test('offers matching words', () => {
    const folder = playground();
    const tried = sample(situations, 12);
    const found = complete(
      tried.map(([line]) => line),
      folder,
      programIn(folder, profiles),
    );
    expect(callsIn(folder)).toEqual([]);
    /** bash replaces only the part after its last ":", and zsh marks folders itself. */
    const asOffered = (line: string, word: string): string => {
      if (shell === 'zsh') return word.replace(/\/$/, '');
      return shell.startsWith('bash') && /:\w*$/.test(line) ? word.replace(/^.*:/, '') : word;
    };
    expect(tried.map(([line], index) => [line, found[index]])).toEqual(
      tried.map(([line, expected]) => [line, expected.map((word) => asOffered(line, word))]),
    );
  });

  test('asks for profiles, once', () => {
    const folder = playground();
    const lines = profileSituations.map(([line]) => line);
    const found = complete(lines, folder, programIn(folder, profiles));
    expect(lines.map((line, index) => [line, found[index]])).toEqual(profileSituations);
    expect(callsIn(folder)).toEqual(lines.map(() => 'profiles list -o id'));
  });

  test('offers no profiles without the program', () =>
    expect(complete(['sched -p ', 'sched profiles show '], playground())).toEqual([[], []]));

  test('runs nothing on the line', () => {
    const folder = playground();
    writeFileSync(join(folder, 'sched'), '#!/bin/sh\n>trace\n', { mode: 0o755 });
    complete(traps, folder, `${programIn(folder, oddNames)}:${process.env.PATH}`);
    expect(existsSync(join(folder, 'trace'))).toBe(false);
  });
});

describe.each(writing)('completions: %s', (shell, write) => {
  test('quotes any name as one word', () => {
    const folder = playground();
    const lines = oddNames.map((name) => `sched -p ${/^\w/.exec(name)?.[0] ?? '\\~'}`);
    const written = write(lines, folder, programIn(folder, oddNames));
    expect(wordsOfLines(shell, written, folder)).toEqual(oddNames.map((name) => ['-p', name]));
    expect(existsSync(join(folder, 'trace'))).toBe(false);
  });
});

// Otherwise people would get zsh's own `sched`, which runs commands at a time of day.
test('completions: zsh finds the program despite its builtin of the same name', () => {
  const folder = playground();
  const path = `${programIn(folder, ['the program'])}:${process.env.PATH}`;
  expect(linesOfZsh([`source '${scriptOf('_sched')}'`, 'sched 2>/dev/null'], folder, path)).toEqual(['the program']);
});

describe('completions: PowerShell', () => {
  const script = readFileSync(scriptOf('sched.ps1'), 'utf8');
  /** The script without quoted text and comments. */
  const code = script.replace(/'(?:[^']|'')*'|"[^"\n]*"|#.*$/gm, '');

  test('is balanced, plain ASCII, and evaluates nothing', () => {
    for (const [open, close] of ['()', '{}', '[]']) expect(code.split(open!).length).toBe(code.split(close!).length);
    expect(code).not.toMatch(/['"]/);
    expect(script).toMatch(/^[\x20-\x7e\n]*$/);
    expect(code).not.toMatch(/Invoke-|\biex\b|Start-|ScriptBlock\]|ExpandString/);
    expect(code).toContain('Register-ArgumentCompleter -Native -CommandName sched');
  });

  test('runs one program in one place: the sched in PATH', () => {
    const calls = [...code.matchAll(/& \$(\w+)([^|\n)}]*)/g)].filter(
      ([, name]) => !['candidate', 'offer'].includes(name!),
    );
    expect(calls.map(([call]) => call)).toEqual(['& $program profiles list -o id 2>$null']);
    const [, place] = /\n {12}'profiles' \{\n([\s\S]*?)\n {12}\}/.exec(script)!;
    expect(place).toContain('$program = Get-Command -Name sched -CommandType Application, ExternalScript');
    expect(place).toContain('& $program');
    expect(place).toContain('EscapeSingleQuotedStringContent($word)');
  });

  test('has no duplicate keys in a table, ignoring case', () => {
    const tables = [...script.matchAll(/@\{\n((?: +'.*' = '.*'\n| +'.*' = @\(.*\)\n)+) *\}/g)].map(([, body]) =>
      [...body!.matchAll(/^ +'((?:[^']|'')+)' = /gm)].map(([, key]) => key!.toLowerCase()),
    );
    expect(tables.length).toBeGreaterThan(20);
    for (const keys of tables) expect(keys).toEqual([...new Set(keys)]);
  });

  test('contains the words that the other shells offer', () => {
    const known = situations.filter(([line]) => !line.endsWith(' book')).flatMap(([, words]) => words);
    expect(known.filter((word) => !script.includes(`'${word}'`))).toEqual([]);
  });

  test('says where the words fit', () => {
    const scopeList = `@('list', ${Object.keys(scopes)
      .map((scope) => `'${scope}'`)
      .join(', ')})`;
    const rules: [string, string][] = [
      ['auth login --scopes', scopeList],
      ['auth login --add-scopes', scopeList],
      ['events list --user', "@('words', 'me')"],
      ['one-offs create --host', "@('words', 'me')"],
      ['groups list --org', "@('words', 'current')"],
      ['users get 1', "@('words', 'me')"],
      ['sandbox start --seed', "@('words', 'demo', 'empty', 'large:1000')"],
      ['--tz', "@('zones')"],
      ['invitees create --timezone', "@('zones')"],
    ];
    const lines = script.split('\n');
    expect(rules.filter(([key, value]) => !lines.includes(`        '${key}' = ${value}`))).toEqual([]);
  });

  test('offers the topics after help instead of help itself', () => {
    const [, topicTable] = /\n {4}\$topics = \[ordered\]@\{\n([\s\S]*?)\n {4}\}/.exec(script)!;
    expect([...topicTable!.matchAll(/^ +'([\w-]+)' = /gm)].map(([, topic]) => topic)).toEqual(Object.keys(topics));
    expect(script).toContain("elseif ($word -ceq 'help') {\n            $others = $topics\n");
  });
});

test('completions: every script has the time zones once, as they make up much of its size', () => {
  for (const name of ['sched.bash', '_sched', 'sched.fish', 'sched.ps1']) {
    const script = readFileSync(scriptOf(name), 'utf8');
    expect(zones.filter((zone) => !new RegExp(`\\b${zone}\\b`).test(script))).toEqual([]);
    expect(script.split('Pacific/Pago_Pago')).toHaveLength(2);
  }
});

test('completions: contain no control characters, so that they are safe to print on a terminal', () => {
  for (const name of ['sched.bash', '_sched', 'sched.fish', 'sched.ps1']) {
    expect(readFileSync(scriptOf(name), 'utf8')).not.toMatch(/[^\P{C}\n]/u);
  }
});
