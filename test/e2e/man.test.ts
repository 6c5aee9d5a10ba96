import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { execFileSync } from '../support/processes.ts';
import { sample } from '../support/tier.ts';
import { sched, schedInTerminal, temporaryHome } from './program.ts';

const pages = join(import.meta.dirname, '../../man');

/** A home whose path holds a `man` that prints the file it is given, and a directory for temporary files. */
const homeWithMan = () => {
  const home = temporaryHome();
  const bin = join(home, 'bin');
  const temporary = join(home, 'temporary');
  mkdirSync(bin);
  mkdirSync(temporary);
  writeFileSync(join(bin, 'man'), '#!/bin/sh\nexec cat "$1"\n', { mode: 0o755 });
  return { home, temporary, env: { PATH: `${bin}:${process.env.PATH}`, TERM: 'xterm', TMPDIR: temporary } };
};

describe('sched man', () => {
  // The page of the second name is the same.
  const names = readdirSync(pages).map((file) => ({ file, name: /^scheds?-?(.*)\.[17]$/.exec(file)![1]! }));
  test.each(sample(names, 1))('has the page $file inside, and leaves nothing behind', async ({ name, file }) => {
    const { home, temporary, env } = homeWithMan();
    const words = name === '' ? ['man'] : ['man', name];
    const { code, text } = await schedInTerminal(words, home, env).done;
    expect(code).toBe(0);
    expect(text).toBe(readFileSync(join(pages, file), 'utf8'));
    expect(readdirSync(temporary)).toEqual([]);
  });

  /** A PATH without man. The terminal itself needs these programs, and man may be beside them. */
  const pathWithoutMan = (): string => {
    const folder = temporaryHome();
    for (const name of ['script', 'stty', 'sh'])
      symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(folder, name));
    return folder;
  };
  const places = {
    'where man is not installed': (words: string[], home: string) =>
      schedInTerminal(words, home, { PATH: pathWithoutMan(), TERM: 'xterm' }).done,
    'in a pipe without man': (words: string[], home: string) => sched(words, home, { PATH: '/nowhere' }),
  };

  test.each(sample(Object.entries(places), 1))('prints help %s', async (_, run) => {
    const home = temporaryHome();
    const help = await run(['man', 'events'], home);
    expect(help).toMatchObject({ code: 0 });
    expect(JSON.stringify(help)).toContain('Usage: sched events');
  });
});
