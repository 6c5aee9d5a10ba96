import { allOperations } from '../api/catalogue.ts';
import { inspect } from '../api/inspect.ts';
import { limits } from '../api/limits.ts';
import { type Operation, pathParameters } from '../api/operation.ts';
import { addressOf, type Dialect, wireOf } from '../dialects/dialect.ts';
import type { Wire } from '../dialects/schema.ts';
import { fill, match, type Placeholder, setAt, valueAt } from '../dialects/template.ts';
import type { HttpReply, HttpRequest, Layer } from '../http/message.ts';
import { isObject, type Json, jsonIn } from '../json.ts';
import { once } from '../once.ts';

/** An operation that a request in the dialect is meant for, and the names in its path. */
interface Target {
  row: Operation;
  wire: Wire;
  names: Json;
}

/** The names in a path, or undefined if the path is another. */
const namesIn = (template: string, path: string): [Placeholder, string][] | undefined => {
  const [parts, segments] = [template.split('/'), path.split('/')];
  const names: [Placeholder, string][] = [];
  const fits = parts.every((part, index) =>
    match(part, segments[index], (name, value) => names.push([name, String(value)])),
  );
  return fits && parts.length === segments.length ? names : undefined;
};

/** The value of one of our inputs: an ID in the dialect is a URI here. */
const inputOf = (row: Operation, { name, filter }: Placeholder, value: unknown, origin: string): unknown => {
  const field = row.query?.shape[name] ?? row.body?.shape[name];
  const collection = filter === 'id' && field ? inspect(field).collection : undefined;
  return collection === undefined ? value : `${origin}/${collection}/${value}`;
};

/** The same request to our own operation, or undefined if the dialect's request doesn't say which record is meant. */
const ownRequest = ({ row, wire, names }: Target, request: HttpRequest, url: URL): HttpRequest | undefined => {
  const given: Json = names;
  const take = (placeholder: Placeholder, value: unknown) =>
    setAt(given, placeholder.name, inputOf(row, placeholder, value, url.origin));
  const query = Object.fromEntries(url.searchParams);
  match(wire.query ?? {}, query, take);
  const sent = jsonIn(request.body);
  if (isObject(sent)) match(wire.body ?? {}, sent, take);
  const rest = (values: Json, templates: Json = {}) =>
    Object.entries(values).filter(([name]) => !Object.hasOwn(templates, name));
  const own = (fields: object = {}) => Object.entries(given).filter(([name]) => Object.hasOwn(fields, name));
  if (pathParameters(row.path).some((name) => typeof given[name] !== 'string')) return undefined;
  const pairs = [...rest(query, wire.query), ...own(row.query?.shape)].map(([name, value]): [string, string] => [
    name,
    // The dialect may have larger pages. A shorter page is no error.
    name === 'count' ? String(Math.min(Number(value), limits.pageSize.max)) : String(value),
  ]);
  const body = isObject(sent) ? Object.fromEntries([...rest(sent, wire.body), ...own(row.body?.shape)]) : undefined;
  const path = row.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(given[name])));
  return {
    ...request,
    method: row.method,
    url: `${url.origin}${path}?${new URLSearchParams(pairs)}`,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
};

/** Our reply as the dialect has it. */
const dialectReply = ({ row, wire }: Target, reply: HttpReply): HttpReply => {
  const content = jsonIn(reply.body);
  const { status = reply.status, record, in: place } = wire.reply ?? {};
  if (reply.status > 299 || !isObject(content)) return reply;
  const shown = (value: unknown) =>
    record === undefined ? value : (fill(record, (name) => valueAt(value, name)) ?? {});
  const envelope = row.reply.kind === 'many' ? 'collection' : 'resource';
  const inner = content[envelope];
  const { [envelope]: _, ...around } = content;
  const body =
    row.reply.kind === 'bare'
      ? shown(content)
      : { [place ?? envelope]: Array.isArray(inner) ? inner.map(shown) : shown(inner), ...around };
  return { ...reply, status, body: JSON.stringify(body) };
};

/**
 * Makes the service speak a dialect: reads its requests with the templates that a client fills, and the other way round.
 * A dialect has no code, so it works in both directions. Paths that the dialect moved are unknown.
 */
export const speak = (dialect: Dialect): Layer => {
  const rows = once(async () => (await allOperations()).filter((row) => row.server === undefined));
  return (next) => async (request) => {
    const url = URL.canParse(request.url) ? new URL(request.url) : undefined;
    if (url === undefined) return next(request);
    const targets = (await rows()).flatMap((row): Target[] => {
      const { method, path } = addressOf(dialect, row);
      const wire = wireOf(dialect, row);
      const found = method === request.method && wire ? namesIn(path, url.pathname) : undefined;
      if (found === undefined) return [];
      const names = found.map(([each, value]) => [each.name, inputOf(row, each, value, url.origin)]);
      return [{ row, wire: wire!, names: Object.fromEntries(names) }];
    });
    for (const target of targets) {
      const own = ownRequest(target, request, url);
      if (own !== undefined) return dialectReply(target, await next(own));
    }
    const fits = (path: string) => namesIn(path, url.pathname) !== undefined;
    // The dialect has the path with another method, so our own path says which one.
    const other = (await rows()).find((row) => wireOf(dialect, row) && fits(addressOf(dialect, row).path));
    if (other) return next({ ...request, url: `${url.origin}${other.path.replace(/\{\w+\}/g, 'ID')}` });
    const isMoved = (await rows()).some(({ path }) => fits(path));
    return next(isMoved ? { ...request, url: `${url.origin}/unknown` } : request);
  };
};
