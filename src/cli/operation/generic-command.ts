import type { Noun } from '../../api/catalogue.ts';
import { inspect } from '../../api/inspect.ts';
import { type Operation, pathParameters } from '../../api/operation.ts';
import { type Input, isRead } from '../../client/client.ts';
import { collectionOf, isNamed, isPerson, selfWords, withArticle } from '../../client/ids.ts';
import type { HttpRequest } from '../../http/message.ts';
import { jsonText, parseJson } from '../../json.ts';
import { type CurlRequest, curlLine } from '../../output/curl.ts';
import { escapeJson } from '../../output/sanitize.ts';
import type { View } from '../../output/view.ts';
import type { Argument, Command, Invocation } from '../command.ts';
import { bodyFlag, listFlags } from '../parse/shared-flags.ts';
import { shownUrl } from '../session/connection.ts';
import type { Context } from '../session/context.ts';
import { fillScope, scopeLines } from './default-scope.ts';
import { type FieldFlag, fieldFlags } from './field-flags.ts';
import { readInput } from './input.ts';
import { firstCount, keepOf, noteRowFilters, printListing, readBounds } from './listing.ts';
import { printRecord } from './print-record.ts';
import { views } from './views.ts';
import { printCreated, titleOf, writeAndRead } from './write-result.ts';

/** The command of an operation, with the parts that a special command may replace. */
export interface GenericCommand extends Command {
  noun: Noun;
  operation: Operation;
  fieldFlags: FieldFlag[];
  view: View;
}

/** The ways to name a record of a collection. */
const identifiers = (collection = ''): string => {
  if (isPerson(collection)) return 'me, name, email, ID or URI';
  if (collection === 'organizations') return 'current, ID or URI';
  return isNamed(collection) ? 'name, ID or URI' : 'ID or URI';
};

const suggestionsFor = (collection = ''): Pick<Argument, 'suggestions'> => {
  const own = selfWords[collection];
  return own === undefined ? {} : { suggestions: [own] };
};

const argumentOf = (path: string, parameter: string, isOptional: boolean): Argument => {
  const words = parameter.replaceAll('_', ' ');
  const collection = collectionOf(path, parameter);
  return {
    name: parameter.replaceAll('_', '-'),
    description: `${identifiers(collection)} of ${withArticle(words)}`,
    required: !isOptional,
    ...(collection === undefined ? {} : { collection }),
    ...suggestionsFor(collection),
  };
};

/** A full `uri` contains all IDs, so only the first argument is required. */
const argumentsOf = (path: string): Argument[] =>
  pathParameters(path).map((name, index) => argumentOf(path, name, index > 0));

/** A generated example, for a command without its own. */
const exampleOf = (noun: string, verb: string, operation: Operation, flags: readonly FieldFlag[]): string => {
  const args = pathParameters(operation.path).map((name) => `${name.toUpperCase()}_ID`);
  const required = flags.filter((flag) => flag.required).map((flag) => `--${flag.name} ${flag.value ?? ''}`.trim());
  return [noun, verb, ...args, ...required].join(' ');
};

const curlOf = (operation: Operation, { method, url, headers, body }: HttpRequest): CurlRequest => ({
  method,
  url,
  headers: { ...(operation.scope === undefined ? {} : { authorization: '' }), ...headers },
  // R49: never print an address, not even one the user typed.
  ...(body === undefined
    ? {}
    : { body: operation.path.startsWith('/data_compliance/') ? { file: 'FILE' } : escapeJson(body) }),
});

/** Prints curl commands, and notes how to set the shell variables in them. */
export const printCurl = async (
  { printer, notes, curlVariables }: Context,
  requests: readonly CurlRequest[],
): Promise<void> => {
  const left = requests.map(({ url, body }) => `${url} ${typeof body === 'string' ? body : ''}`).join(' ');
  for (const note of curlVariables?.notesFor(left) ?? []) notes.info(note);
  // Print the notes first: they say what to do before running the commands.
  await notes.flush();
  await printer.text(requests.map((request) => curlLine(request, curlVariables?.partsOf)).join('\n'));
};

/** Prints requests for `--dry-run` and `--curl` instead of sending them. */
export const printRequest = async ({ context }: Invocation, operation: Operation, inputs: Input[]): Promise<void> => {
  const client = await context.client();
  if (context.settings.curl) {
    return printCurl(
      context,
      inputs.map((input) => curlOf(operation, client.prepare(operation, input))),
    );
  }
  const connection = await context.connection();
  const requests = inputs.map((input) => {
    const { method, url, body } = client.prepare(operation, input);
    return {
      method,
      url: shownUrl(url, connection),
      ...(body === undefined ? {} : { body: parseJson(body) }),
    };
  });
  await context.notes.flush();
  await context.printer.whole(jsonText(requests.length === 1 ? requests[0] : requests, 2));
};

const past: Record<string, string> = { create: 'created', update: 'changed' };

/** Runs a generic command: reads the input, fills in the scope, sends the request and prints the reply. */
const runOperation = async (command: GenericCommand, noun: Noun, invocation: Invocation): Promise<void> => {
  const { operation, view, name } = command;
  const { context, problems } = invocation;
  const isList = operation.reply.kind === 'many';
  const bounds = isList ? readBounds(invocation) : { pageSize: 0 };
  if (operation.method === 'PATCH' && command.flags.every((flag) => invocation.typed[flag.name] === undefined)) {
    problems.add(`Nothing to change. Use ${command.fieldFlags.map((flag) => `--${flag.name}`).join(', ')}`, (own) =>
      own.addFlag(command.fieldFlags[0]!.name),
    );
  }
  const { rows, found, ...input } = await readInput(invocation, operation, command.fieldFlags);
  const scope = scopeLines(await fillScope(operation, input, noun, context));
  if (context.settings.dryRun) {
    const count = isList ? firstCount(invocation, operation, bounds, rows) : {};
    noteRowFilters(invocation, command.fieldFlags);
    return printRequest(invocation, operation, [{ ...input, query: { ...input.query, ...count } }]);
  }
  if (isList) return printListing(invocation, { operation, view, input, bounds, scope, keep: keepOf(operation, rows) });
  if (isRead(operation))
    return printRecord(context, view, found ?? (await (await context.client()).call(operation, input)));
  const record = await writeAndRead(context, operation, input);
  context.notes.info(`${past[name] ?? 'done'}: ${titleOf(record, withArticle(operation.reply.of.name))}`);
  return operation.effect === 'creation' ? printCreated(context, view, record) : context.printer.one(view, record);
};

/** Lets the command take the value of a flag as its argument. */
export const positional = (
  generic: GenericCommand,
  name: string,
  required: boolean,
  run = (command: GenericCommand, invocation: Invocation) => runOperation(command, generic.noun, invocation),
): GenericCommand => {
  const flag = generic.fieldFlags.find((candidate) => candidate.name === name)!;
  const { collection } = inspect(flag.field);
  const description = `${identifiers(collection)}: ${flag.description}`;
  const command: GenericCommand = {
    ...generic,
    arguments: [
      {
        name,
        description,
        required,
        ...(collection === undefined ? {} : { collection }),
        ...suggestionsFor(collection),
      },
    ],
    flags: generic.flags.filter((candidate) => candidate.name !== name),
  };
  return {
    ...command,
    run: (invocation) => {
      const [value = invocation.typed[name]] = invocation.args;
      const typed = value === undefined ? invocation.typed : { ...invocation.typed, [name]: value };
      return run(command, { ...invocation, args: [], typed });
    },
  };
};

const rowsNote =
  "The service can't filter these records by time, so sched applies --since and --until to created_at in its reply.";

/** Builds the command of an operation. */
export const genericCommand = (noun: Noun, verb: string, operation: Operation, examples?: string[]): GenericCommand => {
  const flags = fieldFlags(operation);
  const command: GenericCommand = {
    noun,
    name: verb,
    summary: operation.summary,
    arguments: argumentsOf(operation.path),
    flags: [
      ...flags,
      ...(operation.body === undefined ? [] : [bodyFlag]),
      ...(operation.reply.kind === 'many' ? listFlags : []),
    ],
    fieldFlags: flags,
    ...(flags.some(({ part }) => part === 'rows') ? { notes: [rowsNote] } : {}),
    examples: examples ?? [exampleOf(noun, verb, operation, flags)],
    operation,
    view: views[operation.reply.of.name as keyof typeof views],
    run: (invocation) => runOperation(command, noun, invocation),
  };
  return command;
};
