/** A part of a command line, as Commander reads it: an argument, a flag with its value, or `--`. */
export interface Part {
  /** The words as typed. Short flags in one word, as in `-qo json`, are spelled out. */
  words: readonly string[];
  /** Name of a flag that the command has. */
  flag?: string | undefined;
  /** The argument, or the value of the flag. */
  value?: string | undefined;
  /** The command has no such flag, or the line ends before its value. */
  wrong?: 'unknown' | 'cut';
  /** Typed before the command, as in `sched --sandbox events list`. */
  isEarly?: boolean;
}

/** Flags start with a dash. No flag is a number, so `-2h` is a time. */
export const isFlag = (word: string): boolean => /^-[^\d]/.test(word);

export const isArgument = (part: Part | undefined): boolean => part?.value !== undefined && part.flag === undefined;

export const argumentsIn = (parts: readonly Part[]): string[] => parts.filter(isArgument).map(({ value }) => value!);

/** `--statsu=x` ⇒ `--statsu`. */
export const flagWord = (word: string): string => word.split('=')[0]!;
