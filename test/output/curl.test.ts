import { describe, expect, it } from 'vitest';
import { curlLine } from '../../src/output/curl.ts';
import { execFileSync } from '../support/processes.ts';
import { hostile, madeUp } from './samples.ts';

const post = { method: 'POST', url: 'https://api.example.com/invitees', headers: { accept: 'application/json' } };

/** The words that bash hands to curl, for each of the lines. */
const wordsIn = (lines: string[], shell = 'bash'): string[][] => {
  const script = `curl() { printf '%s\\0' "$@"; printf 'END\\0'; }\n${lines.join('\n')}\n`;
  // Known as nobody's secret, because the shell is to show it.
  const env = { SCHED_TOKEN: 'sandbox_to ken$x', PATH: process.env.PATH ?? '' };
  const words = execFileSync(shell, ['-s'], { input: script, env, encoding: 'utf8' }).split('\0').slice(0, -1);
  return words
    .join('\0')
    .split(/(?:^|\0)END/)
    .slice(0, -1)
    .map((line) => line.replace(/^\0/, '').split('\0'));
};

describe('curl', () => {
  it('is one line that holds no token', () =>
    expect(
      curlLine({ ...post, headers: { authorization: 'Bearer secret', ...post.headers }, body: `{"a":"it's"}` }),
    ).toBe(
      `curl -X POST https://api.example.com/invitees -H 'Authorization: Bearer '"$SCHED_TOKEN" -H 'accept: application/json' --data '{"a":"it'\\''s"}'`,
    ));

  it('says nothing that goes without saying', () =>
    expect(
      curlLine({ method: 'GET', url: 'https://a.example/b?c=d&e=%20', headers: { 'user-agent': 'sched/1' } }),
    ).toBe("curl 'https://a.example/b?c=d&e=%20'"));

  it('names a file for a body that must not be shown', () =>
    expect(curlLine({ ...post, body: { file: 'FILE' } })).toMatch(/ --data @FILE$/));

  it('keeps curl from reading patterns and files out of data', () => {
    expect(curlLine({ ...post, url: 'https://a.example/{b}[1-3]' })).toContain(
      "--globoff 'https://a.example/{b}[1-3]'",
    );
    expect(curlLine({ ...post, body: '@/etc/passwd' })).toContain('--data-raw @/etc/passwd');
  });

  it('puts the token in when the line runs', () =>
    expect(wordsIn([curlLine({ ...post, headers: { authorization: '' } })])).toEqual([
      ['-X', 'POST', post.url, '-H', 'Authorization: Bearer sandbox_to ken$x'],
    ]));

  it.each(['bash', 'sh'])('reaches curl word for word in %s, whatever is in it', (shell) => {
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
      // No argument of a program holds a NUL or half a character; `$'…'` is for shells newer than POSIX.
      .filter((text) => !/[\0\p{Cs}]/u.test(text) && (shell === 'bash' || !/[\x00-\x1f\x7f]/.test(text)));
    const lines = texts.map((text) => curlLine({ ...post, headers: { 'x-note': text }, body: `{${text}` }));
    for (const line of lines) expect(line).not.toMatch(/[\x00-\x1f\x7f]/);
    expect(wordsIn(lines, shell)).toEqual(
      texts.map((text) => ['-X', 'POST', post.url, '-H', `x-note: ${text}`, '--data', `{${text}`]),
    );
  });
});
