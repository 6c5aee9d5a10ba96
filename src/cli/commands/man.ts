import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SchedError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { isInteractive } from '../../output/pager.ts';
import type { Runtime } from '../../runtime.ts';
import type { Invocation, LeafCommand } from '../command.ts';
import { topics } from '../help/topics.ts';

/** The committed pages by file name, part of the program: nothing is read from beside it. */
const loadPages = async (): Promise<Readonly<Record<string, string>>> => (await import('../../../man')).default;

/** Shows a page with the system's man. False if that isn't installed, or can't show it. */
const showPage = async (name: string, section: 1 | 7, { spawn, env }: Runtime): Promise<boolean> => {
  if (spawn === undefined) return false;
  const folder = await mkdtemp(join(tmpdir(), 'sched-man-')).catch(() => undefined);
  if (folder === undefined) return false;
  try {
    // A path works with every man; not all of them read stdin.
    const page = `${name}.${section}`;
    const file = join(folder, page);
    await writeFile(file, (await loadPages())[page]!);
    return (await spawn(['man', file], { env })) === 0;
  } catch {
    return false;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

interface Names {
  nouns: readonly string[];
  findNoun(word: string): string | undefined;
}

const unknownPage = (word: string, names: readonly string[]): SchedError =>
  new SchedError('usage', `No manual page for "${word}"`, {
    hint: `sched man ${nearest(word, names) ?? '--help'}`,
  });

/** Made by the registry, which knows the nouns. */
export const man = ({ nouns, findNoun }: Names): LeafCommand => {
  const names = [...nouns, ...Object.keys(topics)];
  const run = async ({ context, args: [word], problems, help }: Invocation): Promise<void> => {
    problems.check();
    const isTopic = word !== undefined && Object.hasOwn(topics, word);
    const name = word === undefined || isTopic ? word : findNoun(word);
    if (word !== undefined && name === undefined) throw unknownPage(word, names);
    const { runtime, settings } = context;
    const page = name === undefined ? 'sched' : `sched-${name}`;
    const isShown = isInteractive(runtime) && !settings.accessible && (await showPage(page, isTopic ? 7 : 1, runtime));
    if (!isShown) await help(name === undefined ? [] : [name]);
  };
  return {
    arguments: [{ name: 'name', description: 'command or help topic; without one, sched itself', choices: names }],
    flags: [],
    examples: ['man', 'man events', 'man exit-codes'],
    notes: ['In a pipe, or if man is not installed, it prints the help of that command or topic instead.'],
    local: true,
    run,
  };
};
