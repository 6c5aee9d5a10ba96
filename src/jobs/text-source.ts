export type Bytes = AsyncIterable<Uint8Array>;

/** A problem with the input as a whole. The message never quotes an item, only names of columns and fields. */
export class BadInput extends Error {}

/** Parts of an input that are neither an item nor a mistake. */
export type Skipped = 'header' | 'comment' | 'blank';

/** What a line of an input holds, or the reason why that is nothing. A problem is reported with its line. */
export type SourceContent<Value> = { value: Value } | { skipped: Skipped } | { problem: string };

/** The content of a line of the input. In a single JSON text (`isListed`) `line` is the position in its list. */
export type SourceEntry<Value> = { line: number; isListed?: true } & SourceContent<Value>;

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
    // The platform's error would quote the input.
    throw new BadInput('it is neither UTF-8 nor UTF-16 text');
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

/** The lines of a text, counted from 1, with line endings of Unix, Windows or old Macs. */
export async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<{ line: number; text: string }> {
  let line = 0;
  let rest = '';
  // A carriage return at the end of a piece may be half of a Windows line ending.
  let held = '';
  for await (const piece of text) {
    const read = held + piece;
    held = read.endsWith('\r') ? '\r' : '';
    const lines = read.slice(0, read.length - held.length).split(/\r\n|\n|\r/);
    lines[0] = rest + lines[0];
    rest = lines.pop()!;
    for (const each of lines) {
      line += 1;
      yield { line, text: each };
    }
  }
  // A final carriage return ends a line, too, even an empty one.
  if (rest + held !== '') yield { line: line + 1, text: rest };
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
