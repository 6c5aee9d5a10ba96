import { setMaxListeners } from 'node:events';
import { SchedError } from '../../base/errors.ts';
import type { Given } from '../../cli/input/given.ts';
import { collectNotes, type Notes } from '../../cli/messages/notes.ts';
import { Problems } from '../../cli/messages/problems.ts';
import { noAccount } from '../../cli/messages/suggested-line.ts';
import { runCommand } from '../../cli/run-command.ts';
import type { Frontend } from '../../cli/session/frontend.ts';
import type { Output, Runtime } from '../../runtime.ts';
import { Collector } from './collector.ts';
import { readToolCursor } from './cursor.ts';
import { givenOf, spellingOf, toolError, type Values } from './parameters.ts';
import { defaultRows, type Tool } from './tools.ts';

/** What every call of a server shares. */
export interface Host {
  runtime: Runtime;
  /** Notes of the server itself. */
  notes: Notes;
  /** The world of a caller who brings a token. Without it, all calls use the login of the server. */
  runtimeFor?(token: string): Runtime;
  /** Flags of the server that its commands get too: profile, sandbox, waiting. */
  flags: Given;
  /** Time zone of days and times, unless a call has its own. */
  zone: string;
}

export interface Call extends Pick<Frontend, 'confirm' | 'beforeSend'> {
  tool: Tool;
  /** Checked against the tool's schema. */
  values: Values;
  /** Aborted if the client cancels the call or goes away. */
  signal: AbortSignal;
  /** The caller's, where each caller has one. */
  token?: string | undefined;
}

/** The records of a command, and why it ended. */
export interface Outcome extends Pick<Collector, 'records' | 'places'> {
  notes: string[];
  error?: unknown;
}

/** stdout belongs to the protocol, and a question is wrapped by the client. */
const noOutput: Output = {
  isTerminal: false,
  columns: 1000,
  write: () => Promise.reject(new Error('a tool returns records')),
};

/** The real input belongs to the protocol. */
const noInput: Runtime['stdin'] = {
  isTerminal: false,
  bytes: async () => new Uint8Array(),
  line: async () => undefined,
  stream: () => {
    throw new Error('a tool has no input');
  },
};

const anyOf = (one: AbortSignal | undefined, other: AbortSignal): AbortSignal =>
  one === undefined ? other : AbortSignal.any([one, other]);

/** The world of one call: no terminal, and an interruption of its own. */
const runtimeOf = (runtime: Runtime, signal: AbortSignal): Runtime => {
  const cancellation = new AbortController();
  // A batch has one signal for all of its calls.
  setMaxListeners(0, cancellation.signal, signal);
  const cancel = () => cancellation.abort(new SchedError('interrupted', 'Canceled by the client'));
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const own: Partial<Runtime> = {
    stdin: noInput,
    keyboard: noInput,
    stdout: noOutput,
    stderr: noOutput,
    interrupted: cancellation.signal,
    send: (request) => runtime.send({ ...request, signal: anyOf(request.signal, cancellation.signal) }),
    openBrowser: async () => false,
  };
  // The status line belongs to the terminal of the server.
  return Object.create(runtime, Object.getOwnPropertyDescriptors({ ...own, status: undefined }));
};

/** Where callers have tokens, a call without one must not use the login of the server. */
const toolWorld = ({ runtime, runtimeFor }: Host, token: string | undefined): Runtime => {
  if (runtimeFor === undefined) return runtime;
  if (token === undefined) throw new SchedError('auth', 'The call has no token');
  return runtimeFor(token);
};

/** Runs the command of a tool as the command line would, and collects its records. */
export const runTool = async (host: Host, call: Call): Promise<Outcome> => {
  const { tool, values, signal, token, confirm, beforeSend } = call;
  const from = tool.isList ? readToolCursor(tool.name, values) : undefined;
  const most = tool.isList ? Number(values.limit ?? defaultRows) : Number.POSITIVE_INFINITY;
  const hasLimit = tool.isList && tool.command.flags.some(({ name }) => name === 'limit');
  const spelling = spellingOf(tool.parameters);
  const invocation = {
    name: tool.facts.command,
    given: {
      ...host.flags,
      output: 'jsonl',
      ...(hasLimit ? { limit: String((from?.skip ?? 0) + most) } : {}),
      ...givenOf(tool.parameters, values),
    },
    parts: [],
    problems: new Problems(undefined, spelling),
  };
  const collector = new Collector(most, from);
  const notes: string[] = [];
  const addNote = (note: string) => {
    notes.push(note);
    host.notes.always(`${tool.name}: ${note}`);
  };
  const { records, places } = collector;
  let here = noAccount;
  try {
    await runCommand(tool.command, invocation, runtimeOf(toolWorld(host, token), signal), {
      isJson: true,
      help: async () => {},
      // A tool has no command to try, but a person may run what an advice names.
      suggest: async (error, knownHere) => {
        here = knownHere;
        return error;
      },
      frontend: {
        from,
        take: (taken) => collector.take(taken),
        notes: collectNotes(addNote, spelling),
        ...(confirm && { confirm }),
        ...(beforeSend && { beforeSend }),
      },
    });
    return { records, places, notes };
  } catch (error) {
    return { records, places, notes, error: toolError(tool.parameters, error, here) };
  }
};
