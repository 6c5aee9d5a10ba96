import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SchedError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import type { ProgramAnswer } from '../cli/answer/answer.ts';
import type { LeafCommand } from '../cli/command.ts';
import { topics } from '../cli/help/topics.ts';
import { entry } from '../cli/input/entry.ts';
import { type Call, input, taking, type Values } from '../cli/input/input.ts';
import { text, textKind } from '../cli/input/kinds.ts';
import { localCommand } from '../cli/messages/suggested-line.ts';
import { mkdtemp, rm, writeFile } from '../node/files.ts';
import { isInteractive } from '../output/pager.ts';
import type { Runtime } from '../runtime.ts';

/** The committed pages by file name, part of the program: nothing is read from beside it. */
const loadPages = async (): Promise<Readonly<Record<string, string>>> => (await import('../../man')).default;

/** Shows a page with the system's man. False if that isn't installed, or can't show it. */
const showPage = async (found: Found, { spawn, env }: Runtime): Promise<boolean> => {
  if (spawn === undefined) return false;
  const folder = await mkdtemp(join(tmpdir(), 'sched-man-')).catch(() => undefined);
  if (folder === undefined) return false;
  try {
    // A path works with every man; not all of them read stdin.
    const name = `${found.page}.${found.section}`;
    const file = join(folder, name);
    await writeFile(file, (await loadPages())[name]!);
    return (await spawn(['man', file], { env })) === 0;
  } catch {
    return false;
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
};

interface Names {
  nouns: readonly string[];
  findNoun(word: string): string | undefined;
  verbsOf(noun: string): Promise<readonly string[]>;
}

/** A page, and the words of `sched help` for the same. */
interface Found {
  page: string;
  section: 1 | 7;
  about: string[];
}

/** The page that the words name: `events`, `event list`, `sched-events`, `events-list`, `exit codes`. */
const findPage = async (words: readonly string[], { findNoun, verbsOf }: Names): Promise<Found | undefined> => {
  const name = words.join('-').replace(/^s(?:ched|ked)(-|$)/, '');
  if (name === '') return { page: 'sched', section: 1, about: [] };
  if (Object.hasOwn(topics, name)) return { page: `sched-${name}`, section: 7, about: [name] };
  const parts = name.split('-');
  for (let count = parts.length; count > 0; count -= 1) {
    const noun = findNoun(parts.slice(0, count).join('-'));
    const verb = parts.slice(count).join('-');
    if (noun === undefined || (verb !== '' && !(await verbsOf(noun)).includes(verb))) continue;
    const about = verb === '' ? [noun] : [noun, verb];
    return { page: ['sched', ...about].join('-'), section: 1, about };
  }
  return undefined;
};

/** Made by the registry, which knows the nouns. */
export const man = (known: Names): LeafCommand => {
  const names = [...known.nouns, ...Object.keys(topics)];
  const entries = {
    name: entry({ ...textKind, choices: names }, 'command or help topic; without one, sched itself', {
      place: 'argument',
    }),
    verb: text('verb of the command', { place: 'argument', many: true }),
  };
  const run = async ({ name, verb }: Values<typeof entries>, { help }: Call): Promise<ProgramAnswer> => {
    const words = name === undefined ? [] : [name, ...verb];
    const page = await findPage(words, known);
    if (page === undefined)
      throw new SchedError('usage', `No manual page for "${words.join(' ')}"`, {
        hint: localCommand('man', nearest(name!, names) ?? '--help'),
      });
    return {
      kind: 'program',
      run: async ({ runtime, settings }) => {
        // A pager moves the cursor around the screen. In a pipe, man prints the text.
        const mayShow = !settings.accessible && (isInteractive(runtime) || !runtime.stdout.isTerminal);
        const isShown = mayShow && (await showPage(page, runtime));
        if (!isShown) await help(page.about);
      },
    };
  };
  return {
    ...taking(input(entries), run),
    examples: ['man', 'man events', 'man events list', 'man exit-codes'],
    notes: [
      'The page of a command lists its verbs, and each verb has a page of its own. If man is not installed, or with --accessible, help is printed instead.',
    ],
    local: true,
  };
};
