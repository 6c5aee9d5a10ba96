import { catalogue } from '../../api/catalogue.ts';
import { nounOf, type Operation, pathParameters } from '../../api/operation.ts';
import { fallBack } from '../../base/errors.ts';
import { type Json, jsonIn, parseJson } from '../../base/json.ts';
import type { Sentence } from '../../base/words.ts';
import { isRead } from '../../client/client.ts';
import { withArticle } from '../../client/ids.ts';
import type { Input } from '../../client/wire.ts';
import type { HttpRequest } from '../../http/message.ts';
import { curlLine } from '../../output/curl.ts';
import { escapeJson } from '../../output/sanitize.ts';
import type { View } from '../../output/view.ts';
import type { Answer, Bounds, Listing, Stage } from '../answer/answer.ts';
import { type Plan, type Prepared, plan } from '../answer/plan.ts';
import type { Command } from '../command.ts';
import { localCommand } from '../messages/suggested-line.ts';
import { shownUrl } from '../session/connection.ts';
import type { Context } from '../session/context.ts';
import { fillScope, scopeOf } from './default-scope.ts';
import type { FieldFlag } from './field-flags.ts';
import type { RequestValues } from './input.ts';
import { keepOf, rowRemarks } from './listing.ts';
import { addFacts, recordTitle, writeAndRead } from './write-result.ts';

/** What running the command of an operation needs of it. */
export interface OperationCommand extends Pick<Command, 'name'> {
  operation: Operation;
  fieldFlags: FieldFlag[];
  view: View;
  /** Adds to the rows what only people see, with requests of its own. */
  addForScreen?(context: Context): Stage;
  /** Filters rows by what only sched can find out. */
  choose?: Stage;
  /** Columns that only a CSV file has. */
  forCsv?: Listing['forCsv'];
}

/** What the command of an operation gets. */
export interface OperationInput {
  request: RequestValues;
  /** Of a list. */
  bounds?: Bounds;
}

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
  const placeholder = { file: bodyFrom === undefined ? 'FILE' : '-' };
  const bodyOf = (text: string) => (isHidden ? placeholder : jsonIn(text) === undefined ? text : escapeJson(text));
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

/** Prints requests for `--dry-run` and `--curl` instead of sending them. `facts` is what sched knows besides. */
export const printRequests = async (
  context: Context,
  requests: readonly HttpRequest[],
  hasToken = true,
  facts: Json = {},
): Promise<void> => {
  if (context.settings.curl) return printCurl(context, requests, { hasToken });
  const connection = await context.connection();
  const shownRequests = requests.map(({ method, url, body }) =>
    addFacts(
      { method, url: shownUrl(url, connection), ...(body === undefined ? {} : { body: parseJson(body) }) },
      facts,
    ),
  );
  await context.notes.flush();
  await context.printer.whole(shownRequests.length === 1 ? shownRequests[0] : shownRequests);
};

/** Prints requests that are known in full. */
export const printPrepared = (context: Context, { prepared, ...hiding }: Prepared): Promise<void> =>
  context.settings.curl
    ? printCurl(context, prepared, { ...hiding, hasToken: true })
    : printRequests(context, prepared);

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
export const printRequest = async (
  context: Context,
  operation: Operation,
  inputs: Input[],
  facts: Json = {},
): Promise<void> => {
  await checkExistence(context, operation, inputs);
  const client = await context.client();
  const requests = await Promise.all(inputs.map((input) => client.prepare(operation, input)));
  return printRequests(context, requests, operation.scope !== undefined, facts);
};

/** The rows of a list, or with `--dry-run` and `--curl` its first request. */
export const listingPlan = (
  listing: Listing,
  remarks: readonly Sentence[] = [],
  send: () => Promise<Answer> = async () => ({ kind: 'listing', listing }),
): Plan => plan({ requests: () => ({ listing }), remarks, send });

const past: Record<string, string> = { create: 'created', update: 'changed' };

/** What the command of an operation is about to do: fill in the scope, send the request and answer with the reply. */
export const runOperation = async (
  { operation, view, name, fieldFlags, choose, addForScreen, forCsv }: OperationCommand,
  { request: { rows, record: knownRecord, ...input }, bounds }: OperationInput,
  context: Context,
): Promise<Plan> => {
  const scope = scopeOf(operation, await fillScope(operation, input, context), view);
  const remarks = rowRemarks(fieldFlags, rows);
  const keep = keepOf(operation, rows);
  if (bounds !== undefined)
    return listingPlan(
      { operation, view, input, bounds, scope, keep, choose, addForScreen: addForScreen?.(context), forCsv },
      remarks,
    );
  return plan({
    requests: () => ({ operation, inputs: [input] }),
    remarks,
    send: async () => {
      if (isRead(operation))
        return { kind: 'record', view, record: knownRecord ?? (await (await context.client()).call(operation, input)) };
      const record = await writeAndRead(context, operation, input);
      const log = `${past[name] ?? 'done'}: ${recordTitle(record, withArticle(operation.reply.of.name))}`;
      return { kind: 'record', view, record, done: { log }, isNew: operation.effect === 'creation' };
    },
  });
};
