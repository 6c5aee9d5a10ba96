/** Where a raw request goes, as it was typed: nothing is decoded, resolved or normalised on the way. */
export interface Target {
  /** Begins with `/`; its segments cannot leave the base URL, whoever decodes them. */
  path: string;
  query: [name: string, value: string][];
  /** Of a full URL; it is still to be found out whether that is this account's service. */
  origin?: string;
}

export type TargetReading = { ok: true; target: Target } | { ok: false; problem: string };

const fullUrl = /^https?:\/\/([^/?#]*)(.*)$/is;
const anyScheme = /^[a-z][a-z0-9+.-]*:/i;
const placeholder = /^\{(user|organization|org)\}$/;
const plainSegment = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})+$/;

/** The text behind percent signs; `undefined` where it is not UTF-8 (overlong dots and slashes among it). */
const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** What is wrong with one segment of a path, for any reader that decodes it, folds it or cuts parameters off. */
const segmentProblem = (segment: string): string | undefined => {
  if (placeholder.test(segment)) return undefined;
  if (segment === '') return 'has an empty segment';
  if (/[{}]/.test(segment)) return `has '${segment}' in it; the placeholders are {user} and {organization}`;
  if (!plainSegment.test(segment)) return 'has a character in it that must not stand in a path';
  const text = decoded(segment)?.normalize('NFKC');
  if (text === undefined || /[/\\%?#\p{Cc}]/u.test(text) || (/%2e/i.test(segment) && /^\.+$/.test(text)))
    return 'has an encoded slash, dot or control character in it';
  return /^\.+(;|$)/.test(text) ? "has '.' or '..' in it" : undefined;
};

const refuse = (problem: string): TargetReading => ({ ok: false, problem });

/**
 * Reads `/scheduled_events`, `scheduled_events?count=5` or a full URL. The query is never repeated in a problem: it may
 * hold what must not be printed.
 */
export const readTarget = (text: string): TargetReading => {
  const shown = text.split(/[?#]/)[0]!;
  const wrong = (problem: string) => refuse(`<path> '${shown}' ${problem}`);
  if (text.trim() === '') return refuse('<path> is empty');
  if (/\p{Cc}/u.test(text)) return refuse('<path> has a control character in it');
  if (text.includes('\\')) return wrong('has a backslash in it');
  if (text.includes('#')) return wrong('has a fragment (#…), which is never sent');
  const isFull = anyScheme.test(text);
  const [, authority = '', behind = ''] = fullUrl.exec(text) ?? [];
  if (isFull && !(fullUrl.test(text) && URL.canParse(text))) return wrong('is no http or https URL');
  if (authority.includes('@')) return refuse('<path> has a user or password in it');
  if (text.startsWith('//')) return wrong('names another host');

  const rest = isFull ? behind : text;
  const mark = rest.indexOf('?');
  const typed = mark < 0 ? rest : rest.slice(0, mark);
  const path = typed.startsWith('/') ? typed : `/${typed}`;
  for (const segment of path === '/' ? [] : path.slice(1).split('/')) {
    const problem = segmentProblem(segment);
    if (problem !== undefined) return wrong(problem);
  }
  const query = mark < 0 ? [] : [...new URLSearchParams(rest.slice(mark + 1))];
  return { ok: true, target: { path, query, ...(isFull ? { origin: new URL(text).origin } : {}) } };
};

/** The path of a full URL below a root, or `undefined` where it lies elsewhere. */
export const pathBelow = ({ path, origin }: Target, root: string): string | undefined => {
  const url = new URL(root);
  const prefix = url.pathname.replace(/\/+$/, '');
  if (origin !== url.origin || !`${path}/`.startsWith(`${prefix}/`)) return undefined;
  return path.slice(prefix.length) || '/';
};

/** Words in braces that stand for the token's own records. */
export const ownPlaceholder = (text: string): 'user' | 'organization' | undefined => {
  const name = placeholder.exec(text)?.[1];
  return name === undefined ? undefined : name === 'user' ? 'user' : 'organization';
};
