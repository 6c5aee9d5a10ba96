import type { Operation } from '../../../api/operation.ts';
import type { RawInput } from '../../../client/client.ts';
import { addressOf } from '../../../dialects/dialect.ts';
import { SchedError } from '../../../errors.ts';
import { idIn } from '../../../uri.ts';
import type { Invocation } from '../../command.ts';
import { readJsonText, readTextFile } from '../../json-file.ts';
import { fillScope } from '../../operation/default-scope.ts';
import { checkSelected } from '../../operation/field-check.ts';
import { readBounds } from '../../operation/listing.ts';
import { bookingFlags } from '../../scheduling/booking-context.ts';
import { isSandboxOrigin, shownUrl } from '../../session/connection.ts';
import type { Context } from '../../session/context.ts';
import { type BodyField, bodyOf, queryOf, readFields, type TypedField } from './body-fields.ts';
import { readHeaders } from './headers.ts';
import { isPrivate, mayBook, rowsAt } from './known-paths.ts';
import { impliedMethod, readWords } from './method.ts';
import { ownPlaceholder, pathBelow, readTarget, type Target } from './target.ts';

/** `-f` and `-F` in the order they were typed: lists of objects depend on it. */
const typedFields = ({ parts }: Invocation): TypedField[] =>
  parts
    .filter(({ flag }) => flag === 'field' || flag === 'raw-field')
    .map(({ flag, value = '' }) => ({ raw: value, isTyped: flag === 'field' }));

const readBody = async (
  { context, typed, problems }: Invocation,
  headers: Record<string, string>,
): Promise<string | undefined> => {
  if (typed.input === undefined) return undefined;
  const type = headers['content-type'];
  const read = type === undefined || /\bjson\b/i.test(type) ? readJsonText : readTextFile;
  return read(String(typed.input), '--input', context.runtime, problems);
};

const checkOutput = (invocation: Invocation, operation: Operation | undefined): void => {
  const { context, problems } = invocation;
  const { fields, format } = context.settings;
  if (operation !== undefined) {
    const own = operation.effect === 'creation' ? ['_sched'] : [];
    const known = [...Object.keys(operation.reply.of.record.shape), ...own];
    checkSelected(context, known, operation, invocation);
    return;
  }
  for (const field of fields ?? [])
    if (field.split('.').includes('')) problems.add(`"${field}" is not a valid field path`);
  if (fields === undefined && ['table', 'tsv', 'csv'].includes(format))
    problems.add(`-o ${format} needs --fields here, because sched doesn't know the fields of this path`);
};

const checkPaging = (
  { typed, problems }: Invocation,
  method: string,
  query: readonly string[],
  operation?: Operation,
) => {
  if (typed.paginate !== true) {
    for (const name of ['limit', 'page-size'])
      if (typed[name] !== undefined) problems.add(`--${name} needs --paginate`);
    return;
  }
  if (method !== 'GET') problems.add(`--paginate works only with GET, not ${method}`);
  else if (operation !== undefined && operation.reply.kind !== 'many')
    problems.add(`--paginate works only with lists, and GET ${operation.path} returns one record`);
  if (typed.include === true) problems.add("--include can't be used with --paginate, which gets many replies");
  if (typed['page-size'] !== undefined && query.includes('count')) problems.add("--page-size can't be used with count");
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

const fill = async (context: Context, text: string): Promise<string> => {
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
const placeOf = async ({ context, problems }: Invocation, target: Target): Promise<string> => {
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

/** The default scope of a list (whose records it shows), as its own command sets it. Empty if it was typed. */
const scopeOf = async (
  operation: Operation,
  query: readonly [string, string][],
  context: Context,
): Promise<[string, string][]> => {
  const typed = Object.fromEntries(query);
  const input = { query: { ...typed } };
  await fillScope(operation, input, context);
  return Object.entries(input.query).filter(([name]) => !Object.hasOwn(typed, name));
};

export interface ApiRequest {
  input: RawInput;
  operation: Operation | undefined;
  isHidden: boolean;
}

/** Reads the command line as one request. Reports all problems together, before anything is sent. */
export const readRequest = async (invocation: Invocation): Promise<ApiRequest> => {
  const { context, args, typed, problems } = invocation;
  const dialect = await context.dialect();
  const isHidden = isPrivate(args, dialect);
  const fieldFlags = typedFields(invocation);
  const words = readWords(invocation, isHidden);
  const reading = words.path === undefined ? undefined : readTarget(words.path);
  if (reading?.ok === false) problems.add(isHidden ? '<path> is not a valid path or URL' : reading.problem);
  const target: Target = reading?.ok ? reading.target : { path: '/', query: [] };
  const rows = reading?.ok ? await rowsAt(target.path, dialect) : [];
  const method =
    words.method ?? (reading?.ok ? impliedMethod(words.path!, rows, invocation, fieldFlags, isHidden) : 'GET');
  const operation = rows.find((row) => [row.method, addressOf(dialect, row).method].includes(method));

  const headers = readHeaders((typed.header as string[] | undefined) ?? [], problems);
  const fromStdin = fieldFlags.filter(({ raw, isTyped }) => isTyped && raw.endsWith('=@-')).length;
  if (fromStdin + (typed.input === '-' ? 1 : 0) > 1) problems.add('stdin can be read only once');
  const fields = await readFields(fieldFlags, context, problems, isHidden);
  const input = await readBody(invocation, headers);
  if (method === 'GET' && typed.input !== undefined && words.method === 'GET')
    problems.add("--input can't be used with GET");
  const isQuery = method === 'GET' || typed.input !== undefined;
  const names = [...target.query.map(([name]) => name), ...(isQuery ? fields.map(({ name }) => name) : [])];
  if (isHidden && (names.length > 0 || /@|%40/.test(target.path)))
    problems.add('This path takes no query: an address must never be part of a URL');
  if (!isQuery) bodyOf(fields, problems, isHidden);
  checkOutput(invocation, operation);
  checkPaging(invocation, method, names, operation);
  for (const { name } of bookingFlags)
    if (typed[name] !== undefined && !mayBook(method, target.path, dialect))
      problems.add(`--${name} works only with POST /invitees`);
  await readBounds(invocation);
  problems.check();

  const path = await fillPath(context, await placeOf(invocation, target));
  const filled: BodyField[] = [];
  for (const field of fields) {
    const isText = typeof field.value === 'string' && field.fromFile !== true;
    filled.push(isText ? { ...field, value: await fill(context, field.value as string) } : field);
  }
  const query: [string, string][] = [];
  for (const [name, value] of target.query) query.push([name, await fill(context, value)]);
  if (isQuery) query.push(...queryOf(filled));
  if (operation?.reply.kind === 'many') query.push(...(await scopeOf(operation, query, context)));
  const body = isQuery || filled.length === 0 ? input : JSON.stringify(bodyOf(filled, problems, isHidden));
  return { input: { method, path, query, headers, body }, operation, isHidden };
};
