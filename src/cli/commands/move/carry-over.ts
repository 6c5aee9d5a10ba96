import type { Booking } from '../../../jobs/booking.ts';
import { isObject, type Json, recordsIn, textOf } from '../../../json.ts';
import { counted } from '../../../numbers.ts';
import { minute, timestampOf } from '../../../time/wall.ts';
import { asFlags, spell } from '../../input/words.ts';
import { type Answer, isAnswer, questionsOf, readAnswer, unanswered } from '../../scheduling/answers.ts';
import type { MoveChoices } from './input.ts';

/** An invitee of the old event, and their booking at the new time, which lacks its start. */
export interface Carried {
  invitee: Json;
  body: Json & Omit<Booking, 'send' | 'start_time'> & { invitee: Json };
  /** Questions whose answers are lost: the event type no longer has them, or no longer offers the answer. */
  dropped: string[];
  /** Required questions without an answer. */
  open: string[];
}

/** A question with choices takes one of them, unless it also takes others. */
const isOffered = ({ answer_choices: choices, include_other: other }: Json, answer: string): boolean =>
  !Array.isArray(choices) || choices.length === 0 || other === true || choices.includes(answer);

/** The old answers. `--answer` is for people who have none. */
const answersOf = (invitee: Json, type: Json, given: readonly string[]) => {
  const questions = questionsOf(type).filter(({ enabled }) => enabled !== false);
  const answers = new Map<string, Answer>();
  const dropped: string[] = [];
  for (const { question, answer } of recordsIn(invitee.questions_and_answers)) {
    if (typeof question !== 'string' || typeof answer !== 'string' || answer.trim() === '') continue;
    const known = questions.find(({ name }) => name === question);
    if (known === undefined || !isOffered(known, answer)) dropped.push(question);
    else answers.set(question, { question, answer, position: Number(known.position) });
  }
  for (const raw of given) {
    const read = readAnswer(raw, questions);
    if (isAnswer(read) && !answers.has(read.question)) answers.set(read.question, read);
  }
  const open = unanswered(questions, [...answers.keys()]).map(({ name }) => String(name));
  return { answers: [...answers.values()], dropped, open };
};

const nameOf = ({ first_name, last_name, name, email }: Json): Json => {
  const [first, last] = [textOf(first_name), textOf(last_name)];
  if (first === undefined) return { name: textOf(name, last, email) };
  return { first_name: first, ...(last === undefined ? {} : { last_name: last }) };
};

const placeOf = ({ location }: Json, kind: unknown): Json | undefined => {
  const old = isObject(location) ? location : {};
  if (kind !== undefined && kind !== old.type) return { kind };
  if (textOf(old.type) === undefined) return undefined;
  return { kind: old.type, ...(textOf(old.location) === undefined ? {} : { location: old.location }) };
};

/** Carries over what a booking can have. */
export const carry = (
  event: Json,
  type: Json,
  invitee: Json,
  { answer = [], locationKind, timezone: otherwise }: MoveChoices,
): Carried => {
  const { answers, dropped, open } = answersOf(invitee, type, answer);
  const place = placeOf(event, locationKind);
  const tracking = Object.entries(invitee.tracking ?? {}).filter(([, value]) => value !== null);
  const timezone = textOf(invitee.timezone, otherwise);
  const body = {
    event_type: String(event.event_type),
    invitee: { email: String(invitee.email), ...nameOf(invitee), timezone },
    ...(answers.length === 0 ? {} : { custom_questions: answers }),
    ...(place === undefined ? {} : { location: place }),
    ...(tracking.length === 0 ? {} : { tracking: Object.fromEntries(tracking) }),
  };
  return { invitee, body, dropped, open };
};

const quoted = (names: Iterable<string>): string => Array.from(new Set(names), (name) => `"${name}"`).join(', ');

/** What flags must add, all of it. */
export const missingFacts = (type: Json, people: readonly Carried[], { answer = [] }: MoveChoices): string[] => {
  const wrong = answer.map((raw) => readAnswer(raw, questionsOf(type)));
  const open = people.flatMap((each) => each.open);
  return [
    ...wrong.flatMap((read) => (isAnswer(read) ? [] : [spell(read, asFlags)])),
    ...(open.length === 0 ? [] : [`No answer to ${quoted(open)}. Add --answer 'Question=Answer'`]),
    ...(people.every(({ body }) => body.invitee.timezone !== undefined)
      ? []
      : ["The service doesn't show the time zone of an invitee. Add --timezone"]),
  ];
};

/** What the new event keeps of the old one, what it has instead, and what is lost, for the question. */
export const carriedWords = (event: Json, type: Json, people: readonly Carried[]) => {
  const { start_time: start, end_time: end, location, meeting_notes_plain: plain, meeting_notes_html: html } = event;
  const some = (test: (invitee: Json) => unknown): boolean => people.some(({ invitee }) => test(invitee));
  const has = (name: string): boolean => people.some(({ body }) => body[name] !== undefined);
  const dropped = people.flatMap((each) => each.dropped);
  const minutes = (timestampOf(String(end))! - timestampOf(String(start))!) / minute;
  const words = (all: readonly (readonly [unknown, string])[]): string =>
    all.flatMap(([isSo, word]) => (isSo ? [word] : [])).join(', ');
  return {
    keeps: words([
      [has('location'), 'place'],
      [has('custom_questions'), 'answers'],
      [has('tracking'), 'tracking'],
    ]),
    changes: words([
      [true, 'ID'],
      [isObject(location) && textOf(location.join_url), 'join link'],
      [true, 'cancel and reschedule links'],
      [minutes !== Number(type.duration), `length (${counted(Number(type.duration), 'minute')}, not ${minutes})`],
      [type.pooling_type === 'round_robin', 'maybe the host (round robin)'],
    ]),
    lost: words([
      [textOf(plain, html), 'notes'],
      [some(({ text_reminder_number: number }) => textOf(number)), 'reminder number'],
      [some(({ no_show: mark }) => isObject(mark)), 'no-show mark'],
      [some(({ payment }) => isObject(payment)), 'payment'],
      [dropped.length > 0, `answers to ${quoted(dropped)}`],
    ]),
  };
};
