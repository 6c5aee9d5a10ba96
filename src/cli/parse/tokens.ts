import type { Option } from 'commander';

/** A part of a command line: an argument, or a flag together with its value. */
export interface Token {
  kind: 'argument' | 'flag' | 'unknown' | 'end';
  /** The words as typed. For `end`: `--` and everything after it. */
  words: string[];
  /** Name of a known flag. In a cluster such as `-qo json`, the name of the last one. */
  name?: string | undefined;
  value?: string | undefined;
  /** The flag needs a value, and the line ends before it. */
  isCut?: boolean;
  /** It was typed before the command, as in `sched --sandbox events list`. */
  isEarly?: boolean;
  /** It was not typed: it shows where something is missing. */
  isPlaceholder?: boolean;
}

/** Flags start with a dash. No flag is a number, so `-2h` is a time. */
export const isFlag = (word: string): boolean => /^-[^\d]/.test(word);

const isHelp = (flag: string): boolean => flag === '--help' || flag === '-h';

const longToken = (word: string, next: string | undefined, options: readonly Option[]): Token => {
  const mark = word.indexOf('=');
  const flag = mark < 0 ? word : word.slice(0, mark);
  const value = mark < 0 ? undefined : word.slice(mark + 1);
  if (isHelp(word)) return { kind: 'flag', words: [word] };
  const option = options.find(({ long }) => long === flag);
  const isSwitch = option !== undefined && !option.required && !option.optional;
  if (option === undefined || (isSwitch && value !== undefined)) return { kind: 'unknown', words: [word], value };
  const name = option.name();
  if (!option.required || value !== undefined) return { kind: 'flag', words: [word], name, value };
  if (next === undefined) return { kind: 'flag', words: [word], name, isCut: true };
  return { kind: 'flag', words: [word, next], name, value: next };
};

const shortToken = (word: string, next: string | undefined, options: readonly Option[]): Token => {
  // `-limit` is `--limit` with a dash too few, not a cluster of short flags.
  const [spelled = '', value] = word.split(/=(.*)/s);
  if (spelled.length > 3 && options.some(({ long }) => long === `-${spelled}`))
    return { kind: 'unknown', words: [word], value };
  let name: string | undefined;
  for (let index = 1; index < word.length; index += 1) {
    const letter = `-${word[index]}`;
    const option = options.find(({ short }) => short === letter);
    if (option === undefined && !isHelp(letter)) return { kind: 'unknown', words: [word] };
    name = option?.name();
    if (!option?.required) continue;
    if (index < word.length - 1) return { kind: 'flag', words: [word], name, value: word.slice(index + 1) };
    if (next === undefined) return { kind: 'flag', words: [word], name, isCut: true };
    return { kind: 'flag', words: [word, next], name, value: next };
  }
  return { kind: 'flag', words: [word], name };
};

/** Splits the words after a command as Commander does. The first `early` words were typed before the command. */
export const tokensOf = (words: readonly string[], options: readonly Option[], early = 0): Token[] => {
  const tokens: Token[] = [];
  for (let index = 0; index < words.length; ) {
    const word = words[index]!;
    const isEarly = index < early;
    if (word === '--') return [...tokens, { kind: 'end', words: words.slice(index), isEarly }];
    const token: Token = !isFlag(word)
      ? { kind: 'argument', words: [word] }
      : (word.startsWith('--') ? longToken : shortToken)(word, words[index + 1], options);
    tokens.push({ ...token, isEarly });
    index += token.words.length;
  }
  return tokens;
};
