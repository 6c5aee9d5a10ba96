import { setMaxListeners } from 'node:events';
import { ClosedPipe, SchedError } from '../../../errors.ts';
import { type Json, parseJson } from '../../../json.ts';
import { safe } from '../../../output/sanitize.ts';
import type { Caller, ListPlace, Output, Runtime } from '../../../runtime.ts';
import type { Invoke } from '../../command.ts';
import { type Resume, readCursor } from './cursor.ts';
import { type Values, wordsOf } from './parameters.ts';
import { defaultRows, type Tool } from './tools.ts';

/** What every call of a server shares. */
export interface Host {
  runtime: Runtime;
  invoke: Invoke;
  /** Flags of the server that its commands get too: profile, sandbox, waiting. */
  flags: readonly string[];
  /** Time zone of days and times, unless a call has its own. */
  zone: string;
}

export interface Call {
  tool: Tool;
  /** Checked against the tool's schema. */
  values: Values;
  /** Aborted if the client cancels the call or goes away. */
  signal: AbortSignal;
  confirm?: Caller['confirm'];
}

/** What a command printed, and why it ended. */
export interface Outcome {
  records: Json[];
  /** Where the record with this index can be read again. Undefined after the last one. */
  placeAfter(count: number): Resume | undefined;
  notes: string[];
  error?: unknown;
}

/** Rows of a page that were printed. */
interface PrintedPage extends ListPlace {
  nextToken?: string | undefined;
  rows: number;
}

/** Takes the lines that a command prints: those of a list up to its limit, and then closes. */
class Lines {
  readonly wanted: string[] = [];
  readonly pages: PrintedPage[] = [];
  isClosed = false;
  isCut = false;
  #rest = '';
  #count = 0;
  readonly #skip: number;
  readonly #most: number;

  constructor(skip: number, most: number) {
    this.#skip = skip;
    this.#most = most;
  }

  readonly write = async (text: string): Promise<void> => {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop()!;
    for (const line of lines) this.#add(line);
  };

  #add(line: string): void {
    if (this.wanted.length === this.#most) {
      this.isClosed = true;
      throw new ClosedPipe();
    }
    if (this.pages.length === 0) this.pages.push({ rows: 0 });
    this.pages.at(-1)!.rows += 1;
    this.#count += 1;
    if (this.#count > this.#skip) this.wanted.push(line);
  }

  /** Where the list resumes after this many of its wanted lines. */
  placeAfter(count: number): Resume | undefined {
    const placeIn = ({ rows: _, nextToken: __, ...place }: PrintedPage, skip: number): Resume => ({
      ...place,
      skip,
    });
    let before = this.#skip + count;
    if (count < this.wanted.length) {
      for (const page of this.pages) {
        if (before < page.rows) return placeIn(page, before);
        before -= page.rows;
      }
    }
    const last = this.pages.at(-1);
    if (last === undefined) return undefined;
    if (this.isCut || this.isClosed) return placeIn(last, last.rows);
    if (last.nextToken === undefined) return undefined;
    return { token: last.nextToken, skip: 0, ...(last.query === undefined ? {} : { query: last.query }) };
  }
}

const silent = (write: Output['write'], columns = 80): Output => ({ isTerminal: false, columns, write });

/** The input of a command: the real one belongs to the protocol. */
const noInput: Runtime['stdin'] = {
  isTerminal: false,
  bytes: async () => new Uint8Array(),
  line: async () => undefined,
  stream: () => {
    throw new Error('a tool has no input');
  },
};

/** A line of notes as JSON. Anything else is kept as it is. */
const noteIn = (line: string): string => {
  try {
    const { note } = JSON.parse(line) as { note?: unknown };
    return typeof note === 'string' ? note : line;
  } catch {
    return line;
  }
};

/** Questions are wrapped by the client. */
const unwrapped = 1000;

/** The world of one call: its own streams, and an interruption of its own. */
const runtimeOf = (
  { runtime }: Host,
  { tool, signal, confirm }: Call,
  lines: Lines,
  notes: string[],
  from: Resume | undefined,
): Runtime => {
  const canceled = new AbortController();
  setMaxListeners(0, canceled.signal);
  const cancel = () => canceled.abort(new SchedError('interrupted', 'Canceled by the client'));
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const onError = async (text: string): Promise<void> => {
    const added = text
      .split('\n')
      .filter((line) => line !== '')
      .map(noteIn);
    notes.push(...added);
    // Perhaps nobody reads the notes of the server, so a failure to write them is no failure of the call.
    for (const note of added) await runtime.stderr.write(`${tool.name}: ${safe(note)}\n`).catch(() => {});
  };
  const caller: Caller = {
    ...(confirm === undefined ? {} : { confirm }),
    from,
    onPage: ({ place, nextToken }) => lines.pages.push({ ...place, nextToken, rows: 0 }),
    onListEnd: (isCut) => {
      lines.isCut = isCut;
    },
  };
  const own: Partial<Runtime> = {
    stdin: noInput,
    keyboard: noInput,
    stdout: silent((text) => lines.write(runtime.secrets.redact(text))),
    stderr: silent(onError, unwrapped),
    interrupted: canceled.signal,
    send: (request) => runtime.send({ ...request, signal: anyOf(request.signal, canceled.signal) }),
    openBrowser: async () => false,
    caller,
  };
  const missing = { openPager: undefined, promptStreams: undefined, spawn: undefined, status: undefined };
  return Object.create(runtime, Object.getOwnPropertyDescriptors({ ...own, ...missing }));
};

const anyOf = (one: AbortSignal | undefined, other: AbortSignal): AbortSignal =>
  one === undefined ? other : AbortSignal.any([one, other]);

/** Runs the command of a tool as the command line would, and collects what it prints. */
export const runTool = async (host: Host, call: Call): Promise<Outcome> => {
  const { tool, values } = call;
  const notes: string[] = [];
  const from = tool.isList ? readCursor(tool.name, values) : undefined;
  const skip = from?.skip ?? 0;
  const rows = tool.isList ? Number(values.limit ?? defaultRows) : Number.POSITIVE_INFINITY;
  const lines = new Lines(skip, rows);
  const { flags, args } = wordsOf(tool.parameters, values);
  const hasLimit = tool.command.flags.some(({ name }) => name === 'limit');
  const argv = [
    ...tool.words,
    ...host.flags.filter((flag) => !flag.startsWith('--tz=') || values.tz === undefined),
    '--output=jsonl',
    ...(hasLimit && tool.isList ? [`--limit=${skip + rows}`] : []),
    ...flags,
    ...(args.length === 0 ? [] : ['--', ...args]),
  ];
  const outcome = (error?: unknown): Outcome => ({
    records: lines.wanted.map((line) => parseJson(line) as Json),
    placeAfter: (count) => lines.placeAfter(count),
    notes,
    ...(error === undefined ? {} : { error }),
  });
  try {
    await host.invoke(argv, runtimeOf(host, call, lines, notes, from), true);
  } catch (error) {
    if (!(error instanceof ClosedPipe && lines.isClosed)) return outcome(error);
  }
  return outcome();
};
