import type { Operation } from '../api/operation.ts';
import { type Advice, SchedError } from '../base/errors.ts';
import { isObject, type Json } from '../base/json.ts';
import { the } from '../base/words.ts';
import { type Dialect, errorIn, lackedInputs, wireOf } from '../dialects/dialect.ts';
import type { Wire } from '../dialects/schema.ts';
import {
  fillTemplate,
  matchTemplate,
  placeholdersIn,
  setAtName,
  type Template,
  valueAtName,
} from '../dialects/template.ts';
import { type HttpReply, isSuccess } from '../http/message.ts';
import { isPlainId, withArticle } from './ids.ts';
import { contentOf } from './read-reply.ts';

export type Query = Record<string, string | number | boolean>;

/** The input of an operation, in the names and formats of the catalogue. */
export interface Input {
  path?: Record<string, string>;
  query?: Query;
  body?: Json;
  /** What the caller knows beside the input (`knows` of the row): a dialect may need it to name the record. */
  known?: Record<string, unknown>;
}

/** Finds what a dialect can name beside the input: the token's owner, and the root of the service's URIs. */
export type NameSource = Record<'user' | 'organization' | 'root', () => Promise<string>>;

interface Names {
  my: { user?: string | undefined; organization?: string | undefined };
  root?: string | undefined;
}

/** What a dialect names beside the input. Nothing else is asked for: it may take a request. */
export const namesIn = async (dialect: Dialect | undefined, row: Operation, source?: NameSource): Promise<Names> => {
  const { path = '', query = {}, body = {} } = wireOf(dialect, row) ?? {};
  const names = placeholdersIn([path, query, body]).map(({ name }) => name);
  const find = async (name: string, part: keyof NameSource) => (names.includes(name) ? source?.[part]() : undefined);
  return {
    my: { user: await find('my.user', 'user'), organization: await find('my.organization', 'organization') },
    root: await find('root', 'root'),
  };
};

/** A request as the service has it. */
interface WireRequest {
  method: string;
  path: string;
  query: (readonly [name: string, value: string])[];
  body?: unknown;
}

const notInDialect = (dialect: Dialect | undefined, what: string, advice?: Advice): SchedError =>
  new SchedError('unavailable', `This service has no ${what}`, {
    reason: dialect
      ? `its dialect says so (${dialect.place})`
      : 'only some services have it, and no dialect says that this one does',
    ...(advice === undefined ? {} : { advice }),
    outcome: 'not-sent',
    isLasting: true,
  });

const refuseLacking = (dialect: Dialect, row: Operation, wire: Wire, given: Json): void => {
  const names = lackedInputs(row, wire).filter((name) => given[name] !== undefined);
  if (names.length > 0)
    throw notInDialect(dialect, `${names.join(', ')} in ${row.name.replace('.', ' ')}`, 'run it without');
};

/** Refuses an input without what the service needs to carry it out, or to know which record is meant. */
const requireNeeded = (row: Operation, { needs = [] }: Wire, names: readonly string[], given: Json): void => {
  const need = needs.find((name) => given[name] === undefined);
  const telling = row.knows?.filter((name) => names.includes(name) && !needs.includes(name)) ?? [];
  const isTold = telling.length === 0 || telling.some((name) => given[name] !== undefined);
  if (need === undefined && isTold) return;
  throw need === undefined
    ? new SchedError('usage', `This service needs the ${telling[0]!.replace('_', ' ')} too`, {
        reason: 'the ID alone is not enough there',
        advice: "give the record's full URI",
        outcome: 'not-sent',
      })
    : new SchedError('usage', `This service needs ${need} too`, {
        reason: 'none is given, and the service shows no single one',
        advice: ['add ', the(need.replaceAll('_', '-'))],
        outcome: 'not-sent',
      });
};

/** Refuses a field inside an input if a template takes the input apart without it: it would be lost. */
const refuseLost = (dialect: Dialect | undefined, row: Operation, names: readonly string[], given: Json): void => {
  for (const [input, value] of Object.entries(given)) {
    const inner = names.filter((name) => name.startsWith(`${input}.`));
    const lostName = isObject(value) && Object.keys(value).find((key) => !inner.includes(`${input}.${key}`));
    if (inner.length > 0 && lostName)
      throw notInDialect(dialect, `${input}.${lostName} in ${row.name.replace('.', ' ')}`, 'run it without');
  }
};

/** A segment of a path. R14: only a plain ID gets into it. What people give was checked before, so the service named it. */
const segmentOf = (value: unknown, name: string): string => {
  const text = String(value);
  if (isPlainId(text)) return text;
  const record = withArticle(name.replace(/^.*\./, '').replaceAll('_', ' '));
  throw new SchedError('integrity', 'The service sent an unexpected reply', {
    reason: `uri: ${record} has the ID ${JSON.stringify(text)}, which can't be part of a path`,
    outcome: 'not-sent',
  });
};

/** How the service has an operation. Throws if it has none. */
export const requireOffered = (dialect: Dialect | undefined, row: Operation): Wire => {
  const wire = wireOf(dialect, row);
  if (wire !== undefined) return wire;
  const what = `"${row.name.replace('.', ' ')}"`;
  const { instead } = row;
  throw dialect?.operations?.[row.name] === false
    ? notInDialect(
        dialect,
        what,
        instead && dialect.operations[instead] ? ['use ', { command: instead.split('.') }] : undefined,
      )
    : notInDialect(undefined, what, 'docs/dialects.md explains dialects');
};

/** The request for an operation, in the dialect of the service. */
export const toWire = (
  dialect: Dialect | undefined,
  row: Operation,
  { path = {}, query = {}, body, known = {} }: Input,
  names: Names,
): WireRequest => {
  const wire = requireOffered(dialect, row);
  const fields = isObject(body) ? body : {};
  const given: Json = { ...known, ...fields, ...query, ...path, ...names };
  if (dialect) refuseLacking(dialect, row, wire, { ...fields, ...query });
  const { method = row.method, path: address = row.path, lacks = [] } = wire;
  const placeholderNames = placeholdersIn([address, wire.query ?? {}, wire.body ?? {}]).map(({ name }) => name);
  const lookUp = (name: string) => valueAtName(given, name);
  requireNeeded(row, wire, placeholderNames, given);
  refuseLost(dialect, row, placeholderNames, fields);
  const usedInputs = new Set([...lacks, ...placeholderNames.map((name) => name.split('.')[0]!)]);
  const others = (values: Json) => Object.entries(values).filter(([name]) => !usedInputs.has(name));
  const fillAll = (templates: Wire['query'] = {}) =>
    Object.entries(templates)
      .map(([name, template]) => [name, fillTemplate(template, lookUp)] as const)
      .filter(([, value]) => value !== undefined);
  const content = Object.fromEntries([...others(fields), ...fillAll(wire.body)]);
  const pairs = [...others(query), ...fillAll(wire.query)];
  return {
    method,
    path: address.replace(/\{([^}]+)\}/g, (braces, name) => segmentOf(fillTemplate(braces, lookUp), name)),
    query: pairs.map(([name, value]) => [name, String(value)] as const),
    ...(body === undefined && wire.body === undefined ? {} : { body: isObject(body ?? {}) ? content : body }),
  };
};

/** What a template has no names for in a value. */
const restOf = (template: Template, value: unknown): unknown => {
  if (placeholdersIn(template).length === 0) return value;
  if (!isObject(template) || !isObject(value)) return undefined;
  const rest = Object.entries(value)
    .map(([name, each]) => [name, Object.hasOwn(template, name) ? restOf(template[name] as Template, each) : each])
    .filter(([, each]) => each !== undefined);
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
};

/** A record in the catalogue's names. Fields that the template doesn't mention are kept. */
const recordFrom = (template: Template | undefined, value: unknown): unknown => {
  if (template === undefined || !isObject(value)) return value;
  const record = (restOf(template, value) ?? {}) as Json;
  matchTemplate(template, value, ({ name }, part) => setAtName(record, name, part));
  return record;
};

/** The reply to an operation in the catalogue's names. A reply that is not JSON stays as it is. */
export const fromWire = (dialect: Dialect | undefined, row: Operation, reply: HttpReply): HttpReply => {
  const wire = wireOf(dialect, row) ?? {};
  const { in: place, record, read_back } = wire.reply ?? {};
  const fields = dialect?.records?.[row.reply.of.name];
  const content = contentOf(reply);
  if (dialect === undefined || typeof content === 'string' || !isObject(content.json)) return reply;
  const { json } = content;
  const withJson = (json: unknown): HttpReply => ({ ...reply, content: { json: json } });
  if (!isSuccess(reply)) return withJson(errorIn('catalogue', wire, json));
  if (read_back) return { ...reply, content: 'empty' };
  const translate = (value: unknown) => recordFrom(fields, recordFrom(record, value));
  if (row.reply.kind === 'bare') return withJson(translate(json));
  const envelope = row.reply.kind === 'many' ? 'collection' : 'resource';
  const inner = json[place ?? envelope];
  return withJson({ ...json, [envelope]: Array.isArray(inner) ? inner.map(translate) : translate(inner) });
};
