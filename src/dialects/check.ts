import type { Field, RecordField, Shape } from '../api/field.ts';
import { inspect } from '../api/inspect.ts';
import { nounOf, type Operation, pathParameters, type Resource } from '../api/operation.ts';
import { nearest } from '../base/nearest.ts';
import type { DialectFile, Wire } from './schema.ts';
import { hasStrayBrace, type Placeholder, placeholdersIn, type Template } from './template.ts';

/** A mistake in a dialect, and where it is. */
interface DialectProblem {
  path: readonly (string | number)[];
  message: string;
}

const shapeOf = (field: RecordField | undefined): Shape => field?.shape ?? {};

/** The field at a dotted name, or undefined if there is none. A field that the documentation leaves open has any. */
const fieldAt = (shape: Shape, name: string): Field | undefined => {
  const [first, ...rest] = name.split('.');
  const field = Object.hasOwn(shape, first!) ? shape[first!] : undefined;
  if (field === undefined || rest.length === 0) return field;
  const { fields, element, open } = inspect(field);
  if (open === 'contents') return field;
  if (element !== undefined)
    return /^\d+$/.test(rest[0]!) ? fieldAt({ item: element }, ['item', ...rest.slice(1)].join('.')) : undefined;
  return fieldAt(fields ?? {}, rest.join('.'));
};

/** All inputs of an operation by name. */
const rowInputs = (row: Operation): Shape => ({ ...shapeOf(row.body), ...shapeOf(row.query) });

const ownNames = ['my.user', 'my.organization', 'root'];

/** What only operations that ask first, or that are checked for repetition, may have in their path. */
const guardedWords = ['data_compliance', 'cancellation'];

const suggestion = (word: string, candidates: readonly string[]): string => {
  const best = nearest(word, candidates);
  return best === undefined ? '' : `; did you mean ${best}?`;
};

const addressWith = (row: Operation, { method = row.method, path = row.path }: Wire = {}) => ({ method, path });

/** Whether one request could go to both addresses. A placeholder may be any word. */
const addressesOverlap = (one: string, other: string): boolean => {
  const [left, right] = [one.split('/'), other.split('/')];
  const isAny = (part: string) => part.startsWith('{');
  return (
    left.length === right.length &&
    left.every((part, index) => isAny(part) || isAny(right[index]!) || part === right[index])
  );
};

/**
 * R54: what makes a dialect unusable. It may change paths and names, but never turn an operation into one that needs a
 * question, the ledger or another origin. `rows` are all operations.
 */
export const problemsIn = (file: DialectFile, rows: readonly Operation[]): DialectProblem[] => {
  const problems: DialectProblem[] = [];
  const byName = new Map(rows.map((row) => [row.name as string, row]));
  const changes = Object.entries(file.operations ?? {});
  const writes = rows.filter(({ method }) => method !== 'GET');
  const addresses = writes.flatMap((row) => {
    const wire = file.operations?.[row.name];
    return [addressWith(row), ...(wire ? [addressWith(row, wire)] : [])].map((address) => ({ row, ...address }));
  });

  for (const [name, fields] of Object.entries(file.records ?? {})) {
    const resources = new Map(rows.map(({ reply: { of } }) => [of.name, of]));
    const report: Report = (path, message) => problems.push({ path: ['records', name, ...path], message });
    const of = resources.get(name);
    if (of === undefined) report([], `unknown record ${name}${suggestion(name, [...resources.keys()])}`);
    else checkRecord(of, fields, [], report);
  }
  for (const [name, wire] of changes) {
    const row = byName.get(name);
    const report = (path: readonly (string | number)[], message: string) =>
      problems.push({ path: ['operations', name, ...path], message });
    if (row === undefined) {
      report([], `unknown operation ${name}${suggestion(name, [...byName.keys()])}`);
      continue;
    }
    if (row.server !== undefined) {
      report([], `${name} is not part of the API, so a dialect can't change it`);
      continue;
    }
    if (wire !== false) {
      checkAddress(row, wire, report);
      checkInputs(row, wire, report);
      checkReply(row, wire, report);
      const { method, path } = addressWith(row, wire);
      const clash = addresses.find(
        (other) =>
          method !== 'GET' &&
          other.method === method &&
          addressesOverlap(other.path, path) &&
          (nounOf(other.row) !== nounOf(row) || other.row.effect !== row.effect),
      );
      if (clash) report(['path'], `${method} ${path} is the address of ${clash.row.name}`);
    }
  }
  return problems;
};

type Report = (path: readonly (string | number)[], message: string) => void;

const checkAddress = (row: Operation, wire: Wire, report: Report): void => {
  const { method, path } = addressWith(row, wire);
  if ((method === 'GET') !== (row.method === 'GET'))
    report(['method'], row.method === 'GET' ? `${row.name} only reads, so it must be GET` : `${row.name} can't be GET`);
  if (method === 'DELETE' && row.method !== 'DELETE')
    report(['method'], `${row.name} doesn't delete, so it can't be DELETE`);
  for (const segment of path.split('/').slice(1)) {
    if (!/^([a-z0-9_-]+|\{[\w.]+(\|id)?\})$/.test(segment))
      report(['path'], `"${segment}" can't be part of a path: write words and {names}, without host, .. or ?`);
    const guardedWord = guardedWords.find((word) => segment.includes(word) && !row.path.includes(word));
    if (guardedWord)
      report(['path'], `${row.name} doesn't ask before it is sent, so its path can't contain ${guardedWord}`);
  }
  if (!path.startsWith('/')) report(['path'], 'a path begins with /');
};

const checkInputs = (row: Operation, wire: Wire, report: Report): void => {
  const inputs = rowInputs(row);
  const parameters = pathParameters(row.path);
  const knownNames = [...parameters, ...Object.keys(inputs), ...(row.knows ?? []), ...ownNames];
  const isKnown = (name: string) => knownNames.includes(name) || fieldAt(inputs, name) !== undefined;
  const isUri = (name: string) =>
    name.startsWith('my.') || row.knows?.includes(name) || inspect(fieldAt(inputs, name)!).collection !== undefined;
  const check = (template: Template, path: readonly string[]) => {
    for (const { name, filter } of placeholdersIn(template)) {
      if (!isKnown(name)) report(path, `{${name}} is not an input of ${row.name}${suggestion(name, knownNames)}`);
      else if (filter === 'id' && (parameters.includes(name) || !isUri(name)))
        report(path, `{${name}} is no URI, so it can't have |id`);
    }
    if (texts(template).some(hasStrayBrace)) report(path, 'braces are only for names, such as {event_type}');
  };
  const { path = row.path, query = {}, body = {}, lacks = [], needs = [] } = wire;
  check(path, ['path']);
  for (const [key, template] of Object.entries(query)) {
    check(template, ['query', key]);
    if (typeof template === 'object') report(['query', key], 'a query has no lists or maps');
  }
  for (const [key, template] of Object.entries(body)) check(template, ['body', key]);
  if (wire.body && row.method === 'GET') report(['body'], `${row.name} only reads, so it has no body`);
  for (const [key, names] of Object.entries({ lacks, needs }))
    for (const [index, name] of names.entries())
      if (!Object.hasOwn(inputs, name))
        report([key, index], `${name} is not an input of ${row.name}${suggestion(name, Object.keys(inputs))}`);

  const placeholders = placeholdersIn([path, query, body]);
  checkInner(row, placeholders, report);
  const missingParameter = parameters.find((parameter) => !placeholders.some(({ name }) => name === parameter));
  const telling = row.knows?.filter((name) => !Object.hasOwn(inputs, name)) ?? [];
  if (missingParameter && !placeholders.some(({ name }) => telling.includes(name)))
    report(
      ['path'],
      `nothing says which ${missingParameter} is meant: use {${[missingParameter, ...telling].join('} or {')}}`,
    );
};

/** If a template names a field inside an input, the input is used up: the other fields would be lost. */
const checkInner = (row: Operation, placeholders: readonly Placeholder[], report: Report): void => {
  for (const [input, field] of Object.entries(rowInputs(row))) {
    const innerNames = placeholders.map(({ name }) => name).filter((name) => name.startsWith(`${input}.`));
    const lostFields = Object.keys(inspect(field).fields ?? {}).filter(
      (inner) => !innerNames.includes(`${input}.${inner}`),
    );
    if (innerNames.length > 0 && lostFields.length > 0)
      report(['body'], `${input} would lose ${lostFields.map((inner) => `{${input}.${inner}}`).join(', ')}`);
  }
};

const checkReply = (row: Operation, { reply = {} }: Wire, report: Report): void => {
  checkRecord(row.reply.of, reply.record ?? {}, ['reply', 'record'], report, rowInputs(row));
  if (reply.read_back && row.effect !== 'change')
    report(['reply', 'read_back'], `only a change can be read back, and ${row.name} is none`);
};

/** A template of a record. `more` are names that it may have besides the fields. */
const checkRecord = (of: Resource, record: Template, path: string[], report: Report, more: Shape = {}): void => {
  const fields = of.record.shape;
  for (const { name, filter } of placeholdersIn(record)) {
    if (fieldAt(fields, name) === undefined && !Object.hasOwn(more, name))
      report(path, `{${name}} is not a field of the ${of.name}${suggestion(name, Object.keys(fields))}`);
    if (filter === 'id') report(path, `|id can't be turned back into a URI: leave {${name}|id} out`);
  }
  if (texts(record).some(hasStrayBrace)) report(path, 'braces are only for names, such as {uri}');
};

/** All texts in a template. */
const texts = (template: Template): string[] => {
  if (typeof template === 'string') return [template];
  return typeof template === 'object' && template !== null ? Object.values(template).flatMap(texts) : [];
};
