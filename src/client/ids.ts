import { pathParameters } from '../api/operation.ts';

const plainId = /^[A-Za-z0-9_-]{1,128}$/;

export const isPlainId = (text: string): boolean => plainId.test(text);

export type Ids =
  /** `root` is that of a full URI. `name` may be the ID or the name of a record: only the service can tell. */
  { ok: true; ids: string[]; root?: string; name?: string } | { ok: false; problem: string };

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

/** Words for the token's own records. */
export const selfWords: Readonly<Record<string, string>> = {
  users: 'me',
  organization_memberships: 'me',
  organizations: 'current',
};

/** Users, and their memberships of the organization. */
export const isPerson = (collection: string): boolean => selfWords[collection] === 'me';

/** The ways to name a record of a collection, as help and errors list them. */
export const waysToName = (collection: string): string => {
  if (isPerson(collection)) return 'me, a name, an email address, an ID or a URI';
  if (collection === 'organizations') return 'current, an ID or a URI';
  return isNamed(collection) ? 'a name, an ID or a URI' : 'an ID or a URI';
};

/**
 * Reads a word that is not an ID for certain: one of `selfWords`, or the name of a record that has names. Only a URI is
 * certain to be no name, but the URI of a user also names their membership.
 */
const readName = (text: string, collection: string): Ids | undefined => {
  const named = { ok: true as const, ids: [], name: text };
  if (text === selfWords[collection]) return named;
  if (!isNamed(collection) || text.trim() === '') return undefined;
  if (!isUri(text)) return named;
  const user = collection === 'organization_memberships' ? idsInUri(text, '/users/{user}') : undefined;
  return user === undefined ? undefined : { ...named, root: user.root };
};

/** The collection of a parameter's record: the path segment before the parameter. */
export const collectionOf = (path: string, parameter: string): string => recordPath(path, parameter).split('/').at(-2)!;

/** The path up to and including a parameter, as in the record's `uri`: `/scheduled_events/{event}`. */
const recordPath = (path: string, parameter: string): string =>
  path.slice(0, path.indexOf(`{${parameter}}`) + parameter.length + 2);

export const isUri = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text);

/** The IDs in a record's `uri` and the root before its path, or undefined if the URI doesn't match `template`. */
const idsInUri = (text: string, template: string): { ids: string[]; root: string } | undefined => {
  if (!URL.canParse(text)) return undefined;
  const { origin, pathname, search, hash, username, password } = new URL(text);
  // Compare with the path as typed, because URL resolves `..` silently.
  const typed = text.slice(text.indexOf(origin) === 0 ? origin.length : 0);
  if (search !== '' || hash !== '' || username !== '' || password !== '' || typed !== pathname) return undefined;
  const pattern = template.replace(/\{\w+\}/g, '([A-Za-z0-9_-]{1,128})');
  const match = new RegExp(`^(.*/)${pattern.slice(1)}$`).exec(pathname);
  if (match === null) return undefined;
  const [, prefix = '/', ...ids] = match;
  return { ids, root: `${origin}${prefix.slice(0, -1)}` };
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
      problem: `<${parameter}> must be ${waysToName(collection).replace('an ID', 'an ID (letters, digits, - and _)')}, not "${text}"`,
    };
  const found = idsInUri(text, template);
  if (found === undefined)
    return {
      ok: false,
      problem: `<${parameter}> must be the URI of ${withArticle(words)} (…${template}), not "${text}"`,
    };
  return { ok: true, ids: found.ids.slice(-pathParameters(template).length), root: found.root };
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
      problem: `--${flag} must be ${waysToName(collection)} under /${collection}/, not "${text}"`,
    };
  return { ok: true, ...found };
};
