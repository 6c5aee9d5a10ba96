import { shellWord } from '../base/shell-quote.ts';

interface CurlRequest {
  method: string;
  url: string;
  /** An `authorization` header is printed as $SCHED_TOKEN. Its value is never printed. */
  headers: Readonly<Record<string, string>>;
  /** `{ file }` is the user's file with the body, for a body that must not be shown. */
  body?: string | { file: string };
}

const ansiEscapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', "'": "\\'", '\\': '\\\\' };

/** Quotes one word for a POSIX shell, on one line. Control characters need `$'…'`, which only newer shells support. */
const quoteWord = (text: string): string => {
  if (!/[\x00-\x1f\x7f]/.test(text)) return shellWord(text);
  const spell = (char: string) => ansiEscapes[char] ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return `$'${text.replace(/[\x00-\x1f\x7f'\\]/g, spell)}'`;
};

const headerWord = ([name, value]: [string, string]): string =>
  name.toLowerCase() === 'authorization' ? `'Authorization: Bearer '"$SCHED_TOKEN"` : quoteWord(`${name}: ${value}`);

// curl reads `@name` as a file name.
const bodyWords = (body: NonNullable<CurlRequest['body']>): string[] =>
  typeof body === 'string'
    ? [body.startsWith('@') ? '--data-raw' : '--data', quoteWord(body)]
    : ['--data', `@${body.file}`];

/** The request as a curl command for a shell in which `SCHED_TOKEN` is set. */
export const curlLine = ({ method, url, headers, body }: CurlRequest): string =>
  [
    'curl',
    ...(method === 'GET' ? [] : ['-X', quoteWord(method)]),
    // curl would read brackets and braces as patterns.
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    quoteWord(url),
    ...Object.entries(headers)
      // curl should send its own user agent.
      .filter(([name]) => name.toLowerCase() !== 'user-agent')
      .flatMap((header) => ['-H', headerWord(header)]),
    ...(body === undefined ? [] : bodyWords(body)),
  ].join(' ');
