import { hash } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Runtime } from '../../runtime.ts';

/** What a client sends back together with the answer to a question. */
interface Asked {
  question: string;
  number: number;
}

/** Questions that can wait for an answer. Older ones are asked again. */
const mostAsked = 1000;

const answerKey = 'confirm';

/** Whether the client can show a form to the person. */
export const canElicit = (context: ServerContext, server: Server): boolean => {
  // Newer clients declare their capabilities with each request, older ones once.
  const envelope: Readonly<Record<string, unknown>> = context.mcpReq.envelope ?? {};
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  const { elicitation } = declared ?? server.getClientCapabilities() ?? {};
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
};

/** The questions of a server: asked with the result of a call, and answered with a repetition of the call. */
export const createQuestions = ({ randomBytes }: Pick<Runtime, 'randomBytes'>) => {
  const codec = createRequestStateCodec<Asked>({ key: randomBytes(32) });
  /** The questions that wait for an answer. */
  const openQuestions = new Set<number>();
  let questions = 0;
  /** Identifies a question of a call with these arguments, from this user. */
  const digestOf = ({ http }: ServerContext, name: string, values: unknown, question: string): string =>
    hash('sha256', JSON.stringify([http?.authInfo?.extra?.user, name, values, question]), 'base64url');
  return {
    verify: codec.verify,
    /** The person's answer, or undefined if the question must be asked. */
    answerTo: (context: ServerContext, name: string, values: unknown, question: string): boolean | undefined => {
      const answer = inputResponse(context.mcpReq.inputResponses, answerKey);
      const state = context.mcpReq.requestState<Asked>();
      // An answer counts once, and only for the question as it is now: the event may have changed meanwhile.
      if (answer.kind !== 'elicit' || state?.question !== digestOf(context, name, values, question)) return undefined;
      if (!openQuestions.delete(state.number)) return undefined;
      return answer.action === 'accept' && answer.content?.confirm === true;
    },
    ask: async (context: ServerContext, name: string, values: unknown, question: string) => {
      questions += 1;
      const number = questions;
      openQuestions.add(number);
      if (openQuestions.size > mostAsked) openQuestions.delete(openQuestions.values().next().value!);
      return inputRequired({
        inputRequests: {
          [answerKey]: inputRequired.elicit({
            message: question,
            requestedSchema: {
              type: 'object',
              properties: { confirm: { type: 'boolean', title: 'Continue?', default: false } },
              required: ['confirm'],
            },
          }),
        },
        requestState: await codec.mint({ question: digestOf(context, name, values, question), number }, context),
      });
    },
  };
};

export type Questions = ReturnType<typeof createQuestions>;
