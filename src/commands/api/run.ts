import { limits } from '../../api/limits.ts';
import type { Operation } from '../../api/operation.ts';
import { isObject, jsonIn, parseJson } from '../../base/json.ts';
import { the, words } from '../../base/words.ts';
import type { Call } from '../../cli/input/input.ts';
import { printRows } from '../../cli/operation/listing.ts';
import { printCurl } from '../../cli/operation/run-operation.ts';
import { confirm } from '../../cli/session/confirm.ts';
import { shownUrl } from '../../cli/session/connection.ts';
import type { Context } from '../../cli/session/context.ts';
import { addPlaceToLook } from '../../cli/session/scope-check.ts';
import type { RawInput } from '../../client/client.ts';
import type { HttpRequest } from '../../http/message.ts';
import type { Runtime } from '../../runtime.ts';
import { bookingIn, bookRaw } from './booking-body.ts';
import type { ApiInput } from './input.ts';
import { layOutJson } from './json-text.ts';
import { isPrivate, mayBook, questionFor } from './known-paths.ts';
import { printReply, recordView } from './reply.ts';

const requestText = ({ method, headers = {}, body }: RawInput, url: string, isHidden: boolean): string => {
  const parts = [`"method":${JSON.stringify(method)}`, `"url":${JSON.stringify(url)}`];
  if (Object.keys(headers).length > 0) parts.push(`"headers":${JSON.stringify(headers)}`);
  if (body !== undefined && isHidden) parts.push(`"body_bytes":${Buffer.byteLength(body)}`);
  else if (body !== undefined) parts.push(`"body":${jsonIn(body) === undefined ? JSON.stringify(body) : body}`);
  return `{${parts.join(',')}}`;
};

/** Prints the planned request. Its body is indented, not parsed, where possible: parsing could change numbers. */
const printApiPlan = ({ printer, runtime, settings }: Context, json: string): Promise<void> =>
  settings.jq !== undefined || settings.format === 'yaml'
    ? printer.whole(parseJson(json))
    : runtime.stdout.write(`${layOutJson(json, settings.format !== 'jsonl')}\n`);

const printPages = async (
  context: Context,
  { request: { input, operation }, limit, pageSize = limits.pageSize.max, silent }: ApiInput,
): Promise<void> => {
  const client = await context.client();
  const count = Number(input.query!.find(([name]) => name === 'count')?.[1]);
  const size = Number.isInteger(count) && count > 0 ? count : pageSize;
  const pages = client.rawPages(input, { limit, pageSize: size }, operation);
  if (!silent) await printRows(context, recordView(operation), pages);
  else for await (const _ of pages);
};

/** The effect of a known write. A raw deletion has no receipt, so it is sent once, like a change. */
const requestEffect = (operation: Operation | undefined): Pick<HttpRequest, 'effect'> =>
  operation?.effect === undefined ? {} : { effect: operation.effect === 'deletion' ? 'change' : operation.effect };

/** R12: the signing key of a webhook is a secret. */
const keepSigningKey = ({ secrets }: Runtime, body = ''): void => {
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

export const runApi = async (values: ApiInput, { context, problems }: Call): Promise<void> => {
  const { header, paginate, include, silent, isJson } = values;
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
  if (context.settings.curl) return printCurl(context, [request], { isHidden, hasToken: true });
  if (context.settings.dryRun) {
    const url = shownUrl(request.url, await context.connection());
    return printApiPlan(context, requestText(input, url, isHidden));
  }
  if (!context.settings.yes) {
    const question = await questionFor(context, input.method, pathname, input.body);
    if (question !== undefined) await confirm(context, question);
  }
  if (paginate) return printPages(context, values);
  const showing = { operation, isPrivate: isHidden, include, silent, isJson };
  if (isBooking) {
    const booking = readBooking(input, values);
    if (booking !== undefined) return bookRaw(context, request, booking, values, showing);
  }
  try {
    await printReply(context, request, await client.send(request), showing);
  } catch (error) {
    throw addPlaceToLook(error, operation);
  }
};
