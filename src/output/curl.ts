export interface CurlRequest {
  method: string;
  url: string;
  /** A header `authorization` stands for the token, whatever its value: that is never printed. */
  headers: Readonly<Record<string, string>>;
  /** `{ file }` names where the reader keeps a body that must not be shown. */
  body?: string | { file: string };
}

const ansiEscapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', "'": "\\'", '\\': '\\\\' };

/** One word for a POSIX shell, on one line: only a word with control characters needs the `$'…'` of newer shells. */
const word = (text: string): string => {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (!/[\x00-\x1f\x7f]/.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const spell = (char: string) => ansiEscapes[char] ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return `$'${text.replace(/[\x00-\x1f\x7f'\\]/g, spell)}'`;
};

const headerWord = ([name, value]: [string, string]): string =>
  name.toLowerCase() === 'authorization' ? `'Authorization: Bearer '"$SCHED_TOKEN"` : word(`${name}: ${value}`);

// curl takes `@name` for a file, and its own name is what it should say to the service.
const bodyWords = (body: NonNullable<CurlRequest['body']>): string[] =>
  typeof body === 'string' ? [body.startsWith('@') ? '--data-raw' : '--data', word(body)] : ['--data', `@${body.file}`];

/** The same request as a line for a shell that knows `SCHED_TOKEN`. */
export const curlLine = ({ method, url, headers, body }: CurlRequest): string =>
  [
    'curl',
    ...(method === 'GET' ? [] : ['-X', word(method)]),
    // curl would take brackets and braces for patterns.
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    word(url),
    ...Object.entries(headers)
      .filter(([name]) => name.toLowerCase() !== 'user-agent')
      .flatMap((header) => ['-H', headerWord(header)]),
    ...(body === undefined ? [] : bodyWords(body)),
  ].join(' ');
