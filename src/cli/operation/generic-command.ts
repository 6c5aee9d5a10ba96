import { type Collection, collections } from '../../api/collections.ts';
import { type Operation, pathParameters } from '../../api/operation.ts';
import { type Sentence, the, words } from '../../base/words.ts';
import { collectionOf, waysToName, withArticle } from '../../client/ids.ts';
import type { View } from '../../output/view.ts';
import type { Stage } from '../answer/answer.ts';
import type { Argument, Command, Run } from '../command.ts';
import { both, type Input as CommandInput, related, taking } from '../input/input.ts';
import { rule } from '../input/relations.ts';
import { bodyFlag } from '../parse/shared-flags.ts';
import type { Context } from '../session/context.ts';
import { fieldFlags } from './field-flags.ts';
import { requestInput } from './input.ts';
import { boundsInput, listInput } from './list-input.ts';
import { withSchedulingPage } from './open-page.ts';
import type { OperationCommand, OperationInput } from './run-operation.ts';
import { viewOf } from './views.ts';

/** The command of an operation, with the parts that a special command may replace. */
export interface GenericCommand extends Command, OperationCommand {
  operation: Operation;
  view: View;
}

/** The same without what runs it. */
type Unrun = Omit<GenericCommand, 'run'>;

/** What the special commands of a noun have in place of parts of the generic ones. */
export type Decorations = Record<
  string,
  (generic: GenericCommand, others: Record<string, GenericCommand>) => Partial<Command>
>;

const recordArgument = (name: string, collection: Collection, description: Sentence, required: boolean): Argument => {
  const { self } = collections[collection];
  // A word to type is in quotes: "next".
  const ways = waysToName(collection).map((way) => (way === self ? `"${way}"` : way));
  return {
    name: name.replaceAll('_', '-'),
    description: words`${ways.join(', ')} or URI${description}`,
    required,
    collection,
    ...(self === undefined ? {} : { suggestions: [self] }),
  };
};

/** A full `uri` contains all IDs, so only the first argument is required. */
const argumentsOf = (path: string): Argument[] =>
  pathParameters(path).map((name, index) =>
    recordArgument(name, collectionOf(path, name), ` of ${withArticle(name.replaceAll('_', ' '))}`, index === 0),
  );

/** A change must change something. */
const requireChange = ({ flags, fieldFlags }: Unrun) => {
  const names = flags.map(({ name }) => name);
  const ways = fieldFlags.flatMap(({ name }, index) => (index === 0 ? [the(name)] : [', ', the(name)]));
  return rule(names, (isGiven) =>
    names.some(isGiven) ? [] : [{ words: words`Nothing to change. Use ${ways}`, adds: { name: fieldFlags[0]!.name } }],
  );
};

/** What the command of an operation takes. */
export const operationInput = (command: Unrun): CommandInput<OperationInput> => {
  const { operation, fieldFlags, arguments: args } = command;
  const request = requestInput(operation, fieldFlags, args);
  if (operation.reply.kind === 'many') return both(boundsInput, request);
  return operation.method === 'PATCH' ? related(request, requireChange(command)) : request;
};

const runOf = (command: Unrun): Run =>
  taking(operationInput(command), async (values, { context }) =>
    (await import('./run-operation.ts')).runOperation(command, values, context),
  ).run;

/** A list that shows more on a screen than elsewhere. */
export const withScreen = (generic: GenericCommand, addForScreen: (context: Context) => Stage): GenericCommand => {
  const command: GenericCommand = { ...generic, addForScreen };
  return { ...command, run: runOf(command) };
};

/** Lets the command take the record of a flag as its argument. */
export const positional = (
  generic: GenericCommand,
  name: string,
  required: boolean,
  makeRun: (command: GenericCommand) => Run = runOf,
): GenericCommand => {
  const flag = generic.fieldFlags.find((candidate) => candidate.name === name)!;
  const command: GenericCommand = {
    ...generic,
    arguments: [recordArgument(name, flag.collection!, words`: ${flag.description}`, required)],
    flags: generic.flags.filter((candidate) => candidate.name !== name),
    fieldFlags: generic.fieldFlags.map((each) => (each === flag ? { ...flag, place: 'argument' } : each)),
  };
  return { ...command, run: makeRun(command) };
};

const rowsNote =
  "The service can't filter these records by time, so sched applies --since and --until to created_at in its reply.";

const optionalNote = 'Only for services whose dialect names this operation, such as calendly.';

/** Builds the command of an operation. */
export const genericCommand = (verb: string, operation: Operation, examples: string[] = []): GenericCommand => {
  const flags = fieldFlags(operation);
  const command: Unrun = {
    name: verb,
    summary: operation.summary,
    arguments: argumentsOf(operation.path),
    flags: [
      ...flags,
      ...(operation.body === undefined ? [] : [bodyFlag]),
      ...(operation.reply.kind === 'many' ? listInput.flags : []),
    ],
    fieldFlags: flags,
    ...(flags.some(({ part }) => part === 'rows') ? { notes: [rowsNote] } : {}),
    ...(operation.optional ? { notes: [optionalNote] } : {}),
    examples,
    operation,
    view: viewOf(operation),
  };
  return withSchedulingPage({ ...command, run: runOf(command) });
};
