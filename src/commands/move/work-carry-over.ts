import type { SentEventType } from '../../api/event-types.ts';
import type { SentEvent } from '../../api/events.ts';
import type { SentInvitee } from '../../api/invitees.ts';
import { isObject, recordsIn, textOf } from '../../base/json.ts';
import { minute } from '../../base/milliseconds.ts';
import { counted } from '../../base/numbers.ts';
import { type Sentence, the, words } from '../../base/words.ts';
import { timestampOf } from '../../time/wall.ts';
import type { Booking, DraftBody } from '../booking/work.ts';
import { type Answer, isAnswer, type Questions, questionsOf, readAnswer, unanswered } from '../booking/work-answers.ts';

/** What flags add for people who have none of it, or put in its place. */
interface CarryChoices {
  answer?: readonly string[] | undefined;
  locationKind?: string | undefined;
  timezone?: string | undefined;
}

/** An invitee of the old event, and their booking at the new time, which lacks its start. */
export interface Carried {
  invitee: SentInvitee;
  body: DraftBody & Omit<Booking, 'send' | 'start_time'> & { invitee: SentInvitee; tracking?: unknown };
  /** Questions whose answers are lost: the event type no longer has them, or no longer offers the answer. */
  droppedQuestions: string[];
  /** Required questions without an answer. */
  openQuestions: string[];
}

/** A question with choices takes one of them, unless it also takes others. */
const isOffered = ({ answer_choices: choices, include_other: other }: Questions[number], answer: string): boolean =>
  !Array.isArray(choices) || choices.length === 0 || other === true || choices.includes(answer);

/** The old answers. `--answer` is for people who have none. */
const carriedAnswers = (invitee: SentInvitee, type: SentEventType, given: readonly string[]) => {
  const questions = questionsOf(type).filter(({ enabled }) => enabled !== false);
  const answers = new Map<string, Answer>();
  const droppedQuestions: string[] = [];
  for (const { question, answer } of recordsIn(invitee.questions_and_answers)) {
    if (typeof question !== 'string' || typeof answer !== 'string' || answer.trim() === '') continue;
    const sameQuestion = questions.find(({ name }) => name === question);
    if (sameQuestion === undefined || !isOffered(sameQuestion, answer)) droppedQuestions.push(question);
    else answers.set(question, { question, answer, position: Number(sameQuestion.position) });
  }
  for (const raw of given) {
    const reading = readAnswer(raw, questions);
    if (isAnswer(reading) && !answers.has(reading.question)) answers.set(reading.question, reading);
  }
  const openQuestions = unanswered(questions, [...answers.keys()]).map(({ name }) => String(name));
  return { answers: [...answers.values()], droppedQuestions, openQuestions };
};

const inviteeNameFields = ({ first_name, last_name, name, email }: SentInvitee) => {
  const [first, last] = [textOf(first_name), textOf(last_name)];
  if (first === undefined) return { name: textOf(name, last, email) };
  return { first_name: first, ...(last === undefined ? {} : { last_name: last }) };
};

const carriedLocation = ({ location }: SentEvent, kind: unknown): object | undefined => {
  const old = isObject(location) ? location : {};
  if (kind !== undefined && kind !== old.type) return { kind };
  if (textOf(old.type) === undefined) return undefined;
  return { kind: old.type, ...(textOf(old.location) === undefined ? {} : { location: old.location }) };
};

/** Carries over what a booking can have. */
export const carry = (
  event: SentEvent,
  type: SentEventType,
  invitee: SentInvitee,
  { answer = [], locationKind, timezone: otherwise }: CarryChoices,
): Carried => {
  const { answers, droppedQuestions, openQuestions } = carriedAnswers(invitee, type, answer);
  const place = carriedLocation(event, locationKind);
  const tracking = Object.entries(invitee.tracking ?? {}).filter(([, value]) => value !== null);
  const timezone = textOf(invitee.timezone, otherwise);
  const body = {
    event_type: String(event.event_type),
    invitee: { email: String(invitee.email), ...inviteeNameFields(invitee), timezone },
    ...(answers.length === 0 ? {} : { custom_questions: answers }),
    ...(place === undefined ? {} : { location: place }),
    ...(tracking.length === 0 ? {} : { tracking: Object.fromEntries(tracking) }),
  };
  return { invitee, body, droppedQuestions, openQuestions };
};

const quoteQuestions = (names: Iterable<string>): string =>
  Array.from(new Set(names), (name) => `"${name}"`).join(', ');

/** What flags must add, all of it. */
export const missingFacts = (
  type: SentEventType,
  people: readonly Carried[],
  { answer = [] }: CarryChoices,
): Sentence[] => {
  const wrong = answer.map((raw) => readAnswer(raw, questionsOf(type)));
  const openQuestions = people.flatMap((each) => each.openQuestions);
  return [
    ...wrong.flatMap((reading) => (isAnswer(reading) ? [] : [reading])),
    ...(openQuestions.length === 0
      ? []
      : [words`No answer to ${quoteQuestions(openQuestions)}. Add ${the('answer')} 'Question=Answer'`]),
    ...(people.every(({ body }) => body.invitee.timezone !== undefined)
      ? []
      : [words`The service doesn't show the time zone of an invitee. Add ${the('timezone')}`]),
  ];
};

/** What the new event keeps of the old one, what it has instead, and what is lost, for the question. */
export const carriedWords = (event: SentEvent, type: SentEventType, people: readonly Carried[]) => {
  const { start_time: start, end_time: end, location, meeting_notes_plain: plain, meeting_notes_html: html } = event;
  const some = (test: (invitee: SentInvitee) => unknown): boolean => people.some(({ invitee }) => test(invitee));
  const has = (name: keyof DraftBody | 'tracking'): boolean => people.some(({ body }) => body[name] !== undefined);
  const droppedQuestions = people.flatMap((each) => each.droppedQuestions);
  const minutes = (timestampOf(end)! - timestampOf(start)!) / minute;
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
      [droppedQuestions.length > 0, `answers to ${quoteQuestions(droppedQuestions)}`],
    ]),
  };
};
