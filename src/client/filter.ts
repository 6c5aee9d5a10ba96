import { inspect } from '../api/inspect.ts';
import type { Operation } from '../api/operation.ts';
import { edgeOf, isInside } from '../api/window.ts';
import type { Json } from '../base/json.ts';
import type { Input } from './wire.ts';

type Test = (row: Json) => boolean;

/** Checks a row against a query parameter, if rows show its field, in case the service ignores the parameter. */
const testOf = (name: string, filterValue: unknown, fields: Set<string>): Test | undefined => {
  const limit = edgeOf(name);
  if (limit !== undefined && fields.has(limit.field))
    return (row) => isInside(row[limit.field], limit.edge, filterValue);
  if (!fields.has(name)) return undefined;
  const text = String(filterValue).toLowerCase();
  return (row) => String(row[name]).toLowerCase() === text;
};

/** Whether a value can be compared. A row that lacks the field, or has an object there, can't be checked. */
const isComparable = (value: unknown): boolean => value !== undefined && value !== null && typeof value !== 'object';

/**
 * Keeps the rows that match the query, and those that can't be checked. The query may have more parameters than the
 * operation, such as a time window that the service doesn't support.
 */
export const rowFilter = (operation: Operation, query: Input['query'] = {}): Test => {
  const parameters = operation.query!.shape;
  const fields = new Set(Object.keys(operation.reply.of.record.shape));
  const tests = Object.entries(query)
    .filter(([name]) => parameters[name] === undefined || inspect(parameters[name]).collection === undefined)
    .map(([name, filterValue]) => ({ field: edgeOf(name)?.field ?? name, test: testOf(name, filterValue, fields) }));
  return (row) => tests.every(({ field, test }) => test === undefined || !isComparable(row[field]) || test(row));
};
