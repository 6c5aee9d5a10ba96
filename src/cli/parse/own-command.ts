import type { CommandLine } from '../../errors.ts';
import { commandLine } from '../messages/command-lines.ts';
import type { Token } from './tokens.ts';

interface Source {
  /** Noun and verb. */
  name: string;
  tokens: readonly Token[];
  /** The text that shows where the value of a flag is missing, or undefined if the command has no such flag. */
  placeholderOf(flag: string): string | undefined;
  /** The words may contain private data, so they are not repeated. */
  isPrivate?: boolean;
}

/** The user's own command line, which problems correct step by step until it can be suggested. */
export class OwnCommand {
  readonly #source: Source;
  #isPrivate: boolean;
  #tokens: Token[];
  #replacement: CommandLine | undefined;

  constructor(source: Source) {
    this.#source = source;
    this.#isPrivate = source.isPrivate === true;
    this.#tokens = [...source.tokens];
  }

  /** Whether the line has this flag, even if its value is missing. */
  has(name: string): boolean {
    return this.#tokens.some((token) => token.name === name);
  }

  /** Whether the command takes this flag. Some commands take its value as their argument instead. */
  takes(name: string): boolean {
    return this.#source.placeholderOf(name) !== undefined;
  }

  /** Replaces one value of a flag or argument. Without a new value, a placeholder takes its place. */
  setValue(name: string, from: string, to?: string): void {
    if (!this.takes(name)) {
      this.setArgument(from, to ?? name.toUpperCase());
      return;
    }
    const value = to ?? this.#source.placeholderOf(name)!;
    this.#tokens = this.#tokens.map((token) => {
      if (token.name !== name || token.value !== from) return token;
      const last = token.words.at(-1)!;
      const words = [...token.words.slice(0, -1), last.slice(0, last.length - from.length) + value];
      return { ...token, words, value };
    });
  }

  /** Adds a flag. Without a value, a placeholder stands for it. */
  addFlag(name: string, value = this.#source.placeholderOf(name) ?? ''): void {
    const token: Token = { kind: 'flag', words: value === '' ? [`--${name}`] : [`--${name}`, value], name, value };
    const end = this.#tokens.findIndex(({ kind }) => kind === 'end');
    this.#tokens.splice(end < 0 ? this.#tokens.length : end, 0, token);
  }

  /** Adds a flag or changes its value; `true` is for a flag without a value, and `false` removes it. */
  setFlag(name: string, value: string | boolean): void {
    const typed = this.#tokens.find((token) => token.name === name);
    if (value === false) this.#tokens = this.#tokens.filter((token) => token !== typed);
    else if (typed === undefined) this.addFlag(name, value === true ? '' : value);
    else if (value !== true) this.setValue(name, typed.value!, value);
  }

  /** Adds an argument, or the placeholder of a missing one, after the other arguments. */
  addArgument(word: string): void {
    const last = this.#tokens.findLastIndex(({ kind }) => kind === 'argument' || kind === 'end');
    this.#tokens.splice(last + 1, 0, { kind: 'argument', words: [word] });
  }

  setArgument(from: string, to: string): void {
    this.#tokens = this.#tokens.map((token) =>
      token.kind === 'argument' && token.words[0] === from ? { ...token, words: [to] } : token,
    );
  }

  /** Replaces a typed value, whether it is an argument or the value of a flag. Returns whether it was found. */
  replace(from: string, to: string): boolean {
    const before = this.line;
    this.setArgument(from, to);
    for (const { name, value } of this.#tokens) if (name !== undefined && value === from) this.setValue(name, from, to);
    return this.line !== before;
  }

  /** Allows showing the line: the command has found nothing private in it. */
  reveal(): void {
    this.#isPrivate = false;
  }

  /** Replaces the whole line. Only for a line that is safe to show. */
  become(line: CommandLine): void {
    this.#replacement = line;
  }

  /** The line to suggest, or undefined if it must not be shown. */
  get line(): CommandLine | undefined {
    if (this.#replacement !== undefined) return this.#replacement;
    if (this.#isPrivate) return undefined;
    // `--json=` is how a bare `--json` is kept apart from the word after it.
    const words = (tokens: readonly Token[]) =>
      tokens.flatMap((token) => token.words.map((word) => (word === '--json=' ? '--json' : word)));
    const early = this.#tokens.filter(({ isEarly }) => isEarly);
    const others = this.#tokens.filter(({ isEarly }) => !isEarly);
    return commandLine(...words(early), ...this.#source.name.split(' '), ...words(others));
  }
}
