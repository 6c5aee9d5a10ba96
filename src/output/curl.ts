import { shellWord } from '../shell-quote.ts';
export interface CurlRequest {
  method: string;
  url: string;
  /** A header `authorization` stands for the token, whatever its value: that is never printed. */
  headers: Readonly<Record<string, string>>;
  /** `{ file }` names where the reader keeps a body that must not be shown. */
  body?: string | { file: string };
}

/** A text with the variables of the reader's shell in it, which are no text. */
export type Parts = readonly (string | { variable: string })[];

export const variableWord = (name: string): string => `"$${name}"`;

const ansiEscapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', "'": "\\'", '\\': '\\\\' };

/** One word for a POSIX shell, on one line: only a word with control characters needs the `$'…'` of newer shells. */
const word = (text: string): string => {
  if (!/[\x00-\x1f\x7f]/.test(text)) return shellWord(text);
  const spell = (char: string) => ansiEscapes[char] ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return `$'${text.replace(/[\x00-\x1f\x7f'\\]/g, spell)}'`;
};

/** A variable holds a URI, of which a path wants the ID alone. */
type Piece = string | { variable: string; isId: boolean };

const spelled = ({ variable, isId }: Exclude<Piece, string>, next: Piece | undefined): string => {
  if (isId) return `\${${variable}##*/}`;
  return typeof next === 'string' && /^\w/.test(next) ? `\${${variable}}` : `$${variable}`;
};

/** A word in which variables expand; inside `'…'` they would not. */
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

// curl takes `@name` for a file, and its own name is what it should say to the service.
const bodyWords = (body: NonNullable<CurlRequest['body']>, partsOf: (text: string) => Parts): string[] =>
  typeof body === 'string'
    ? [body.startsWith('@') ? '--data-raw' : '--data', expanding(piecesOf(partsOf(body), false))]
    : ['--data', `@${body.file}`];

/** The same request as a line for a shell that knows `SCHED_TOKEN`. `partsOf` tells the variables in it. */
export const curlLine = (
  { method, url, headers, body }: CurlRequest,
  partsOf: (text: string) => Parts = (text) => [text],
): string =>
  [
    'curl',
    ...(method === 'GET' ? [] : ['-X', word(method)]),
    // curl would take brackets and braces for patterns.
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    urlWord(url, partsOf),
    ...Object.entries(headers)
      .filter(([name]) => name.toLowerCase() !== 'user-agent')
      .flatMap((header) => ['-H', headerWord(header)]),
    ...(body === undefined ? [] : bodyWords(body, partsOf)),
  ].join(' ');
