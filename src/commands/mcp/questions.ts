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
import type { HeadlessRuntime } from '../../runtime.ts';

/** What a client sends back together with the answer to a question. */
interface Asked {
  /** Digest of the user, the tool and the arguments. */
  call: string;
  /** The digests of what the person has agreed to in this call, and of the open question. */
  questions: string[];
  number: number;
}

/** Questions that can wait for an answer. Older ones are asked again. */
const mostAsked = 1000;

const answerKey = 'confirm';

const digestOf = (value: unknown): string => hash('sha256', JSON.stringify(value), 'base64url');

/** Whether the client can show a form to the person. */
export const canElicit = (context: ServerContext, server: Server): boolean => {
  // Newer clients declare their capabilities with each request, older ones once.
  const envelope: Readonly<Record<string, unknown>> = context.mcpReq.envelope ?? {};
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  const { elicitation } = declared ?? server.getClientCapabilities() ?? {};
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
};

/** The questions of a server: asked with the result of a call, and answered with a repetition of the call. */
export const createQuestions = ({ randomBytes }: Pick<HeadlessRuntime, 'randomBytes'>) => {
  const codec = createRequestStateCodec<Asked>({ key: randomBytes(32) });
  /** The questions that wait for an answer. */
  const openQuestions = new Set<number>();
  let questions = 0;
  return {
    verify: codec.verify,
    /** The questions of a call with these arguments, and the answers that come with it. */
    of: (context: ServerContext, name: string, values: unknown) => {
      const call = digestOf([context.http?.authInfo?.extra?.user, name, values]);
      const answer = inputResponse(context.mcpReq.inputResponses, answerKey);
      const state = context.mcpReq.requestState<Asked>();
      // Answers count once, and only for this call.
      const isAnswered = answer.kind === 'elicit' && state?.call === call && openQuestions.delete(state.number);
      const answered = isAnswered ? state.questions : [];
      const isYes = answer.kind === 'elicit' && answer.action === 'accept' && answer.content?.confirm === true;
      const agreed: string[] = [];
      return {
        /** The person's answer, or undefined if the question must be asked: what is asked about may have changed. */
        answerTo: (question: string): boolean | undefined => {
          const digest = digestOf(question);
          if (!answered.includes(digest)) return undefined;
          const isConfirmed = isYes || digest !== answered.at(-1);
          if (isConfirmed) agreed.push(digest);
          return isConfirmed;
        },
        ask: async (question: string) => {
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
            requestState: await codec.mint({ call, questions: [...agreed, digestOf(question)], number }, context),
          });
        },
      };
    },
  };
};

export type Questions = ReturnType<typeof createQuestions>;
