import type { Server, ServerContext } from '@modelcontextprotocol/server';
import type { Agreement, CallLog } from './call-log.ts';
import { type createCheck, noTool } from './check-call.ts';
import { type Values, withLists } from './parameters.ts';
import { canElicit, type Questions } from './questions.ts';
import { errorResult, toolResult } from './result.ts';
import { type Call, type Host, type Outcome, runTool } from './run-tool.ts';
import { describeTool, type Tool } from './tools.ts';

export interface CallSetup extends Host {
  tools: readonly Tool[];
  /** Whether the person may be asked at all. */
  mayAsk: boolean;
  /** Where writes are recorded. */
  log?: CallLog;
}

/** A tool with arguments that fit its schema. */
export type CheckedCall = Pick<Call, 'tool' | 'values'>;

/** The parts of a call, and calls made of them. */
export const createCalls = (setup: CallSetup, check: ReturnType<typeof createCheck>, questions: Questions) => {
  const schemas = new Map(setup.tools.map((tool) => [tool, describeTool(tool, false).inputSchema]));
  const checked = (tool: Tool, sent: Values): CheckedCall => {
    const values = withLists(tool.parameters, sent);
    check(schemas.get(tool)!, values);
    return { tool, values };
  };

  /** Runs a command of the caller. A write is recorded. */
  const run = (
    call: CheckedCall,
    { http, mcpReq }: ServerContext,
    more: Pick<Call, 'confirm' | 'beforeSend'>,
    agreement?: () => Agreement,
  ): Promise<Outcome> => {
    const runIt = () => runTool(setup, { ...call, ...more, signal: mcpReq.signal, token: http?.authInfo?.token });
    const { log } = setup;
    return call.tool.isWrite && log && agreement ? log.around(call.tool.name, call.values, runIt, agreement) : runIt();
  };

  const zoneOf = ({ tz }: Values): string => (typeof tz === 'string' ? tz : setup.zone);

  const call = async (name: string, sent: Values, context: ServerContext, server: Server) => {
    const tool = setup.tools.find((each) => each.name === name);
    if (tool === undefined) throw noTool(name);
    let openQuestion: string | undefined;
    let isConfirmed = false;
    try {
      const { values } = checked(tool, sent);
      const own = questions.of(context, name, values);
      const confirm = async (question: string) => {
        const answer = own.answerTo(question);
        if (answer === undefined) openQuestion = question;
        isConfirmed = answer === true;
        return isConfirmed;
      };
      const agreement = (): Agreement => ({
        confirmed: isConfirmed ? 'person' : setup.flags.yes ? 'flag' : 'nobody',
        isOpen: openQuestion !== undefined,
      });
      const mayAsk = setup.mayAsk && canElicit(context, server);
      const outcome = await run({ tool, values }, context, mayAsk ? { confirm } : {}, agreement);
      if (openQuestion === undefined) return toolResult(outcome, { tool, values, zone: zoneOf(values) });
      return await own.ask(openQuestion);
    } catch (error) {
      return errorResult(error);
    }
  };
  return { checked, run, zoneOf, call };
};
