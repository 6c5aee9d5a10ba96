import type { Option } from 'commander';

/** Whether the next word is the value of this one: `--tz`, `-o`, `-qo`, but not `--tz=UTC` or `-ojson`. */
const takesNextWord = (word: string, options: readonly Option[]): boolean => {
  const find = (flag: string) => options.find(({ long, short }) => long === flag || short === flag);
  if (word.startsWith('--')) return find(word)?.required === true;
  const letters = [...word.slice(1)];
  const first = letters.findIndex((letter) => find(`-${letter}`)?.required !== false);
  return first === letters.length - 1 && find(`-${letters[first]}`)?.required === true;
};

/** A command line with its flags moved after the noun and verb. */
export interface CommandWords {
  noun?: string;
  verb?: string;
  rest: string[];
  /** How many words of `rest` were typed before the noun. */
  early: number;
}

/**
 * Moves flags before the noun or verb (`sched --sandbox events list`) after them, because Commander reads a command's
 * flags only after its name.
 */
export const commandFirst = (
  argv: readonly string[],
  shared: readonly Option[],
  isLeaf: (noun: string) => boolean,
): CommandWords => {
  const words: string[] = [];
  const flags: string[] = [];
  let early = 0;
  let index = 0;
  while (index < argv.length && words.length < 2 && argv[index] !== '--') {
    const word = argv[index++]!;
    if (!word.startsWith('-') || word === '-') {
      if (words.push(word) === 1) early = flags.length;
      if (isLeaf(word)) break;
      continue;
    }
    flags.push(word);
    if (takesNextWord(word, shared) && index < argv.length) flags.push(argv[index++]!);
  }
  const [noun, verb] = words;
  return {
    ...(noun === undefined ? {} : { noun }),
    ...(verb === undefined ? {} : { verb }),
    rest: [...flags, ...argv.slice(index)],
    early,
  };
};

/**
 * Joins a bare `--json` with the field list after it, if there is one. Commander would take any next word, even an ID.
 */
export const joinFields = (
  words: readonly string[],
  options: readonly Option[],
  isFieldList: (word: string) => boolean,
): string[] => {
  const joined: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]!;
    const next = words[index + 1];
    if (word === '--') return [...joined, ...words.slice(index)];
    if (word === '--json') {
      const isTaken = next !== undefined && !next.startsWith('-') && isFieldList(next);
      joined.push(`--json=${isTaken ? next : ''}`);
      if (isTaken) index += 1;
    } else if (takesNextWord(word, options) && next !== undefined) {
      joined.push(word, next);
      index += 1;
    } else joined.push(word);
  }
  return joined;
};
