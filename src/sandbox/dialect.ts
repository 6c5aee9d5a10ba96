import { allOperations } from '../api/catalogue.ts';
import { inspect } from '../api/inspect.ts';
import { limits } from '../api/limits.ts';
import { nounOf, type Operation, pathParameters } from '../api/operation.ts';
import { dotted } from '../api/wording.ts';
import { isObject, type Json, jsonIn, recordsIn } from '../base/json.ts';
import { once } from '../base/once.ts';
import { idIn } from '../base/uri.ts';
import { addressOf, type Dialect, errorIn, wireOf } from '../dialects/dialect.ts';
import type { Wire } from '../dialects/schema.ts';
import {
  fillTemplate,
  matchTemplate,
  namesByPlace,
  type Placeholder,
  placeholdersIn,
  setAtName,
  valueAtName,
} from '../dialects/template.ts';
import type { HttpReply, HttpRequest, Send } from '../http/message.ts';
import { type Detail, detail } from './error-replies.ts';
import { unknownName } from './parse.ts';
import { urlOf } from './server/request-url.ts';

const apiRows = once(async () => (await allOperations()).filter((row) => row.server === undefined));

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
    matchTemplate(part, segments[index], (name, value) => names.push([name, String(value)])),
  );
  return fits && parts.length === segments.length ? names : undefined;
};

/** The value of one of our inputs: an ID in the dialect is a URI here. */
const inputOf = (row: Operation, { name, filter }: Placeholder, value: unknown, origin: string): unknown => {
  const field = row.query?.shape[name] ?? row.body?.shape[name];
  const collection = filter === 'id' && field ? inspect(field).collection : undefined;
  return collection === undefined ? value : `${origin}/${collection}/${value}`;
};

/** The values that a request has for our names. */
const valuesIn = ({ row, wire, names }: Target, { body }: HttpRequest, { origin, searchParams }: URL): Json => {
  const given: Json = { ...names };
  const take = (placeholder: Placeholder, value: unknown) =>
    setAtName(given, placeholder.name, inputOf(row, placeholder, value, origin));
  matchTemplate(wire.query ?? {}, Object.fromEntries(searchParams), take);
  matchTemplate(wire.body ?? {}, jsonIn(body), take);
  return given;
};

/** The same request to our own operation. */
const ownRequest = ({ row, wire }: Target, given: Json, request: HttpRequest, url: URL): HttpRequest => {
  const rest = (values: Json, templates: Json = {}) =>
    Object.entries(values).filter(([name]) => !Object.hasOwn(templates, name));
  const own = (fields: object = {}) => Object.entries(given).filter(([name]) => Object.hasOwn(fields, name));
  const query = Object.fromEntries(url.searchParams);
  const pairs = [...rest(query, wire.query), ...own(row.query?.shape)].map(([name, value]): [string, string] => [
    name,
    // The dialect may have larger pages. A shorter page is no error.
    name === 'count' ? String(Math.min(Number(value), limits.pageSize.max)) : String(value),
  ]);
  const sent = jsonIn(request.body);
  const body = isObject(sent) ? Object.fromEntries([...rest(sent, wire.body), ...own(row.body?.shape)]) : undefined;
  const path = row.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(given[name])));
  return {
    ...request,
    method: row.method,
    url: `${url.origin}${path}?${new URLSearchParams(pairs)}`,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
};

const isBlank = (value: unknown): boolean =>
  typeof value === 'object' ? value === null || Object.values(value).every(isBlank) : value === undefined;

/** How a value differs from what a client that speaks the dialect sends. Only keys that may be null must be there. */
const differences = (sent: unknown, expected: unknown, place: string): Detail[] => {
  if (sent === undefined) return expected === null ? [detail(place, 'is required', 'required')] : [];
  if (expected === undefined) return isBlank(sent) ? [] : [unknownName(place)];
  const isInside = typeof sent === 'object' && sent !== null && typeof expected === 'object' && expected !== null;
  if (!isInside) return sent === expected ? [] : [detail(place, `must be ${JSON.stringify(expected)}`)];
  const [left, right] = [sent as Json, expected as Json];
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...keys].flatMap((key) =>
    differences(left[key], right[key], dotted([place, Array.isArray(sent) ? Number(key) : key])),
  );
};

/** What the service refuses in a request, by its own names, though our own operation wouldn't. */
const wrongIn = ({ wire }: Target, given: Json, sent: unknown): Detail[] => {
  const { needs = [], lacks = [], query = {}, body = {} } = wire;
  const places = namesByPlace({ ...query, ...body });
  const used = [...lacks, ...placeholdersIn([query, body]).map(({ name }) => name.split('.')[0]!)];
  const isElsewhere = (name: string) => used.includes(name) && !Object.hasOwn(body, name);
  const missing = needs.filter((name) => given[name] === undefined);
  const lookUp = (name: string) => valueAtName(given, name);
  return [
    ...Object.keys(isObject(sent) ? sent : {})
      .filter(isElsewhere)
      .map(unknownName),
    ...missing.map((name) => detail(places.find(([, each]) => each === name)?.[0] ?? name, 'is required', 'required')),
    ...Object.entries(body).flatMap(([name, template]) =>
      isObject(sent) && Object.hasOwn(sent, name) ? differences(sent[name], fillTemplate(template, lookUp), name) : [],
    ),
  ];
};

/** Our reply as the dialect has it. */
const dialectReply = ({ row, wire }: Target, given: Json, records: Dialect['records'], reply: HttpReply): HttpReply => {
  const content = jsonIn(reply.body);
  const { status = reply.status, record, conflict, in: place } = wire.reply ?? {};
  if (!isObject(content)) return reply;
  if (reply.status === 409 && conflict) {
    const { parameter } = conflict;
    const details = parameter === undefined ? {} : { details: [detail(parameter, String(content.message))] };
    return { ...reply, status: conflict.status, body: JSON.stringify({ ...content, ...details }) };
  }
  if (reply.status > 299) return { ...reply, body: JSON.stringify(errorIn('service', wire, content)) };
  const inDialect = (value: unknown) =>
    record === undefined
      ? recordIn(records?.[row.reply.of.name], value)
      : (fillTemplate(record, (name) => valueAtName(value, name) ?? given[name]) ?? {});
  const envelope = row.reply.kind === 'many' ? 'collection' : 'resource';
  const inner = content[envelope];
  const { [envelope]: _, ...around } = content;
  const body =
    row.reply.kind === 'bare'
      ? inDialect(content)
      : { [place ?? envelope]: Array.isArray(inner) ? inner.map(inDialect) : inDialect(inner), ...around };
  return { ...reply, status, body: JSON.stringify(body) };
};

/** A record with the fields that differ in the dialect. */
export const recordIn = (fields: NonNullable<Dialect['records']>[string] | undefined, value: unknown): unknown => {
  if (fields === undefined || !isObject(value)) return value;
  const used = placeholdersIn(fields).map(({ name }) => name.split('.')[0]);
  const others = Object.entries(value).filter(([name]) => !used.includes(name));
  return {
    ...Object.fromEntries(others),
    ...(fillTemplate(fields, (name) => valueAtName(value, name)) as object | undefined),
  };
};

/** The body of a webhook's delivery. Deliveries about invitees have the invitee as their payload. */
export const deliveryIn = (dialect: Dialect | undefined, body: string): string => {
  const fields = dialect?.records?.invitee;
  const content = fields && jsonIn(body);
  return isObject(content) && String(content.event).startsWith('invitee.')
    ? JSON.stringify({ ...content, payload: recordIn(fields, content.payload) })
    : body;
};

/** The operations that a request in the dialect may be meant for. */
export const targetsIn = async (dialect: Dialect | undefined, method: string, { pathname, origin }: URL) =>
  (await apiRows()).flatMap((row): Target[] => {
    const address = addressOf(dialect, row);
    const wire = wireOf(dialect, row);
    const pathNames = address.method === method && wire ? namesIn(address.path, pathname) : undefined;
    if (pathNames === undefined) return [];
    const names = pathNames.map(([each, value]) => [each.name, inputOf(row, each, value, origin)]);
    return [{ row, wire: wire!, names: Object.fromEntries(names) }];
  });

/** The service, with what is wrong in a request by the names of its dialect. */
type Service = (request: HttpRequest, wrong?: Detail[]) => Promise<HttpReply>;

/** The ID of a record that the dialect names by other facts: a schedule by its event type and its host. */
const findId = async ({ row }: Target, given: Json, request: HttpRequest, url: URL, next: Service) => {
  const list = (await apiRows()).find(({ name }) => name === `${nounOf(row)}.list`);
  const names = row.knows?.filter((name) => given[name] !== undefined && !row.body?.shape[name]) ?? [];
  const isFilter = (name: string) => Object.hasOwn(list?.query?.shape ?? {}, name);
  const facts = names.filter((name) => !isFilter(name));
  if (list === undefined || facts.length === 0) return undefined;
  const query = names.filter(isFilter).map((name): [string, string] => [name, String(given[name])]);
  const { body: _, ...rest } = request;
  const address = `${url.origin}${list.path}?${new URLSearchParams(query)}`;
  const content = jsonIn((await next({ ...rest, method: 'GET', url: address })).body);
  const item = recordsIn(isObject(content) ? content.collection : []).find((record) =>
    facts.every((name) => idIn(record[name]) === idIn(given[name])),
  );
  return item && idIn(item.uri);
};

/**
 * Makes the service speak a dialect: reads its requests with the templates that a client fills, and the other way round.
 * A dialect has no code, so it works in both directions. Paths that the dialect moved are unknown.
 */
export const speak =
  (dialect: Dialect) =>
  (next: Service): Send =>
  async (request) => {
    const url = urlOf(request);
    if (url === undefined) return next(request);
    for (const target of await targetsIn(dialect, request.method, url)) {
      const given = valuesIn(target, request, url);
      for (const name of pathParameters(target.row.path))
        given[name] ??= await findId(target, given, request, url, next);
      // The dialect's request doesn't say which record is meant.
      if (pathParameters(target.row.path).some((name) => typeof given[name] !== 'string')) continue;
      const sent = jsonIn(request.body);
      const wrong = wrongIn(target, given, sent);
      const reply = await next(ownRequest(target, given, request, url), wrong);
      // What is wrong has the names of the dialect already.
      if (wrong.length > 0) return reply;
      const inputs = { ...Object.fromEntries(url.searchParams), ...(isObject(sent) ? sent : {}), ...given };
      return dialectReply(target, inputs, dialect.records, reply);
    }
    const fits = (path: string) => namesIn(path, url.pathname) !== undefined;
    // The dialect has the path with another method, so our own path says which one.
    const rows = await apiRows();
    const other = rows.find((row) => wireOf(dialect, row) && fits(addressOf(dialect, row).path));
    if (other) return next({ ...request, url: `${url.origin}${other.path.replace(/\{\w+\}/g, 'ID')}` });
    const isMoved = rows.some(({ path }) => fits(path));
    return next(isMoved ? { ...request, url: `${url.origin}/unknown` } : request);
  };
