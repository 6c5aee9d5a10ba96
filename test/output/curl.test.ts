import { describe, expect, it } from 'vitest';
import { curlLine } from '../../src/output/curl.ts';
import { execFileSync } from '../support/processes.ts';
import { hostile, madeUp } from './samples.ts';

const post = { method: 'POST', url: 'https://api.example.com/invitees', headers: { accept: 'application/json' } };

/** The arguments that the shell passes to curl, for each line. */
const wordsIn = (lines: string[], shell = 'bash'): string[][] => {
  const script = `curl() { printf '%s\\0' "$@"; printf 'END\\0'; }\n${lines.join('\n')}\n`;
  // A fake token, because the shell prints it.
  const env = { SCHED_TOKEN: 'sandbox_to ken$x', PATH: process.env.PATH ?? '' };
  const words = execFileSync(shell, ['-s'], { input: script, env, encoding: 'utf8' }).split('\0').slice(0, -1);
  return words
    .join('\0')
    .split(/(?:^|\0)END/)
    .slice(0, -1)
    .map((line) => line.replace(/^\0/, '').split('\0'));
};

describe('curl', () => {
  it('prints one line without the token', () =>
    expect(
      curlLine({ ...post, headers: { authorization: 'Bearer secret', ...post.headers }, body: `{"a":"it's"}` }),
    ).toBe(
      `curl -X POST https://api.example.com/invitees -H 'Authorization: Bearer '"$SCHED_TOKEN" -H 'accept: application/json' --data '{"a":"it'\\''s"}'`,
    ));

  it('leaves out curl defaults and the user agent', () =>
    expect(
      curlLine({ method: 'GET', url: 'https://a.example/b?c=d&e=%20', headers: { 'user-agent': 'sched/1' } }),
    ).toBe("curl 'https://a.example/b?c=d&e=%20'"));

  it('refers to a file for a body that must not be shown', () =>
    expect(curlLine({ ...post, body: { file: 'FILE' } })).toMatch(/ --data @FILE$/));

  it('keeps curl from reading data as patterns or files', () => {
    expect(curlLine({ ...post, url: 'https://a.example/{b}[1-3]' })).toContain(
      "--globoff 'https://a.example/{b}[1-3]'",
    );
    expect(curlLine({ ...post, body: '@/etc/passwd' })).toContain('--data-raw @/etc/passwd');
  });

  it('sends the token when the line runs', () =>
    expect(wordsIn([curlLine({ ...post, headers: { authorization: '' } })])).toEqual([
      ['-X', 'POST', post.url, '-H', 'Authorization: Bearer sandbox_to ken$x'],
    ]));

  it.each(['bash', 'sh'])('passes any text to curl unchanged in %s', (shell) => {
    const texts = [
      '$(touch x)',
      '`id`',
      "'; rm -rf /; '",
      '"$HOME"',
      '!!',
      '\\',
      '* ?',
      '-o x',
      '',
      ...hostile,
      ...madeUp(2000, 5),
    ]
      // Arguments can't contain NUL or lone surrogates, and plain POSIX shells don't support `$'…'`.
      .filter((text) => !/[\0\p{Cs}]/u.test(text) && (shell === 'bash' || !/[\x00-\x1f\x7f]/.test(text)));
    const lines = texts.map((text) => curlLine({ ...post, headers: { 'x-note': text }, body: `{${text}` }));
    for (const line of lines) expect(line).not.toMatch(/[\x00-\x1f\x7f]/);
    expect(wordsIn(lines, shell)).toEqual(
      texts.map((text) => ['-X', 'POST', post.url, '-H', `x-note: ${text}`, '--data', `{${text}`]),
    );
  });
});
