import type { SentInvitee } from '../../api/invitees.ts';
import { minute } from '../../base/milliseconds.ts';
import type { Question } from '../../cli/answer/plan.ts';
import { eventTypeOf } from '../../cli/operation/event-type.ts';
import { placeName } from '../../cli/operation/view-values.ts';
import type { Context } from '../../cli/session/context.ts';
import { readIfPossible } from '../../client/change.ts';
import { answerTexts } from '../../output/question-columns.ts';
import { timestampOf, utcText } from '../../time/wall.ts';
import { whenText } from '../events/answer.ts';
import { usualPlace } from './place.ts';
import type { DraftBody } from './work.ts';

/** The meeting in two lines, for the last look before it is booked. */
const reviewLines = async (context: Context, body: DraftBody): Promise<string[]> => {
  const { invitee, location, custom_questions: answers } = body as DraftBody & { invitee: SentInvitee };
  const type = await readIfPossible(() => eventTypeOf(context, body.event_type));
  const end = timestampOf(body.start_time)! + Number(type?.duration) * minute;
  const span = { start_time: body.start_time, end_time: Number.isNaN(end) ? '' : utcText(end) };
  const usual = location === undefined && type !== undefined ? await usualPlace(context, type) : undefined;
  const name = invitee.name ?? [invitee.first_name, invitee.last_name].filter(Boolean).join(' ');
  return [
    `${type?.name ?? body.event_type} with ${name} <${invitee.email}>`,
    [
      whenText(context, span, [invitee.timezone]),
      ...[placeName(location ?? {}), usual && `usually ${placeName(usual)}`].filter(Boolean),
    ].join(' · '),
    ...(answers === undefined ? [] : answerTexts({ questions_and_answers: answers })).map(String),
  ];
};

/** What was answered at prompts, to see before it is booked. */
export const reviewQuestion = async (context: Context, body: DraftBody): Promise<Question> => ({
  question: 'Book and send the invitation?',
  action: 'book',
  review: await reviewLines(context, body),
});
