import type { Json } from '../../base/json.ts';
import { minute } from '../../base/milliseconds.ts';
import { eventTypeOf } from '../../cli/operation/event-type.ts';
import { placeName } from '../../cli/operation/view-values.ts';
import { createAsker } from '../../cli/session/ask.ts';
import { labelText } from '../../cli/session/asker.ts';
import { allowWrites, declined } from '../../cli/session/confirm.ts';
import type { Context } from '../../cli/session/context.ts';
import { readIfPossible } from '../../client/change.ts';
import { asciiForm, needsAscii } from '../../output/ascii.ts';
import { answerTexts } from '../../output/question-columns.ts';
import { wrap } from '../../output/width.ts';
import { timestampOf, utcText } from '../../time/wall.ts';
import { whenText } from '../events/answer.ts';
import { usualPlace } from './place.ts';

/** The meeting in two lines, for the last look before it is booked. */
const reviewLines = async (context: Context, body: Json): Promise<string[]> => {
  const { settings } = context;
  const { invitee, location, custom_questions: answers } = body as { invitee: Json; location?: Json } & Json;
  const type = await readIfPossible(() => eventTypeOf(context, String(body.event_type)));
  const end = timestampOf(String(body.start_time))! + Number(type?.duration) * minute;
  const span = { start_time: body.start_time, end_time: Number.isNaN(end) ? '' : utcText(end) };
  const usual = location === undefined && type !== undefined ? await usualPlace(context, type) : undefined;
  const name = invitee.name ?? [invitee.first_name, invitee.last_name].filter(Boolean).join(' ');
  return [
    `${type?.name ?? body.event_type} with ${name} <${invitee.email}>`,
    [
      whenText(context, span, [invitee.timezone]),
      ...[placeName(location ?? {}), usual && `usually ${placeName(usual)}`].filter(Boolean),
    ].join(settings.accessible ? ', ' : ' · '),
    ...(answers === undefined ? [] : answerTexts({ questions_and_answers: answers })).map(String),
  ];
};

const reviewQuestion = 'Book and send the invitation?';

/** Shows what was answered at prompts before it is booked. Only `y` or Enter books. */
export const review = async (context: Context, body: Json): Promise<void> => {
  const { settings, runtime, notes } = context;
  if (settings.yes) return;
  const lines = await reviewLines(context, body);
  await notes.flush();
  const indent = settings.accessible ? '' : '  ';
  const room = settings.accessible ? Number.POSITIVE_INFINITY : (runtime.stderr.columns || 80) - indent.length;
  const text = lines.flatMap((line) => wrap(labelText(line), room).map((each) => `${indent}${each}\n`)).join('');
  await runtime.stderr.write(needsAscii(runtime.env) ? asciiForm(text) : text);
  const answer = await (await createAsker(context)).text({
    label: reviewQuestion,
    preset: 'yes',
    check: async (answer) => (/^(y|yes|n|no|)$/i.test(answer) ? undefined : 'Answer y or n'),
  });
  if (/^n/i.test(answer)) throw declined('book');
  allowWrites(context);
};
