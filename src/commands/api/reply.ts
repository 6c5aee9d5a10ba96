import { STATUS_CODES } from 'node:http';
import type { Operation } from '../../api/operation.ts';
import { SchedError } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { printRows } from '../../cli/operation/listing.ts';
import { viewOf } from '../../cli/operation/views.ts';
import type { Context } from '../../cli/session/context.ts';
import { decideAfterFailure, effectOf, unreadableWrite } from '../../client/outcome.ts';
import { contentOf, contentProblem, describeNonJson, integrityError, unreadableRead } from '../../client/read-reply.ts';
import { refusalOf } from '../../client/refusal.ts';
import { exchangeOf, type HttpReply, type HttpRequest, isSuccess } from '../../http/message.ts';
import { safe } from '../../output/sanitize.ts';
import type { View } from '../../output/view.ts';
import type { ApiInput } from './input.ts';
import { layOutJson } from './json-text.ts';

/**
 * The columns of a known record type. An unknown one has no columns but the fields that the user chooses. A single
 * record is shown with all its fields, because this command prints what the service sent.
 */
export const recordView = (operation: Operation | undefined): View => {
  if (operation === undefined) return { columns: [] };
  const { page: _, ...view } = viewOf(operation);
  return view;
};

/** Formats that can show any JSON; the others show records. */
const wholeFormats = new Set(['json', 'jsonl', 'yaml']);

/** A session cookie is as secret as the token, so it isn't printed. */
const shownHeader = ([name, value]: [string, string]): string =>
  `${safe(name)}: ${name === 'set-cookie' ? '[not shown]' : safe(value)}`;

const replyHead = ({ status, headers }: HttpReply, isPrivate: boolean): string => {
  const lines = isPrivate ? [] : Object.entries(headers).map(shownHeader);
  return `${[`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`.trim(), ...lines].join('\n')}\n\n`;
};

/** How a reply is shown. */
export interface ReplyOptions extends Pick<ApiInput, 'include' | 'silent' | 'isJson'> {
  /** The operation's row, if the catalogue has one. */
  operation: Operation | undefined;
  isPrivate: boolean;
}

/**
 * Handles a 2xx reply that isn't JSON. A read has failed if the user or the content type asked for JSON. A write has
 * succeeded, unless it creates a record and its reply can't be read (R26).
 */
const judgeNotJson = (
  { notes }: Context,
  request: HttpRequest,
  reply: HttpReply,
  content: 'empty' | 'unreadable',
  { operation, isJson }: ReplyOptions,
): void => {
  const isAnnounced = content !== 'empty' && /\bjson\b/i.test(reply.headers['content-type'] ?? '');
  const effect = effectOf(request);
  if (effect === 'read') {
    if (isJson || isAnnounced) throw unreadableRead(request, reply, describeNonJson(reply));
    return;
  }
  // A path outside the catalogue may reply with something other than JSON.
  const isExpected = operation !== undefined || isAnnounced;
  if (isExpected && decideAfterFailure(effect, content) !== 'done')
    throw unreadableWrite(request, reply, describeNonJson(reply));
  if (isJson) notes.info(`The service accepted this (HTTP ${reply.status}), but its reply is not JSON`);
};

/** Prints the records inside an envelope, or the reply itself if it has none. */
const printRecords = async (
  context: Context,
  request: HttpRequest,
  reply: HttpReply,
  value: unknown,
  view: View,
): Promise<void> => {
  const inner = isObject(value) ? (value.collection ?? value.resource ?? value) : value;
  if (isObject(inner)) return context.printer.one(view, inner);
  if (Array.isArray(inner) && inner.every(isObject)) return printRows(context, view, [inner]);
  if (effectOf(request) !== 'read')
    return context.notes.info(`The service accepted this (HTTP ${reply.status}), but its reply has no records`);
  throw new SchedError('integrity', 'The reply has no records to choose fields from', {
    outcome: 'not-applied',
    http: exchangeOf(request, reply),
  });
};

/** The same error without the service's own text, which may quote an address (R49). */
const withoutServiceText = ({ category, message, facts }: SchedError): SchedError => {
  const { requestId, ...http } = facts.http!;
  return new SchedError(category, message, { ...facts, reason: `HTTP ${http.status}`, http });
};

const printBody = async (
  context: Context,
  request: HttpRequest,
  reply: HttpReply,
  { operation, isJson }: ReplyOptions,
): Promise<void> => {
  const { printer, runtime, settings } = context;
  const { stdout } = runtime;
  const content = contentOf(reply);
  if (typeof content === 'string') {
    if (reply.body === '' || isJson) return;
    return stdout.isTerminal ? printer.text(reply.body) : stdout.write(reply.body);
  }
  const { json } = content;
  const isBranch = typeof json === 'object' && json !== null;
  const hasRecords = settings.fields !== undefined || !wholeFormats.has(settings.format);
  const isParsed = hasRecords || settings.format === 'yaml' || settings.jq !== undefined;
  if (isSuccess(reply) && isParsed) {
    const problem = isBranch ? contentProblem(json) : undefined;
    if (problem !== undefined && effectOf(request) === 'read') throw integrityError(request, problem, reply);
    if (hasRecords) return printRecords(context, request, reply, json, recordView(operation));
    if (isBranch) return printer.one({ columns: [] }, json);
  }
  const isPretty = settings.format !== 'jsonl' || !isSuccess(reply);
  await stdout.write(`${layOutJson(reply.body, isPretty)}\n`);
};

/** Prints a reply, and throws if its status is an error. Like gh, it prints the body of an error reply too. */
export const printReply = async (
  context: Context,
  request: HttpRequest,
  reply: HttpReply,
  showing: ReplyOptions,
): Promise<void> => {
  const { isPrivate, include, silent } = showing;
  const refusal = isSuccess(reply) ? undefined : refusalOf(request, reply);
  if (include) await context.runtime.stdout.write(replyHead(reply, isPrivate));
  if (isPrivate) {
    const sizes = JSON.stringify({ status: reply.status, body_bytes: Buffer.byteLength(reply.body) });
    if (!silent) await context.printer.text(sizes);
    if (refusal !== undefined) throw withoutServiceText(refusal);
    return;
  }
  if (!silent) await printBody(context, request, reply, showing);
  if (refusal !== undefined) throw refusal;
  const content = contentOf(reply);
  if (typeof content === 'string') judgeNotJson(context, request, reply, content, showing);
};
