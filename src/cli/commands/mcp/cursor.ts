import { createHash } from 'node:crypto';
import { limits } from '../../../api/limits.ts';
import { usageError } from '../../../errors.ts';
import { isObject, type Json } from '../../../json.ts';
import type { ListPlace } from '../../../output/printer.ts';
import type { Values } from './parameters.ts';

/** Where a list resumes, and rows of that page that were already returned. */
export interface Resume extends ListPlace {
  skip: number;
}

/** A longer cursor would fill the result. */
const mostCharacters = 4096;
const mostSkipped = 100_000;

/** Identifies a call, so that a cursor is not used for another one. */
const fingerprint = (tool: string, { limit: _, cursor: __, ...values }: Values): string => {
  const sorted = Object.entries(values).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([tool, sorted]))
    .digest('base64url')
    .slice(0, 12);
};

/** The cursor for a place, or undefined if the service's page token is too long for one. */
export const writeCursor = (tool: string, values: Values, resume: Resume): string | undefined => {
  const cursor = Buffer.from(JSON.stringify({ call: fingerprint(tool, values), ...resume })).toString('base64url');
  return cursor.length > mostCharacters ? undefined : cursor;
};

const isWhole = (value: unknown, least: number, most: number): value is number =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= most;

const parsed = (cursor: string): unknown => {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
};

const isQuery = (value: unknown): value is NonNullable<ListPlace['query']> =>
  isObject(value) && Object.values(value).every((each) => ['string', 'number', 'boolean'].includes(typeof each));

const isResume = ({ token, count, query, skip }: Json): boolean =>
  isWhole(skip, 0, mostSkipped) &&
  (token === undefined || typeof token === 'string') &&
  (count === undefined || isWhole(count, limits.pageSize.min, limits.pageSize.max)) &&
  (query === undefined || isQuery(query));

/** Reads a cursor. It comes from the client, so all its types are checked. It can only change what the same tool reads. */
export const readCursor = (tool: string, values: Values): Resume | undefined => {
  const { cursor } = values;
  if (cursor === undefined) return undefined;
  const parts = String(cursor).length > mostCharacters ? undefined : parsed(String(cursor));
  if (!isObject(parts) || !isResume(parts)) throw usageError(["This tool didn't return that cursor"]);
  const { call, ...resume } = parts;
  if (call !== fingerprint(tool, values))
    throw usageError(['The cursor belongs to a call with other arguments. Repeat them, or omit the cursor']);
  return resume as unknown as Resume;
};
