import type { Flag } from './command.ts';

/** A command line with its flags behind the command words, where the command that owns them reads them. */
export interface Words {
  noun?: string;
  verb?: string;
  rest: string[];
}

const long = (word: string): string | undefined => /^--([^=]+)/.exec(word)?.[1];

export const findFlag = (word: string, flags: readonly Flag[]): Flag | undefined => {
  const name = long(word);
  if (name === undefined) return flags.find((flag) => flag.short !== undefined && word.startsWith(`-${flag.short}`));
  return flags.find((flag) => flag.name === name || (flag.negatable && `no-${flag.name}` === name));
};

/** Whether the flag takes the word behind it as its value. */
const takesNext = (word: string, flag: Flag): boolean => {
  if (flag.value === undefined || flag.optional) return false;
  return word.startsWith('--') ? !word.includes('=') : word.length === 2;
};

/**
 * Splits `argv` into noun, verb and the rest. Flags written before the verb (`sched --sandbox events list`)
 * move behind it. `--json` before the noun takes a value only in its `=` form.
 */
export const splitWords = (
  argv: readonly string[],
  shared: readonly Flag[],
  isLeaf: (noun: string) => boolean,
): Words => {
  const words: string[] = [];
  const moved: string[] = [];
  let index = 0;
  while (index < argv.length && words.length < 2 && argv[index] !== '--') {
    const word = argv[index]!;
    index += 1;
    if (!word.startsWith('-') || word === '-') {
      words.push(word);
      if (isLeaf(word)) break;
      continue;
    }
    moved.push(word);
    const flag = findFlag(word, shared);
    if (flag !== undefined && takesNext(word, flag) && index < argv.length) moved.push(argv[index++]!);
  }
  const [noun, verb] = words;
  return {
    ...(noun === undefined ? {} : { noun }),
    ...(verb === undefined ? {} : { verb }),
    rest: [...moved, ...argv.slice(index)],
  };
};

/** A command's words before they are read: unknown flags, values missing or too many, where `--json` ends. */
export interface Scan {
  /** The words as they can be read: flags by their long names, values joined to them, unknown flags taken out. */
  words: string[];
  unknown: string[];
  /** Flags that stand at the end without their value. */
  valueless: string[];
  /** Switches that were given a value. */
  overvalued: string[];
}

/** `-qv` ⇒ `--quiet --verbose`, `-ojson` ⇒ `--output=json`; `undefined` where a letter is no flag. */
const spellOut = (word: string, flags: readonly Flag[]): string[] | undefined => {
  const spelled: string[] = [];
  for (let index = 1; index < word.length; index += 1) {
    const flag = flags.find(({ short }) => short === word[index]);
    if (flag === undefined) return undefined;
    if (flag.value === undefined) spelled.push(`--${flag.name}`);
    else
      return [
        ...spelled,
        `--${flag.name}${index + 1 < word.length ? `=${word.slice(index + 1).replace(/^=/, '')}` : ''}`,
      ];
  }
  return spelled;
};

/** `isField` tells whether a word behind a bare `--json` is a field list and not an argument. */
export const scanWords = (
  rest: readonly string[],
  flags: readonly Flag[],
  isField: (word: string) => boolean,
): Scan => {
  const scan: Scan = { words: [], unknown: [], valueless: [], overvalued: [] };
  const pending = [...rest];
  for (let word = pending.shift(); word !== undefined; word = pending.shift()) {
    if (word === '--') {
      scan.words.push(word, ...pending);
      break;
    }
    // No flag is a number, so `-2h` is a time.
    if (!word.startsWith('-') || word === '-' || /^-\d/.test(word) || word === '--help' || word === '-h') {
      scan.words.push(word);
      continue;
    }
    if (!word.startsWith('--')) {
      const spelled = spellOut(word, flags);
      if (spelled === undefined) scan.unknown.push(word);
      else pending.unshift(...spelled);
      continue;
    }
    const flag = findFlag(word, flags);
    const hasValue = word.includes('=');
    if (flag === undefined) scan.unknown.push(word);
    else if (flag.value === undefined && hasValue) scan.overvalued.push(word.slice(0, word.indexOf('=')));
    else if (flag.value === undefined || hasValue) scan.words.push(word);
    else if (flag.optional) {
      const [next] = pending;
      const taken = next !== undefined && !next.startsWith('-') && isField(next);
      scan.words.push(`${word}=${taken ? pending.shift() : ''}`);
    } else {
      const value = pending.shift();
      if (value === undefined) scan.valueless.push(word);
      // Joined with `=`, so that a value that looks like a flag can never be taken for one.
      else scan.words.push(`${word}=${value}`);
    }
  }
  return scan;
};
