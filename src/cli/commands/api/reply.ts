import { STATUS_CODES } from 'node:http';
import type { Operation } from '../../../api/operation.ts';
import { decide, effectOf, unreadableWrite } from '../../../client/outcome.ts';
import {
  contentOf,
  contentProblem,
  describeNonJson,
  integrityError,
  unreadableRead,
} from '../../../client/read-reply.ts';
import { refusalOf } from '../../../client/refusal.ts';
import { SchedError } from '../../../errors.ts';
import { exchangeOf, type HttpReply, type HttpRequest, isSuccess } from '../../../http/message.ts';
import { isObject } from '../../../json.ts';
import { safe } from '../../../output/sanitize.ts';
import type { View } from '../../../output/view.ts';
import type { Invocation, Typed } from '../../command.ts';
import { printRows } from '../../operation/listing.ts';
import { viewOf } from '../../operation/views.ts';
import type { Context } from '../../session/context.ts';
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

const headOf = ({ status, headers }: HttpReply, isPrivate: boolean): string => {
  const lines = isPrivate ? [] : Object.entries(headers).map(shownHeader);
  return `${[`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`.trim(), ...lines].join('\n')}\n\n`;
};

/** Whether the user chose an output format, which needs JSON. Without one, the reply is printed unchanged. */
const asksJson = (typed: Typed): boolean =>
  ['json', 'jq', 'fields', 'output'].some((name) => typed[name] !== undefined);

/**
 * Handles a 2xx reply that isn't JSON. A read has failed if the user or the content type asked for JSON. A write has
 * succeeded, unless it creates a record and its reply can't be read (R26).
 */
const judgeNotJson = (
  { context, typed }: Invocation,
  request: HttpRequest,
  reply: HttpReply,
  content: 'empty' | 'unreadable',
  operation: Operation | undefined,
): void => {
  const isAnnounced = content !== 'empty' && /\bjson\b/i.test(reply.headers['content-type'] ?? '');
  const isAsked = asksJson(typed);
  const effect = effectOf(request);
  if (effect === 'read') {
    if (isAsked || isAnnounced) throw unreadableRead(request, reply, describeNonJson(reply));
    return;
  }
  // A path outside the catalogue may reply with something other than JSON.
  const isExpected = operation !== undefined || isAnnounced;
  if (isExpected && decide(effect, content) !== 'done') throw unreadableWrite(request, reply, describeNonJson(reply));
  if (isAsked) context.notes.info(`The service accepted this (HTTP ${reply.status}), but its reply is not JSON`);
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
const silenced = ({ category, message, facts }: SchedError): SchedError => {
  const { requestId, ...http } = facts.http!;
  return new SchedError(category, message, { ...facts, reason: `HTTP ${http.status}`, http });
};

export interface ReplyOptions {
  /** The operation's row, if the catalogue has one. */
  operation: Operation | undefined;
  isPrivate: boolean;
}

const printBody = async (
  { context, typed }: Invocation,
  request: HttpRequest,
  reply: HttpReply,
  operation: Operation | undefined,
): Promise<void> => {
  const { printer, runtime, settings } = context;
  const { stdout } = runtime;
  const content = contentOf(reply);
  if (typeof content === 'string') {
    if (reply.body === '' || asksJson(typed)) return;
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
  invocation: Invocation,
  request: HttpRequest,
  reply: HttpReply,
  { operation, isPrivate }: ReplyOptions,
): Promise<void> => {
  const { context, typed } = invocation;
  const refusal = isSuccess(reply) ? undefined : refusalOf(request, reply);
  if (typed.include === true) await context.runtime.stdout.write(headOf(reply, isPrivate));
  if (isPrivate) {
    const sizes = JSON.stringify({ status: reply.status, body_bytes: Buffer.byteLength(reply.body) });
    if (typed.silent !== true) await context.printer.text(sizes);
    if (refusal !== undefined) throw silenced(refusal);
    return;
  }
  if (typed.silent !== true) await printBody(invocation, request, reply, operation);
  if (refusal !== undefined) throw refusal;
  const content = contentOf(reply);
  if (typeof content === 'string') judgeNotJson(invocation, request, reply, content, operation);
};
