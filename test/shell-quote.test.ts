import { expect, test } from 'vitest';
import { shellWord, singleQuoted } from '../src/shell-quote.ts';
import { execFileSync } from './support/processes.ts';

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
