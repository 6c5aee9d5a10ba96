import type { CommandLine } from '../../errors.ts';
import { shellWord } from '../../shell-quote.ts';

/** Builds a `sched` command line that can be copied into a shell. */
export const commandLine = (...words: readonly string[]): CommandLine =>
  words.length === 0 ? 'sched' : `sched ${words.map(shellWord).join(' ')}`;
