import type { CommandLine } from '../../base/errors.ts';
import { type Here, ownCommand } from '../messages/suggested-line.ts';
import { argumentsIn, isArgument, type Part } from './line-part.ts';

/** The user's own command line, which problems correct step by step until it can be suggested. */
export class OwnCommand {
  readonly #name: string;
  readonly #placeholders: ReadonlyMap<string, string>;
  #parts: readonly Part[];
  readonly #here: Here;
  #isPrivate: boolean;

  /**
   * `name` is noun and verb. `placeholders` has all flags of the command, with the text that shows where a value is
   * missing. `here` is the account that the environment chose. `isPrivate`: the words may contain private data, so they
   * are not repeated.
   */
  constructor(
    name: string,
    parts: readonly Part[],
    placeholders: ReadonlyMap<string, string>,
    here: Here,
    isPrivate = false,
  ) {
    this.#name = name;
    this.#parts = parts;
    this.#placeholders = placeholders;
    this.#here = here;
    this.#isPrivate = isPrivate;
  }

  /** Another command with the same words, for a line that leaves this one unchanged. */
  copy(): OwnCommand {
    return new OwnCommand(this.#name, this.#parts, this.#placeholders, this.#here, this.#isPrivate);
  }

  /** Whether the line has this flag, even if its value is missing. */
  has(name: string): boolean {
    return this.#parts.some(({ flag }) => flag === name);
  }

  /** Whether the command takes this flag. Some commands take its value as their argument instead. */
  takes(name: string): boolean {
    return this.#placeholders.has(name);
  }

  /** Replaces one value of a flag or argument. Without a new value, a placeholder takes its place. */
  setValue(name: string, from: string, to?: string): void {
    if (this.takes(name)) this.#set(name, from, to ?? this.#placeholders.get(name)!);
    else this.#set(undefined, from, to ?? name.toUpperCase());
  }

  #set(name: string | undefined, from: string, value: string): void {
    this.#parts = this.#parts.map((part) => {
      if (part.flag !== name || part.value !== from) return part;
      const last = part.words.at(-1)!;
      const words = [...part.words.slice(0, -1), last.slice(0, last.length - from.length) + value];
      return { ...part, words, value };
    });
  }

  /** Adds a flag. Without a value, a placeholder stands for it. */
  addFlag(name: string, value = this.#placeholders.get(name) ?? ''): void {
    const part: Part = { words: value === '' ? [`--${name}`] : [`--${name}`, value], flag: name, value };
    const end = this.#parts.findIndex(({ words }) => words[0] === '--');
    this.#parts = this.#parts.toSpliced(end < 0 ? this.#parts.length : end, 0, part);
  }

  /** Adds a flag or changes its value; `true` is for a flag without a value, and `false` removes it. */
  setFlag(name: string, value: string | boolean): void {
    const flagPart = this.#parts.find(({ flag }) => flag === name);
    if (value === false) this.#parts = this.#parts.filter((part) => part !== flagPart);
    else if (flagPart === undefined) this.addFlag(name, value === true ? '' : value);
    else if (value !== true) this.setValue(name, flagPart.value!, value);
  }

  /** Adds an argument, or the placeholder of a missing one, after the other arguments. */
  addArgument(value: string): void {
    this.setArguments([...argumentsIn(this.#parts), value]);
  }

  /** Replaces all arguments. They go where the first one was. */
  setArguments(values: readonly string[]): void {
    const place = Math.max(this.#parts.findIndex(isArgument), 0);
    const others = this.#parts.filter((part) => !isArgument(part));
    this.#parts = others.toSpliced(place, 0, ...values.map((value) => ({ words: [value], value })));
  }

  /** Replaces a typed value, whether it is an argument or the value of a flag. Returns whether it was found. */
  replace(from: string, to: string): boolean {
    const matches = this.#parts.filter(({ value }) => value === from);
    for (const { flag } of matches) this.#set(flag, from, to);
    return matches.length > 0;
  }

  /** Allows showing the line: the command has found nothing private in it. */
  reveal(): void {
    this.#isPrivate = false;
  }

  /** The line to suggest, or undefined if it must not be shown. */
  get line(): CommandLine | undefined {
    if (this.#isPrivate) return undefined;
    const words = (isEarly: boolean) =>
      this.#parts.flatMap((part) => ((part.isEarly ?? false) === isEarly ? part.words : []));
    const all = { early: words(true), late: words(false) };
    return ownCommand(this.#here, this.#name, all, (flag) => this.has(flag));
  }
}
