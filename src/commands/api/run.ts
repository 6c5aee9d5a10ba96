import { limits } from '../../api/limits.ts';
import type { Operation } from '../../api/operation.ts';
import type { SchedError } from '../../base/errors.ts';
import { isObject, type Json, jsonIn, parseJson } from '../../base/json.ts';
import { the, words } from '../../base/words.ts';
import type { Answer, NoAnswer, RowsAnswer } from '../../cli/answer/answer.ts';
import { type Plan, plan } from '../../cli/answer/plan.ts';
import type { Call } from '../../cli/input/input.ts';
import { shownUrl } from '../../cli/session/connection.ts';
import type { Context } from '../../cli/session/context.ts';
import { addPlaceToLook } from '../../cli/session/scope-check.ts';
import type { RawInput } from '../../client/client.ts';
import type { HttpRequest } from '../../http/message.ts';
import type { HeadlessRuntime } from '../../runtime.ts';
import { bookingIn, bookRaw } from './booking-body.ts';
import type { ApiInput } from './input.ts';
import { isPrivate, mayBook, questionFor } from './known-paths.ts';
import { recordView, replyAnswer } from './reply.ts';

const requestText = ({ method, headers = {}, body }: RawInput, url: string, isHidden: boolean): string => {
  const parts = [`"method":${JSON.stringify(method)}`, `"url":${JSON.stringify(url)}`];
  if (Object.keys(headers).length > 0) parts.push(`"headers":${JSON.stringify(headers)}`);
  if (body !== undefined && isHidden) parts.push(`"body_bytes":${Buffer.byteLength(body)}`);
  else if (body !== undefined) parts.push(`"body":${jsonIn(body) === undefined ? JSON.stringify(body) : body}`);
  return `{${parts.join(',')}}`;
};

const pagesAnswer = async (
  context: Context,
  { request: { input, operation }, limit, pageSize = limits.pageSize.max, silent }: ApiInput,
): Promise<RowsAnswer | NoAnswer> => {
  const client = await context.client();
  const count = Number(input.query!.find(([name]) => name === 'count')?.[1]);
  const size = Number.isInteger(count) && count > 0 ? count : pageSize;
  const pages = client.rawPages(input, { limit, pageSize: size }, operation);
  if (!silent) return { kind: 'rows', view: recordView(operation), pages };
  for await (const _ of pages);
  return { kind: 'nothing' };
};

/** The effect of a known write. A raw deletion has no receipt, so it is sent once, like a change. */
const requestEffect = (operation: Operation | undefined): Pick<HttpRequest, 'effect'> =>
  operation?.effect === undefined ? {} : { effect: operation.effect === 'deletion' ? 'change' : operation.effect };

/** R12: the signing key of a webhook is a secret. */
const keepSigningKey = ({ secrets }: HeadlessRuntime, body = ''): void => {
  const value = body.includes('signing_key') ? jsonIn(body) : undefined;
  if (isObject(value) && typeof value.signing_key === 'string') secrets.keep(value.signing_key, 'signing key');
};

/** The booking in the body, or undefined if the body can't be read and --allow-duplicate sends it anyway. */
const readBooking = ({ body, query = [] }: RawInput, { allowDuplicate }: ApiInput) => {
  try {
    return bookingIn(body, query);
  } catch (error) {
    if (!allowDuplicate) throw error;
    return undefined;
  }
};

/** Sends the request, and answers with the reply. */
const sendRequest = async (
  context: Context,
  request: HttpRequest,
  values: ApiInput,
  isHidden: boolean,
): Promise<Answer> => {
  const { paginate, include, silent, isJson } = values;
  const { input, operation } = values.request;
  if (paginate) return pagesAnswer(context, values);
  const showing = { operation, isPrivate: isHidden, include, silent, isJson };
  const booking = request.isBooking ? readBooking(input, values) : undefined;
  if (booking !== undefined) return bookRaw(context, request, booking, values, showing);
  try {
    const answer = replyAnswer(request, await (await context.client()).send(request), showing);
    return { ...answer, failure: addPlaceToLook(answer.failure, operation) as SchedError | undefined };
  } catch (error) {
    throw addPlaceToLook(error, operation);
  }
};

export const planApi = async (values: ApiInput, { context, problems }: Call): Promise<Plan> => {
  const { header, paginate } = values;
  const { input, operation, isHidden: hasPrivateWords } = values.request;
  keepSigningKey(context.runtime, input.body);
  const client = await context.client();
  const dialect = await context.dialect();
  const isBooking = mayBook(input.method, input.path, dialect);
  const request = { ...client.prepareRaw(input), ...requestEffect(operation), isBooking };
  // Check the full path: the part that makes a request private may be in the base URL.
  const { pathname } = new URL(request.url);
  const isHidden = hasPrivateWords || isPrivate([pathname], dialect);
  // A header may contain a secret (R12).
  if (!isHidden && header.length === 0) problems.own?.reveal();
  // R49
  if (isHidden && paginate)
    problems.report({
      words: words`${the('paginate')} can't be used with data_compliance, because its replies are never printed`,
    });
  problems.check();
  const json = requestText(input, shownUrl(request.url, await context.connection()), isHidden);
  return plan({
    requests: () => ({ prepared: [request], hidden: isHidden ? {} : undefined }),
    // Its body is not parsed: that could change numbers.
    preview: (_, isCurl) => (isCurl ? undefined : { kind: 'file', value: parseJson(json) as Json, json }),
    read: (reader) => questionFor(context, input.method, pathname, input.body, reader),
    question: (question) => question,
    send: () => sendRequest(context, request, values, isHidden),
  });
};
