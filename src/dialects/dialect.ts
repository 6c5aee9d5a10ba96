import type { Operation } from '../api/operation.ts';
import type { DialectFile, Wire } from './schema.ts';

/** How a service differs from the catalogue. */
export interface Dialect extends DialectFile {
  /** Of the file's text. */
  readonly digest: string;
  /** The file, or the name of one that comes with sched. */
  readonly place: string;
}

const asInCatalogue: Wire = {};

/** How the service differs in an operation, or undefined if it doesn't have it. */
export const wireOf = (dialect: Dialect | undefined, { name, optional }: Operation): Wire | undefined => {
  const wire = dialect?.operations?.[name] ?? (optional ? false : asInCatalogue);
  return wire === false ? undefined : wire;
};

/** Inputs that a service doesn't have, and that `sched` doesn't make up for. */
export const lackedInputs = (row: Operation, { lacks = [] }: Wire): string[] => {
  // Rows are checked against filters whose field they show.
  const shown = row.method === 'GET' ? ['count', ...Object.keys(row.reply.of.record.shape)] : [];
  return lacks.filter((name) => !shown.includes(name));
};

/** The address of an operation at the service, with placeholders in braces. */
export const addressOf = (dialect: Dialect | undefined, row: Operation): { method: string; path: string } => {
  const { method = row.method, path = row.path } = wireOf(dialect, row) ?? asInCatalogue;
  return { method, path };
};
