import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Writable } from 'node:stream';
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { ClosedPipe } from '../../base/errors.ts';
import { version } from '../../base/system.ts';
import type { Output } from '../../runtime.ts';
import type { McpServer } from '../../sandbox/mcp/endpoint.ts';
import type { Agreement, CallLog } from './call-log.ts';
import { createCheck, noTool } from './check-call.ts';
import { compactCalls, compactList } from './compact-tools.ts';
import { serveSessions } from './http-sessions.ts';
import { type Values, withLists } from './parameters.ts';
import { prompts } from './prompts.ts';
import { errorResult, toolResult } from './result.ts';
import { type Call, type Host, runTool } from './run-tool.ts';
import { cutText } from './shorten.ts';
import { describeTool, type Tool } from './tools.ts';

interface ServerSetup extends Host {
  tools: readonly Tool[];
  hasOutputSchemas: boolean;
  /** Three tools instead of one for each command. */
  isCompact?: boolean;
  /** Whether the person may be asked at all. */
  mayAsk: boolean;
  instructions: string;
  /** Where writes are recorded. */
  log?: CallLog;
}

/** What a client sends back together with the answer to a question. */
interface Asked {
  question: string;
  number: number;
}

/** Questions that can wait for an answer. Older ones are asked again. */
const mostAsked = 1000;

const answerKey = 'confirm';

const questionDigest = (...parts: unknown[]): string => hash('sha256', JSON.stringify(parts), 'base64url');

/** Whether the client can show a form to the person. */
const canElicit = (context: ServerContext, server: Server): boolean => {
  // Newer clients declare their capabilities with each request, older ones once.
  const envelope: Readonly<Record<string, unknown>> = context.mcpReq.envelope ?? {};
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  const { elicitation } = declared ?? server.getClientCapabilities() ?? {};
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
};

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
  const descriptions = tools.map((tool) => describeTool(tool, hasOutputSchemas));
  const toolList = isCompact ? compactList(tools) : descriptions;
  const codec = createRequestStateCodec<Asked>({ key: runtime.randomBytes(32) });
  const offeredPrompts = prompts.filter((prompt) =>
    prompt.tools.every((name) => tools.some((tool) => tool.name === name)),
  );
  /** The questions that wait for an answer. */
  const openQuestions = new Set<number>();
  let questions = 0;
  /** Calls that have not ended. A write must not be abandoned when the client goes away. */
  const calls = new Set<Promise<unknown>>();

  const call = async (name: string, sent: Values, context: ServerContext, server: Server) => {
    const index = tools.findIndex((tool) => tool.name === name);
    const tool = tools[index];
    if (tool === undefined) throw noTool(name);
    const values = withLists(tool.parameters, sent);
    let openQuestion: string | undefined;
    let isConfirmed = false;
    const { authInfo } = context.http ?? {};
    const digestFor = (question: string) => questionDigest(authInfo?.extra?.user, name, values, question);
    const confirm: Call['confirm'] = async (question) => {
      const answer = inputResponse(context.mcpReq.inputResponses, answerKey);
      const state = context.mcpReq.requestState<Asked>();
      // An answer counts once, and only for the question as it is now: the event may have changed meanwhile.
      if (answer.kind === 'elicit' && state?.question === digestFor(question) && openQuestions.delete(state.number)) {
        isConfirmed = answer.action === 'accept' && answer.content?.confirm === true;
        return isConfirmed;
      }
      openQuestion = question;
      return false;
    };
    const mayAsk = setup.mayAsk && canElicit(context, server);
    const zone = typeof values.tz === 'string' ? values.tz : setup.zone;
    try {
      check(descriptions[index]!.inputSchema, values);
      const run = () =>
        runTool(setup, {
          tool,
          values,
          signal: context.mcpReq.signal,
          token: authInfo?.token,
          ...(mayAsk ? { confirm } : {}),
        });
      const agreement = (): Agreement => ({
        confirmed: isConfirmed ? 'person' : setup.flags.yes ? 'flag' : 'nobody',
        isOpen: openQuestion !== undefined,
      });
      const outcome = await (tool.isWrite && setup.log ? setup.log.around(tool.name, values, run, agreement) : run());
      if (openQuestion === undefined) return toolResult(outcome, { tool, values, zone });
    } catch (error) {
      return errorResult(error);
    }
    questions += 1;
    openQuestions.add(questions);
    if (openQuestions.size > mostAsked) openQuestions.delete(openQuestions.values().next().value!);
    return inputRequired({
      inputRequests: {
        [answerKey]: inputRequired.elicit({
          message: openQuestion,
          requestedSchema: {
            type: 'object',
            properties: { confirm: { type: 'boolean', title: 'Continue?', default: false } },
            required: ['confirm'],
          },
        }),
      },
      requestState: await codec.mint({ question: digestFor(openQuestion), number: questions }, context),
    });
  };

  const answer = isCompact ? compactCalls({ tools, hasOutputSchemas, check, call }) : call;

  const createServer = (): Server => {
    const server = new Server(
      { name: 'sched', version },
      {
        capabilities: { tools: {}, ...(offeredPrompts.length === 0 ? {} : { prompts: {} }) },
        instructions: setup.instructions,
        requestState: { verify: codec.verify },
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
