import { shellWord } from '../../shell-quote.ts';

/** Builds a `sched` command line that can be copied into a shell. */
export const commandLine = (...words: readonly string[]): string => ['sched', ...words.map(shellWord)].join(' ');
