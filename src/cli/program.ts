import { Command as Commander, Option } from 'commander';
import type { Field } from '../api/field.ts';
import { inspect } from '../api/inspect.ts';
import { allFlags, knownFields } from './all-flags.ts';
import type { Argument, Command, Flag } from './command.ts';
import { type HelpPage, layOutPage } from './help-page.ts';
import { views } from './views.ts';

const spell = ({ name, required, variadic }: Argument): string => {
  const word = `${name}${variadic ? '...' : ''}`;
  return required ? `<${word}>` : `[${word}]`;
};

export const optionOf = (flag: Flag): Option => {
  const value = flag.value === undefined ? '' : flag.optional ? ` [${flag.value}]` : ` <${flag.value}>`;
  const choices = flag.choices === undefined ? '' : `: ${flag.choices.join(', ')}`;
  const option = new Option(
    `${flag.short ? `-${flag.short}, ` : ''}--${flag.name}${value}`,
    `${flag.description}${choices}${flag.repeat ? ' (may be given again)' : ''}`,
  );
  option.helpGroup(`${flag.heading}:`);
  if (flag.name.startsWith('no-')) {
    // A flag of its own, not the opposite of another: `--no-input` and the `--input` of `api` may stand side by side.
    option.negate = false;
    option.attributeName = () => flag.name;
  }
  if (flag.repeat) option.argParser((text: string, before: string[] = []) => [...before, text]);
  return option;
};

/** Columns of a list's tab-separated form: a promise to scripts, so help and the reference name them. */
export const pipeColumns = ({ operation }: Command): string[] => {
  if (operation?.reply.kind !== 'many') return [];
  return views[operation.reply.of.name as keyof typeof views].columns.map((column) => column.path);
};

const columnsNote = (command: Command): string[] => {
  const columns = pipeColumns(command);
  return columns.length === 0 ? [] : [`In a pipe: ${columns.join(', ')}, tab-separated.`];
};

/** One command of ours as Commander's. Which arguments must be there is checked later, with everything else. */
export const leafOf = (command: Command): Commander => {
  const leaf = new Commander(command.name)
    .description(command.summary)
    .usage([...command.arguments.map(spell), '[flags]'].join(' '))
    .addHelpOption(new Option('-h, --help', 'show this help').helpGroup('Output:'))
    .allowExcessArguments()
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} });
  for (const { name, description } of command.arguments) leaf.argument(`[${name}]`, description);
  for (const flag of allFlags(command)) {
    leaf.addOption(optionOf(flag));
    if (flag.negatable)
      leaf.addOption(new Option(`--no-${flag.name}`, `the opposite of --${flag.name}`).helpGroup(`${flag.heading}:`));
  }
  return leaf;
};

const headingOf = ({ helpGroupHeading }: Option): string => helpGroupHeading!.replace(/:$/, '');

/** `--reason TEXT` and `--json[=FIELDS]`: as it is typed, not as Commander declares it. */
const optionTerm = ({ flags }: Option): string => flags.replace(/ <(.+)>$/, ' $1').replace(/ \[(.+)\]$/, '[=$1]');

const paragraphsOf = (command: Command): string[] => {
  const { operation, notes = [] } = command;
  if (operation === undefined) return [...notes, ...columnsNote(command)];
  const { method, path, assumed, scope } = operation;
  const words = `Operation: ${method} ${path}${assumed ? ' (assumed)' : ''}${scope === undefined ? '' : `, scope ${scope}`}`;
  return [...notes, ...columnsNote(command), words];
};

/** The help of a command, read off Commander's. */
export const pageOf = (words: string, command: Command): HelpPage => {
  const leaf = leafOf(command).name(`sched ${words}`);
  const help = leaf.createHelp();
  const named = help
    .visibleArguments(leaf)
    .map((argument): [string, string] => [help.argumentTerm(argument), help.argumentDescription(argument)]);
  const sections = new Map<string, [string, string][]>(leaf.options.map((option) => [headingOf(option), []]));
  for (const option of help.visibleOptions(leaf))
    sections.get(headingOf(option))!.push([optionTerm(option), help.optionDescription(option)]);
  return {
    usage: help.commandUsage(leaf),
    summary: command.summary,
    sections: [
      ...(named.length === 0 ? [] : [{ heading: 'Arguments', rows: named }]),
      ...[...sections].map(([heading, rows]) => ({ heading, rows })),
    ],
    examples: command.examples,
    paragraphs: paragraphsOf(command),
  };
};

/** The help text of a command, as wide as the terminal but no wider than reads well. */
export const helpOf = (words: string, command: Command, columns: number): string =>
  layOutPage(pageOf(words, command), columns);

/** The fields of what a field holds: of an object, of each item of a list, of any of several shapes. */
const innerFields = (field: Field): string[] => {
  const inner = inspect(field).element ?? field;
  return (inspect(inner).options ?? [inner]).flatMap((each) => Object.keys(inspect(each).fields ?? {}));
};

/** Fields of a record and of what it holds, as `--fields` takes them: `location`, `location.type`. */
export const fieldPaths = (command: Command): string[] => {
  const shape = command.operation?.reply.of.record.shape ?? {};
  const paths = knownFields(command).flatMap((name) => [
    name,
    ...(shape[name] === undefined ? [] : innerFields(shape[name]).map((inner) => `${name}.${inner}`)),
  ]);
  return [...new Set(paths)];
};
