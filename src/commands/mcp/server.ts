import type { Readable } from 'node:stream';
import { Writable } from 'node:stream';
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { ClosedPipe } from '../../base/errors.ts';
import { version } from '../../base/system.ts';
import type { Output } from '../../runtime.ts';
import type { McpServer } from '../../sandbox/mcp/endpoint.ts';
import { batchName, createBatch, describeBatch } from './batch.ts';
import { type CallSetup, createCalls } from './calls.ts';
import { createCheck } from './check-call.ts';
import { compactCalls, compactList } from './compact-tools.ts';
import { serveSessions } from './http-sessions.ts';
import { prompts } from './prompts.ts';
import { createQuestions } from './questions.ts';
import type { Host } from './run-tool.ts';
import { cutText } from './shorten.ts';
import { describeTool } from './tools.ts';

interface ServerSetup extends CallSetup {
  hasOutputSchemas: boolean;
  /** Three tools instead of one for each command. */
  isCompact?: boolean;
  hasBatch: boolean;
  instructions: string;
}

/** Writes through the output of the command, which redacts secrets. */
const writableOf = (stdout: Output): Writable =>
  new Writable({
    decodeStrings: false,
    write: (chunk, _, done) => {
      stdout.write(String(chunk)).then(() => done(), done);
    },
  });

/** The reply to a line that is JSON, but no message. It may be a batch, which only one old revision has. */
const notOneMessage = {
  jsonrpc: '2.0',
  id: null,
  error: { code: ProtocolErrorCode.InvalidRequest, message: 'Each line must be one JSON-RPC message, not a batch' },
};

/** The parts of a server that all its connections share. */
const createParts = (setup: ServerSetup) => {
  const { runtime, tools, hasOutputSchemas, isCompact } = setup;
  const check = createCheck();
  const batch = setup.hasBatch ? describeBatch(tools) : undefined;
  const descriptions = tools.map((tool) => describeTool(tool, hasOutputSchemas));
  const toolList = isCompact ? compactList(tools, batch) : [...descriptions, ...(batch === undefined ? [] : [batch])];
  const questions = createQuestions(runtime);
  const offeredPrompts = prompts.filter((prompt) =>
    prompt.tools.every((name) => tools.some((tool) => tool.name === name)),
  );
  /** Calls that have not ended. A write must not be abandoned when the client goes away. */
  const calls = new Set<Promise<unknown>>();

  const parts = createCalls(setup, check, questions);
  const callBatch = createBatch({ ...setup, check, questions, ...parts });
  const call: typeof parts.call = (name, ...rest) =>
    batch !== undefined && name === batchName ? callBatch(...rest) : parts.call(name, ...rest);
  const answer = isCompact ? compactCalls({ tools, batch, hasOutputSchemas, check, call }) : call;

  const createServer = (): Server => {
    const server = new Server(
      { name: 'sched', version },
      {
        capabilities: { tools: {}, ...(offeredPrompts.length === 0 ? {} : { prompts: {} }) },
        instructions: setup.instructions,
        requestState: { verify: questions.verify },
      },
    );
    server.setRequestHandler('tools/list', () => ({ tools: toolList as never }));
    server.setRequestHandler('tools/call', ({ params }, context) => {
      const result = answer(params.name, params.arguments ?? {}, context, server);
      calls.add(result);
      return result.finally(() => calls.delete(result));
    });
    if (offeredPrompts.length === 0) return server;
    server.setRequestHandler('prompts/list', () => ({
      prompts: offeredPrompts.map(({ tools: _, text: __, ...prompt }) => prompt),
    }));
    server.setRequestHandler('prompts/get', ({ params }) => {
      const prompt = offeredPrompts.find(({ name }) => name === params.name);
      if (prompt === undefined)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No prompt "${cutText(params.name, 100)}"`);
      const text = prompt.text(params.arguments ?? {});
      return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
    });
    return server;
  };
  return { createServer, calls };
};

/** Serves the tools on stdin and stdout until the client goes away. Throws if stdout fails or a signal arrives. */
export const serveTools = async (setup: ServerSetup): Promise<void> => {
  const { runtime } = setup;
  const { interrupted } = runtime;
  const { createServer, calls } = createParts(setup);
  runtime.stdout.unblock?.(interrupted);
  const stdout = writableOf(runtime.stdout);
  let failure: unknown;
  stdout.on('error', (error) => {
    failure ??= error;
  });
  const transport = new StdioServerTransport(runtime.stdin.stream() as Readable, stdout);
  const handle = serveStdio(createServer, {
    transport,
    onerror: ({ message }) => setup.notes.info(`protocol: ${cutText(message, 300)}`),
  });
  const close = () => void handle.close();
  const { onclose, onerror } = transport;
  transport.onerror = (error) => {
    onerror?.(error);
    if (error.name === 'ZodError') void transport.send(notOneMessage as never).catch(() => {});
  };
  await new Promise<void>((resolve) => {
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
    interrupted.addEventListener('abort', close, { once: true });
    if (interrupted.aborted) close();
  });
  interrupted.removeEventListener('abort', close);
  // The calls are aborted by now. Writes wait for their reply.
  await Promise.allSettled(calls);
  interrupted.throwIfAborted();
  if (failure !== undefined && !(failure instanceof ClosedPipe)) throw failure;
};

/** Serves the tools over HTTP, each call with the token of its caller. */
export const serveHttp = (setup: ServerSetup & Required<Pick<Host, 'runtimeFor'>>): McpServer => {
  const { createServer, calls } = createParts(setup);
  const { answer, close } = serveSessions(createServer, setup.runtime);
  return {
    answer,
    close: async () => {
      await close();
      await Promise.allSettled(calls);
    },
  };
};
