import { decodeUri } from '../../base/uri.ts';

/** Where a raw request goes, exactly as given: nothing is decoded, resolved or normalized. */
export interface Target {
  /** Begins with `/`. Its segments can't leave the base URL, however a server decodes them. */
  path: string;
  query: [name: string, value: string][];
  /** The origin of a full URL. Not yet checked: it may belong to another service. */
  origin?: string;
}

type TargetReading = { ok: true; target: Target } | { ok: false; problem: string };

const fullUrl = /^https?:\/\/([^/?#]*)(.*)$/is;
const anyScheme = /^[a-z][a-z0-9+.-]*:/i;
const placeholder = /^\{(user|organization|org)\}$/;
const plainSegment = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})+$/;

/** The problem with a path segment, even for a server that decodes or normalizes it or cuts off parameters. */
const segmentProblem = (segment: string): string | undefined => {
  if (placeholder.test(segment)) return undefined;
  if (segment === '') return 'has an empty segment';
  if (/[{}]/.test(segment)) return `contains "${segment}"; the placeholders are {user} and {organization}`;
  if (!plainSegment.test(segment)) return 'contains a character that is not allowed in a path';
  const text = decodeUri(segment)?.normalize('NFKC');
  if (text === undefined || /[/\\%?#\p{Cc}]/u.test(text) || (/%2e/i.test(segment) && /^\.+$/.test(text)))
    return 'contains an encoded slash, dot or control character';
  return /^\.+(;|$)/.test(text) ? 'contains "." or ".."' : undefined;
};

const targetProblem = (problem: string): TargetReading => ({ ok: false, problem });

/**
 * Reads `/scheduled_events`, `scheduled_events?count=5` or a full URL. Problems never quote the query: it may hold a
 * secret or an address.
 */
export const readTarget = (text: string): TargetReading => {
  const shownPath = text.split(/[?#]/)[0]!;
  const wrong = (problem: string) => targetProblem(`<path> "${shownPath}" ${problem}`);
  if (text.trim() === '') return targetProblem('<path> is empty');
  if (/\p{Cc}/u.test(text)) return targetProblem('<path> contains a control character');
  if (text.includes('\\')) return wrong('contains a backslash');
  if (text.includes('#')) return wrong('has a fragment (#…), which is never sent');
  const isFull = anyScheme.test(text);
  const [, authority = '', behind = ''] = fullUrl.exec(text) ?? [];
  if (isFull && !(fullUrl.test(text) && URL.canParse(text))) return wrong('is not an http or https URL');
  if (authority.includes('@')) return targetProblem('<path> contains a user or password');
  if (text.startsWith('//')) return wrong('names another host');

  const rest = isFull ? behind : text;
  const mark = rest.indexOf('?');
  const place = mark < 0 ? rest : rest.slice(0, mark);
  const path = place.startsWith('/') ? place : `/${place}`;
  for (const segment of path === '/' ? [] : path.slice(1).split('/')) {
    const problem = segmentProblem(segment);
    if (problem !== undefined) return wrong(problem);
  }
  const query = mark < 0 ? [] : [...new URLSearchParams(rest.slice(mark + 1))];
  return { ok: true, target: { path, query, ...(isFull ? { origin: new URL(text).origin } : {}) } };
};

/** The path of a full URL below a root, or undefined if the URL isn't below it. */
export const pathBelow = ({ path, origin }: Target, root: string): string | undefined => {
  const url = new URL(root);
  const prefix = url.pathname.replace(/\/+$/, '');
  if (origin !== url.origin || !`${path}/`.startsWith(`${prefix}/`)) return undefined;
  return path.slice(prefix.length) || '/';
};

/** What a placeholder such as `{org}` stands for, or undefined if the text isn't a placeholder. */
export const ownPlaceholder = (text: string): 'user' | 'organization' | undefined => {
  const name = placeholder.exec(text)?.[1];
  return name === undefined ? undefined : name === 'user' ? 'user' : 'organization';
};
