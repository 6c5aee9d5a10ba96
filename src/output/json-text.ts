import { endOfString } from '../base/json-error.ts';
import { escapeJson } from './sanitize.ts';

/** The indentation stops growing at this depth: a hostile reply must not make the output grow quadratically. */
const deepestIndent = 64;

const isJsonBlank = (char: string | undefined) => char === ' ' || char === '\n' || char === '\r' || char === '\t';

/**
 * Indents valid JSON without parsing it. Large numbers, repeated names and the order of names stay as they are; a parser
 * would change them.
 */
export const layOutJson = (json: string, isPretty: boolean): string => {
  let laid = '';
  let depth = 0;
  const line = () => (isPretty ? `\n${'  '.repeat(Math.min(depth, deepestIndent))}` : '');
  for (let at = 0; at < json.length; ) {
    const char = json[at]!;
    if (char === '"') {
      const end = endOfString(json, at + 1)!;
      laid += json.slice(at, end);
      at = end;
      continue;
    }
    at += 1;
    if (isJsonBlank(char)) continue;
    if (char === '{' || char === '[') {
      while (isJsonBlank(json[at])) at += 1;
      const isEmpty = json[at] === '}' || json[at] === ']';
      if (isEmpty) laid += char + json[at++];
      else {
        depth += 1;
        laid += char + line();
      }
    } else if (char === '}' || char === ']') {
      depth -= 1;
      laid += line() + char;
    } else if (char === ',') laid += char + line();
    else if (char === ':' && isPretty) laid += ': ';
    else laid += char;
  }
  return escapeJson(laid);
};
