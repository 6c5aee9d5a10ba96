import { shellWord } from '../../shell-quote.ts';
/** Words behind `sched` as a line to copy. */
export const commandLine = (...words: readonly string[]): string => ['sched', ...words.map(shellWord)].join(' ');
