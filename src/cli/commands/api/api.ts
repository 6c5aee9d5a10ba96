import { limits } from '../../../api/limits.ts';
import type { Operation } from '../../../api/operation.ts';
import type { RawInput } from '../../../client/client.ts';
import { usageError } from '../../../errors.ts';
import type { HttpRequest } from '../../../http/message.ts';
import { isObject, jsonIn, parseJson } from '../../../json.ts';
import type { Runtime } from '../../../runtime.ts';
import type { Flag, Invocation, LeafCommand } from '../../command.ts';
import { printCurl } from '../../operation/generic-command.ts';
import { listInput, printRows, readBounds } from '../../operation/listing.ts';
import { sharedFlags } from '../../parse/shared-flags.ts';
import { bookingFlags } from '../../scheduling/booking-context.ts';
import { confirm } from '../../session/confirm.ts';
import { shownUrl } from '../../session/connection.ts';
import type { Context } from '../../session/context.ts';
import { addPlaceToLook } from '../../session/scope-check.ts';
import { bookingIn, bookRaw } from './booking-body.ts';
import { layOutJson } from './json-text.ts';
import { isPrivate, mayBook, questionFor } from './known-paths.ts';
import { methods } from './method.ts';
import { type ApiRequest, readRequest } from './read-request.ts';
import { printReply, recordView } from './reply.ts';

const flags: Flag[] = [
  { name: 'method', short: 'X', value: 'METHOD', description: 'HTTP method, same as the METHOD argument' },
  {
    name: 'raw-field',
    short: 'f',
    value: 'KEY=VALUE',
    repeat: true,
    description: 'text field: in the query of a GET, otherwise in the JSON body',
  },
  {
    name: 'field',
    short: 'F',
    value: 'KEY=VALUE',
    repeat: true,
    description: 'like -f, but converts true, false, null and whole numbers; @FILE or @- reads the value',
  },
  {
    name: 'input',
    value: 'FILE',
    description: 'read the body from a file, or - for stdin; fields then go in the query',
  },
  { name: 'header', short: 'H', value: 'HEADER', repeat: true, description: "request header, as 'Name: value'" },
  { name: 'paginate', description: 'fetch all pages of a list and print one array of items', heading: 'Listing' },
  ...listInput.flags
    .filter(({ name }) => name !== 'all')
    .map((flag) => ({ ...flag, description: `${flag.description}; needs --paginate` })),
  {
    name: 'include',
    short: 'i',
    description: 'print the status and headers of the reply before the body',
    heading: 'Output',
  },
  { name: 'silent', description: "don't print the body", heading: 'Output' },
  ...sharedFlags
    .filter(({ name }) => name === 'output')
    .map((flag) => ({ ...flag, description: 'output format (default: the unchanged reply)' })),
  ...bookingFlags.map((flag) => ({ ...flag, description: `${flag.description}; only with POST /invitees` })),
];

const requestText = ({ method, headers = {}, body }: RawInput, url: string, isHidden: boolean): string => {
  const parts = [`"method":${JSON.stringify(method)}`, `"url":${JSON.stringify(url)}`];
  if (Object.keys(headers).length > 0) parts.push(`"headers":${JSON.stringify(headers)}`);
  if (body !== undefined && isHidden) parts.push(`"body_bytes":${Buffer.byteLength(body)}`);
  else if (body !== undefined) parts.push(`"body":${jsonIn(body) === undefined ? JSON.stringify(body) : body}`);
  return `{${parts.join(',')}}`;
};

/** Prints the planned request. Its body is indented, not parsed, where possible: parsing could change numbers. */
const printPlan = ({ printer, runtime, settings }: Context, json: string): Promise<void> =>
  settings.jq !== undefined || settings.format === 'yaml'
    ? printer.whole(parseJson(json))
    : runtime.stdout.write(`${layOutJson(json, settings.format !== 'jsonl')}\n`);

const printPages = async (invocation: Invocation, { input, operation }: ApiRequest): Promise<void> => {
  const { context, typed } = invocation;
  const client = await context.client();
  const { limit, pageSize = limits.pageSize.max } = await readBounds(invocation);
  const count = Number(input.query!.find(([name]) => name === 'count')?.[1]);
  const size = Number.isInteger(count) && count > 0 ? count : pageSize;
  const pages = client.rawPages(input, { limit, pageSize: size }, operation);
  if (typed.silent !== true) await printRows(context, recordView(operation), pages);
  else for await (const _ of pages);
};

/** The effect of a known write. A raw deletion has no receipt, so it is sent once, like a change. */
const effectOf = (operation: Operation | undefined): Pick<HttpRequest, 'effect'> =>
  operation?.effect === undefined ? {} : { effect: operation.effect === 'deletion' ? 'change' : operation.effect };

/** R12: the signing key of a webhook is a secret. */
const keepSigningKey = ({ secrets }: Runtime, body = ''): void => {
  const value = body.includes('signing_key') ? jsonIn(body) : undefined;
  if (isObject(value) && typeof value.signing_key === 'string') secrets.keep(value.signing_key, 'signing key');
};

/** The booking in the body, or undefined if the body can't be read and --allow-duplicate sends it anyway. */
const readBooking = ({ typed }: Invocation, { body, query = [] }: RawInput) => {
  try {
    return bookingIn(body, query);
  } catch (error) {
    if (typed['allow-duplicate'] !== true) throw error;
    return undefined;
  }
};

const run = async (invocation: Invocation): Promise<void> => {
  const { context, typed } = invocation;
  const planned = await readRequest(invocation);
  const { input, operation } = planned;
  keepSigningKey(context.runtime, input.body);
  const client = await context.client();
  const dialect = await context.dialect();
  const isBooking = mayBook(input.method, input.path, dialect);
  const request = { ...client.prepareRaw(input), ...effectOf(operation), isBooking };
  // Check the full path: the part that makes a request private may be in the base URL.
  const { pathname } = new URL(request.url);
  const isHidden = planned.isHidden || isPrivate([pathname], dialect);
  // A header may contain a secret (R12).
  if (!isHidden && typed.header === undefined) invocation.problems.own?.reveal();
  // R49
  if (isHidden && typed.paginate === true)
    throw usageError(["--paginate can't be used with data_compliance, because its replies are never printed"]);
  if (context.settings.curl) return printCurl(context, [request], { isHidden, hasToken: true });
  if (context.settings.dryRun) {
    const url = shownUrl(request.url, await context.connection());
    return printPlan(context, requestText(input, url, isHidden));
  }
  if (!context.settings.yes) {
    const question = await questionFor(context, input.method, pathname, input.body);
    if (question !== undefined) await confirm(context, question);
  }
  if (typed.paginate === true) return printPages(invocation, planned);
  const showing = { operation, isPrivate: isHidden };
  if (isBooking) {
    const booking = readBooking(invocation, input);
    if (booking !== undefined) return bookRaw(invocation, request, booking, showing);
  }
  try {
    await printReply(invocation, request, await client.send(request), showing);
  } catch (error) {
    throw addPlaceToLook(error, operation);
  }
};

export const api: LeafCommand = {
  arguments: [
    { name: 'METHOD', description: `${methods.join(', ')}; optional for GET`, choices: methods },
    { name: 'path', description: 'path or full URL, with or without a query', required: true },
  ],
  flags,
  effect: 'any',
  freeForm: true,
  examples: [
    'api /users/me',
    "api /scheduled_events -f 'user={user}' -f status=active --paginate --json=uri,name,start_time",
    "api POST /event_types -f 'owner={user}' -f name=Chat -F duration=45",
    'api PATCH /event_types/YBL6DUNR9FS4PNP6 -F active=true -F duration=45',
    "api /event_types -f 'user={user}' -f count=1 -H 'X-Trace: 42' --include",
  ],
  notes: [
    'A request with a body needs METHOD. Unlike gh, sched never guesses a write. Without METHOD, fields become the query of a GET if the path is known to accept them there.',
    'Placeholders: as a whole value, {user} and {organization} become the URI of your user or organization; as a whole path segment, they become its ID. Quote them for the shell.',
    'Nested fields: a[b]=1 is {"a":{"b":1}}, a[]=1 a[]=2 is {"a":[1,2]}, a[][b]=1 a[][b]=2 is {"a":[{"b":1},{"b":2}]}, a[] alone is {"a":[]}.',
    'The reply is printed unchanged, except for indentation. The body of an error reply is printed too, before the error. With an output format (--json, --jq, --fields, -o) only JSON is printed. If the reply is not JSON, a read ends with exit code 9; a write that the service accepted ends with exit code 0 and a note. --json=FIELDS, --fields and -o table, tsv, csv or id show the records in "resource" or "collection". Here -H sets a request header; it doesn\'t print column names.',
    'Asks for confirmation before DELETE, and before any write to a path that contains cancellation, data_compliance, event_type_availability_schedules or no_show. No other write asks. For data_compliance only sizes are printed, never the request or the reply.',
    "POST /invitees books like `sched invitees create`: sched records the booking before sending it, looks it up if the reply is lost, never sends it twice, and refuses it if this machine has already made the same booking. A body that doesn't clearly say what to book is sent only with --allow-duplicate. Other writes are sent once too: any 2xx is success, and exit code 10 means that the outcome is unknown.",
    "Requests go only to the base URL; URIs from the service are rewritten to it. Headers that carry secrets or control the connection can't be set.",
  ],
  run,
};
