import { pathParameters } from '../api/operation.ts';

const plainId = /^[A-Za-z0-9_-]{1,128}$/;

export const isPlainId = (text: string): boolean => plainId.test(text);

export type Ids =
  /** `name` is a word that may be an ID or the name of the record, which is found out by asking. */
  { ok: true; ids: string[]; origin?: string; name?: string } | { ok: false; problem: string };

/** Records that people know by name; names.ts finds them. */
const namedCollections = new Set([
  'event_types',
  'groups',
  'routing_forms',
  'event_type_availability_schedules',
  'users',
  'organization_memberships',
]);

export const isNamed = (collection: string): boolean => namedCollections.has(collection);

/** A word for a record that has a name. Its form does not tell an ID from a name: only a URI is certain. */
const readName = (text: string, collection: string): Ids | undefined =>
  isNamed(collection) && !isUri(text) && text.trim() !== '' ? { ok: true, ids: [], name: text } : undefined;

/** The collection that a parameter's record lies in: the segment before it. */
export const collectionOf = (path: string, parameter: string): string => recordPath(path, parameter).split('/').at(-2)!;

/** `/scheduled_events/{event}/invitees` ⇒ up to `{event}`: what the `uri` of that parameter's record looks like. */
const recordPath = (path: string, parameter: string): string =>
  path.slice(0, path.indexOf(`{${parameter}}`) + parameter.length + 2);

export const isUri = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text);

/** The IDs in a record's `uri`, if it is one of the records that `template` describes. */
const idsInUri = (text: string, template: string): { ids: string[]; origin: string } | undefined => {
  if (!URL.canParse(text)) return undefined;
  const { origin, pathname, search, hash, username, password } = new URL(text);
  // The path as it was typed, because a URL swallows `..` before anyone sees it.
  const typed = text.slice(text.indexOf(origin) === 0 ? origin.length : 0);
  if (search !== '' || hash !== '' || username !== '' || password !== '' || typed !== pathname) return undefined;
  const pattern = template.replace(/\{\w+\}/g, '([A-Za-z0-9_-]{1,128})');
  const match = new RegExp(`^(?:.*/)?${pattern.slice(1)}$`).exec(pathname);
  return match === null ? undefined : { ids: match.slice(1), origin };
};

/** `an event`, but `a user`. */
export const withArticle = (words: string): string => `${/^(?!us)[aeiou]/.test(words) ? 'an' : 'a'} ${words}`;

/**
 * Reads one argument as the record behind `parameter` of `path`: a bare ID, or the full `uri`, which for a record
 * inside another one carries both IDs.
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
      problem: `<${parameter}> '${text}' is neither ${isNamed(collection) ? 'a name, ' : ''}an ID (letters, digits, - and _) nor a URI`,
    };
  const found = idsInUri(text, template);
  if (found === undefined)
    return {
      ok: false,
      problem: `<${parameter}> '${text}' is not the URI of ${withArticle(words)} (…${template})`,
    };
  return { ok: true, ids: found.ids.slice(-pathParameters(template).length), origin: found.origin };
};

/** What a flag takes before it is read as a reference. */
const takenToo: Readonly<Record<string, string>> = {
  users: 'me, a name, an e-mail address, ',
  organizations: 'current, ',
};

/** Reads a reference of a query or body: a bare ID, or a full `uri` under `/collection/`. */
export const readReference = (text: string, flag: string, collection: string): Ids => {
  const named = readName(text, collection);
  if (named !== undefined) return named;
  if (plainId.test(text)) return { ok: true, ids: [text] };
  const found = isUri(text) ? idsInUri(text, `/${collection}/{id}`) : undefined;
  if (found === undefined)
    return {
      ok: false,
      problem: `--${flag} '${text}' is neither ${takenToo[collection] ?? ''}an ID nor a URI under /${collection}/`,
    };
  return { ok: true, ...found };
};
