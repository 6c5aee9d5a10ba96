import { expect, test } from 'vitest';
import { shellWord, singleQuoted, windowsLine } from '../../src/base/shell-quote.ts';
import { execFileSync } from '../support/processes.ts';

test.each([
  ['plain', 'plain', "'plain'"],
  ['--since=-7d', '--since=-7d', "'--since=-7d'"],
  ['', "''", "''"],
  ['two words', "'two words'", "'two words'"],
  ["it's", `'it'\\''s'`, `'it'\\''s'`],
  ['$HOME `id` "x" \\', `'$HOME \`id\` "x" \\'`, `'$HOME \`id\` "x" \\'`],
])('a shell reads the quoted %j back unchanged', (text, word, quotes) => {
  expect([shellWord(text), singleQuoted(text)]).toEqual([word, quotes]);
  const printed = execFileSync('sh', ['-c', `printf '%s|%s' ${word} ${quotes}`], { encoding: 'utf8' });
  expect(printed).toBe(`${text}|${text}`);
});

test.each([
  ['two words', '"two words"'],
  ["it's", `"it's"`],
  ['a,b', '"a,b"'],
  ['-a.b', '"-a.b"'],
  ['', '""'],
  ['$HOME `id` & calc "x"', '"`$HOME ``id`` & calc ""x"""'],
  ['“x”', '"`“x`”"'],
  ['C:\\my dir\\', '"C:\\my dir\\\\"'],
  ['ada@example.com', 'ada@example.com'],
])('a shell of Windows gets %s as %s', (text, word) => {
  const rest = `--to "It's $X, yes" > o.csv, or sched y`;
  expect(windowsLine(`sched x ${singleQuoted(text)} ${rest}`)).toBe(`sched x ${word} ${rest}`);
  expect(windowsLine(shellWord(text))).toBe(text === '-a.b' ? text : word);
});
