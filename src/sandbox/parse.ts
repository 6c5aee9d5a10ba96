import type * as z from 'zod/mini';
import type { Field, Shape } from '../api/field.ts';
import { type Inspection, inspect } from '../api/inspect.ts';
import type { Operation } from '../api/operation.ts';
import { dotted, plainErrors } from '../api/wording.ts';
import { isLoopback, urlIn } from '../base/uri.ts';
import type { HttpRequest } from '../http/message.ts';
import { type Detail, detail, invalid, Refusal } from './error-replies.ts';

const required = 'is required';

export const unknownName = (name: string): Detail => detail(name, 'is not a parameter of this operation', 'unknown');

/** The issues of the best matching union option: of those with the right `type`, the one with the fewest issues. */
const bestMatch = (errors: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] => {
  const fitting = errors.filter((issues) => !issues.some(({ path }) => path.length === 1 && path[0] === 'type'));
  return fitting.sort((a, b) => a.length - b.length)[0] ?? [];
};

const detailsOf = (issue: z.core.$ZodIssue): Detail[] => {
  if (issue.code === 'invalid_union') {
    const inner = bestMatch(issue.errors);
    if (inner.length > 0) return inner.flatMap((each) => detailsOf({ ...each, path: [...issue.path, ...each.path] }));
    const path = issue.errors.length > 0 ? [...issue.path, 'type'] : issue.path;
    return [detail(dotted(path), 'is not a known type')];
  }
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownName(dotted([...issue.path, key])));
  return [detail(dotted(issue.path), issue.message, issue.message === required ? 'required' : issue.code)];
};

/** Names of the sandbox beside its loopback address. */
type Names = readonly string[];

/** Any address of this machine will do, and any name of the sandbox: links of an earlier run stay valid. */
const isReference = (value: string, collection: string, names: Names): boolean => {
  const url = urlIn(value);
  if (url === undefined) return false;
  const { hostname, origin } = url;
  if (!isLoopback(hostname) && !names.includes(hostname)) return false;
  const prefix = `${origin}/${collection}/`;
  return value.startsWith(prefix) && /^[\w-]{1,128}$/.test(value.slice(prefix.length));
};

const wrongReferences = (field: Field, value: unknown, names: Names, path: PropertyKey[] = []): Detail[] => {
  const { collection, element, fields } = inspect(field);
  if (collection !== undefined && typeof value === 'string') {
    if (isReference(value, collection, names)) return [];
    return [detail(dotted(path), `must be a URI like http://127.0.0.1:PORT/${collection}/ID`, 'invalid_reference')];
  }
  if (element && Array.isArray(value))
    return value.flatMap((item, index) => wrongReferences(element, item, names, [...path, index]));
  if (!fields || typeof value !== 'object' || value === null) return [];
  const wrong: Detail[] = [];
  for (const [name, item] of Object.entries(value))
    if (fields[name]) wrong.push(...wrongReferences(fields[name], item, names, [...path, name]));
  return wrong;
};

const wording: z.core.ParseContext<z.core.$ZodIssue> = {
  error: (issue) => (issue.input === undefined && issue.code === 'invalid_type' ? required : plainErrors.error(issue)),
};

const parse = (field: Field, value: unknown, names: Names): unknown => {
  const parsed = field.safeParse(value, wording);
  const details = parsed.success ? wrongReferences(field, parsed.data, names) : parsed.error.issues.flatMap(detailsOf);
  if (details.length > 0) throw invalid(...details);
  return parsed.data;
};

/** The parts of a row that say what a request may contain. */
interface RequestFields {
  query?: Operation['query'];
  body?: Field;
}

/** Converts a query value to its type. A value that can't be converted stays text, and the schema rejects it. */
const fromText = (type: Inspection['type'], text: string): unknown => {
  if (type === 'number' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return text;
};

/** Assumed (errors.unknown-names): parameters and fields that the service doesn't know are refused with 400. */
export const parseQuery = (row: RequestFields, { searchParams }: URL, names: Names = []): unknown => {
  const fields: Shape = row.query?.shape ?? {};
  const given: Record<string, unknown> = {};
  const refused = new Map<string, Detail>();
  for (const [name, text] of searchParams) {
    if (!Object.hasOwn(fields, name)) refused.set(name, unknownName(name));
    else if (Object.hasOwn(given, name)) refused.set(name, detail(name, 'is given more than once', 'repeated'));
    else given[name] = fromText(inspect(fields[name]!).type, text);
  }
  if (refused.size > 0) throw invalid(...refused.values());
  return row.query && parse(row.query, given, names);
};

/** RFC 8259 §8.2: an unpaired surrogate isn't a character. libsql crashes the process when it reads one back. */
const wellFormed = (_: string, value: unknown): unknown => {
  if (typeof value === 'string' && /\p{Surrogate}/u.test(value))
    throw new Refusal(400, 'Invalid Argument', 'The body contains text that is not valid Unicode.');
  return value;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text, wellFormed);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(400, 'Invalid Argument', 'The body is not valid JSON.');
  }
};

/** Assumed (errors.no-body): a request without a body counts as one with an empty object. */
export const parseJsonBody = (row: RequestFields, text: string, names: Names = []): unknown => {
  const body = text === '' ? {} : parseJson(text);
  if (row.body) return parse(row.body, body, names);
  if (JSON.stringify(body) !== '{}') throw new Refusal(400, 'Invalid Argument', 'This operation takes no body.');
  return undefined;
};

export const parseBody = (
  row: RequestFields,
  { body: sent = '', headers }: HttpRequest,
  names: Names = [],
): unknown => {
  const text = sent.trim();
  if (text !== '' && !/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    throw new Refusal(415, 'Unsupported Media Type', 'The body must be sent as application/json.');
  return parseJsonBody(row, text, names);
};
