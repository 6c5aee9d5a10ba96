import { catalogue } from '../../api/catalogue.ts';
import { nounOf, type Operation, pathParameters } from '../../api/operation.ts';
import { fallBack } from '../../base/errors.ts';
import { type Json, jsonIn, parseJson } from '../../base/json.ts';
import { isRead } from '../../client/client.ts';
import type { Input } from '../../client/wire.ts';
import type { HttpRequest } from '../../http/message.ts';
import { curlLine } from '../../output/curl.ts';
import { escapeJson } from '../../output/sanitize.ts';
import { localCommand } from '../messages/suggested-line.ts';
import { firstInput } from '../operation/listing.ts';
import { addFacts } from '../operation/write-result.ts';
import { shownUrl } from '../session/connection.ts';
import type { Shell } from '../session/context.ts';
import type { HiddenBodies, Plan } from './plan.ts';
import { sayAll } from './say.ts';
import { show } from './show.ts';

interface ShownRequests {
  hidden?: HiddenBodies | undefined;
  hasToken?: boolean;
  /** What sched knows besides. */
  facts?: Json;
}

/** Prints requests as curl commands. */
const printCurl = async (
  { printer, notes, connection }: Shell,
  requests: readonly HttpRequest[],
  { hidden, hasToken = true }: ShownRequests,
): Promise<void> => {
  const open = await connection();
  const bodyFrom = hidden?.from;
  const placeholder = { file: bodyFrom === undefined ? 'FILE' : '-' };
  const bodyOf = (text: string) => (hidden ? placeholder : jsonIn(text) === undefined ? text : escapeJson(text));
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
const printRequests = async (
  context: Shell,
  requests: readonly HttpRequest[],
  shown: ShownRequests = {},
): Promise<void> => {
  if (context.settings.curl) return printCurl(context, requests, shown);
  const { facts = {} } = shown;
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

/** Records that a dry run looks for. More would take minutes, and the service checks them all when they are sent. */
const mostChecked = 20;

/** Throws if a write names a record that doesn't exist. A token may be allowed to change what it can't read. */
const checkExistence = async (context: Shell, operation: Operation, inputs: readonly Input[]): Promise<void> => {
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
const printRequest = async (context: Shell, operation: Operation, inputs: Input[], facts: Json = {}): Promise<void> => {
  await checkExistence(context, operation, inputs);
  const client = await context.client();
  const requests = await Promise.all(inputs.map((input) => client.prepare(operation, input)));
  return printRequests(context, requests, { hasToken: operation.scope !== undefined, facts });
};

/** `--dry-run` and `--curl`: prints the requests in place of sending them. */
export const rehearse = async (context: Shell, plan: Plan): Promise<void> => {
  const { requests, preview, remarks = [], changes, check } = plan;
  const { curl, noCheck, format } = context.settings;
  if (!curl && !noCheck) await check?.();
  const shown = await preview?.(format, curl);
  if (shown !== undefined) return show(context, shown);
  const found = changes && (await plan.read?.('rehearsal'));
  const all = await requests!(found);
  sayAll(context, typeof remarks === 'function' ? await remarks() : remarks);
  sayAll(context, changes?.(found) ?? []);
  if ('prepared' in all) return printRequests(context, all.prepared, { hidden: all.hidden });
  if ('operation' in all) return printRequest(context, all.operation, all.inputs, all.known);
  return printRequest(context, all.listing.operation, [firstInput(context, all.listing)]);
};
