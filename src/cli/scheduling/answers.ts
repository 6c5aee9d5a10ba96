import { eventTypes } from '../../api/event-types.ts';
import { type Json, recordsIn } from '../../json.ts';
import { nearest } from '../../nearest.ts';
import { idIn } from '../../uri.ts';
import type { Invocation } from '../command.ts';
import { the, type Words, words } from '../input/words.ts';
import { referredRecord } from '../operation/references.ts';
import type { Context } from '../session/context.ts';

/** An answer to a question of the event type, as the service takes it. */
export interface Answer {
  question: string;
  answer: string;
  position: number;
}

export const eventTypeOf = async (context: Context, uri: string): Promise<Json> =>
  (await context.client()).call(eventTypes.get, { path: { event_type: idIn(uri) } });

/** The event type that `--event-type` names. */
export const typedEventType = async ({ context, typed }: Invocation): Promise<Json> => {
  const name = String(typed['event-type']);
  const { uri } = await referredRecord({ id: '', collection: 'event_types', name }, context);
  return eventTypeOf(context, uri);
};

export const questionsOf = ({ custom_questions: questions }: Json): Json[] => recordsIn(questions);

/** Reads `Question=Answer`. A question may itself contain `=`, so the longest known question wins. */
export const readAnswer = (raw: string, questions: readonly Json[]): Answer | Words => {
  const known = questions.map((question) => String(question.name)).sort((a, b) => b.length - a.length);
  const question = known.find((name) => raw.toLowerCase().startsWith(`${name.toLowerCase()}=`));
  if (question !== undefined) {
    const { name, position } = questions.find((candidate) => candidate.name === question)!;
    return { question: String(name), answer: raw.slice(question.length + 1), position: Number(position) };
  }
  if (known.length === 0) return words`${the('answer')} "${raw}": this event type has no questions`;
  const meant = nearest(raw.split('=')[0]!, known);
  const guess = meant === undefined ? '' : `Did you mean "${meant}"? `;
  return words`${the('answer')} "${raw}" matches no question of this event type. ${guess}Its questions: ${known.join(' / ')}`;
};

/** Whether an answer was read. If not, it is a problem. */
export const isAnswer = (read: Answer | Words): read is Answer => 'question' in read;

/** Questions that need an answer and have none yet. */
export const unanswered = (questions: readonly Json[], answered: readonly string[]): Json[] =>
  questions.filter(
    ({ name, required, enabled }) => required === true && enabled !== false && !answered.includes(String(name)),
  );
