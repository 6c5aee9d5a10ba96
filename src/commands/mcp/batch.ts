import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { SchedError, usageError } from '../../base/errors.ts';
import { declined } from '../../cli/session/confirm.ts';
import type { Agreement } from './call-log.ts';
import type { CallSetup, CheckedCall, createCalls } from './calls.ts';
import type { createCheck } from './check-call.ts';
import { strictestHints } from './compact-tools.ts';
import type { Values } from './parameters.ts';
import { canElicit, type Questions } from './questions.ts';
import { batchResult, errorResult } from './result.ts';
import type { Outcome } from './run-tool.ts';
import { cutText } from './shorten.ts';
import type { Tool } from './tools.ts';

export const batchName = 'batch';

const mostCalls = 20;

/** What `tools/list` says about the tool. The list has little room. */
export const describeBatch = (tools: readonly Tool[]) => {
  const hints = strictestHints(tools);
  const asks = hints.readOnlyHint ? '' : '. The person confirms its writes as one list';
  const properties = { tool: { type: 'string' }, arguments: { type: 'object' } };
  const items = { type: 'object', properties, required: ['tool'], additionalProperties: false };
  return {
    name: batchName,
    description: `Run up to ${mostCalls} tools in order, until one fails${asks}.`,
    inputSchema: {
      type: 'object' as const,
      properties: { calls: { type: 'array', items, minItems: 1, maxItems: mostCalls } },
      required: ['calls'],
      additionalProperties: false,
    },
    // For a tool that only reads, the other hints say nothing.
    annotations: hints.readOnlyHint ? { readOnlyHint: true } : hints,
  };
};

interface Parts extends CallSetup, Pick<ReturnType<typeof createCalls>, 'checked' | 'run' | 'zoneOf'> {
  check: ReturnType<typeof createCheck>;
  questions: Questions;
}

interface SentCall {
  tool: string;
  arguments?: Values;
}

/** What the command of a write asks, if it asks. */
type Listed = string | undefined;

/** All writes as one question: each as its command asks, or with its arguments. */
const listText = (list: Map<CheckedCall, Listed>): string => {
  const texts = [...list].map(
    ([{ tool, values }, question], index) =>
      `${index + 1}. ${question ?? `${tool.facts.summary}: ${cutText(JSON.stringify(values))}`}`,
  );
  return [list.size === 1 ? 'Make this change?' : `Make these ${list.size} changes in this order?`, ...texts].join(
    '\n\n',
  );
};

const nothing = (error?: unknown): Outcome => ({ records: [], places: [], notes: [], error });

/** Answers the tool. It can do nothing that its calls, one after another, could not do. */
export const createBatch = ({ tools, check, checked, run, zoneOf, questions, log, ...setup }: Parts) => {
  const { inputSchema } = describeBatch(tools);

  const read = ({ tool: name, arguments: values = {} }: SentCall, index: number): CheckedCall => {
    const tool = tools.find((each) => each.name === name);
    const where = `Call ${index + 1}`;
    if (name === batchName) throw usageError([`${where}: a batch can't be in a batch`]);
    if (tool === undefined) throw usageError([`${where}: no tool "${cutText(name, 100)}"`]);
    try {
      return checked(tool, values);
    } catch (error) {
      throw usageError([`${where}, ${name}: ${(error as Error).message}`]);
    }
  };

  /** Records writes that were not run: the person was asked or said no, or they are refused. */
  const record = async (writes: readonly CheckedCall[], outcome: Outcome, isOpen: boolean): Promise<void> => {
    const agreement = (): Agreement => ({ confirmed: 'nobody', isOpen });
    for (const { tool, values } of writes) await log?.around(tool.name, values, async () => outcome, agreement);
  };

  /** Finds out what a write asks, without writing. */
  const look = async ({ tool, values }: CheckedCall, context: ServerContext) => {
    let question: string | undefined;
    let isHeld = false;
    const outcome = await run({ tool, values }, context, {
      confirm: async (text) => {
        question = text;
        return false;
      },
      beforeSend: () => {
        isHeld = true;
        throw declined('send');
      },
    });
    const isRefused = question === undefined && !isHeld && outcome.error !== undefined;
    return { question, refusal: isRefused ? outcome : undefined };
  };

  /** Runs the calls until one fails. An answer counts only for what the list says of a call. */
  const runAll = async (calls: readonly CheckedCall[], context: ServerContext, list?: Map<CheckedCall, Listed>) => {
    const outcomes = new Map<CheckedCall, Outcome>();
    const confirmed = list ? 'person' : setup.flags.yes ? 'flag' : 'nobody';
    for (const call of calls) {
      const confirm = async (question: string) => {
        if (question === list?.get(call)) return true;
        throw new SchedError('confirmation-required', "The confirmed list doesn't say what this call asks now", {
          advice: 'call the tool alone',
          outcome: 'not-sent',
        });
      };
      const running = run(call, context, list ? { confirm } : {}, () => ({ confirmed, isOpen: false }));
      const outcome = await running.catch(nothing);
      outcomes.set(call, outcome);
      if (outcome.error !== undefined) break;
    }
    return outcomes;
  };

  return async (sent: Values, context: ServerContext, server: Server) => {
    try {
      check(inputSchema, sent);
      const calls = (sent.calls as SentCall[]).map(read);
      const writes = calls.filter(({ tool }) => tool.isWrite);
      const mayAsk = setup.mayAsk && !setup.flags.yes && canElicit(context, server);
      if (writes.length === 0 || !mayAsk) return batchResult(calls, await runAll(calls, context), zoneOf);

      const list = new Map<CheckedCall, Listed>();
      for (const write of writes) {
        const { question, refusal } = await look(write, context);
        if (refusal) {
          await record([write], refusal, false);
          return batchResult(calls, new Map([[write, refusal]]), zoneOf);
        }
        list.set(write, question);
      }
      const text = listText(list);
      const own = questions.of(context, batchName, sent);
      const answer = own.answerTo(text);
      if (answer) return batchResult(calls, await runAll(calls, context, list), zoneOf);
      await record(writes, nothing(declined('send')), answer === undefined);
      if (answer === undefined) return await own.ask(text);
      throw declined('send');
    } catch (error) {
      return errorResult(error);
    }
  };
};
