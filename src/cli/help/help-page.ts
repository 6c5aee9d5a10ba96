import { type Command as Commander, Help, type Option } from 'commander';
import { commandLines } from '../messages/shell-line.ts';
import { Leaf } from '../parse/leaf.ts';

export interface PageOptions {
  /** Width of the terminal; 0 if there is none. */
  columns: number;
  /** Makes a heading bold, where the terminal can show it. */
  heading(text: string): string;
}

/** The parts of a page that is not about one command: help lays them out for a terminal, man pages in roff. */
export interface Layout {
  /** Terms with their meanings, under a heading if there is one. */
  items(pairs: readonly (readonly [term: string, meaning: string])[], heading?: string): string;
  /** Command lines that can be copied. */
  commands(lines: readonly string[]): string;
  /** Running text. Indented lines are command lines. */
  text(words: string): string;
}

/** `--reason TEXT` and `--json[=FIELDS]`: as people type it. */
export const optionTerm = ({ flags }: Option): string =>
  flags.replace(/ <(.+)>$/, ' $1').replace(/ \[(.+)\]$/, '[=$1]');

/** Lines longer than this are hard to read, however wide the terminal is. */
const widest = 100;
/** A second column narrower than this goes below its term instead. */
export const narrowestColumn = 24;

/** Commander's help formatter: our headings, the shared flags left out, and lines that fit a narrow terminal too. */
export class HelpPage extends Help implements Layout {
  override helpWidth: number;
  override minWidthToWrap = 10;
  readonly #heading: PageOptions['heading'];

  constructor({ columns, heading }: PageOptions) {
    super();
    this.helpWidth = Math.min(columns || 80, widest);
    this.#heading = heading;
  }

  override styleTitle(title: string): string {
    return this.#heading(title.endsWith(':') ? title : `${title}:`);
  }

  /** Without the singular, which Commander writes as `events|event`. */
  override commandUsage(command: Commander): string {
    const usage = super.commandUsage(command).replace(/\|\S+/, '');
    return this.boxWrap(usage, this.helpWidth - 'Usage: '.length).replaceAll('\n', '\n    ');
  }

  /** The command's own flags. `sched help flags` shows the shared ones. */
  override visibleOptions(command: Commander): Option[] {
    const own = command instanceof Leaf ? command.definition.flags.map(({ name }) => name) : [];
    return super.visibleOptions(command).filter((option) => own.includes(option.attributeName()));
  }

  override optionTerm(option: Option): string {
    return optionTerm(option);
  }

  override subcommandTerm(command: Commander): string {
    return command.name();
  }

  /** Below its term where the terminal is too narrow for two columns. */
  override formatItem(term: string, termWidth: number, description: string, helper: Help): string {
    if (this.helpWidth - termWidth >= narrowestColumn) return super.formatItem(term, termWidth, description, helper);
    const below = helper.boxWrap(description, this.helpWidth - 6).replaceAll('\n', '\n      ');
    return `  ${term}\n      ${below}`;
  }

  items(pairs: readonly (readonly [term: string, meaning: string])[], heading?: string): string {
    const width = Math.max(...pairs.map(([term]) => term.length));
    const lines = pairs.map(([term, meaning]) => this.formatItem(term, width, meaning, this));
    return [...(heading === undefined ? [] : [this.styleTitle(heading)]), ...lines].join('\n');
  }

  commands(lines: readonly string[]): string {
    return lines.flatMap((line) => commandLines(line, this.helpWidth)).join('\n');
  }

  text(words: string): string {
    return words
      .split('\n')
      .map((line) => (line.startsWith('  ') ? this.commands([line.trim()]) : this.boxWrap(line, this.helpWidth)))
      .join('\n');
  }
}
