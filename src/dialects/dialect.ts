import type { Operation } from '../api/operation.ts';
import { isObject, type Json } from '../base/json.ts';
import type { DialectFile, Wire } from './schema.ts';
import { namesByPlace } from './template.ts';

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
  const rowFields = row.method === 'GET' ? ['count', ...Object.keys(row.reply.of.record.shape)] : [];
  return lacks.filter((name) => !rowFields.includes(name));
};

/** The address of an operation at the service, with placeholders in braces. */
export const addressOf = (dialect: Dialect | undefined, row: Operation): { method: string; path: string } => {
  const { method = row.method, path = row.path } = wireOf(dialect, row) ?? asInCatalogue;
  return { method, path };
};

/** The parameter under its new name, by the longest old name that it begins with: `locations[0].kind`. */
const renameParameter = (parameter: string, names: readonly [old: string, name: string][]): string => {
  const plain = parameter.replace(/\[(\d+)\]/g, '.$1');
  const [best] = names
    .filter(([old]) => `${plain}.`.startsWith(`${old}.`))
    .sort(([one], [other]) => other.length - one.length);
  return best ? `${best[1]}${plain.slice(best[0].length)}`.replace(/\.(\d+)(?=\.|$)/g, '[$1]') : parameter;
};

/** An error body whose details name the inputs as the catalogue does, or as the service does. */
export const errorIn = (whose: 'catalogue' | 'service', { query = {}, body = {} }: Wire, error: Json): Json => {
  if (!Array.isArray(error.details)) return error;
  const places = namesByPlace({ ...query, ...body });
  const names = whose === 'catalogue' ? places : places.map(([place, name]): [string, string] => [name, place]);
  const details = error.details.map((detail: unknown) =>
    isObject(detail) && typeof detail.parameter === 'string'
      ? { ...detail, parameter: renameParameter(detail.parameter, names) }
      : detail,
  );
  return { ...error, details };
};
