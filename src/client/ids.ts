import { type Collection, collections } from '../api/collections.ts';

const plainId = /^[A-Za-z0-9_-]{1,128}$/;

export const isPlainId = (text: string): boolean => plainId.test(text);

type Ids =
  /** `root` is that of a full URI. `name` may be the ID or the name of a record: only the service can tell. */
  { ok: true; ids: string[]; root?: string; name?: string } | { ok: false; problem: string };

/** Users, and their memberships of the organization. */
export const isPerson = (collection: Collection): boolean => collections[collection].self === 'me';

/** The ways to name a record of a collection, besides its URI. */
export const waysToName = (collection: Collection): string[] => {
  const { self, isNamed } = collections[collection];
  const own = self === undefined ? [] : [self];
  return [...own, ...(isNamed ? ['name'] : []), ...(isPerson(collection) ? ['email'] : []), 'ID'];
};

const inSentence: Readonly<Record<string, string>> = { name: 'a name', email: 'an email address', ID: 'an ID' };

/** The ways to name a record, as errors list them. */
export const waysInSentence = (collection: Collection): string =>
  `${waysToName(collection)
    .map((way) => inSentence[way] ?? way)
    .join(', ')} or a URI`;

/**
 * Reads a word that is not an ID for certain: the word for the token's own record, or the name of a record that has
 * names. Only a URI is certain to be no name, but the URI of a user also names their membership.
 */
const readRecordName = (text: string, collection: Collection): Ids | undefined => {
  const nameOnly = { ok: true as const, ids: [], name: text };
  const { self, isNamed } = collections[collection];
  if (text === self) return nameOnly;
  if (!isNamed || text.trim() === '') return undefined;
  if (!isUri(text)) return nameOnly;
  const user = collection === 'organization_memberships' ? idsInUri(text, '/users/{user}') : undefined;
  return user === undefined ? undefined : { ...nameOnly, root: user.root };
};

/** The collection of a parameter's record: the path segment before the parameter. */
export const collectionOf = (path: string, parameter: string): Collection =>
  recordPath(path, parameter).split('/').at(-2) as Collection;

/** The path up to and including a parameter, as in the record's `uri`: `/scheduled_events/{event}`. */
const recordPath = (path: string, parameter: string): string =>
  path.slice(0, path.indexOf(`{${parameter}}`) + parameter.length + 2);

export const isUri = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text);

/** The IDs in a record's `uri` and the root before its path, or undefined if the URI doesn't match `template`. */
const idsInUri = (text: string, template: string): { ids: string[]; root: string } | undefined => {
  if (!URL.canParse(text)) return undefined;
  const { origin, pathname, search, hash, username, password } = new URL(text);
  // Compare with the path as written, because URL resolves `..` silently.
  const pathText = text.slice(text.indexOf(origin) === 0 ? origin.length : 0);
  if (search !== '' || hash !== '' || username !== '' || password !== '' || pathText !== pathname) return undefined;
  const pattern = template.replace(/\{[^}]+\}/g, '([A-Za-z0-9_-]{1,128})');
  // Before the records, a service may have a path of its own, but no other record and no other URI.
  const match = new RegExp(`^((?:/[\\w.~-]+)*)${pattern}$`).exec(pathname);
  if (match === null) return undefined;
  const [, prefix = '', ...ids] = match;
  if (prefix.split('/').some((segment) => Object.hasOwn(collections, segment))) return undefined;
  return { ids, root: `${origin}${prefix}` };
};

/** Reads a word, a bare ID or a full `uri`. Undefined if it is none of them. */
const readIds = (text: string, template: string, collection: Collection): Ids | undefined => {
  const name = readRecordName(text, collection);
  if (name !== undefined) return name;
  if (plainId.test(text)) return { ok: true, ids: [text] };
  const match = isUri(text) ? idsInUri(text, template) : undefined;
  return match && { ok: true, ...match };
};

/** Adds the article: `an event`, but `a user`. */
export const withArticle = (words: string): string => `${/^(?!us)[aeiou]/i.test(words) ? 'an' : 'a'} ${words}`;

/**
 * Reads an argument for `parameter` of `path`: a bare ID, or the full `uri`. The URI of a nested record contains the
 * IDs of both records, unless the service names it without the other: `/invitees/{invitee}`. `elsewhere` is the path at a
 * service that differs: the ID at its end is read too. The problem lacks its subject.
 */
export const readId = (text: string, path: string, parameter: string, elsewhere = path): Ids => {
  const template = recordPath(path, parameter);
  const collection = collectionOf(path, parameter);
  const others = [...(elsewhere.endsWith(`/{${parameter}}`) ? [elsewhere] : []), `/${collection}/{${parameter}}`];
  const [otherMatch] = isUri(text) ? others.flatMap((other) => idsInUri(text, other) ?? []) : [];
  const read =
    readIds(text, template, collection) ??
    (otherMatch && { ok: true, ids: otherMatch.ids.slice(-1), root: otherMatch.root });
  if (read !== undefined) return read;
  const form = isUri(text)
    ? `the URI of ${withArticle(parameter.replaceAll('_', ' '))} (…${template.replace(/\{[^}]+\}/g, 'ID')})`
    : waysInSentence(collection).replace('an ID', 'an ID (letters, digits, - and _)');
  return { ok: false, problem: `must be ${form}, not "${text}"` };
};

/** Reads a reference in a query or body: a bare ID, or a full `uri` under `/collection/`. The problem lacks its subject. */
export const readReference = (text: string, collection: Collection): Ids =>
  readIds(text, `/${collection}/{id}`, collection) ?? {
    ok: false,
    problem: `must be ${waysInSentence(collection)} under /${collection}/, not "${text}"`,
  };
