import type { Option } from 'commander';
import type { Field } from '../../api/field.ts';
import { inspect } from '../../api/inspect.ts';
import type { Command } from '../command.ts';
import { commandLines, paragraph, termRows, usualWidth } from '../messages/text-layout.ts';
import { views } from '../operation/views.ts';
import { knownFields } from '../parse/all-flags.ts';
import type { Leaf } from '../parse/leaf.ts';

/** Columns of a list's tab-separated form: a promise to scripts, so help and the reference name them. */
export const pipeColumns = ({ operation }: Command): string[] => {
  if (operation?.reply.kind !== 'many') return [];
  return views[operation.reply.of.name as keyof typeof views].columns.map((column) => column.path);
};

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

const paragraphsOf = (command: Command): string[] => {
  const { operation, notes = [] } = command;
  const columns = pipeColumns(command);
  const columnsNote = columns.length === 0 ? [] : [`In a pipe: ${columns.join(', ')}, tab-separated.`];
  if (operation === undefined) return [...notes, ...columnsNote];
  const { method, path, assumed, scope } = operation;
  const words = `Operation: ${method} ${path}${assumed ? ' (assumed)' : ''}${scope === undefined ? '' : `, scope ${scope}`}`;
  return [...notes, ...columnsNote, words];
};

const headingOf = ({ helpGroupHeading }: Option): string => helpGroupHeading!.replace(/:$/, '');

/** `--reason TEXT` and `--json[=FIELDS]`: as it is typed, not as Commander declares it. */
const optionTerm = ({ flags }: Option): string => flags.replace(/ <(.+)>$/, ' $1').replace(/ \[(.+)\]$/, '[=$1]');

type Row = [term: string, meaning: string];

/** Arguments, then flags under their headings, as Commander knows them. */
const sectionsOf = (leaf: Leaf): { heading: string; rows: Row[] }[] => {
  const help = leaf.createHelp();
  const named = help
    .visibleArguments(leaf)
    .map((argument): Row => [help.argumentTerm(argument), help.argumentDescription(argument)]);
  const sections = new Map<string, Row[]>(leaf.options.map((option) => [headingOf(option), []]));
  for (const option of help.visibleOptions(leaf))
    sections.get(headingOf(option))!.push([optionTerm(option), help.optionDescription(option)]);
  return [
    ...(named.length === 0 ? [] : [{ heading: 'Arguments', rows: named }]),
    ...[...sections].map(([heading, rows]) => ({ heading, rows })),
  ];
};

/** Where the second column would be narrower than this, lines are left as long as they are. */
const narrowest = 12;

/** The help of a command, as wide as the terminal but no wider than reads well. */
export const helpOf = (leaf: Leaf, columns: number): string => {
  const { definition: command } = leaf;
  const wide = Math.min(columns || usualWidth, 100);
  const sections = sectionsOf(leaf);
  const terms = sections.flatMap(({ rows }) => rows.map(([term]) => term.length));
  const indent = Math.max(0, ...terms) + 4;
  const rowsOf = (rows: Row[]) => termRows(rows, wide - indent < narrowest ? Number.POSITIVE_INFINITY : wide, indent);
  const blocks = [
    `Usage: ${leaf.createHelp().commandUsage(leaf)}`,
    wide < narrowest ? command.summary : paragraph(command.summary, wide),
    ...sections.map(({ heading, rows }) => [`${heading}:`, ...rowsOf(rows)].join('\n')),
    ['Examples:', ...command.examples.flatMap((example) => commandLines(`sched ${example}`, wide))].join('\n'),
    ...paragraphsOf(command).map((text) => paragraph(text, wide)),
  ];
  return `${blocks.join('\n\n')}\n`;
};
