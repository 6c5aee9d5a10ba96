import type { Operation } from '../../../api/operation.ts';
import type { RawInput } from '../../../client/client.ts';
import { usageError } from '../../../errors.ts';
import type { HttpRequest } from '../../../http/message.ts';
import type { CurlRequest } from '../../../output/curl.ts';
import { escapeJson } from '../../../output/sanitise.ts';
import type { Command, Flag, Invocation } from '../../command.ts';
import { bookingFlags } from '../../operation/booking-context.ts';
import { printCurl } from '../../operation/generic-command.ts';
import { noteHidden, readBounds } from '../../operation/listing.ts';
import { listFlags, sharedFlags } from '../../parse/shared-flags.ts';
import { confirm } from '../../session/confirm.ts';
import { shownUrl } from '../../session/connection.ts';
import type { Context } from '../../session/context.ts';
import { addPlaceToLook } from '../../session/lost-creation.ts';
import { bookingIn, bookRaw } from './booking.ts';
import { isJson, layOutJson } from './json-text.ts';
import { isBooking, isPrivate, questionFor } from './known-paths.ts';
import { methods } from './method.ts';
import { type ApiRequest, readRequest } from './read-request.ts';
import { printReply, viewOf } from './reply.ts';

const flags: Flag[] = [
  { name: 'method', short: 'X', value: 'METHOD', description: 'the same as METHOD in front', heading: 'Flags' },
  {
    name: 'raw-field',
    short: 'f',
    value: 'KEY=VALUE',
    repeat: true,
    description: 'text for the query of a GET, for the JSON body of any other method',
    heading: 'Flags',
  },
  {
    name: 'field',
    short: 'F',
    value: 'KEY=VALUE',
    repeat: true,
    description: 'the same, but true, false, null and whole numbers are not text, and @FILE or @- reads the value',
    heading: 'Flags',
  },
  {
    name: 'input',
    value: 'FILE',
    description: 'the whole body from a file, or - for stdin; fields then go to the query',
    heading: 'Flags',
  },
  {
    name: 'header',
    short: 'H',
    value: 'HEADER',
    repeat: true,
    description: "a header of the request, as 'Name: value'",
    heading: 'Flags',
  },
  { name: 'paginate', description: 'follow a list to its end and print one array of its items', heading: 'Listing' },
  ...listFlags
    .filter(({ name }) => name !== 'all')
    .map((flag) => ({ ...flag, description: `${flag.description}; with --paginate` })),
  {
    name: 'include',
    short: 'i',
    description: 'print status and headers of the reply before its body',
    heading: 'Output',
  },
  { name: 'silent', description: 'print nothing of the body', heading: 'Output' },
  ...sharedFlags
    .filter(({ name }) => name === 'output')
    .map((flag) => ({ ...flag, description: 'format of the answer; without it the reply as it came, as JSON' })),
  ...bookingFlags.map((flag) => ({ ...flag, description: `${flag.description}; with POST /invitees` })),
];

/** The request as JSON text. */
const requestText = ({ method, headers = {}, body }: RawInput, url: string, isHidden: boolean): string => {
  const parts = [`"method":${JSON.stringify(method)}`, `"url":${JSON.stringify(url)}`];
  if (Object.keys(headers).length > 0) parts.push(`"headers":${JSON.stringify(headers)}`);
  if (body !== undefined && isHidden) parts.push(`"body_bytes":${Buffer.byteLength(body)}`);
  else if (body !== undefined) parts.push(`"body":${isJson(body) ? body : JSON.stringify(body)}`);
  return `{${parts.join(',')}}`;
};

/** Its body is laid out, not rebuilt, where that can be. */
const printPlan = ({ printer, runtime, settings }: Context, json: string): Promise<void> =>
  settings.jq !== undefined || settings.format === 'yaml'
    ? printer.whole(json)
    : runtime.stdout.write(`${layOutJson(json, settings.format !== 'jsonl')}\n`);

const curlOf = ({ method, url, headers, body }: HttpRequest, isHidden: boolean): CurlRequest => ({
  method,
  url,
  headers: { authorization: '', ...headers },
  ...(body === undefined ? {} : { body: isHidden ? { file: 'FILE' } : isJson(body) ? escapeJson(body) : body }),
});

const printPages = async (invocation: Invocation, { input, operation }: ApiRequest): Promise<void> => {
  const { context, typed } = invocation;
  const client = await context.client();
  const { limit, pageSize } = readBounds(invocation);
  const count = Number(input.query!.find(([name]) => name === 'count')?.[1]);
  const size = Number.isInteger(count) && count > 0 ? count : pageSize;
  const pages = client.rawPages(input, { ...(limit === undefined ? {} : { limit }), pageSize: size }, operation);
  if (typed.silent !== true)
    noteHidden(context.notes, (await context.printer.list(viewOf(operation), pages)).hiddenColumns);
  else for await (const _ of pages);
};

/** What a known write does. A raw deletion is not journalled, so like a change it is sent once. */
const effectOf = (operation: Operation | undefined): Pick<HttpRequest, 'effect'> =>
  operation?.effect === undefined ? {} : { effect: operation.effect === 'deletion' ? 'change' : operation.effect };
/** What is to be booked; nothing where the body cannot be read, and is to be sent all the same. */
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
  const client = await context.client();
  const request = { ...client.prepareRaw(input), ...effectOf(operation) };
  // The base URL may hold the part of the path that counts.
  const { pathname } = new URL(request.url);
  const isHidden = planned.isHidden || isPrivate([pathname]);
  // R49
  if (isHidden && typed.paginate === true)
    throw usageError(['--paginate is not for data_compliance: nothing of its replies is shown']);
  if (context.settings.curl) return printCurl(context, [curlOf(request, isHidden)]);
  if (context.settings.dryRun) {
    const url = shownUrl(request.url, await context.connection());
    return printPlan(context, requestText(input, url, isHidden));
  }
  const question = questionFor(input.method, pathname, input.body);
  if (question !== undefined) await confirm(context, question);
  if (typed.paginate === true) return printPages(invocation, planned);
  const showing = { operation, isPrivate: isHidden };
  if (isBooking(input.method, input.path)) {
    const booking = readBooking(invocation, input);
    if (booking !== undefined) return bookRaw(invocation, request, booking, showing);
  }
  try {
    await printReply(invocation, request, await client.send(request), showing);
  } catch (error) {
    throw addPlaceToLook(error, operation, context.settings);
  }
};

export const api: Command = {
  name: 'api',
  summary: 'Send any request under the base URL and print the reply as it is',
  arguments: [
    { name: 'METHOD', description: `${methods.join(', ')}; may be left out for GET`, choices: methods },
    { name: 'path', description: 'path or full URL, with or without a query', required: true },
  ],
  flags,
  freeForm: true,
  examples: [
    'api /users/me',
    "api /scheduled_events -f 'user={user}' -f status=active --paginate --json=uri,name,start_time",
    "api POST /event_types -f 'owner={user}' -f name=Chat -F duration=45",
    'api PATCH /event_types/YBL6DUNR9FS4PNP6 -F active=true -F duration=45',
    "api /event_types -f 'user={user}' -f count=1 -H 'X-Trace: 42' --include",
  ],
  notes: [
    'METHOD is needed with a body, unlike in gh: nothing is written by a guess. Without one, fields are the query of a GET where the path is known to take them there.',
    "Placeholders: {user} and {organization} stand for the token's own URIs where they are a whole value, and for their IDs where they are a whole segment of the path. Quote them for the shell.",
    'Nested fields: a[b]=1 is {"a":{"b":1}}, a[]=1 a[]=2 is {"a":[1,2]}, a[][b]=1 a[][b]=2 is {"a":[{"b":1},{"b":2}]}, a[] alone is {"a":[]}.',
    'The reply is printed as it came, laid out for reading; the body of a refusal too, before the error. With a format (--json, --jq, --fields, -o) only JSON is printed: any other reply to a read is exit code 9, and a write that the service accepted is exit code 0 with a note. --json=FIELDS, --fields and -o table, tsv, csv or id look into "resource" or "collection". -H is the header of the request here, not the line of column names.',
    'Asks first on DELETE, and on any write to a path that holds cancellation, data_compliance or event_type_availability_schedules. On data_compliance neither request nor reply is shown, only sizes. No other write asks.',
    'POST /invitees books as `sched invitees create` does: written down first, looked up if its answer is lost, never sent twice, and refused while the same booking of this machine stands. A body that does not say clearly what to book is sent only with --allow-duplicate. Any other write is sent once too: a 2xx is success, and exit code 10 says that its outcome is unknown.',
    'Only the base URL is ever asked, with URIs of the service rewritten to it. Headers that carry secrets or belong to the connection are refused.',
  ],
  run,
};
