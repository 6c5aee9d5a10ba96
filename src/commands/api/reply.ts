import { STATUS_CODES } from 'node:http';
import type { Operation } from '../../api/operation.ts';
import { SchedError } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import type { Answer, RawAnswer } from '../../cli/answer/answer.ts';
import { viewOf } from '../../cli/operation/views.ts';
import { decideAfterFailure, effectOf, unreadableWrite } from '../../client/outcome.ts';
import { contentOf, contentProblem, describeNonJson, integrityError, unreadableRead } from '../../client/read-reply.ts';
import { refusalOf } from '../../client/refusal.ts';
import { exchangeOf, type HttpReply, type HttpRequest, isSuccess } from '../../http/message.ts';
import { safe } from '../../output/sanitize.ts';
import type { View } from '../../output/view.ts';
import type { ApiInput } from './input.ts';

/**
 * The columns of a known record type. An unknown one has no columns but the fields that the user chooses. A single
 * record is shown with all its fields, because this command prints what the service sent.
 */
export const recordView = (operation: Operation | undefined): View => {
  if (operation === undefined) return { columns: [] };
  const { page: _, ...view } = viewOf(operation);
  return view;
};

/** A session cookie is as secret as the token, so it isn't printed. */
const shownHeader = ([name, value]: [string, string]): string =>
  `${safe(name)}: ${name === 'set-cookie' ? '[not shown]' : safe(value)}`;

const replyHead = ({ status, headers }: HttpReply, isPrivate: boolean): string => {
  const lines = isPrivate ? [] : Object.entries(headers).map(shownHeader);
  return `${[`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`.trim(), ...lines].join('\n')}\n\n`;
};

/** What is shown of a reply. */
export interface ReplyOptions extends Pick<ApiInput, 'include' | 'silent' | 'isJson'> {
  /** The operation's row, if the catalogue has one. */
  operation: Operation | undefined;
  isPrivate: boolean;
}

/**
 * Judges a 2xx reply that isn't JSON. A read has failed if the user or the content type asked for JSON. A write has
 * succeeded, unless it creates a record and its reply can't be read (R26).
 */
const judgeNotJson = (
  request: HttpRequest,
  reply: HttpReply,
  content: 'empty' | 'unreadable',
  { operation, isJson }: ReplyOptions,
): Pick<ReplyAnswer, 'failure' | 'hints'> => {
  const isAnnounced = content !== 'empty' && /\bjson\b/i.test(reply.headers['content-type'] ?? '');
  const effect = effectOf(request);
  if (effect === 'read')
    return { failure: isJson || isAnnounced ? unreadableRead(request, reply, describeNonJson(reply)) : undefined };
  // A path outside the catalogue may reply with something other than JSON.
  const isExpected = operation !== undefined || isAnnounced;
  if (isExpected && decideAfterFailure(effect, content) !== 'done')
    return { failure: unreadableWrite(request, reply, describeNonJson(reply)) };
  return isJson ? { hints: [`The service accepted this (HTTP ${reply.status}), but its reply is not JSON`] } : {};
};

/** The records inside an envelope, or the reply itself if it has none. */
const recordsIn = (request: HttpRequest, reply: HttpReply, value: unknown, view: View): Answer => {
  const inner = isObject(value) ? (value.collection ?? value.resource ?? value) : value;
  if (isObject(inner)) return { kind: 'record', view, record: inner };
  if (Array.isArray(inner) && inner.every(isObject)) return { kind: 'rows', view, pages: [inner] };
  if (effectOf(request) !== 'read')
    return {
      kind: 'nothing',
      hints: [`The service accepted this (HTTP ${reply.status}), but its reply has no records`],
    };
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

/** The JSON of a 2xx reply. A read whose reply has a known mistake fails. */
const parsedReply = (
  request: HttpRequest,
  reply: HttpReply,
  json: unknown,
  { operation }: ReplyOptions,
): RawAnswer['parsed'] => {
  const branch = typeof json === 'object' && json !== null ? json : undefined;
  const check = () => {
    const problem = branch && contentProblem(branch);
    if (problem !== undefined && effectOf(request) === 'read') throw integrityError(request, problem, reply);
  };
  return {
    records: () => {
      check();
      return recordsIn(request, reply, json, recordView(operation));
    },
    value: () => {
      check();
      return branch;
    },
  };
};

interface ReplyAnswer extends RawAnswer {
  failure?: SchedError | undefined;
}

/** A reply, with an error if its status is one. Like gh, it has the body of an error reply too. */
export const replyAnswer = (request: HttpRequest, reply: HttpReply, showing: ReplyOptions): ReplyAnswer => {
  const { isPrivate, include, silent, isJson } = showing;
  const refusal = isSuccess(reply) ? undefined : refusalOf(request, reply);
  const head = include ? replyHead(reply, isPrivate) : undefined;
  if (isPrivate) {
    const sizes = JSON.stringify({ status: reply.status, body_bytes: Buffer.byteLength(reply.body) });
    const text = silent ? '' : `${sizes}\n`;
    return { kind: 'raw', head, text, failure: refusal && withoutServiceText(refusal) };
  }
  const content = contentOf(reply);
  if (typeof content === 'string') {
    const verdict = refusal === undefined ? judgeNotJson(request, reply, content, showing) : { failure: refusal };
    return { kind: 'raw', head, text: silent || isJson ? '' : reply.body, ...verdict };
  }
  return {
    kind: 'raw',
    head,
    text: silent ? '' : reply.body,
    isJson: !silent,
    parsed: refusal === undefined ? parsedReply(request, reply, content.json, showing) : undefined,
    failure: refusal,
  };
};
