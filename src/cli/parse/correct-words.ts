import { nearest } from '../../nearest.ts';
import type { Command, Flag } from '../command.ts';
import { flagSlips } from './slips.ts';
import type { Token } from './tokens.ts';

export interface Correction {
  /** The command line as it was probably meant. */
  tokens: Token[];
  problems: { text: string; isFixed: boolean }[];
  /** The word after an unknown flag may be its value or an argument, so nothing can be said about the arguments. */
  isUnclear: boolean;
}

/** A value to show where one is missing: the word for the user's own record, or a placeholder in capitals. */
export const placeholderOf = ({ value = '', suggestions }: Flag): string =>
  suggestions?.[0] ?? value.split('|').find((part) => part === part.toUpperCase()) ?? value.toUpperCase();

/** `--statsu=x` ⇒ `--statsu`. */
export const nameIn = (word: string): string => word.split('=')[0]!;

/** The flag that was probably meant by an unknown one. */
export const nearestFlag = (word: string, flags: readonly Flag[]): Flag | undefined => {
  const find = (name: string | undefined) => flags.find((flag) => flag.name === name);
  const typed = nameIn(word);
  const slip = find(flagSlips.get(typed)?.find(find));
  // A short flag resembles too many others.
  if (slip !== undefined || /^-[^-]{0,2}$/.test(typed)) return slip;
  const names = flags.map(({ name }) => name);
  return find(nearest(typed.replace(/^--?/, '').replaceAll('_', '-'), names));
};

/** The message for an unknown flag, with the flag that was probably meant. */
export const unknownFlag = (word: string, meant: Flag | undefined, help: string): string =>
  `Unknown flag ${nameIn(word)}${meant === undefined ? ` (see ${help})` : `. Did you mean --${meant.name}?`}`;

const flagToken = ({ name }: Flag, value: string | undefined, isJoined: boolean): Token => {
  const words = value === undefined ? [`--${name}`] : isJoined ? [`--${name}=${value}`] : [`--${name}`, value];
  return { kind: 'flag', words, name, value };
};

/** The flag with a placeholder for the value that is missing. */
const cutToken = (flag: Flag): Token => ({ ...flagToken(flag, placeholderOf(flag), false), isPlaceholder: true });

const off = new Set(['no', 'false', '0', 'off']);

/** `--yes=no` ⇒ nothing, `--active=false` ⇒ `--no-active`, `--yes=1` ⇒ `--yes`. */
const switchTokens = (flag: Flag, value: string | undefined): Token[] => {
  if (!off.has(value ?? '')) return [flagToken(flag, undefined, false)];
  return flag.negatable ? [{ kind: 'flag', words: [`--no-${flag.name}`], name: flag.name }] : [];
};

/** Flags for text that may contain spaces. */
const takesText = (flag: Flag | undefined): boolean =>
  flag?.value !== undefined && flag.choices === undefined && /NAME|TEXT|TIME/.test(flag.value);

const quote = (unexpected: string, text: string) => ({
  text: `Unexpected argument "${unexpected}". Put quotes around "${text}"`,
  isFixed: true,
});

/** Joins words that lack quotes, as in `--event-type Intro call`. */
const joinText = (tokens: readonly Token[], flags: readonly Flag[], problems: Correction['problems']): Token[] => {
  const joined: Token[] = [];
  for (let index = 0; index < tokens.length; ) {
    const token = tokens[index++]!;
    const more: string[] = [];
    if (token.value !== undefined && takesText(flags.find(({ name }) => name === token.name)))
      while (tokens[index]?.kind === 'argument') more.push(tokens[index++]!.words[0]!);
    if (more.length > 0) problems.push(quote(more[0]!, [token.value, ...more].join(' ')));
    const last = [token.words.at(-1), ...more].join(' ');
    joined.push(
      more.length === 0
        ? token
        : { ...token, words: [...token.words.slice(0, -1), last], value: [token.value, ...more].join(' ') },
    );
  }
  return joined;
};

const argumentsIn = (tokens: readonly Token[]): string[] =>
  tokens.flatMap(({ kind, words }) => (kind === 'argument' ? words : kind === 'end' ? words.slice(1) : []));

/** Joins the words of a name that is the only argument, as in `event-types get Intro call`. */
const joinArguments = (
  tokens: readonly Token[],
  { arguments: [argument, ...others] }: Command,
  problems: Correction['problems'],
): Token[] => {
  const first = tokens.findIndex(({ kind }) => kind === 'argument');
  const last = tokens.findLastIndex(({ kind }) => kind === 'argument' || kind === 'end');
  const run = tokens.slice(first, last + 1);
  // The description of an argument says whether it can be a name.
  const isName = others.length === 0 && /\bname\b/.test(argument?.description ?? '');
  if (!isName || first < 0 || run.some(({ kind }) => kind !== 'argument')) return [...tokens];
  const words = argumentsIn(run);
  problems.push(quote(words[1]!, words.join(' ')));
  return [...tokens.slice(0, first), { ...run[0]!, words: [words.join(' ')] }, ...tokens.slice(last + 1)];
};

/**
 * Corrects the flags of a command line and missing quotes. The result is read instead of what was typed, so that all
 * other problems are those of the command that was meant.
 */
export const correctTokens = (
  typed: readonly Token[],
  command: Command,
  flags: readonly Flag[],
  name: string,
): Correction => {
  const problems: Correction['problems'] = [];
  const fixed = (text: string) => problems.push({ text, isFixed: true });
  const find = (flag: string | undefined) => flags.find((each) => each.name === flag);
  let isUnclear = false;
  let tokens: Token[] = [];
  for (let index = 0; index < typed.length; ) {
    const token = typed[index++]!;
    const { isEarly = false, value } = token;
    const put = (...meant: Token[]) => tokens.push(...meant.map((each) => ({ ...each, isEarly })));
    const known = find(token.name);
    const word = token.words[0]!;
    /** Takes the next word as a value, if it can be one. */
    const next = () => (typed[index]?.kind === 'argument' ? typed[index++]!.words[0] : undefined);
    if (token.kind === 'unknown') {
      const exact = find(nameIn(word).replace(/^--/, ''));
      const argument = command.arguments.find((each) => `--${each.name}` === nameIn(word));
      const meant = nearestFlag(word, flags);
      if (exact !== undefined) {
        fixed(`--${exact.name} doesn't take a value`);
        put(...switchTokens(exact, value));
      } else if (argument !== undefined) {
        fixed(`Unknown flag ${nameIn(word)}. <${argument.name}> is an argument: leave out ${nameIn(word)}`);
        const text = value ?? next();
        if (text !== undefined) put({ kind: 'argument', words: [text] });
      } else if (meant === undefined) {
        problems.push({ text: unknownFlag(word, undefined, `sched ${name} --help`), isFixed: false });
        isUnclear ||= value === undefined && typed[index]?.kind === 'argument';
        put(token);
      } else {
        fixed(unknownFlag(word, meant, ''));
        if (meant.value === undefined) put(...switchTokens(meant, value));
        else {
          const given = meant.optional ? (value ?? '') : (value ?? next());
          const isJoined = meant.optional || value !== undefined;
          put(given === undefined ? cutToken(meant) : flagToken(meant, given, isJoined));
        }
      }
    } else if (token.isCut) {
      fixed(`--${known!.name} needs a value${known!.choices === undefined ? '' : `: ${known!.choices.join(', ')}`}`);
      put(cutToken(known!));
    } else put(token);
  }
  tokens = tokens.map((token) => {
    const { name: flag, value, isPlaceholder } = token;
    const own = find(`event-${flag}`);
    const isOther = own !== undefined && value !== undefined && find(flag)?.choices?.includes(value) === false;
    if (!isOther || isPlaceholder) return token;
    const choices = find(flag)!.choices!.join(', ');
    fixed(`--${flag} must be one of ${choices}, not "${value}". For the ${flag} of the event type, use --${own.name}`);
    return { ...flagToken(own, value, token.words.length === 1), isEarly: token.isEarly ?? false };
  });
  const room = command.freeForm || command.arguments.at(-1)?.variadic ? Infinity : command.arguments.length;
  if (!isUnclear && argumentsIn(tokens).length > room) tokens = joinText(tokens, flags, problems);
  if (!isUnclear && argumentsIn(tokens).length > room) tokens = joinArguments(tokens, command, problems);
  const extra = argumentsIn(tokens)[room];
  if (!isUnclear && extra !== undefined) problems.push({ text: `Unexpected argument "${extra}"`, isFixed: false });
  return { tokens, problems, isUnclear };
};
