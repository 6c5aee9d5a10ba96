import { catalogue } from '../../api/catalogue.ts';
import { type Collection, collections } from '../../api/collections.ts';
import { nounOf, type Operation, pathParameters } from '../../api/operation.ts';
import { isRead } from '../../client/client.ts';
import { collectionOf, waysToName, withArticle } from '../../client/ids.ts';
import type { Input } from '../../client/wire.ts';
import { fallBack } from '../../errors.ts';
import type { HttpRequest } from '../../http/message.ts';
import { jsonIn, parseJson } from '../../json.ts';
import { curlLine } from '../../output/curl.ts';
import { escapeJson } from '../../output/sanitize.ts';
import type { View } from '../../output/view.ts';
import type { Argument, Command, Invocation } from '../command.ts';
import { both, type Input as CommandInput, related, taking } from '../input/input.ts';
import { rule } from '../input/relations.ts';
import { the, words } from '../input/words.ts';
import { localCommand } from '../messages/suggested-line.ts';
import { bodyFlag } from '../parse/shared-flags.ts';
import { shownUrl } from '../session/connection.ts';
import type { Context } from '../session/context.ts';
import { fillScope, scopeOf } from './default-scope.ts';
import { type FieldFlag, fieldFlags } from './field-flags.ts';
import { requestInput, type TypedInput } from './input.ts';
import {
  type Bounds,
  boundsInput,
  firstInput,
  isForPeople,
  keepOf,
  type Listing,
  listInput,
  noteRowFilters,
  printListing,
  type Stage,
} from './listing.ts';
import { withSchedulingPage } from './open-page.ts';
import { printRecord } from './print-record.ts';
import { viewOf } from './views.ts';
import { printCreated, titleOf, writeAndRead } from './write-result.ts';

/** The command of an operation, with the parts that a special command may replace. */
export interface GenericCommand extends Command {
  operation: Operation;
  fieldFlags: FieldFlag[];
  view: View;
  /** Adds to the rows what only people see, with requests of its own. */
  addForScreen?(context: Context): Stage;
}

/** What the special commands of a noun have in place of parts of the generic ones. */
export type Decorations = Record<
  string,
  (generic: GenericCommand, others: Record<string, GenericCommand>) => Partial<Command>
>;

const argumentOf = (name: string, collection: Collection, description: string, required: boolean): Argument => {
  const { self } = collections[collection];
  return {
    name: name.replaceAll('_', '-'),
    description: `${waysToName(collection).join(', ')} or URI${description}`,
    required,
    collection,
    ...(self === undefined ? {} : { suggestions: [self] }),
  };
};

/** A full `uri` contains all IDs, so only the first argument is required. */
const argumentsOf = (path: string): Argument[] =>
  pathParameters(path).map((name, index) =>
    argumentOf(name, collectionOf(path, name), ` of ${withArticle(name.replaceAll('_', ' '))}`, index === 0),
  );

interface CurlOptions {
  /** R49: never print an address, not even one the user typed. The body is then a file of the user. */
  isHidden?: boolean;
  /** The shell command that writes such a body. */
  bodyFrom?: string;
  hasToken: boolean;
}

/** Prints requests as curl commands. */
export const printCurl = async (
  { printer, notes, connection }: Context,
  requests: readonly HttpRequest[],
  { isHidden = false, bodyFrom, hasToken }: CurlOptions,
): Promise<void> => {
  const open = await connection();
  const hidden = { file: bodyFrom === undefined ? 'FILE' : '-' };
  const bodyOf = (text: string) => (isHidden ? hidden : jsonIn(text) === undefined ? text : escapeJson(text));
  const lines = requests.map(({ method, url, headers, body }) =>
    curlLine({
      method,
      url: shownUrl(url, open),
      headers: { ...(hasToken ? { authorization: '' } : {}), ...headers },
      ...(body === undefined ? {} : { body: bodyOf(body) }),
    }),
  );
  if (open.isSandbox)
    notes.info(`This command works while \`${localCommand('sandbox', 'start')}\` is running, which prints SCHED_TOKEN`);
  await notes.flush();
  await printer.text(lines.map((line) => (bodyFrom === undefined ? line : `${bodyFrom} | ${line}`)).join('\n'));
};

/** Prints requests for `--dry-run` and `--curl` instead of sending them. */
export const printRequests = async (
  context: Context,
  requests: readonly HttpRequest[],
  hasToken = true,
): Promise<void> => {
  if (context.settings.curl) return printCurl(context, requests, { hasToken });
  const connection = await context.connection();
  const shown = requests.map(({ method, url, body }) => ({
    method,
    url: shownUrl(url, connection),
    ...(body === undefined ? {} : { body: parseJson(body) }),
  }));
  await context.notes.flush();
  await context.printer.whole(shown.length === 1 ? shown[0] : shown);
};

/** Records that a dry run looks for. More would take minutes, and the service checks them all when they are sent. */
const mostChecked = 20;

/** Throws if a write names a record that doesn't exist. A token may be allowed to change what it can't read. */
const checkExistence = async (context: Context, operation: Operation, inputs: readonly Input[]): Promise<void> => {
  const { dryRun, curl, noCheck } = context.settings;
  const name = pathParameters(operation.path).at(-1);
  if (!dryRun || curl || noCheck || isRead(operation) || name === undefined || inputs.length > mostChecked) return;
  const rows: Operation[] = Object.values(await catalogue[nounOf(operation)].load());
  const end = operation.path.indexOf(`{${name}}`) + name.length + 2;
  const read = rows.filter(isRead).find(({ path }) => path === operation.path.slice(0, end));
  const client = await context.client();
  for (const { path = {} } of read === undefined ? [] : inputs)
    await client.call(read!, { path }).catch(fallBack(undefined, 'forbidden'));
};

/** The same for the requests of one operation. */
export const printRequest = async (context: Context, operation: Operation, inputs: Input[]): Promise<void> => {
  await checkExistence(context, operation, inputs);
  const client = await context.client();
  const requests = await Promise.all(inputs.map((input) => client.prepare(operation, input)));
  return printRequests(context, requests, operation.scope !== undefined);
};

/** Prints a list, or with `--dry-run` and `--curl` its first request. */
export const runListing = (context: Context, listing: Listing): Promise<void> =>
  context.settings.dryRun
    ? printRequest(context, listing.operation, [firstInput(context, listing)])
    : printListing(context, listing);

const past: Record<string, string> = { create: 'created', update: 'changed' };

/** What the command of an operation gets. */
export interface OperationInput {
  request: TypedInput;
  /** Of a list. */
  bounds?: Bounds;
}

/** A change must change something. */
const changesSomething = ({ flags, fieldFlags }: GenericCommand) => {
  const names = flags.map(({ name }) => name);
  const ways = fieldFlags.flatMap(({ name }, index) => (index === 0 ? [the(name)] : [', ', the(name)]));
  return rule(names, (isGiven) =>
    names.some(isGiven) ? [] : [{ words: words`Nothing to change. Use ${ways}`, adds: fieldFlags[0]!.name }],
  );
};

/** What the command of an operation takes. */
export const operationInput = (command: GenericCommand): CommandInput<OperationInput> => {
  const { operation, fieldFlags, arguments: args } = command;
  const request = requestInput(operation, fieldFlags, args);
  if (operation.reply.kind === 'many') return both(boundsInput, request);
  return operation.method === 'PATCH' ? related(request, changesSomething(command)) : request;
};

/** Runs the command of an operation: fills in the scope, sends the request and prints the reply. */
export const runOperation = async (
  command: GenericCommand,
  { request: { rows, found, ...input }, bounds }: OperationInput,
  context: Context,
): Promise<void> => {
  const { operation, view, name } = command;
  const scope = scopeOf(operation, await fillScope(operation, input, context));
  const { dryRun } = context.settings;
  if (dryRun) noteRowFilters(context, command.fieldFlags, rows);
  if (bounds !== undefined) {
    const isScreen = isForPeople(context) && context.settings.fields === undefined && !dryRun;
    const add = isScreen ? command.addForScreen?.(context) : undefined;
    return runListing(context, { operation, view, input, bounds, scope, keep: keepOf(operation, rows), add });
  }
  if (dryRun) return printRequest(context, operation, [input]);
  if (isRead(operation))
    return printRecord(context, view, found ?? (await (await context.client()).call(operation, input)));
  const record = await writeAndRead(context, operation, input);
  await context.notes.done(`${past[name] ?? 'done'}: ${titleOf(record, withArticle(operation.reply.of.name))}`);
  return operation.effect === 'creation' ? printCreated(context, view, record) : context.printer.one(view, record);
};

const run = (command: GenericCommand, invocation: Invocation): Promise<void> =>
  taking(operationInput(command), (values, { context }) => runOperation(command, values, context)).run(invocation);

/** A list that shows more on a screen than elsewhere. */
export const withScreen = (generic: GenericCommand, addForScreen: (context: Context) => Stage): GenericCommand => {
  const command: GenericCommand = { ...generic, addForScreen };
  return { ...command, run: (invocation) => run(command, invocation) };
};

/** Lets the command take the record of a flag as its argument. */
export const positional = (generic: GenericCommand, name: string, required: boolean, runWith = run): GenericCommand => {
  const flag = generic.fieldFlags.find((candidate) => candidate.name === name)!;
  const command: GenericCommand = {
    ...generic,
    arguments: [argumentOf(name, flag.collection!, `: ${flag.description}`, required)],
    flags: generic.flags.filter((candidate) => candidate.name !== name),
  };
  return {
    ...command,
    run: (invocation) => {
      const [value = invocation.typed[name]] = invocation.args;
      const typed = value === undefined ? invocation.typed : { ...invocation.typed, [name]: value };
      return runWith(command, { ...invocation, args: [], typed });
    },
  };
};

const rowsNote =
  "The service can't filter these records by time, so sched applies --since and --until to created_at in its reply.";

const optionalNote = 'Only for services whose dialect names this operation, such as calendly.';

/** Builds the command of an operation. */
export const genericCommand = (verb: string, operation: Operation, examples: string[] = []): GenericCommand => {
  const flags = fieldFlags(operation);
  const command: GenericCommand = {
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
    run: (invocation) => run(command, invocation),
  };
  return withSchedulingPage(command);
};
