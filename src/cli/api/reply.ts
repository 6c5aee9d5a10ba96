import { STATUS_CODES } from 'node:http';
import type { Operation } from '../../api/operation.ts';
import { isObject, type Json, readOne } from '../../client/reading.ts';
import { refusalOf } from '../../client/refusal.ts';
import { SchedError } from '../../errors.ts';
import { exchangeOf, type HttpReply, type HttpRequest, withRequestId } from '../../http/message.ts';
import { parseJson } from '../../json.ts';
import { safe } from '../../output/sanitise.ts';
import type { View } from '../../output/view.ts';
import type { Invocation } from '../command.ts';
import type { Context } from '../context.ts';
import { noteHidden } from '../listing.ts';
import { views } from '../views.ts';
import { isJson, layOutJson } from './json-text.ts';

/** The view of a record whose kind is known; of any other only chosen fields make columns. */
export const viewOf = (operation: Operation | undefined): View =>
  operation === undefined ? { columns: [] } : views[operation.reply.of.name as keyof typeof views];

/** Formats that show any JSON whole; the others show records. */
const wholeFormats = new Set(['json', 'jsonl', 'yaml']);

/** Whether single records are asked for, and not the reply as it came. */
const asksRecords = ({ settings }: Context): boolean =>
  settings.fields !== undefined || !wholeFormats.has(settings.format);

export const isSuccess = ({ status }: HttpReply): boolean => status >= 200 && status <= 299;

/** A session's cookie is a secret like the token. */
const shownHeader = ([name, value]: [string, string]): string =>
  `${safe(name)}: ${name === 'set-cookie' ? '[not shown]' : safe(value)}`;

const headOf = ({ status, headers }: HttpReply, isPrivate: boolean): string => {
  const lines = isPrivate ? [] : Object.entries(headers).map(shownHeader);
  return `${[`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`.trim(), ...lines].join('\n')}\n\n`;
};

const noFields = (request: HttpRequest, reply: HttpReply): SchedError =>
  new SchedError('integrity', 'The reply holds no record to choose fields from', {
    outcome: request.method === 'GET' ? 'not-applied' : 'applied',
    http: exchangeOf(request, reply),
  });

/** What the service calls JSON and is none: the answer to a write is then unknown. */
const brokenJson = (request: HttpRequest, reply: HttpReply): SchedError | undefined => {
  if (reply.body.trim() === '' || !/\bjson\b/i.test(reply.headers['content-type'] ?? '')) return undefined;
  const isRead = request.method === 'GET';
  return new SchedError(isRead ? 'unavailable' : 'outcome-unknown', 'The service sent a reply that is not JSON', {
    reason: withRequestId(`HTTP ${reply.status} with ${reply.headers['content-type']}`, request, reply),
    outcome: isRead ? 'not-applied' : 'unknown',
    http: exchangeOf(request, reply),
  });
};

const printJson = ({ stdout }: Context['runtime'], body: string, isPretty = true): Promise<void> =>
  stdout.write(`${layOutJson(body, isPretty)}\n`);

const printAsIs = async ({ printer, runtime }: Context, body: string): Promise<void> => {
  if (body === '') return;
  return runtime.stdout.isTerminal ? printer.text(body) : runtime.stdout.write(body);
};

/** The records inside an envelope, or the reply itself where it has none. */
const printRecords = async (context: Context, request: HttpRequest, reply: HttpReply, view: View): Promise<void> => {
  const value: unknown = parseJson(reply.body);
  const inner = isObject(value) ? (value.collection ?? value.resource ?? value) : value;
  if (isObject(inner)) return context.printer.one(view, inner);
  if (!Array.isArray(inner) || !inner.every(isObject)) throw noFields(request, reply);
  const page: Json[] = inner;
  async function* pages() {
    yield page;
  }
  noteHidden(context.notes, (await context.printer.list(view, pages())).hiddenColumns);
};

const printWhole = async ({ printer, runtime, settings }: Context, body: string): Promise<void> => {
  const value: unknown = parseJson(body);
  if ((settings.format === 'yaml' || settings.jq !== undefined) && typeof value === 'object' && value !== null)
    return printer.one({ columns: [] }, value);
  await printJson(runtime, body, settings.format !== 'jsonl');
};

/** A refusal without the service's own words, which may quote an address (R49). */
const silenced = ({ category, message, facts }: SchedError): SchedError => {
  const { requestId, ...http } = facts.http!;
  return new SchedError(category, message, { ...facts, reason: `HTTP ${http.status}`, http });
};

export interface Showing {
  /** The row of the operation, where the catalogue knows it. */
  operation: Operation | undefined;
  isPrivate: boolean;
}

/** Prints a reply and ends as its status says: like gh, the body of a refusal is printed too. */
export const printReply = async (
  invocation: Invocation,
  request: HttpRequest,
  reply: HttpReply,
  { operation, isPrivate }: Showing,
): Promise<void> => {
  const { context, typed } = invocation;
  const refusal = isSuccess(reply) ? undefined : refusalOf(request, reply);
  if (typed.include === true) await context.runtime.stdout.write(headOf(reply, isPrivate));
  if (typed.silent !== true) {
    if (isPrivate) {
      await context.printer.text(JSON.stringify({ status: reply.status, body_bytes: Buffer.byteLength(reply.body) }));
    } else if (!isJson(reply.body)) {
      if (refusal !== undefined || !asksRecords(context)) await printAsIs(context, reply.body);
      else throw brokenJson(request, reply) ?? noFields(request, reply);
    } else if (refusal !== undefined) {
      await printJson(context.runtime, reply.body);
    } else if (asksRecords(context)) {
      await printRecords(context, request, reply, viewOf(operation));
    } else {
      await printWhole(context, reply.body);
    }
  }
  if (refusal !== undefined) throw isPrivate ? silenced(refusal) : refusal;
  const broken = isPrivate || isJson(reply.body) ? undefined : brokenJson(request, reply);
  if (broken !== undefined) throw broken;
  // What does not show what was made leaves open whether it was (R26).
  if (operation?.effect === 'creation') readOne(operation, { ...request, effect: 'creation' }, reply);
};
