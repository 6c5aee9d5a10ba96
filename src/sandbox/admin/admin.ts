import type { Field, RecordField, Shape, Value } from '../../api/field.ts';
import type { HttpReply, HttpRequest } from '../../http/message.ts';
import { refusalOf } from '../error-replies.ts';
import { timingSafeSame } from '../oauth/signing.ts';
import { parseJsonBody, parseQuery } from '../parse.ts';
import type { WireService } from '../server/front.ts';
import { urlOf } from '../server/request-url.ts';

/** Requests under `/__sandbox/` need this header with the secret of the running server. */
export const adminHeader = 'x-sandbox-admin';

interface AdminInput<Query, Body> {
  /** What stands in the braces of the path. */
  params: Record<string, string>;
  query: Query;
  body: Body;
  /** The body as it was sent. */
  sent: string;
  url: URL;
}

/** What an admin request takes, and what it is answered with. */
interface AdminFields<Query extends Shape, Body extends Field> {
  query?: RecordField<Query>;
  body?: Body;
  /** The body may be YAML too: the call reads it itself. */
  isText?: true;
  reply: Field;
  /** By default 200. */
  status?: 201;
}

/** An admin request. `sandbox openapi --admin` describes all of them. */
export interface AdminCall<Context> extends AdminFields<Shape, Field> {
  method: string;
  /** Such as `/__sandbox/snapshots/{name}`. */
  path: string;
  pattern: RegExp;
  summary: string;
  handle(input: AdminInput<unknown, unknown>, context: Context): unknown;
}

/** Makes calls from method and path, a summary, schemas, and a function that returns the reply or throws a `Refusal`. */
export const callsWith =
  <Context>() =>
  <Query extends Shape, Body extends Field>(
    name: `${'GET' | 'POST' | 'DELETE'} /__sandbox/${string}`,
    summary: string,
    fields: AdminFields<Query, Body>,
    handle: (input: AdminInput<Value<RecordField<Query>>, Value<Body>>, context: Context) => unknown,
  ): AdminCall<Context> => {
    const [method, path] = name.split(' ') as [string, string];
    const pattern = new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
    return { method, path, pattern, summary, ...fields, handle: handle as AdminCall<Context>['handle'] };
  };

/** Answers an admin request; `undefined` if there is no such call. */
export const answerAdmin = async <Context>(
  calls: readonly AdminCall<Context>[],
  context: Context,
  request: HttpRequest,
): Promise<HttpReply | undefined> => {
  const url = new URL(request.url);
  const call = calls.find(({ method, pattern }) => method === request.method && pattern.test(url.pathname));
  if (call === undefined) return undefined;
  const headers = { 'content-type': 'application/json' };
  try {
    const params = { ...call.pattern.exec(url.pathname)!.groups };
    const query = parseQuery(call, url);
    const sent = (request.body ?? '').trim();
    const body = call.isText ? undefined : parseJsonBody(call, sent);
    const reply = await call.handle({ params, query, body, sent, url }, context);
    return { status: call.status ?? 200, headers, body: JSON.stringify(reply) };
  } catch (error) {
    const refusal = refusalOf(error);
    return { status: refusal.status, headers, body: refusal.body };
  }
};

/** Answers admin requests that have the secret. Without it, their paths don't exist. */
export const withAdmin =
  <Context>(
    next: WireService,
    { secret, calls, context }: { secret: string; calls: readonly AdminCall<Context>[]; context: Context },
  ): WireService =>
  async (request) => {
    const isAdmin = urlOf(request)?.pathname.startsWith('/__sandbox/');
    if (!isAdmin || !timingSafeSame(request.headers[adminHeader] ?? '', secret)) return next(request);
    return (await answerAdmin(calls, context, request)) ?? next(request);
  };
