import { pathParameters } from '../api/operation.ts';

const plainId = /^[A-Za-z0-9_-]{1,128}$/;

export const isPlainId = (text: string): boolean => plainId.test(text);

export type Ids =
  /** `name` may be the ID or the name of a record: only the service can tell. */
  { ok: true; ids: string[]; origin?: string; name?: string } | { ok: false; problem: string };

/** Collections whose records people know by name. `cli/operation/name-lookup.ts` finds them. */
const namedCollections = new Set([
  'event_types',
  'groups',
  'routing_forms',
  'event_type_availability_schedules',
  'users',
  'organization_memberships',
]);

export const isNamed = (collection: string): boolean => namedCollections.has(collection);

/** Reads a word as an ID or name, for records that have names. Only a URI is certain to be no name. */
const readName = (text: string, collection: string): Ids | undefined =>
  isNamed(collection) && !isUri(text) && text.trim() !== '' ? { ok: true, ids: [], name: text } : undefined;

/** The collection of a parameter's record: the path segment before the parameter. */
export const collectionOf = (path: string, parameter: string): string => recordPath(path, parameter).split('/').at(-2)!;

/** The path up to and including a parameter, as in the record's `uri`: `/scheduled_events/{event}`. */
const recordPath = (path: string, parameter: string): string =>
  path.slice(0, path.indexOf(`{${parameter}}`) + parameter.length + 2);

export const isUri = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text);

/** The IDs in a record's `uri`, or undefined if the URI doesn't match `template`. */
const idsInUri = (text: string, template: string): { ids: string[]; origin: string } | undefined => {
  if (!URL.canParse(text)) return undefined;
  const { origin, pathname, search, hash, username, password } = new URL(text);
  // Compare with the path as typed, because URL resolves `..` silently.
  const typed = text.slice(text.indexOf(origin) === 0 ? origin.length : 0);
  if (search !== '' || hash !== '' || username !== '' || password !== '' || typed !== pathname) return undefined;
  const pattern = template.replace(/\{\w+\}/g, '([A-Za-z0-9_-]{1,128})');
  const match = new RegExp(`^(?:.*/)?${pattern.slice(1)}$`).exec(pathname);
  return match === null ? undefined : { ids: match.slice(1), origin };
};

/** Adds the article: `an event`, but `a user`. */
export const withArticle = (words: string): string => `${/^(?!us)[aeiou]/.test(words) ? 'an' : 'a'} ${words}`;

/**
 * Reads an argument for `parameter` of `path`: a bare ID, or the full `uri`. The URI of a nested record contains the
 * IDs of both records.
 */
export const readId = (text: string, path: string, parameter: string): Ids => {
  const template = recordPath(path, parameter);
  const words = parameter.replaceAll('_', ' ');
  const collection = collectionOf(path, parameter);
  const named = readName(text, collection);
  if (named !== undefined) return named;
  if (plainId.test(text)) return { ok: true, ids: [text] };
  if (!isUri(text))
    return {
      ok: false,
      problem: `<${parameter}> must be ${isNamed(collection) ? 'a name, ' : ''}an ID (letters, digits, - and _) or a URI, not "${text}"`,
    };
  const found = idsInUri(text, template);
  if (found === undefined)
    return {
      ok: false,
      problem: `<${parameter}> must be the URI of ${withArticle(words)} (…${template}), not "${text}"`,
    };
  return { ok: true, ids: found.ids.slice(-pathParameters(template).length), origin: found.origin };
};

/** Other values that a flag accepts besides an ID or URI. */
const alsoAccepted: Readonly<Record<string, string>> = {
  users: 'me, a name, an email address, ',
  organizations: 'current, ',
};

/** Reads a reference in a query or body: a bare ID, or a full `uri` under `/collection/`. */
export const readReference = (text: string, flag: string, collection: string): Ids => {
  const named = readName(text, collection);
  if (named !== undefined) return named;
  if (plainId.test(text)) return { ok: true, ids: [text] };
  const found = isUri(text) ? idsInUri(text, `/${collection}/{id}`) : undefined;
  if (found === undefined)
    return {
      ok: false,
      problem: `--${flag} must be ${alsoAccepted[collection] ?? ''}an ID or a URI under /${collection}/, not "${text}"`,
    };
  return { ok: true, ...found };
};
