import { shellWord } from '../shell-quote.ts';
export interface CurlRequest {
  method: string;
  url: string;
  /** An `authorization` header is printed as $SCHED_TOKEN. Its value is never printed. */
  headers: Readonly<Record<string, string>>;
  /** `{ file }` is the user's file with the body, for a body that must not be shown. */
  body?: string | { file: string };
}

/** Text mixed with variables that the user's shell expands. */
export type Parts = readonly (string | { variable: string })[];

export const variableWord = (name: string): string => `"$${name}"`;

const ansiEscapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', "'": "\\'", '\\': '\\\\' };

/** Quotes one word for a POSIX shell, on one line. Control characters need `$'…'`, which only newer shells support. */
const word = (text: string): string => {
  if (!/[\x00-\x1f\x7f]/.test(text)) return shellWord(text);
  const spell = (char: string) => ansiEscapes[char] ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return `$'${text.replace(/[\x00-\x1f\x7f'\\]/g, spell)}'`;
};

/** A variable holds a URI; in a path only its ID is used. */
type Piece = string | { variable: string; isId: boolean };

const spelled = ({ variable, isId }: Exclude<Piece, string>, next: Piece | undefined): string => {
  if (isId) return `\${${variable}##*/}`;
  return typeof next === 'string' && /^\w/.test(next) ? `\${${variable}}` : `$${variable}`;
};

/** Quotes a word so that its variables expand, which they don't inside `'…'`. */
const expanding = (pieces: readonly Piece[]): string => {
  if (pieces.every((piece) => typeof piece === 'string')) return word(pieces.join(''));
  const isPlain = pieces.every((piece) => typeof piece !== 'string' || !/[$`"\\!\x00-\x1f\x7f]/.test(piece));
  const words = pieces.map((piece, index) => {
    if (typeof piece !== 'string')
      return isPlain ? spelled(piece, pieces[index + 1]) : `"${spelled(piece, undefined)}"`;
    return isPlain || piece === '' ? piece : word(piece);
  });
  return isPlain ? `"${words.join('')}"` : words.join('');
};

const piecesOf = (parts: Parts, isId: boolean): Piece[] =>
  parts.map((part) => (typeof part === 'string' ? part : { ...part, isId }));

const urlWord = (url: string, partsOf: (text: string) => Parts): string => {
  const end = url.includes('?') ? url.indexOf('?') : url.length;
  return expanding([...piecesOf(partsOf(url.slice(0, end)), true), ...piecesOf(partsOf(url.slice(end)), false)]);
};

const headerWord = ([name, value]: [string, string]): string =>
  name.toLowerCase() === 'authorization' ? `'Authorization: Bearer '"$SCHED_TOKEN"` : word(`${name}: ${value}`);

// curl reads `@name` as a file name.
const bodyWords = (body: NonNullable<CurlRequest['body']>, partsOf: (text: string) => Parts): string[] =>
  typeof body === 'string'
    ? [body.startsWith('@') ? '--data-raw' : '--data', expanding(piecesOf(partsOf(body), false))]
    : ['--data', `@${body.file}`];

/** The request as a curl command for a shell in which `SCHED_TOKEN` is set. `partsOf` finds the variables in a text. */
export const curlLine = (
  { method, url, headers, body }: CurlRequest,
  partsOf: (text: string) => Parts = (text) => [text],
): string =>
  [
    'curl',
    ...(method === 'GET' ? [] : ['-X', word(method)]),
    // curl would read brackets and braces as patterns.
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    urlWord(url, partsOf),
    ...Object.entries(headers)
      // curl should send its own user agent.
      .filter(([name]) => name.toLowerCase() !== 'user-agent')
      .flatMap((header) => ['-H', headerWord(header)]),
    ...(body === undefined ? [] : bodyWords(body, partsOf)),
  ].join(' ');
