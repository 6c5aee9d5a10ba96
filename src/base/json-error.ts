interface JsonError {
  problem: string;
  line: number;
  column: number;
}

/** One JSON token (RFC 8259), matched at `lastIndex`; of a string only its first quote. */
const token = /[\t\n\r ]*(?:(")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null)|([[\]{},:])|$)/y;

/** A part of a string. A pattern for the whole string would need a stack as large as the string. */
const stringPart = /[^"\\\u0000-\u001f]{1,1000}|(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,1000}/y;

/** The index after the string whose first quote is before `start`, or undefined if the string is broken. */
export const endOfString = (text: string, start: number): number | undefined => {
  stringPart.lastIndex = start;
  let end = start;
  while (stringPart.test(text)) end = stringPart.lastIndex;
  return text[end] === '"' ? end + 1 : undefined;
};

type Expect = 'value' | 'value or ]' | 'name or }' | 'name' | ':' | ', or ]' | ', or }' | 'the end';

const expectations: Record<Expect, string> = {
  value: 'expected a value',
  'value or ]': 'expected a value or "]"',
  'name or }': 'expected a quoted name or "}"',
  name: 'expected a quoted name',
  ':': 'expected ":"',
  ', or ]': 'expected "," or "]"',
  ', or }': 'expected "," or "}"',
  'the end': 'expected the end of the text',
};

/**
 * The first syntax error in a JSON text, or `undefined` if the text is valid. JavaScript's own messages name the
 * position only sometimes, and not the same one in every version of Node.
 */
export const locateJsonError = (text: string): JsonError | undefined => {
  const open: ('{' | '[')[] = [];
  let expect: Expect = 'value';
  let position = 0;
  const afterValue = (): Expect => (open.length === 0 ? 'the end' : open.at(-1) === '[' ? ', or ]' : ', or }');

  for (;;) {
    token.lastIndex = position;
    const match = token.exec(text);
    const isEnd = match !== null && match[0].trim() === '' && token.lastIndex === text.length;
    if (isEnd && expect === 'the end') return undefined;
    const [, quote, number, word, mark] = match ?? [];
    const end = quote === undefined ? token.lastIndex : endOfString(text, token.lastIndex);
    const isString = quote !== undefined && end !== undefined;
    const isValue = isString || number !== undefined || word !== undefined;
    const wantsValue = expect === 'value' || expect === 'value or ]';
    if (wantsValue && isValue) expect = afterValue();
    else if (wantsValue && (mark === '{' || mark === '[')) {
      open.push(mark);
      expect = mark === '{' ? 'name or }' : 'value or ]';
    } else if ((expect === 'name' || expect === 'name or }') && isString) expect = ':';
    else if (expect === ':' && mark === ':') expect = 'value';
    else if (mark === ',' && (expect === ', or ]' || expect === ', or }'))
      expect = expect === ', or ]' ? 'value' : 'name';
    else if (
      (mark === ']' && (expect === ', or ]' || expect === 'value or ]')) ||
      (mark === '}' && (expect === ', or }' || expect === 'name or }'))
    ) {
      open.pop();
      expect = afterValue();
    } else {
      const at = position + (/^[\t\n\r ]*/.exec(text.slice(position))?.[0].length ?? 0);
      const before = text.slice(0, at).split('\n');
      return { problem: expectations[expect], line: before.length, column: before.at(-1)!.length + 1 };
    }
    position = end!;
  }
};
