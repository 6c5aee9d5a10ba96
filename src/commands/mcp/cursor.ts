import { hash } from 'node:crypto';
import * as z from 'zod/mini';
import { limits } from '../../api/limits.ts';
import { usageError } from '../../base/errors.ts';
import { jsonIn } from '../../base/json.ts';
import type { ListPlace } from '../../cli/session/frontend.ts';
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
  const entries = Object.entries(values).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return hash('sha256', JSON.stringify([tool, entries]), 'base64url').slice(0, 12);
};

/** The cursor for a place, or undefined if the service's page token is too long for one. */
export const writeToolCursor = (tool: string, values: Values, resume: Resume): string | undefined => {
  const cursor = Buffer.from(JSON.stringify({ call: fingerprint(tool, values), ...resume })).toString('base64url');
  return cursor.length > mostCharacters ? undefined : cursor;
};

const Cursor = z.object({
  call: z.string(),
  skip: z.int().check(z.gte(0), z.lte(mostSkipped)),
  token: z.optional(z.string()),
  count: z.optional(z.int().check(z.gte(limits.pageSize.min), z.lte(limits.pageSize.max))),
  query: z.optional(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))),
});

/** Reads a cursor. It comes from the client, so all its types are checked. It can only change what the same tool reads. */
export const readToolCursor = (tool: string, values: Values): Resume | undefined => {
  if (values.cursor === undefined) return undefined;
  const cursor = String(values.cursor);
  const text = cursor.length > mostCharacters ? '' : Buffer.from(cursor, 'base64url').toString();
  const { data } = Cursor.safeParse(jsonIn(text));
  if (data === undefined) throw usageError(["This tool didn't return that cursor"]);
  const { call, ...resume } = data;
  if (call !== fingerprint(tool, values))
    throw usageError(['The cursor belongs to a call with other arguments. Repeat them, or omit the cursor']);
  return resume as Resume;
};
