import type { Operation } from '../../api/operation.ts';
import { SchedError } from '../../base/errors.ts';
import { idIn } from '../../base/uri.ts';
import { the, words } from '../../base/words.ts';
import type { Reading } from '../../cli/command.ts';
import type { How } from '../../cli/input/kind.ts';
import { readJson, readText } from '../../cli/json-file.ts';
import { fillScope } from '../../cli/operation/default-scope.ts';
import { isSandboxOrigin, shownUrl } from '../../cli/session/connection.ts';
import type { Context } from '../../cli/session/context.ts';
import type { RawInput } from '../../client/client.ts';
import { addressOf } from '../../dialects/dialect.ts';
import { type BodyField, bodyFromFields, queryOf, readFields } from './body-fields.ts';
import type { GivenRequest } from './flags.ts';
import { readHeaders } from './headers.ts';
import { isPrivate, mayBook, rowsAt } from './known-paths.ts';
import { impliedMethod, readWords } from './method.ts';
import { ownPlaceholder, pathBelow, readTarget, type Target } from './target.ts';

/** What is known of the call besides its values. */

const readBodyFile = async (
  path: string | undefined,
  headers: Record<string, string>,
  { context, problems }: Reading,
): Promise<string | undefined> => {
  if (path === undefined) return undefined;
  const type = headers['content-type'];
  const read = type === undefined || /\bjson\b/i.test(type) ? readJson : readText;
  const reading = await read(path, context.runtime);
  if (!reading.ok) problems.report({ about: the('input'), words: reading.problem });
  return 'value' in reading ? reading.value : undefined;
};

const checkOutput = (call: Reading, operation: Operation | undefined, { settings }: How): void => {
  const { problems } = call;
  const { fields, format } = settings;
  if (operation !== undefined) {
    const own = operation.effect === 'creation' ? ['_sched'] : [];
    const fieldNames = [...Object.keys(operation.reply.of.record.shape), ...own];
    call.checkFields(fieldNames, operation);
    return;
  }
  for (const field of fields ?? [])
    if (field.split('.').includes('')) problems.add(`"${field}" is not a valid field path`);
  if (fields === undefined && ['table', 'tsv', 'csv'].includes(format))
    problems.report({
      words: words`-o ${format} needs ${the('fields')} here, because sched doesn't know the fields of this path`,
    });
};

/** `query` has the names in the query. */
const checkPaging = (
  { paginate, hasPageSize }: GivenRequest,
  { method, operation }: Pick<Drafted, 'method' | 'operation'>,
  query: readonly string[],
  { problems }: Reading,
): void => {
  if (!paginate) return;
  if (method !== 'GET') problems.report({ words: words`${the('paginate')} works only with GET, not ${method}` });
  else if (operation !== undefined && operation.reply.kind !== 'many')
    problems.report({
      words: words`${the('paginate')} works only with lists, and GET ${operation.path} returns one record`,
    });
  if (hasPageSize && query.includes('count'))
    problems.report({ words: words`${the('pageSize')} can't be used with count` });
};

/** The URI of the token's own user or organization. */
const ownUri = async (context: Context, name: 'user' | 'organization'): Promise<string> => {
  try {
    return await context.identity[name]();
  } catch (error) {
    if (!(error instanceof SchedError && error.category === 'usage')) throw error;
    throw new SchedError('usage', `Can't replace {${name}}: the service shows no ${name} for this token`);
  }
};

const fillPlaceholders = async (context: Context, text: string): Promise<string> => {
  const name = ownPlaceholder(text);
  return name === undefined ? text : ownUri(context, name);
};

const fillPath = async (context: Context, path: string): Promise<string> => {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    const name = ownPlaceholder(segment);
    segments.push(name === undefined ? segment : encodeURIComponent(idIn(await ownUri(context, name))));
  }
  return segments.join('/');
};

/** The path below the base URL. A full URL may also begin with the root of the service's own URIs. */
const pathBelowBase = async ({ context, problems }: Reading, target: Target): Promise<string> => {
  if (target.origin === undefined) return target.path;
  const connection = await context.connection();
  const { baseUrl } = connection;
  const below = isSandboxOrigin(target.origin, connection, context.runtime)
    ? target.path
    : (pathBelow(target, baseUrl) ?? pathBelow(target, await context.identity.root()));
  if (below === undefined)
    problems.add(`${target.origin} is not the service of this profile (${shownUrl(baseUrl, connection)})`);
  problems.check();
  return below!;
};

/** The default scope of a list (whose records it shows), as its own command sets it. Empty if it is given. */
const listScope = async (
  operation: Operation,
  query: readonly [string, string][],
  context: Context,
): Promise<[string, string][]> => {
  const given = Object.fromEntries(query);
  const input = { query: { ...given } };
  await fillScope(operation, input, context);
  return Object.entries(input.query).filter(([name]) => !Object.hasOwn(given, name));
};

export interface ApiRequest {
  input: RawInput;
  operation: Operation | undefined;
  isHidden: boolean;
}

/** A request that was read without the service. */
interface Drafted extends Pick<ApiRequest, 'operation' | 'isHidden'> {
  method: string;
  target: Target;
  headers: Record<string, string>;
  fields: readonly BodyField[];
  /** The fields go in the query. */
  isQuery: boolean;
  body: string | undefined;
}

/** Asks the service for what placeholders stand for, and whose records a list shows. */
const finishRequest = async (
  { method, target, headers, fields, isQuery, body: input, operation, isHidden }: Drafted,
  call: Reading,
): Promise<ApiRequest> => {
  const { context, problems } = call;
  const path = await fillPath(context, await pathBelowBase(call, target));
  const filledFields: BodyField[] = [];
  for (const field of fields) {
    const isText = typeof field.value === 'string' && field.fromFile !== true;
    filledFields.push(isText ? { ...field, value: await fillPlaceholders(context, field.value as string) } : field);
  }
  const query: [string, string][] = [];
  for (const [name, value] of target.query) query.push([name, await fillPlaceholders(context, value)]);
  if (isQuery) query.push(...queryOf(filledFields));
  if (operation?.reply.kind === 'many') query.push(...(await listScope(operation, query, context)));
  const body =
    isQuery || filledFields.length === 0 ? input : JSON.stringify(bodyFromFields(filledFields, problems, isHidden));
  return { input: { method, path, query, headers, body }, operation, isHidden };
};

/** Reads the whole request as far as that is possible without the service. Problems are collected. */
export const draftRequest = async (
  given: GivenRequest,
  call: Reading,
  how: How,
): Promise<() => Promise<ApiRequest>> => {
  const { context, problems } = call;
  const dialect = await context.dialect();
  const isHidden = isPrivate(given.words, dialect);
  const requestWords = readWords(given, problems, isHidden);
  const reading = requestWords.path === undefined ? undefined : readTarget(requestWords.path);
  if (reading?.ok === false) problems.add(isHidden ? '<path> is not a valid path or URL' : reading.problem);
  const target: Target = reading?.ok ? reading.target : { path: '/', query: [] };
  const rows = reading?.ok ? await rowsAt(target.path, dialect) : [];
  const method =
    requestWords.method ?? (reading?.ok ? impliedMethod(requestWords.path!, rows, given, problems, isHidden) : 'GET');
  const operation = rows.find((row) => [row.method, addressOf(dialect, row).method].includes(method));

  const headers = readHeaders(given.header, problems);
  const fromStdin = given.fields.filter(({ raw, isConverted }) => isConverted && raw.endsWith('=@-')).length;
  if (fromStdin + (given.input === '-' ? 1 : 0) > 1) problems.add('stdin can be read only once');
  const fields = await readFields(given.fields, context, problems, isHidden);
  const body = await readBodyFile(given.input, headers, call);
  if (given.input !== undefined && requestWords.method === 'GET')
    problems.report({ words: words`${the('input')} can't be used with GET` });
  const isQuery = method === 'GET' || given.input !== undefined;
  const query = [...target.query.map(([name]) => name), ...(isQuery ? fields.map(({ name }) => name) : [])];
  if (isHidden && (query.length > 0 || /@|%40/.test(target.path)))
    problems.add('This path takes no query: an address must never be part of a URL');
  if (!isQuery) bodyFromFields(fields, problems, isHidden);
  checkOutput(call, operation, how);
  checkPaging(given, { method, operation }, query, call);
  for (const key of ['ifAbsent', 'allowDuplicate'] as const)
    if (given[key] && !mayBook(method, target.path, dialect))
      problems.report({ words: words`${the(key)} works only with POST /invitees` });
  return () => finishRequest({ method, target, headers, fields, isQuery, body, operation, isHidden }, call);
};
