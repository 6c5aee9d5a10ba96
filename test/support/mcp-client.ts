import { PassThrough } from 'node:stream';
import { Client, type ClientCapabilities, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { afterEach } from 'vitest';
import type { Result, WorldOptions } from './run.ts';

/** The answer of the person to a question of a tool. */
export type Answer = (question: string) => 'yes' | 'no' | 'close';

export interface ConnectOptions extends WorldOptions {
  /** A client that can ask the person. */
  answer?: Answer;
  /** The newest revision of the protocol instead of the one before it. */
  isModern?: boolean;
}

const answers = {
  yes: { action: 'accept', content: { confirm: true } },
  no: { action: 'accept', content: { confirm: false } },
  close: { action: 'cancel' },
} as const;

/** The official client. Every question is answered by `answer`. */
export const createClient = ({ answer, isModern }: Pick<ConnectOptions, 'answer' | 'isModern'>): Client => {
  const capabilities: ClientCapabilities = answer === undefined ? {} : { elicitation: { form: {} } };
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities, ...(isModern ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {}) },
  );
  if (answer !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }) => answers[answer(params.message)]);
  return client;
};

interface World {
  run(line: string, more: WorldOptions): Promise<Result>;
}

/** Runs `sched mcp serve` in this process, and connects the official client to it. */
export const connect = async (world: World, flags = '', { answer, isModern, ...more }: ConnectOptions = {}) => {
  const inputStream = new PassThrough();
  let rest = '';
  const transport: Transport = {
    start: async () => {},
    send: async (message) => {
      inputStream.write(`${JSON.stringify(message)}\n`);
    },
    close: async () => {
      inputStream.end();
      transport.onclose?.();
    },
  };
  const onStdout = (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) transport.onmessage?.(JSON.parse(line) as JSONRPCMessage);
  };
  const done = world.run(`mcp serve ${flags}`, { ...more, inputStream, onStdout });
  const client = createClient({ ...(answer && { answer }), ...(isModern && { isModern }) });
  await client.connect(transport);
  return {
    client,
    /** Ends the connection, and returns what the server wrote. */
    close: async (): Promise<Result> => {
      await client.close();
      return done;
    },
  };
};

/** For the tests of a file: each has one server at most, which ends with it. */
export const oneServer = (worldOf: () => World) => {
  let open: Awaited<ReturnType<typeof connect>> | undefined;
  afterEach(async () => {
    await open?.close();
    open = undefined;
  });
  return {
    /** The client of a new server. */
    serving: async (flags = '', options: ConnectOptions = {}, world = worldOf()): Promise<Client> => {
      open = await connect(world, flags, options);
      return open.client;
    },
    /** Ends the server, and returns what it wrote. */
    end: (): Promise<Result> => open!.close(),
  };
};

export interface ToolError {
  code: string;
  exit: number;
  message: string;
  cause?: string;
  hint?: string;
  retry_after_s?: number;
  outcome: string;
}

/** The structured content of a result. */
export interface Structured {
  items: Record<string, unknown>[];
  record: Record<string, unknown>;
  next_cursor?: string;
  left_out?: string[];
  notes?: string[];
  notice: string;
  time_zone: string;
  error: ToolError;
}

/** Calls a tool, and returns its result with the types that tests need. */
export const callTool = async (client: Client, name: string, values: Record<string, unknown> = {}) => {
  const result = await client.callTool({ name, arguments: values });
  const [first] = result.content as { type: string; text: string }[];
  return {
    ...(result.structuredContent as unknown as Structured),
    isError: result.isError === true,
    text: first!.text,
    bytes: Buffer.byteLength(JSON.stringify(result)),
  };
};
