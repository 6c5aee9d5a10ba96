import { invitees } from '../../api/invitees.ts';
import { hasCategory, type SchedError, sameCommand } from '../../base/errors.ts';
import { isObject, recordsIn } from '../../base/json.ts';
import type { Answer, RecordAnswer } from '../../cli/answer/answer.ts';
import { type Plan, plan } from '../../cli/answer/plan.ts';
import type { Command, Flag, FollowUp, Invocation } from '../../cli/command.ts';
import { type Call, taking } from '../../cli/input/input.ts';
import { eventTypeOf, givenEventType } from '../../cli/operation/event-type.ts';
import type { Decorations, GenericCommand } from '../../cli/operation/generic-command.ts';
import type { Draft } from '../../cli/operation/input.ts';
import type { Context } from '../../cli/session/context.ts';
import { readIfPossible } from '../../client/change.ts';
import { describeInstant } from '../../time/label.ts';
import { timestampOf, utcText } from '../../time/wall.ts';
import { zoneNamed } from '../../time/zone.ts';
import { resultFields } from '../bulk/run-result.ts';
import { answersHidden, bookedRecord, bookingContextOf, bookingDone, hidesAnswers } from './booking-context.ts';
import { chooseFirstFree, type FirstFree, firstFreeRefused, firstFreeWindow } from './first-free.ts';
import { type BookingInput, bookingInput } from './input.ts';
import { type Booked, type Booking, book, type DraftBody } from './work.ts';
import { isAnswer, questionsOf, readAnswer, unanswered } from './work-answers.ts';

/** Adds the answers to the body, with the exact text and position of each question from the event type. */
const checkAnswers = async ({ context, problems }: Call, answers: readonly string[], body: DraftBody) => {
  if (answers.length === 0) return;
  const questions = questionsOf(await eventTypeOf(context, body.event_type));
  const readings = answers.map((raw) => readAnswer(raw, questions));
  for (const answer of readings) if (!isAnswer(answer)) problems.report({ words: answer });
  body.custom_questions = readings.filter(isAnswer);
};

/** A place without its kind has that of earlier meetings. */
const completePlace = async (context: Context, { location, event_type: type }: DraftBody): Promise<void> => {
  if (!isObject(location) || location.kind !== undefined) return;
  const { namedKind } = await import('./place.ts');
  const kind = await namedKind(context, await eventTypeOf(context, type));
  if (kind !== undefined) location.kind = kind;
};

/** The error of a booking that lacks answers names the flags to add. */
const withUnanswered = async (error: SchedError, { context, problems }: Call, body: DraftBody): Promise<SchedError> => {
  const answers = recordsIn(body.custom_questions).map(({ question }) => String(question));
  const type = await readIfPossible(() => eventTypeOf(context, body.event_type));
  const names = unanswered(questionsOf(type ?? {}), answers).map(({ name }) => String(name));
  if (names.length === 0) return error;
  for (const name of names) problems.own?.addFlag('answer', `${name}=…`);
  const [are, list] = [
    names.length === 1 ? 'An answer is' : 'Answers are',
    names.map((name) => `"${name}"`).join(', '),
  ];
  return error.with({ hint: sameCommand, screen: `${are} missing: ${list}` });
};

/** Questions of the event type that have no answer yet. */
const openQuestions = async (invocation: Invocation): Promise<FollowUp[]> => {
  const { given, context } = invocation;
  const { placeQuestions } = await import('./place.ts');
  const type = await givenEventType(invocation);
  const questions = questionsOf(type);
  const readings = [given.answer ?? []].flat().map((raw) => readAnswer(String(raw), questions));
  const answeredQuestions = readings.filter(isAnswer).map(({ question }) => question);
  const remainingQuestions = questions.filter(
    ({ name, enabled }) => enabled !== false && !answeredQuestions.includes(String(name)),
  );
  const places = given.location === undefined ? await placeQuestions(context, type) : [];
  const answers = remainingQuestions.map(({ name, required, answer_choices, include_other }) => ({
    flag: 'answer',
    label: String(name),
    isOptional: required !== true,
    ...(Array.isArray(answer_choices) && answer_choices.length > 0 && include_other !== true
      ? { choices: answer_choices.map(String) }
      : {}),
    valueOf: (answer: string) => `${name}=${answer}`,
  }));
  return [...places, ...answers];
};

/** The first free time can take the place of `--start`. */
const startUnlessFirstFree = <F extends Flag>(flag: F): F =>
  flag.name === 'start' ? { ...flag, required: false, unless: 'first-free' } : flag;

/** Asks for another place or time if the booking was refused because of it. The flags get what was chosen. */
const askOther = async ({ context, problems }: Call, body: DraftBody, refusal: unknown): Promise<object> => {
  if (hasCategory(refusal, 'usage')) {
    const place = await (await import('./place.ts')).askPlace(context, refusal);
    for (const [flag, value] of Object.entries({ 'location-kind': place.kind, location: place.location }))
      problems.own?.addFlag(flag, value);
    return { location: place };
  }
  const { chooseAnother, inviteeOf } = await import('./choose-time.ts');
  const booking = body as Omit<Booking, 'send'>;
  const start = await chooseAnother(context, booking, refusal, { invitee: inviteeOf(booking.invitee) });
  problems.own?.setFlag('start', start);
  return { start_time: utcText(timestampOf(start)!) };
};

const planBooking = async (
  { view }: GenericCommand,
  { firstFree, answer, ifAbsent, allowDuplicate }: BookingInput,
  request: Draft,
  call: Call,
): Promise<Plan> => {
  const { context } = call;
  const options = { ifAbsent, allowDuplicate };
  let firstFreeTime: FirstFree | undefined;
  const input = await request.finish(async (body, rows) => {
    await checkAnswers(call, answer, body);
    await completePlace(context, body);
    if (!firstFree) return;
    firstFreeTime = await chooseFirstFree(call, body, rows, options);
    body.start_time = firstFreeTime?.start_time;
  });
  const body = input.body as Omit<Booking, 'send'> & DraftBody;
  const whenOf = () => describeInstant(body.start_time, context.settings.zone, context.now());
  const answerFor = async (booked: Booked): Promise<RecordAnswer> => {
    const record = bookedRecord(context, booked, body);
    if (hidesAnswers(booked, body)) context.notes.info(answersHidden);
    return { kind: 'record', view, record, done: await bookingDone(context, booked, whenOf(), body.invitee) };
  };
  const booking: Plan = plan<Answer | undefined>({
    requests: () => {
      firstFreeTime?.check();
      return { operation: invitees.create, inputs: [input] };
    },
    remarks: [`Would book ${whenOf()} for ${body.invitee.email}${firstFree ? ', the first free time' : ''}`],
    read: async () => {
      const existing = await firstFreeTime?.existing();
      if (existing === undefined) return undefined;
      body.start_time = existing.start_time;
      return answerFor(existing.booked);
    },
    nothingToDo: (existing) => existing,
    question: async () => (call.isAsked ? (await import('./screen.ts')).reviewQuestion(context, body) : undefined),
    send: async () => {
      const client = await context.client();
      const send: Booking['send'] = (beforeSend) => client.write(invitees.create, input, beforeSend);
      return answerFor(await book(await bookingContextOf(context), { ...body, send }, options));
    },
    refused: async (error) => {
      const refusal = hasCategory(error, 'usage') ? await withUnanswered(error, call, body) : error;
      if (firstFree) throw firstFreeRefused(refusal, whenOf());
      Object.assign(body, await askOther(call, body, refusal));
      call.isAsked = true;
      return booking;
    },
  });
  return booking;
};

/** The flags in the order of help: the first free time beside the start, and the answers before a whole body. */
const inBookingHelp = (fields: readonly Flag[], [firstFree, answer, ...rest]: readonly Flag[]): Flag[] => [
  ...fields.slice(0, -1).flatMap((flag) => (flag.name === 'start' ? [flag, firstFree!, ...firstFreeWindow] : [flag])),
  answer!,
  fields.at(-1)!,
  ...rest,
];

export const examples = {
  create: [
    'invitees create --event-type "Support call" --start "monday 14:00" --tz Europe/Paris --timezone Europe/Paris --email ada@example.com --name "Ada Byron"',
    'invitees create --event-type K2C8C7DLAMCWKYZ7 --start 2030-12-02T15:00:00+01:00 --email ada@example.com --name "Ada Byron" --timezone Europe/Paris --dry-run',
    'invitees create --event-type "Intro call" --first-free --since tomorrow --email ada@example.com --name "Ada Byron" --timezone Europe/Paris',
    'invitees create --from bookings.csv --event-type "Support call" --dry-run',
  ],
};

const createBookingCommand = (generic: GenericCommand): Partial<Command> => {
  const fields = [...generic.fieldFlags.map(startUnlessFirstFree), ...firstFreeWindow];
  const command = taking(bookingInput(fields), async ({ request, ...booking }, call) =>
    request === undefined
      ? (await import('./book-many.ts')).bookFromFile(generic, booking, call)
      : planBooking(generic, booking, request, call),
  );
  return {
    ...command,
    flags: inBookingHelp(generic.flags.map(startUnlessFirstFree), command.flags.slice(fields.length)),
    fields: [...Object.keys(invitees.create.reply.of.record.shape), ...resultFields],
    notes: [
      "In scripts and CI use --if-absent: it checks the service first, so that running the command again never books twice. sched records each booking on this machine before sending it. If the reply is lost, sched looks up the booking and never sends it a second time. If it can't find out what happened, the exit code is 10, and `sched invitees reconcile` checks again. While a booking exists, the same booking from the same machine (or one with the same SCHED_SHARED_STATE) is read, not sent (_sched.already). If a booking can't be recorded, nothing is booked (exit code 3) unless you add --allow-duplicate.",
      '--first-free books the first time that `sched event-types slots` lists, and says which. Run again, it books no second time in the same window: the existing booking is printed, as with --start. If the time was taken meanwhile, the exit code is 7.',
      'A start without an offset is read in the time zone of --tz or SCHED_TZ. Without either, it is accepted on a terminal only, and refused if the invitee is in another time zone, because either could be meant.',
      "With --from, sched books every line of a file. The columns (or JSON fields) are named like the flags: event_type, start, email, name, timezone and so on. A flag is the value for lines that have none of their own. Answers are a column answers with a JSON object or 'Question=Answer; Question=Answer', or a column 'answers.QUESTION' for each question. A start needs a date. Without an offset it is read in the time zone of --tz if given, else in that of its invitee, and sched says which. All wrong lines are reported before anything is sent. With --skip-invalid, they are skipped and the others are booked (exit code 11).",
      'Bookings from a file are confirmed by a prompt, --yes or --confirm COUNT. Each line is booked at most once: to resume an interrupted run, or one that stopped because of the rate limit, run the same command again. A line that the service refuses, such as a taken slot, is reported and counted as rejected, and the exit code is 11. The receipt has the line, event type and start of each booking, and no name or address.',
    ],
    asks: { start: async (...asking) => (await import('./choose-time.ts')).askBookingStart(...asking) },
    prompts: {
      email: { label: "Invitee's email", what: 'an email address' },
      name: { label: "Invitee's name", what: 'a name' },
      timezone: { label: "Invitee's time zone (Paris, Tokyo, …)", what: 'a city or a time zone', read: zoneNamed },
    },
    followUps: openQuestions,
  };
};

export const decorate = { create: createBookingCommand } satisfies Decorations;
