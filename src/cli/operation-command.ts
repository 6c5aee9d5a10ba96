import type { Noun } from '../api/catalogue.ts';
import { type Operation, pathParameters } from '../api/operation.ts';
import type { Input } from '../client/client.ts';
import type { Json } from '../client/reading.ts';
import type { View } from '../output/view.ts';
import type { Argument, Command, Invocation } from './command.ts';
import { type FieldFlag, fieldFlags } from './flags.ts';
import { readInput } from './input.ts';
import { printListing, readBounds } from './listing.ts';
import { fillScope } from './scope.ts';
import { bodyFlag, listFlags } from './shared-flags.ts';
import { views } from './views.ts';

/** An operation's command with the pieces that a special one may replace. */
export interface OperationCommand extends Command {
  operation: Operation;
  fieldFlags: FieldFlag[];
  view: View;
}

const article = (word: string): string => (/^[aeiou]/.test(word) ? 'an' : 'a');

const argumentOf = (parameter: string, isOptional: boolean): Argument => {
  const words = parameter.replaceAll('_', ' ');
  return {
    name: parameter.replaceAll('_', '-'),
    description: `ID or URI of ${article(words)} ${words}`,
    required: !isOptional,
  };
};

/** One full `uri` stands for all the IDs in it, so only the first argument must be there. */
const argumentsOf = (path: string): Argument[] =>
  pathParameters(path).map((name, index) => argumentOf(name, index > 0));

/** An example from the row alone, for a command that has none of its own. */
const exampleOf = (noun: string, verb: string, operation: Operation, flags: readonly FieldFlag[]): string => {
  const args = pathParameters(operation.path).map((name) => `${name.toUpperCase()}_ID`);
  const required = flags.filter((flag) => flag.required).map((flag) => `--${flag.name} ${flag.value ?? ''}`.trim());
  return [noun, verb, ...args, ...required].join(' ');
};

export const printRequest = async ({ context }: Invocation, operation: Operation, inputs: Input[]): Promise<void> => {
  const client = await context.client();
  const requests = inputs.map((input) => {
    const { method, url, body } = client.prepare(operation, input);
    return { method, url, ...(body === undefined ? {} : { body: JSON.parse(body) as unknown }) };
  });
  await context.printer.text(JSON.stringify(requests.length === 1 ? requests[0] : requests, null, 2));
};

/** What a command of its kind does unless it is special: read, fill in the scope, send, print. */
const runOperation = async (command: OperationCommand, noun: string, invocation: Invocation): Promise<void> => {
  const { operation, view } = command;
  const { context } = invocation;
  const isList = operation.reply.kind === 'many';
  const bounds = isList ? readBounds(invocation) : { pageSize: 0 };
  const input = await readInput(invocation, operation, command.fieldFlags);
  const scope = await fillScope(operation, input, noun, context);
  if (context.settings.dryRun) return printRequest(invocation, operation, [input]);
  if (isList) return printListing(invocation, operation, view, input, bounds, scope);
  const record = await (await context.client()).call(operation, input);
  return context.printer.one(view, record);
};

/** The command that a row asks for. */
export const operationCommand = (noun: Noun, verb: string, operation: Operation): OperationCommand => {
  const flags = fieldFlags(operation);
  const command: OperationCommand = {
    name: verb,
    summary: operation.summary,
    arguments: argumentsOf(operation.path),
    flags: [
      ...flags,
      ...(operation.body === undefined ? [] : [bodyFlag]),
      ...(operation.reply.kind === 'many' ? listFlags : []),
    ],
    fieldFlags: flags,
    examples: [exampleOf(noun, verb, operation, flags)],
    operation,
    view: views[operation.reply.of.name as keyof typeof views],
    run: (invocation) => runOperation(command, noun, invocation),
  };
  return command;
};

/** Adds what is ours under `_sched`; everything else stays the service's. */
export const marked = (record: Json, facts: Json): Json => ({ ...record, _sched: facts });
