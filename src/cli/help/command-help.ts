import type { Field } from '../../api/field.ts';
import { inspect } from '../../api/inspect.ts';
import type { Operation } from '../../api/operation.ts';
import { capital } from '../../base/numbers.ts';
import type { Command } from '../command.ts';
import { viewOf } from '../operation/views.ts';
import { knownFields } from '../parse/all-flags.ts';
import type { Leaf } from '../parse/leaf.ts';
import type { HelpPage } from './help-page.ts';

/** Columns of a list's tab-separated form: a promise to scripts, so help and the reference name them. */
export const pipeColumns = ({ operation, view }: Command): string[] => {
  const isList = operation === undefined ? view !== undefined : operation.reply.kind === 'many';
  if (!isList) return [];
  return (view ?? viewOf(operation!)).columns.map((column) => column.path);
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

/** The operations a command may use: with its argument and, if it has one, without. */
export const operationsOf = ({ operation, alternative }: Command): Operation[] =>
  [operation, alternative?.optional ? undefined : alternative].filter((each) => each !== undefined);

/** Paragraphs below the examples: notes, columns in a pipe, and the operation. */
export const paragraphsOf = (command: Command): string[] => {
  const { operation, notes = [] } = command;
  const columns = pipeColumns(command);
  const columnsNote = columns.length === 0 ? [] : [`In a pipe: ${columns.join(', ')}, tab-separated.`];
  if (operation === undefined) return [...notes, ...columnsNote];
  const { scope, plan } = operation;
  const words = `Operation: ${operationsOf(command)
    .map(({ method, path, assumed }) => `${method} ${path}${assumed ? ' (assumed)' : ''}`)
    .join(
      ' or ',
    )}${scope === undefined ? '' : `, scope ${scope}`}${plan === undefined ? '' : `, ${capital(plan)} plan`}`;
  return [...notes, ...columnsNote, words];
};

/**
 * The help of one command in the order of use: what it does, examples, what it needs, and what few people need. What
 * holds in detail is told by the man page and the reference, and by the `whole` page, for machines without man.
 */
export const commandHelp = (leaf: Leaf, page: HelpPage, isWhole = false): string => {
  const { definition: command } = leaf;
  const examples = page.commands(command.examples.map((example) => `sched ${example}`));
  const [usage, summary, ...needs] = page.formatHelp(leaf, page).trimEnd().split('\n\n');
  const name =
    leaf.parent === null || leaf.parent.parent === null ? leaf.name() : `${leaf.parent.name()} ${leaf.name()}`;
  return [
    usage,
    summary,
    `${page.styleTitle('Examples:')}\n${examples}`,
    ...needs,
    ...page.laterFlags(leaf),
    ...(isWhole ? paragraphsOf(command).map((text) => page.text(text)) : []),
    page.text(`${isWhole ? '' : `Details: sched man ${name}. `}Shared flags: sched help flags`),
  ].join('\n\n');
};
