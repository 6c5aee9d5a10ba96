import { Command as Commander, Option } from 'commander';
import type * as z from 'zod';
import { definition, elementOf, fieldsOf, unwrap } from '../api/schema.ts';
import { type Argument, type Command, type Flag, flagHeadings, type Typed } from './command.ts';
import { commandLines, paragraph, usualWidth } from './lay-out.ts';
import { sharedFlags } from './shared-flags.ts';
import { views } from './views.ts';

/** Every flag of a command, its own first, gathered under their headings. Its own win over shared ones of their name. */
export const allFlags = (command: Command): Flag[] => {
  const own = new Set(command.flags.map(({ name }) => name));
  const flags = [...command.flags, ...sharedFlags.filter(({ name }) => !own.has(name))];
  return flagHeadings.flatMap((heading) => flags.filter((flag) => flag.heading === heading));
};

const spell = ({ name, required, variadic }: Argument): string => {
  const word = `${name}${variadic ? '...' : ''}`;
  return required ? `<${word}>` : `[${word}]`;
};

const optionOf = (flag: Flag): Option => {
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

const afterHelp = (command: Command, columns: number): string => {
  const { operation } = command;
  const examples = command.examples.flatMap((example) => commandLines(`sched ${example}`, columns));
  const paragraphs = [
    ...(command.notes ?? []),
    ...columnsNote(command),
    ...(operation === undefined
      ? []
      : [
          `Operation: ${operation.method} ${operation.path}${operation.assumed ? ' (assumed)' : ''}${operation.scope === undefined ? '' : `, scope ${operation.scope}`}`,
        ]),
  ];
  return `\n${[`Examples:\n${examples.join('\n')}`, ...paragraphs.map((text) => paragraph(text, columns))].join('\n\n')}`;
};

/** One command of ours as Commander's. Which arguments must be there is checked later, with everything else. */
export const leafOf = (command: Command, columns: number = usualWidth): Commander => {
  const leaf = new Commander(command.name)
    .description(command.summary)
    .usage([...command.arguments.map(spell), '[flags]'].join(' '))
    .addHelpOption(new Option('-h, --help', 'show this help').helpGroup('Output:'))
    .allowExcessArguments()
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
    .addHelpText('after', afterHelp(command, columns));
  for (const { name, description } of command.arguments) leaf.argument(`[${name}]`, description);
  for (const flag of allFlags(command)) {
    leaf.addOption(optionOf(flag));
    if (flag.negatable)
      leaf.addOption(new Option(`--no-${flag.name}`, `the opposite of --${flag.name}`).helpGroup(`${flag.heading}:`));
  }
  return leaf;
};

/** `--reason TEXT` and `--json[=FIELDS]`: as it is typed, not as Commander declares it. */
const optionTerm = ({ flags }: Option): string => flags.replace(/ <(.+)>$/, ' $1').replace(/ \[(.+)\]$/, '[=$1]');

/** Commander leaves lines alone that would be narrower than this; a phone's terminal would break them within words. */
const minWidthToWrap = 12;

/** The help text of a command, as wide as the terminal but no wider than reads well. */
export const helpOf = (words: string, command: Command, columns: number): string => {
  const helpWidth = Math.min(columns || usualWidth, 100);
  let text = '';
  leafOf(command, helpWidth)
    .name(`sched ${words}`)
    .configureHelp({ helpWidth, minWidthToWrap, optionTerm })
    .configureOutput({
      writeOut: (part) => {
        text += part;
      },
    })
    .outputHelp();
  return text;
};

/** What was typed, by flag name; nothing that merely has a default. */
export const typedOf = (leaf: Commander, command: Command): Typed => {
  const typed: Record<string, string | string[] | boolean> = {};
  for (const flag of allFlags(command)) {
    const key = optionOf(flag).attributeName();
    if (leaf.getOptionValueSource(key) === 'cli') typed[flag.name] = leaf.getOptionValue(key);
  }
  return typed;
};

/** Names that `--fields` knows: those of the record a command answers with. */
export const knownFields = ({ fields, operation }: Command): string[] => [
  ...(fields ?? (operation === undefined ? [] : Object.keys(fieldsOf(operation.reply.of.schema) ?? {}))),
];

/** The fields of what a field holds: of an object, of each item of a list, of any of several shapes. */
const innerFields = (schema: z.ZodType): [string, z.ZodType][] => {
  const inner = unwrap(elementOf(schema) ?? schema);
  const shapes = definition(inner).options ?? [inner];
  return shapes.flatMap((shape) => Object.entries(fieldsOf(shape) ?? {}));
};

/** Fields of a record and of what it holds, as `--fields` takes them: `location`, `location.type`. */
export const fieldPaths = (command: Command): string[] => {
  const shape = command.operation === undefined ? {} : (fieldsOf(command.operation.reply.of.schema) ?? {});
  const paths = knownFields(command).flatMap((name) => [
    name,
    ...(shape[name] === undefined ? [] : innerFields(shape[name]).map(([inner]) => `${name}.${inner}`)),
  ]);
  return [...new Set(paths)];
};
