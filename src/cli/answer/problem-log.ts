import { type Context, isWatched } from '../session/context.ts';

/** Problems that an answer will name. A log has each at once; a person who sees the answer reads them there. */
export interface ProblemLog {
  /** Says a problem now, unless a person will see the answer. */
  add(text: () => Promise<string> | string): Promise<void>;
  /** Says them to that person after all, because there will be no answer. */
  withoutAnswer(texts: readonly string[]): void;
}

export const createProblemLog = (context: Context): ProblemLog => {
  const isSeen = isWatched(context);
  return {
    add: async (text) => {
      if (!isSeen) context.notes.warn(await text());
    },
    withoutAnswer: (texts) => {
      if (isSeen) for (const text of texts) context.notes.warn(text);
    },
  };
};
