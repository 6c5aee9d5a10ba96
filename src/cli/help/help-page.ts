import { type Command as Commander, Help, type Option } from 'commander';
import { commandLines } from '../messages/command-lines.ts';
import { Leaf } from '../parse/leaf.ts';

interface PageOptions {
  /** Width of the terminal; 0 if there is none. */
  columns: number;
  /** Makes a heading bold, where the terminal can show it. */
  heading(text: string): string;
}

/** The parts of a page that is not about one command: help lays them out for a terminal, man pages in roff. */
export interface HelpLayout {
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

/** What a command is for, in a list of commands. */
export const firstSentence = (command: Commander): string => command.description().split('. ', 1)[0]!;

/** Lines longer than this are hard to read, however wide the terminal is. */
const widest = 100;
/** A second column narrower than this goes below its term instead. */
const narrowestColumn = 24;

const isFirst = (heading: string): boolean => heading === 'Filters:' || heading === 'Flags:';

/** Commander's help formatter: our headings, the shared flags left out, and lines that fit a narrow terminal too. */
export class HelpPage extends Help implements HelpLayout {
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

  /** The command's own flags by heading. `sched help flags` shows the shared ones. */
  flagGroups(command: Commander): [heading: string, options: Option[]][] {
    const own = command instanceof Leaf ? command.definition.flags.map(({ name }) => name) : [];
    const groups = new Map<string, Option[]>();
    for (const option of super.visibleOptions(command)) {
      if (!own.includes(option.attributeName())) continue;
      const heading = option.helpGroupHeading ?? '';
      groups.set(heading, [...(groups.get(heading) ?? []), option]);
    }
    return [...groups];
  }

  /** The flags that are shown first. */
  override visibleOptions(command: Commander): Option[] {
    return this.flagGroups(command).flatMap(([heading, options]) => (isFirst(heading) ? options : []));
  }

  /** The groups of flags that are shown after the first ones. */
  laterFlags(command: Commander): string[] {
    const later = this.flagGroups(command).filter(([heading]) => !isFirst(heading));
    const terms = later.flatMap(([, options]) => options.map((option) => optionTerm(option).length));
    return later.map(([heading, options]) =>
      this.items(
        options.map((option) => [optionTerm(option), option.description]),
        heading,
        Math.max(...terms),
      ),
    );
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

  items(
    pairs: readonly (readonly [term: string, meaning: string])[],
    heading?: string,
    width = Math.max(...pairs.map(([term]) => term.length)),
  ): string {
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
