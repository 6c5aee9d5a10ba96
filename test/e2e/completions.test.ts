import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { singleQuoted } from '../../src/base/shell-quote.ts';
import { closeLater, temporaryDirectory } from '../support/temporary.ts';
import { inTerminal, type Terminal } from '../support/terminal.ts';
import { few, sample } from '../support/tier.ts';
import { needs, pathOf } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { cleanEnvironment, program, runner, sched, usedHome } from './program.ts';

const scriptOf = (name: string): string => join(import.meta.dirname, '../../completions', name);
const bashPackage = '/usr/share/bash-completion/bash_completion';

interface Shell {
  name: string;
  needs: string[];
  /** Starts it without the settings of this machine's user. */
  start: string[];
  /** Lines that install the script. */
  setUp: string[];
}

const bash: Shell = {
  name: 'bash',
  needs: ['bash'],
  start: ['bash', '--norc', '--noprofile', '-i'],
  setUp: [`source ${scriptOf('sched.bash')}`],
};
const shells: Shell[] = [
  bash,
  {
    ...bash,
    name: 'bash with its package',
    needs: ['bash', bashPackage],
    setUp: [`source ${bashPackage}`, ...bash.setUp],
  },
  {
    name: 'zsh',
    needs: ['zsh'],
    start: ['zsh', '-f', '-i'],
    // Otherwise TAB expands a substitution without asking the script.
    setUp: ['autoload -Uz compinit && compinit -u -D', "bindkey '^I' complete-word", `source ${scriptOf('_sched')}`],
  },
  {
    name: 'fish',
    needs: ['fish'],
    start: ['fish', '--no-config', '-i'],
    setUp: [`source ${scriptOf('sched.fish')}`],
  },
];

interface Desk {
  terminal: Terminal;
  home: string;
  /** The arguments of each `sched` that ran, apart from those that complete. */
  ran(): string[][];
  /** Waits until the shell has done everything that was typed. */
  done(): Promise<void>;
}

const separator = '\x1f';
const discard = '\x15';

/** A shell on a terminal, in a directory of its own. Its `sched` runs `answer` to complete, and else notes its arguments. */
const open = async (shell: Shell, answer: string, env: Record<string, string> = {}): Promise<Desk> => {
  needs(...shell.needs);
  const folder = temporaryDirectory('home');
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(folder, 'booking.json'), '{}');
  const notes = join(folder, 'ran');
  const note = `printf '%s${separator}' "$@" >>${singleQuoted(notes)}; echo >>${singleQuoted(notes)}`;
  const script = `#!/bin/sh\nif [ "$1" = __complete ]; then\n${answer}\nelse ${note}; fi\n`;
  for (const name of ['sched', 'scheds']) writeFileSync(join(bin, name), script, { mode: 0o755 });
  // Completing the arguments of this one must not run it.
  writeFileSync(join(folder, 'sched'), '#!/bin/sh\n>trace\n', { mode: 0o755 });
  const whole = cleanEnvironment(folder, { TERM: 'dumb', LC_ALL: 'C.UTF-8', ...env });
  const terminal = inTerminal([pathOf(shell.start[0]!)!, ...shell.start.slice(1)], {
    ...whole,
    PATH: `${bin}:${whole.PATH}`,
  });
  closeLater(() => terminal.close());
  for (const line of [`cd ${singleQuoted(folder)}`, ...shell.setUp]) terminal.type(`${line}\n`);
  let count = 0;
  const done = async () => {
    count += 1;
    terminal.type(`echo all''done${count}\n`);
    await terminal.until(new RegExp(`alldone${count}\\r?\\n`), 50_000);
  };
  await done();
  const ran = () =>
    existsSync(notes)
      ? readFileSync(notes, 'utf8')
          .split('\n')
          .slice(0, -1)
          .map((line) => line.split(separator).slice(0, -1))
      : [];
  return { terminal, home: folder, ran, done };
};

const realProgram = `exec ${[runner, ...program].map(singleQuoted).join(' ')} "$@"`;

/** What a line becomes when TAB is pressed at its end. */
const lines: [string, string[]][] = [
  ['sched events li', ['events', 'list']],
  ['sched --sandbox event ca', ['--sandbox', 'event', 'cancel']],
  ['true | sched events list --st', ['events', 'list', '--status']],
  ['sched events list --status=can', ['events', 'list', '--status=canceled']],
  ['sched events list --sort start_time:d', ['events', 'list', '--sort', 'start_time:desc']],
  ['sched events list --fields uri,statu', ['events', 'list', '--fields', 'uri,status']],
  ['sched --tz=Europe/Amst', ['--tz=Europe/Amsterdam']],
  ['sched invitees create --body booki', ['invitees', 'create', '--body', 'booking.json']],
  ['sched help exit', ['help', 'exit-codes']],
  ['sched nonsense', ['nonsense']],
  ['scheds events li', ['events', 'list']],
  ['sched events list -- --st', ['events', 'list', '--', '--st']],
];

/** The same with a name that has a space. */
const quoted: [string, string[]][] = [
  ['sched -p Int', ['-p', 'Intro call']],
  ['sched -p int', ['-p', 'Intro call']],
  ["sched -p 'Int", ['-p', 'Intro call']],
  ['sched -p "Int', ['-p', 'Intro call']],
  ['sched -p Intro\\ c', ['-p', 'Intro call']],
  ['sched --profile=Int', ['--profile=Intro call']],
  ['sched --profile="Int', ['--profile=Intro call']],
];

/** Names that are special to a shell, each with a letter of its own. */
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
  'r:s=t',
];

/** Offers them, a name with a space for its beginning, and files for the rest. */
const namesOnly = `for word; do :; done
case $word in
  Int | int | 'Intro c') printf 'Intro call\\t\\n' ;;
  --profile=Int) printf '%s\\t\\n' '--profile=Intro call' ;;
  ?) printf '%s\\t\\n' ${oddNames.map(singleQuoted).join(' ')} | grep "^$word" ;;
  *) echo :files; exit ;;
esac
echo :words`;

/** Lines that would create a file `trace` if anything on them were run. */
const traps = [
  'sched $(touch trace) ev',
  'sched `touch trace` ev',
  'sched events list --status $(>trace)',
  'sched events list --status=$(>trace)',
  'sched events list --fields uri,$(>trace)',
  'sched events list --json=a[$(>trace)]',
  'sched invitees create --body $(>trace)/',
  'sched invitees create --body `>trace`/b',
  'sched invitees create --body "$(>trace)/b',
  'sched invitees create --body *(e:">trace":)',
  "sched events list --status '$(>trace)' --st",
  'sched events list --status "$(>trace)" --st',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's, not ours
  'sched events list ${x:=$(>trace)} --st',
  'sched -p $(>trace)',
  'sched --profile=`>trace`',
  'sched profiles show "$(>trace)',
  'sched $(>trace) -p ',
  './sched -p ',
  './sched profiles show ',
];

describe.each(shells)('completions: $name', (shell) => {
  test('completes a line with the words of the program', { timeout: 60_000 }, async () => {
    const { terminal, ran, done } = await open(shell, realProgram);
    const tried = sample(lines, 1);
    for (const [line] of tried) {
      terminal.type(`${line}\t\n`);
      await done();
    }
    expect(ran()).toEqual(tried.map(([, words]) => words));
  });

  const title = 'asks for the word without its quotes, inserts a name as one word, and runs nothing on the line';
  test(title, { timeout: 60_000 }, async () => {
    const { terminal, home, ran, done } = await open(shell, namesOnly);
    for (const [line] of quoted) terminal.type(`${line}\t\n`);
    for (const name of oddNames) terminal.type(`sched -p ${name[0]}\t\n`);
    for (const line of traps) terminal.type(`${line}\t${discard}`);
    // zsh has its own `sched`, which runs commands at a time of day. People must not get that one.
    terminal.type('sched +1:00 echo\n');
    await done();
    const named = [...quoted.map(([, words]) => words), ...oddNames.map((name) => ['-p', name])];
    expect(ran()).toEqual([...named, ['+1:00', 'echo']]);
    expect(existsSync(join(home, 'trace'))).toBe(false);
  });
});

test('completions: bash 3.2, which has no compopt, completes files', { timeout: 60_000 }, async () => {
  const old = { ...bash, setUp: [...bash.setUp, 'enable -n compopt'] };
  const { terminal, ran, done } = await open(old, 'echo :files');
  terminal.type('sched invitees create --body booki\t\n');
  await done();
  expect(ran()).toEqual([['invitees', 'create', '--body', 'booking.json']]);
});

/** How each shell lists several candidates, with descriptions where it can. */
test.each([
  ['bash', '\t\t', /agenda +cancel/],
  ['zsh', '\t', /list +-- List events/],
  ['fish', '\t', /List events/],
])('completions: %s lists what can follow', { timeout: 60_000 }, async (name, keys, expected) => {
  const verbs = "printf '%s\\t%s\\n' agenda 'Show a day' cancel 'Cancel events' list 'List events'; echo :words";
  const { terminal } = await open(shells.find((shell) => shell.name === name)!, verbs, { TERM: 'xterm' });
  terminal.type(`sched events ${keys}`);
  expect((await terminal.until(expected, 50_000))[0]).toMatch(expected);
});

describe('completions: a service that never replies', () => {
  const silent = async (): Promise<Record<string, string>> => {
    const server = createServer(() => {});
    closeLater(() => {
      server.closeAllConnections();
      server.close();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { SCHED_TOKEN: 'token', SCHED_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  };

  few(1, {
    'delays nothing, and no name and no error is printed': async () => {
      const args = ['__complete', 'users', 'get', ''];
      expect(await sched(args, temporaryDirectory(), await silent())).toEqual({
        code: 0,
        stdout: 'me\t\n:words\n',
        stderr: '',
      });
    },
    'leaves the line as it is': async () => {
      const { terminal, ran, done } = await open(bash, realProgram, await silent());
      terminal.type('sched event-types get Int\t\n');
      await done();
      expect(ran()).toEqual([['event-types', 'get', 'Int']]);
      expect(terminal.text()).not.toMatch(/error|sched:/i);
    },
  });
});

test('completions: the built program knows the names in the sandbox', { timeout: 60_000 }, async () => {
  const home = await usedHome();
  const ask = () => sched(['__complete', '--sandbox', 'event-types', 'get', 'Int'], home);
  // A busy machine may take longer than a key press may.
  let answer = await ask();
  await until(async () => {
    if (answer.stdout === ':words\n') answer = await ask();
    return answer.stdout !== ':words\n';
  });
  expect(answer).toEqual({ code: 0, stdout: 'Intro call\t15 min\n:words\n', stderr: '' });
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
    expect(code).toContain('Register-ArgumentCompleter -Native -CommandName sched, scheds ');
  });

  test('runs one program in one place: the sched in PATH', () => {
    expect(code.match(/& \$\w+[^|\n)}]*/g)).toEqual(['& $program __complete @before $last 2>$null']);
    expect(code).toContain('$program = Get-Command -Name sched -CommandType Application, ExternalScript');
    expect(code).toContain('EscapeSingleQuotedStringContent($word)');
  });
});

test('completions: contain no control characters, so that they are safe to print on a terminal', () => {
  for (const name of ['sched.bash', '_sched', 'sched.fish', 'sched.ps1'])
    expect(readFileSync(scriptOf(name), 'utf8')).not.toMatch(/[^\P{C}\n]/u);
});
