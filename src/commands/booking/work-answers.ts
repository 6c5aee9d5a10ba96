import type { SentEventType } from '../../api/event-types.ts';
import { recordsIn } from '../../base/json.ts';
import { nearest } from '../../base/nearest.ts';
import { the, type Words, words } from '../../base/words.ts';

/** An answer to a question of the event type, as the service takes it. */
export interface Answer {
  question: string;
  answer: string;
  position: number;
}

export const questionsOf = ({ custom_questions: questions }: SentEventType) => recordsIn(questions);

export type Questions = ReturnType<typeof questionsOf>;

/** Reads `Question=Answer`. A question may itself contain `=`, so the longest known question wins. */
export const readAnswer = (raw: string, questions: Readonly<Questions>): Answer | Words => {
  const questionNames = questions.map((question) => String(question.name)).sort((a, b) => b.length - a.length);
  const question = questionNames.find((name) => raw.toLowerCase().startsWith(`${name.toLowerCase()}=`));
  if (question !== undefined) {
    const { position } = questions.find((candidate) => candidate.name === question)!;
    return { question, answer: raw.slice(question.length + 1), position: Number(position) };
  }
  if (questionNames.length === 0) return words`${the('answer')} "${raw}": this event type has no questions`;
  const meant = nearest(raw.split('=')[0]!, questionNames);
  const guess = meant === undefined ? '' : `Did you mean "${meant}"? `;
  return words`${the('answer')} "${raw}" matches no question of this event type. ${guess}Its questions: ${questionNames.join(' / ')}`;
};

/** Whether an answer was read. If not, it is a problem. */
export const isAnswer = (read: Answer | Words): read is Answer => 'question' in read;

/** Questions that need an answer and have none yet. */
export const unanswered = (questions: Readonly<Questions>, answeredQuestions: readonly string[]): Questions =>
  questions.filter(
    ({ name, required, enabled }) =>
      required === true && enabled !== false && !answeredQuestions.includes(String(name)),
  );
