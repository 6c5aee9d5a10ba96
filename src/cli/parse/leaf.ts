import { Command as Commander, Option } from 'commander';
import { onceEach } from '../../base/once.ts';
import { spell as spelled } from '../../base/words.ts';
import { fieldList } from '../../output/fields.ts';
import { type Argument, type Command, type Flag, headingOf } from '../command.ts';
import { allFlags, knownFields } from './all-flags.ts';
import { argumentsIn, flagWord, isFlag, type Part } from './line-part.ts';
import { sharedFlags } from './shared-flags.ts';

const argumentTerm = ({ name, required, variadic }: Argument): string => {
  const word = `${name}${variadic ? '...' : ''}`;
  return required ? `<${word}>` : `[${word}]`;
};

/** ` (required)` for a flag that a command can't run without. */
export const requirementOf = ({ required, unless }: Flag): string => {
  if (unless !== undefined) return ` (required, or --${unless})`;
  return required ? ' (required)' : '';
};

/** Commander's option for a flag. Made once: the program, a noun and its verb all take the shared flags. */
export const optionOf = onceEach((flag: Flag): Option => {
  const { value: placeholder } = flag.kind;
  const value = placeholder === undefined ? '' : flag.optional ? ` [${placeholder}]` : ` <${placeholder}>`;
  const choices = flag.choices === undefined ? '' : `: ${flag.choices.join(', ')}`;
  const option = new Option(
    `${flag.short ? `-${flag.short}, ` : ''}--${flag.name}${value}`,
    `${spelled(flag.description)}${choices}${flag.repeat ? ' (repeatable)' : ''}${requirementOf(flag)}`,
  );
  option.helpGroup(`${headingOf(flag)}:`);
  // `--no-input` is its own flag, not the opposite of `--input`, and `typed` is keyed by flag name.
  option.negate = false;
  option.attributeName = () => flag.name;
  if (flag.repeat) option.argParser((text: string, before: string[] = []) => [...before, text]);
  return option;
});

/** The option `--no-active` for a flag `--active`. Both set the same value. */
const oppositeOf = onceEach((flag: Flag): Option => {
  const option = new Option(`--no-${flag.name}`, flag.negatable).helpGroup(`${headingOf(flag)}:`);
  option.attributeName = () => flag.name;
  return option;
});

const helpOption = new Option('-h, --help', 'show this help').helpGroup('Output:');

/** Commander asks for the value of a flag. */
class MissingValue extends Error {
  readonly flag: string;

  constructor(flag: string) {
    super();
    this.flag = flag;
  }
}

/**
 * A Commander command that reads one flag at a time. So the order of flags and arguments is known, and wrong flags are
 * kept to report them together, while Commander alone would stop at the first.
 */
abstract class Reader extends Commander {
  parts: Part[] = [];

  /** Whether `--help` was typed, here or before. */
  get wantsHelp(): boolean {
    const isEarly = this.parent instanceof Reader && this.parent.wantsHelp;
    return isEarly || this.parts.some(({ flag }) => flag === 'help');
  }

  protected addFlagOptions(flags: readonly Flag[]): void {
    const ofFlags = flags.flatMap((flag) => [optionOf(flag), ...(flag.negatable ? [oppositeOf(flag)] : [])]);
    for (const option of [...ofFlags, helpOption]) {
      const name = option.name();
      this.addOption(option);
      this.on(`option:${name}`, (value?: string | null) => {
        const words = value == null ? [`--${name}`] : [`--${name}`, value];
        this.parts.push({ words, flag: name, value: value ?? undefined });
      });
    }
  }

  /** Reads the flag at `index`, and the next word if that is its value. Returns the index of the word after them. */
  protected readFlag(words: readonly string[], index: number): number {
    const [word, next] = [words[index]!, words[index + 1]];
    const count = this.parts.length;
    const read = (...words: string[]): number => {
      this.parts.length = count;
      const isKnown = !this.#isMissingDash(word) && super.parseOptions(words).unknown.length === 0;
      if (!isKnown) this.parts.splice(count, Infinity, { words: [word], wrong: 'unknown' });
      else if (this.parts.length === count + 1) this.parts[count]!.words = words;
      return index + words.length;
    };
    try {
      return read(word);
    } catch (error) {
      if (!(error instanceof MissingValue)) throw error;
      if (next !== undefined) return read(word, next);
      this.parts.push({ words: [word], flag: error.flag, wrong: 'cut' });
      return index + 1;
    }
  }

  /** `-limit` is `--limit` with a dash too few, not several short flags. */
  #isMissingDash(word: string): boolean {
    return flagWord(word).length > 3 && this.options.some(({ long }) => long === `-${flagWord(word)}`);
  }

  /** Commander calls this for a flag without the value it needs. */
  optionMissingArgument(option: Option): void {
    throw new MissingValue(option.name());
  }
}

/** A command with subcommands: the program, or a noun. Shared flags before the subcommand are read here and by `Leaf`. */
export class Group extends Reader {
  constructor(name: string) {
    super(name);
    this.helpOption(false).helpCommand(false).allowUnknownOption().allowExcessArguments();
  }

  /** Stops at the first word that is not a flag. `args` is everything from there on. */
  override parseOptions(words: string[]): { operands: string[]; unknown: string[] } {
    // Making the flags takes longer than everything else, and most command lines have none here.
    if (words[0] !== undefined && isFlag(words[0])) this.addFlagOptions(sharedFlags);
    let index = 0;
    while (index < words.length && isFlag(words[index]!) && words[index] !== '--') index = this.readFlag(words, index);
    const end = words[index] === '--' ? index : index + 1;
    return { operands: words.slice(index, end), unknown: words.slice(end) };
  }
}

/** A command that can run. */
export class Leaf extends Reader {
  #definition: Command | undefined;

  get definition(): Command {
    return this.#definition!;
  }

  /** Noun and verb. */
  get path(): string {
    const noun = this.parent?.parent ? `${this.parent.name()} ` : '';
    return `${noun}${this.name()}`;
  }

  /** Sets what the help of a noun shows. Required arguments are checked later, together with everything else. */
  describe(command: Command): this {
    this.#definition = command;
    this.description(command.summary)
      .summary(`${command.summary}${command.operation?.optional ? ' (only some services)' : ''}`)
      .usage([...command.arguments.map(argumentTerm), '[flags]'].join(' '))
      .helpOption(false)
      .allowExcessArguments();
    for (const { name, description } of command.arguments) this.argument(`[${name}]`, spelled(description));
    return this;
  }

  /** Adds the flags. Only the command that runs needs them, and making them takes longer than everything else. */
  addFlags(): this {
    if (this.options.length === 0) this.addFlagOptions(allFlags(this.definition));
    return this;
  }

  override parseOptions(words: string[]): { operands: string[]; unknown: string[] } {
    this.addFlags();
    this.parts = [];
    const groups = [this.parent?.parent, this.parent].filter((each) => each instanceof Group);
    const early = groups.flatMap(({ parts }) => parts.flatMap((part) => part.words));
    const all = [...early, ...words];
    for (let index = 0; index < all.length; ) {
      const [start, count] = [index, this.parts.length];
      index = this.#read(all, start);
      if (start < early.length) for (const part of this.parts.slice(count)) part.isEarly = true;
    }
    return { operands: argumentsIn(this.parts), unknown: [] };
  }

  /** Reads the argument, flag or `--` at `index`. Returns the index of the word after it. */
  #read(words: readonly string[], index: number): number {
    const word = words[index]!;
    if (word === '--') {
      this.parts.push({ words: [word] }, ...words.slice(index + 1).map((value) => ({ words: [value], value })));
      return words.length;
    }
    if (isFlag(word)) return this.#readOptional(words, index) ?? this.readFlag(words, index);
    this.parts.push({ words: [word], value: word });
    return index + 1;
  }

  /**
   * Reads a bare flag whose value may be omitted, such as `--json`, if the word is one. Only a list of fields can follow
   * as a word of its own: Commander would take any word, even an ID.
   */
  #readOptional(words: readonly string[], index: number): number | undefined {
    const [word, next] = [words[index]!, words[index + 1]];
    // A required value may be spelled with brackets, too: `--sort <FIELD[:desc]>`.
    const isOptional = ({ long, optional, required }: Option) => long === word && optional && !required;
    if (!this.options.some(isOptional)) return undefined;
    const fields = knownFields(this.definition);
    const isFieldList = (text: string) => fieldList(text).every((field) => fields.includes(field.split('.')[0]!));
    const takesNext = word === '--json' && next !== undefined && !next.startsWith('-') && isFieldList(next);
    this.readFlag([`${word}=${takesNext ? next : ''}`], 0);
    if (!takesNext) this.parts.at(-1)!.words = [word];
    return index + (takesNext ? 2 : 1);
  }
}
