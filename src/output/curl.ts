export interface CurlRequest {
  method: string;
  url: string;
  /** A header `authorization` stands for the token, whatever its value: that is never printed. */
  headers: Readonly<Record<string, string>>;
  /** `{ file }` names where the reader keeps a body that must not be shown. */
  body?: string | { file: string };
}

/** What stands for a value that only the reader's shell knows; it comes through URLs, paths and JSON as it is. */
export const shellVariable = (name: string): string => `__sched_variable_${name}__`;

const variables = /__sched_variable_([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)__/;

/** The names of the variables that a text leaves to the shell, each once. */
export const shellVariablesIn = (text: string): string[] => [
  ...new Set(Array.from(text.matchAll(new RegExp(variables, 'g')), (match) => match[1]!)),
];

const ansiEscapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', "'": "\\'", '\\': '\\\\' };

/** One word for a POSIX shell, on one line: only a word with control characters needs the `$'…'` of newer shells. */
const word = (text: string): string => {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (!/[\x00-\x1f\x7f]/.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const spell = (char: string) => ansiEscapes[char] ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return `$'${text.replace(/[\x00-\x1f\x7f'\\]/g, spell)}'`;
};

/** A word in which variables expand; inside `'…'` they would not. `isPlace` tells that an ID is wanted where a URI is held. */
const expanding = (text: string, isPlace: (index: number) => boolean): string => {
  const parts = text.split(variables);
  if (parts.length === 1) return word(text);
  const isPlain = parts.every((part, index) => index % 2 === 1 || !/[$`"\\!\x00-\x1f\x7f]/.test(part));
  let at = 0;
  const pieces = parts.map((part, index) => {
    if (index % 2 === 0) {
      at += part.length;
      return isPlain ? part : part === '' ? '' : word(part);
    }
    const spelled = isPlace(at) ? `\${${part}##*/}` : /^\w/.test(parts[index + 1]!) ? `\${${part}}` : `$${part}`;
    at += shellVariable(part).length;
    return isPlain ? spelled : `"${spelled}"`;
  });
  return isPlain ? `"${pieces.join('')}"` : pieces.join('');
};

const urlWord = (url: string): string => {
  const end = url.includes('?') ? url.indexOf('?') : url.length;
  return expanding(url, (at) => at < end);
};

const headerWord = ([name, value]: [string, string]): string =>
  name.toLowerCase() === 'authorization' ? `'Authorization: Bearer '"$SCHED_TOKEN"` : word(`${name}: ${value}`);

// curl takes `@name` for a file, and its own name is what it should say to the service.
const bodyWords = (body: NonNullable<CurlRequest['body']>): string[] =>
  typeof body === 'string'
    ? [body.startsWith('@') ? '--data-raw' : '--data', expanding(body, () => false)]
    : ['--data', `@${body.file}`];

/** The same request as a line for a shell that knows `SCHED_TOKEN`. */
export const curlLine = ({ method, url, headers, body }: CurlRequest): string =>
  [
    'curl',
    ...(method === 'GET' ? [] : ['-X', word(method)]),
    // curl would take brackets and braces for patterns.
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    urlWord(url),
    ...Object.entries(headers)
      .filter(([name]) => name.toLowerCase() !== 'user-agent')
      .flatMap((header) => ['-H', headerWord(header)]),
    ...(body === undefined ? [] : bodyWords(body)),
  ].join(' ');
