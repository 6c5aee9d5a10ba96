import { describe, expect, test } from 'vitest';
import { windowsCommand } from '../src/windows.ts';

const env = {
  Path: 'relative;C:\\Program Files\\nodejs;D:\\tools (x86)',
  comspec: 'C:\\Windows\\system32\\cmd.exe',
  SystemRoot: 'C:\\Windows',
  SECRET: 'expanded',
};

const disk = [
  'npm.exe',
  'relative\\npm.exe',
  'C:\\Program Files\\nodejs\\npm',
  'C:\\Program Files\\nodejs\\npm.cmd',
  'C:\\Program Files\\nodejs\\node.exe',
  'D:\\tools (x86)\\both.exe',
  'D:\\tools (x86)\\both.bat',
  '.\\import.CMD',
];
const start = (...command: string[]) => windowsCommand(command, env, (path) => disk.includes(path));

/** What cmd.exe makes of a line: it expands variables first, and then runs what is outside of quotes. */
const readByCmd = (line: string): string => {
  const expanded = line.replace(/%(\w+)(:~,)?%/g, (whole, name, empty) => {
    if (empty !== undefined) return '';
    return name in env ? env[name as keyof typeof env] : whole;
  });
  expect(expanded.replace(/"[^"]*"/g, '')).not.toMatch(/[&|<>^%"\n]/);
  return expanded;
};

/** What a program makes of its command line: backslashes escape a quote, and two quotes inside quotes are one. */
const wordsIn = (line: string): string[] =>
  (line.match(/(?:"(?:""|\\.|[^"])*"|\S)+/g) ?? []).map((word) =>
    word
      .replace(/^"(.*)"$/, '$1')
      .replace(/(\\*)""/g, (_, slashes) => `${slashes.slice(slashes.length / 2)}"`)
      .replace(/\\+$/, (slashes) => (word.startsWith('"') ? slashes.slice(slashes.length / 2) : slashes)),
  );

describe('a command on Windows', () => {
  test.each([
    ['node', 'C:\\Program Files\\nodejs\\node.exe'],
    ['NODE.EXE', 'C:\\Windows\\System32\\NODE.EXE'],
    ['both', 'D:\\tools (x86)\\both.exe'],
    ['missing', 'C:\\Windows\\System32\\missing'],
    ['.\\missing', '.\\missing'],
  ])('%s is started as %s, with the words unchanged', (name, program) => {
    const words = ['a b', '%SECRET%', '"'];
    expect(start(name, ...words)).toEqual({ program, words, windowsVerbatimArguments: false });
  });

  test.each([
    ['npm', '"C:\\Program Files\\nodejs\\npm.cmd"'],
    ['npm.cmd', '"C:\\Program Files\\nodejs\\npm.cmd"'],
    ['both.bat', '"D:\\tools (x86)\\both.bat"'],
    ['.\\import.CMD', '".\\import.CMD"'],
  ])('%s is a batch file and runs in cmd.exe', (name, path) => {
    expect(start(name, 'test', '--flag=a,b')).toEqual({
      program: env.comspec,
      words: ['/d', '/e:on', '/v:off', '/s', '/c', `"${path} test "--flag=a,b""`],
      windowsVerbatimArguments: true,
    });
  });

  test('passes every word to a batch file as it is', () => {
    const words = ['', 'a b', '&calc', 'x|y>z<w', '^', '%SECRET%', '100%', '%%', '"', '"&calc"', 'say "hi" & run'];
    words.push('C:\\dir\\', 'C:\\a b\\', '\\"', '!SECRET!', '(x)', 'it’s', "'single'", '%cd:~,%', '; , =');
    const line = start('npm', ...words).words.at(-1)!;
    expect(wordsIn(readByCmd(line.slice(1, -1))).slice(1)).toEqual(words);
  });

  test.each(['a\nb', 'a\rb', 'a\0b'])('passes no line break to a batch file: %j', (word) => {
    expect(() => start('npm', word)).toThrow('line break');
  });
});
