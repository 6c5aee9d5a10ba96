export type Bytes = AsyncIterable<Uint8Array>;

/** The input isn't text. Used instead of the platform's error, whose message would quote the input. */
export class NotText extends Error {}

/** Detects the encoding by the byte order mark. Without one, a zero byte in the first character means UTF-16. */
const encodingOf = ([first, second]: Uint8Array): string => {
  if ((first === 0xff && second === 0xfe) || (second === 0 && first !== 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== undefined && second !== 0)) return 'utf-16be';
  return 'utf-8';
};

/** Decodes bytes as a stream of text: UTF-8 or UTF-16, with or without a byte order mark. */
export async function* textOf(bytes: Bytes): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let head: Uint8Array = new Uint8Array();
  const decode = (chunk?: Uint8Array): string => {
    try {
      const text = decoder!.decode(chunk, { stream: chunk !== undefined });
      // NUL is valid UTF-8 but never text: the input is binary, or a device that never ends.
      if (!text.includes('\0')) return text;
    } catch {}
    throw new NotText('it is neither UTF-8 nor UTF-16 text');
  };
  for await (const chunk of bytes) {
    if (decoder === undefined) {
      // Two bytes are needed to detect the encoding, and a pipe may deliver them one by one.
      head = Buffer.concat([head, chunk]);
      if (head.length < 2) continue;
      decoder = new TextDecoder(encodingOf(head), { fatal: true });
      yield decode(head);
    } else yield decode(chunk);
  }
  if (decoder === undefined) {
    decoder = new TextDecoder('utf-8', { fatal: true });
    yield decode(head);
  }
  yield decode();
}

/** A line and its number, counted from 1. */
export interface Line {
  line: number;
  text: string;
}

/** The lines of a text, with line endings of Unix, Windows or old Macs. */
export async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<Line> {
  let rest = '';
  let line = 0;
  for await (const piece of text) {
    rest += piece;
    const ending = /\r\n|\n|\r(?!\n|$)/g;
    let from = 0;
    for (let match = ending.exec(rest); match !== null; match = ending.exec(rest)) {
      line += 1;
      yield { line, text: rest.slice(from, match.index) };
      from = ending.lastIndex;
    }
    rest = rest.slice(from);
  }
  // A final carriage return ends a line, too, even an empty one.
  if (rest !== '') yield { line: line + 1, text: rest.replace(/\r$/, '') };
}

/** Longer than the first line of any text that isn't JSON. */
const longestStart = 65_536;

/** Returns the start of a text, and the whole text to read afterwards. */
export const peek = async (text: AsyncGenerator<string>): Promise<{ start: string; text: AsyncGenerator<string> }> => {
  let start = '';
  while (!/[\r\n]/.test(start.trimStart()) && start.length < longestStart) {
    const next = await text.next();
    if (next.done) break;
    start += next.value;
  }
  async function* whole() {
    yield start;
    yield* text;
  }
  return { start, text: whole() };
};
