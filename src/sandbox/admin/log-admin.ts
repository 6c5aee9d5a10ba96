import * as z from 'zod/mini';
import { choice, described, flag, integer, list, record, text, type Value } from '../../api/field.ts';
import { notFound, Refusal } from '../error-replies.ts';
import { checkOperations, type FaultScript, readFaults } from '../faults/faults.ts';
import { steps, storiesIn } from '../oauth/story.ts';
import type { Store } from '../store/store.ts';
import { type AdminCall, callsWith } from './admin.ts';
import { markOf } from './wait.ts';

const LogRecord = record({
  number: integer('counts requests from 1, and goes on after the log was emptied'),
  at: text('time of the request, by the clock of the sandbox'),
  method: text('method of the request'),
  path: text('path with query'),
  operation: z.nullable(text('such as events.list; null if the request matches no operation')),
  status: z.nullable(integer("the service's status code; null if the request didn't reach the service")),
  committed: flag('whether the request changed data, even if its reply was lost'),
  faults: list(z.string(), 'kinds of the faults that affected it'),
  token: z.nullable(text("name of a ready-made token, or the beginning of another token's hash; null without a token")),
  window: z.nullable(text('the rate limit that refused it, such as general/minute')),
  milliseconds: z.nullable(integer('time until the reply; null before it')),
  // Bodies of OAuth requests contain secrets.
  body: z.nullable(text('the body of a write; null for OAuth requests, and for old requests if the log is full')),
  oauth: z.nullable(
    record({
      step: choice(steps, 'what the request was for the client'),
      client: z.nullable(text('ID of the client, if the request or its token has one')),
      missed: z.nullable(text('the rule that the client missed')),
    }),
  ),
  reply: z.nullable(text("the body of the service's reply, before any fault; null like body")),
});

export type LogEntry = Value<typeof LogRecord>;

/** Limits of the log. Above them, the oldest entries are dropped, and the oldest bodies. */
const longestLog = 10_000;
const longestBodies = 64 * 1024 * 1024;

export interface LogOptions {
  /** How many deletions of invitee data were carried out. */
  deletionsDone?: () => number;
}

/** A log of requests. It forgets with each deletion what was sent before: all of it may be about a deleted person. */
export const createLog = ({ deletionsDone = () => 0 }: LogOptions = {}) => {
  let entries: LogEntry[] = [];
  let bodies = 0;
  let deletions = deletionsDone();
  const forgetDeleted = (spared?: LogEntry) => {
    const done = deletionsDone();
    if (done === deletions) return;
    deletions = done;
    for (const entry of entries) {
      if (entry === spared) continue;
      bodies -= sizeOf(entry);
      Object.assign(entry, { path: entry.path.replace(/\?.*/s, ''), body: null, reply: null });
    }
  };
  const sizeOf = ({ body, reply }: LogEntry) => (body?.length ?? 0) + (reply?.length ?? 0);
  return {
    get entries() {
      forgetDeleted();
      return entries;
    },
    clear() {
      entries = [];
      bodies = 0;
    },
    add(entry: LogEntry) {
      forgetDeleted();
      entries.push(entry);
      bodies += sizeOf(entry);
      if (entries.length > longestLog)
        for (const dropped of entries.splice(0, longestLog / 10)) bodies -= sizeOf(dropped);
    },
    /** Completes an entry, unless it was dropped meanwhile. */
    addReply(entry: LogEntry, reply: string) {
      // A deletion comes before the request that carries it out.
      forgetDeleted(entry);
      if (entries.lastIndexOf(entry) < 0) return;
      entry.reply = reply;
      bodies += reply.length;
      if (bodies <= longestBodies) return;
      for (const old of entries) {
        if (bodies <= longestBodies * 0.9) return;
        bodies -= sizeOf(old);
        Object.assign(old, { body: null, reply: null });
      }
    },
  };
};

export interface LogContext {
  script: FaultScript;
  log: ReturnType<typeof createLog>;
}

interface LogCallContext extends LogContext {
  sandbox: { store: Store };
}

const call = callsWith<LogCallContext>();

const Faults = record({
  faults: list(z.unknown(), 'each fault with its number, and how many requests it matched and struck'),
});
const Log = record({ log: list(LogRecord, 'the oldest request first') });

const Filters = record({
  operation: z.optional(text('only requests for this operation, such as events.list')),
  status: z.optional(integer('only requests that got this status code')),
  since: z.optional(integer('only requests with a higher number')),
});

const addFaults = async (body: unknown, script: FaultScript) => {
  try {
    const faults = readFaults(body);
    await checkOperations(faults);
    script.add(...faults);
  } catch (error) {
    throw new Refusal(400, 'Invalid Argument', (error as Error).message);
  }
};

/** Admin requests about the requests to the service: their log, and the faults that affect them. */
export const logCalls: readonly AdminCall<LogCallContext>[] = [
  call(
    'GET /__sandbox/log',
    'List the requests to the service',
    { query: Filters, reply: Log },
    ({ query }, { log }) => ({
      log: log.entries.filter((entry) =>
        (['operation', 'status'] as const).every(
          (name) => entry.number > (query.since ?? 0) && (query[name] ?? entry[name]) === entry[name],
        ),
      ),
    }),
  ),
  call(
    'GET /__sandbox/mark',
    'Mark what has come so far, for programs that wait for more',
    { reply: record({ mark: text('the last numbers of deliveries, notices and requests') }) },
    (_, { log, sandbox: { store } }) => {
      const last = (table: string) =>
        store.first<{ last: number }>(`SELECT coalesce(max(number), 0) AS last FROM ${table}`)!.last;
      const request = log.entries.at(-1)?.number ?? 0;
      return { mark: markOf({ delivery: last('deliveries'), notice: last('notices'), request }) };
    },
  ),
  call(
    'GET /__sandbox/oauth',
    'Tell what each OAuth client of the log did, and the first rule it broke',
    { reply: record({ oauth: list(z.unknown(), 'a line for each step of each client') }) },
    (_, { log }) => ({ oauth: storiesIn(log.entries) }),
  ),
  call('DELETE /__sandbox/log', 'Empty the log', { reply: Log }, (_, { log }) => {
    log.clear();
    return { log: [] };
  }),
  call('GET /__sandbox/faults', 'List the faults', { reply: Faults }, (_, { script }) => ({ faults: script.faults })),
  call(
    'POST /__sandbox/faults',
    'Add a fault, or a list of faults',
    { body: described(z.unknown(), 'written as in docs/sandbox.md'), reply: Faults, status: 201 },
    async ({ body }, { script }) => {
      await addFaults(body, script);
      return { faults: script.faults };
    },
  ),
  call('DELETE /__sandbox/faults', 'Remove all faults', { reply: Faults }, (_, { script }) => {
    script.clear();
    return { faults: [] };
  }),
  call('POST /__sandbox/faults/{number}/remove', 'Remove one fault', { reply: Faults }, ({ params }, { script }) => {
    if (!script.remove(Number(params.number))) throw notFound('fault');
    return { faults: script.faults };
  }),
];
