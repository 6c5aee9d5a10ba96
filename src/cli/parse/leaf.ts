import { Command as Commander, Option } from 'commander';
import type { Argument, Command, Flag } from '../command.ts';
import { fieldList } from '../session/settings.ts';
import { allFlags, knownFields } from './all-flags.ts';
import { joinFields } from './argv.ts';
import { isFlag } from './tokens.ts';

const spell = ({ name, required, variadic }: Argument): string => {
  const word = `${name}${variadic ? '...' : ''}`;
  return required ? `<${word}>` : `[${word}]`;
};

/** ` (required)` for a flag that a command can't run without. */
export const requirementOf = ({ required, unless }: Flag): string => {
  if (unless !== undefined) return ` (required, or --${unless})`;
  return required ? ' (required)' : '';
};

export const optionOf = (flag: Flag): Option => {
  const value = flag.value === undefined ? '' : flag.optional ? ` [${flag.value}]` : ` <${flag.value}>`;
  const choices = flag.choices === undefined ? '' : `: ${flag.choices.join(', ')}`;
  const option = new Option(
    `${flag.short ? `-${flag.short}, ` : ''}--${flag.name}${value}`,
    `${flag.description}${choices}${flag.repeat ? ' (repeatable)' : ''}${requirementOf(flag)}`,
  );
  option.helpGroup(`${flag.heading}:`);
  // `--no-input` is its own flag, not the opposite of `--input`, and `typed` is keyed by flag name.
  option.negate = false;
  option.attributeName = () => flag.name;
  if (flag.repeat) option.argParser((text: string, before: string[] = []) => [...before, text]);
  return option;
};

/** The option `--no-active` for a flag `--active`. Both set the same value. */
const oppositeOf = ({ name, heading }: Flag): Option => {
  const option = new Option(`--no-${name}`, `the opposite of --${name}`).helpGroup(`${heading}:`);
  option.attributeName = () => name;
  return option;
};

/**
 * A command that Commander parses. It ignores unknown flags and missing values, while Commander alone would stop at the
 * first. `readLeaf` reports them.
 */
export class Leaf extends Commander {
  #definition: Command | undefined;
  /** Flags and their values in the order they were typed. */
  readonly inOrder: [name: string, value: string | undefined][] = [];
  wantsHelp = false;

  get definition(): Command {
    return this.#definition!;
  }

  /** Sets what the help of a noun shows. Required arguments are checked later, together with everything else. */
  describe(command: Command): this {
    this.#definition = command;
    this.description(command.summary)
      .usage([...command.arguments.map(spell), '[flags]'].join(' '))
      .addHelpOption(new Option('-h, --help', 'show this help').helpGroup('Output:'))
      .allowExcessArguments();
    for (const { name, description } of command.arguments) this.argument(`[${name}]`, description);
    return this;
  }

  /** Adds the flags. Only the command that runs needs them, and making them takes longer than everything else. */
  addFlags(): this {
    for (const flag of allFlags(this.definition)) {
      for (const option of [optionOf(flag), ...(flag.negatable ? [oppositeOf(flag)] : [])]) {
        this.addOption(option);
        this.on(`option:${option.name()}`, (value?: string) => this.inOrder.push([option.name(), value]));
      }
    }
    return this;
  }

  define(command: Command): this {
    return this.describe(command).addFlags();
  }

  /** The words with the field list of `--json` joined to it. */
  joined(words: readonly string[]): string[] {
    const fields = knownFields(this.definition);
    const isFieldList = (word: string) => fieldList(word).every((field) => fields.includes(field.split('.')[0]!));
    return joinFields(words, this.options, isFieldList);
  }

  override parseOptions(words: string[]): { operands: string[]; unknown: string[] } {
    const { operands, unknown } = super.parseOptions(this.joined(words));
    const end = unknown.includes('--') ? unknown.indexOf('--') : unknown.length;
    if (unknown.slice(0, end).some((word) => word === '--help' || word === '-h')) this.wantsHelp = true;
    const others = unknown.filter((word, index) => index > end || (index < end && !isFlag(word)));
    return { operands: [...operands, ...others], unknown: [] };
  }

  /** Commander calls this for a flag at the end of the line whose value is missing. `readLeaf` reports it. */
  optionMissingArgument(): void {}
}
