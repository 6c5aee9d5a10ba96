import { SchedError } from '../../errors.ts';
import { readIfPossible } from '../../jobs/read-back.ts';
import { type Json, recordsIn, textOf } from '../../json.ts';
import { asciiForm, needsAscii } from '../../output/ascii.ts';
import { valueAt } from '../../output/fields.ts';
import { wrap } from '../../output/width.ts';
import { dayText, spanLabel } from '../../time/label.ts';
import { wallClock } from '../../time/show.ts';
import { clockLabel, midnightOf, minute, timestampOf, utcText } from '../../time/wall.ts';
import { readZone } from '../../time/zone.ts';
import { eventTypeOf } from '../scheduling/answers.ts';
import { createAsker } from '../session/ask.ts';
import { labelText } from '../session/asker.ts';
import type { Context } from '../session/context.ts';

/** `Paris` of `Europe/Paris` */
const cityOf = (zone: string): string => zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ');

/** The time of another person, if their clock shows another one: `09:15 in Paris`. */
export const theirTime = (at: number, zone: string, theirs: unknown): string | undefined => {
  const read = readZone(String(theirs));
  const wall = wallClock(zone)(at);
  const local = read.ok ? wallClock(read.zone)(at) : wall;
  if (!read.ok || local === wall) return undefined;
  const date = midnightOf(local) === midnightOf(wall) ? '' : `${dayText(local, wall)} `;
  return `${date}${clockLabel(local)} in ${cityOf(read.zone)}`;
};

/** The meeting in two lines, for the last look before it is booked. */
const reviewLines = async (context: Context, body: Json): Promise<string[]> => {
  const { settings } = context;
  const { invitee, location, custom_questions: answers } = body as { invitee: Json; location?: Json } & Json;
  const type = await readIfPossible(() => eventTypeOf(context, String(body.event_type)));
  const start = timestampOf(String(body.start_time))!;
  const end = start + Number(type?.duration) * minute;
  const until = Number.isNaN(end) ? '' : utcText(end);
  const when = spanLabel(String(body.start_time), until, settings.zone, context.now());
  const name = invitee.name ?? [invitee.first_name, invitee.last_name].filter(Boolean).join(' ');
  return [
    `${type?.name ?? body.event_type} with ${name} <${invitee.email}>`,
    [
      `${when} ${settings.zone}`,
      ...[theirTime(start, settings.zone, invitee.timezone) ?? []].flat(),
      ...(location === undefined ? [] : [location.location ?? String(location.kind).replaceAll('_', ' ')]),
    ].join(settings.accessible ? ', ' : ' · '),
    ...recordsIn(answers).map(({ question, answer }) => `${question}: ${answer}`),
  ];
};

const reviewQuestion = 'Book and send the invitation? [Y/n]';

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
    isOptional: true,
    check: async (typed) => (/^(y|yes|n|no|)$/i.test(typed) ? undefined : 'Answer y or n'),
  });
  if (/^n/i.test(answer)) throw new SchedError('confirmation-required', 'Not confirmed. Nothing was booked');
};

/** Says how to join a meeting. */
export const noteJoin = ({ notes }: Context, event: Json | undefined): void => {
  const url = event === undefined ? undefined : textOf(valueAt(event, 'location.join_url'));
  if (url !== undefined) notes.footer(`Join: ${url}`);
};
