import { inspect } from '../api/inspect.ts';
import type { Operation } from '../api/operation.ts';
import { edgeOf, isInside } from '../api/window.ts';
import type { Input } from './client.ts';
import type { Json } from './reading.ts';

type Test = (row: Json) => boolean;

/** What one query parameter says of a row, where the row shows it: a service that ignores it is then no danger. */
const testOf = (name: string, wanted: unknown, fields: Set<string>): Test | undefined => {
  const limit = edgeOf(name);
  if (limit !== undefined && fields.has(limit.field)) return (row) => isInside(row[limit.field], limit.edge, wanted);
  if (!fields.has(name)) return undefined;
  const text = String(wanted).toLowerCase();
  return (row) => String(row[name]).toLowerCase() === text;
};

/** Keeps the rows that fit the query. A row that lacks the field is kept: nothing can be said of it. */
export const rowFilter = (operation: Operation, query: Input['query'] = {}): Test => {
  const parameters = operation.query!.shape;
  const fields = new Set(Object.keys(operation.reply.of.record.shape));
  const tests = Object.entries(query)
    .filter(([name]) => inspect(parameters[name]!).collection === undefined)
    .map(([name, wanted]) => ({ field: edgeOf(name)?.field ?? name, test: testOf(name, wanted, fields) }));
  return (row) =>
    tests.every(
      ({ field, test }) => test === undefined || row[field] === undefined || row[field] === null || test(row),
    );
};
