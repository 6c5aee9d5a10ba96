import { invitees } from '../../api/invitees.ts';
import { type Booking, book } from '../../jobs/booking.ts';
import type { Json } from '../../json.ts';
import { describeInstant } from '../../time/label.ts';
import { timestampOf, utcText } from '../../time/wall.ts';
import type { Command, Flag, FollowUp, Invocation } from '../command.ts';
import { type Call, taking } from '../input/input.ts';
import { type GenericCommand, printRequest } from '../operation/generic-command.ts';
import type { Draft } from '../operation/input.ts';
import { eventOf, printRecord } from '../operation/print-record.ts';
import { eventTypeOf, isAnswer, questionsOf, readAnswer, typedEventType } from '../scheduling/answers.ts';
import {
  answersHidden,
  bookedRecord,
  bookingContextOf,
  hidesAnswers,
  noteBooked,
} from '../scheduling/booking-context.ts';
import { type BookingInput, bookingInput } from './booking-input.ts';
import { resultFields } from './bulk/run-result.ts';
import { chooseFirstFree, type FirstFree, firstFreeRefused, firstFreeWindow } from './first-free.ts';

/** Adds the answers to the body, with the exact text and position of each question from the event type. */
const addAnswers = async ({ context, problems }: Call, answers: readonly string[], body: Json): Promise<void> => {
  if (answers.length === 0) return;
  const questions = questionsOf(await eventTypeOf(context, String(body.event_type)));
  const read = answers.map((raw) => readAnswer(raw, questions));
  for (const answer of read) if (!isAnswer(answer)) problems.report({ words: answer });
  body.custom_questions = read.filter(isAnswer);
};

/** Questions of the event type that have no answer yet. */
const openQuestions = async (invocation: Invocation): Promise<FollowUp[]> => {
  const { typed } = invocation;
  const questions = questionsOf(await typedEventType(invocation));
  const answered = [typed.answer ?? []].flat().map((raw) => readAnswer(String(raw), questions));
  const known = answered.filter(isAnswer).map(({ question }) => question);
  const open = questions.filter(({ name, enabled }) => enabled !== false && !known.includes(String(name)));
  return open.map(({ name, required, answer_choices, include_other }) => ({
    flag: 'answer',
    label: String(name),
    isOptional: required !== true,
    ...(Array.isArray(answer_choices) && answer_choices.length > 0 && include_other !== true
      ? { choices: answer_choices.map(String) }
      : {}),
    valueOf: (answer) => `${name}=${answer}`,
  }));
};

/** The first free time can take the place of `--start`. */
const startUnlessFirstFree = <F extends Flag>(flag: F): F =>
  flag.name === 'start' ? { ...flag, required: false, unless: 'first-free' } : flag;

const create = async (
  { view }: GenericCommand,
  { firstFree, answer, ifAbsent, allowDuplicate }: BookingInput,
  request: Draft,
  call: Call,
): Promise<void> => {
  const { context, problems } = call;
  const options = { ifAbsent, allowDuplicate };
  let chosen: FirstFree | undefined;
  const input = await request.finish(async (body, rows) => {
    await addAnswers(call, answer, body);
    if (!firstFree) return;
    chosen = await chooseFirstFree(call, body, rows, options);
    body.start_time = chosen?.start_time;
  });
  const body = input.body as Omit<Booking, 'send'>;
  const whenOf = () => describeInstant(body.start_time, context.settings.zone, context.now());
  if (context.settings.dryRun) {
    context.notes.info(`Would book ${whenOf()} for ${body.invitee.email}${firstFree ? ', the first free time' : ''}`);
    return printRequest(context, invitees.create, [input]);
  }
  const client = await context.client();
  const send: Booking['send'] = (beforeSend) => client.write(invitees.create, input, beforeSend);
  let booked = chosen?.existing;
  while (booked === undefined) {
    if (call.isAsked) await (await import('./booking-review.ts')).review(context, input.body as Json);
    try {
      booked = await book(await bookingContextOf(context), { ...body, send }, options);
    } catch (error) {
      if (firstFree) throw firstFreeRefused(error, whenOf());
      const { chooseAnother } = await import('./choose-time.ts');
      const start = await chooseAnother(call.bridge, body, error);
      problems.own?.setFlag('start', start);
      body.start_time = utcText(timestampOf(start)!);
      call.isAsked = true;
    }
  }
  const record = bookedRecord(context, booked, input.body as Json);
  if (hidesAnswers(booked, input.body as Json)) context.notes.info(answersHidden);
  await noteBooked(context, booked, whenOf(), body.invitee as Json & Booking['invitee']);
  if (call.isAsked && context.printer.showsPages)
    // The review has shown the rest.
    return (await import('./booking-review.ts')).noteJoin(context, await eventOf(context, record));
  await printRecord(context, view, record);
};

/** The flags in the order of help: the first free time beside the start, and the answers before a whole body. */
const inHelp = (fields: readonly Flag[], [firstFree, answer, ...rest]: readonly Flag[]): Flag[] => [
  ...fields.slice(0, -1).flatMap((flag) => (flag.name === 'start' ? [flag, firstFree!, ...firstFreeWindow] : [flag])),
  answer!,
  fields.at(-1)!,
  ...rest,
];

export const createCommand = (generic: GenericCommand): Partial<Command> => {
  const fields = [...generic.fieldFlags.map(startUnlessFirstFree), ...firstFreeWindow];
  const command = taking(bookingInput(fields), async ({ request, ...booking }, call) =>
    request === undefined
      ? (await import('./bulk/book.ts')).bookFromFile(generic, booking, call)
      : create(generic, booking, request, call),
  );
  return {
    ...command,
    flags: inHelp(generic.flags.map(startUnlessFirstFree), command.flags.slice(fields.length)),
    fields: [...Object.keys(invitees.create.reply.of.record.shape), ...resultFields],
    notes: [
      "In scripts and CI use --if-absent: it checks the service first, so that running the command again never books twice. sched records each booking on this machine before sending it. If the reply is lost, sched looks up the booking and never sends it a second time. If it can't find out what happened, the exit code is 10, and `sched invitees reconcile` checks again. While a booking exists, the same booking from the same machine (or one with the same SCHED_SHARED_STATE) is refused with exit code 7. If a booking can't be recorded, nothing is booked (exit code 3) unless you add --allow-duplicate.",
      '--first-free books the first time that `sched event-types slots` lists, and says which. Run again, it books no second time in the same window: like --start, it is refused with exit code 7, or with --if-absent the existing booking is used. If the time was taken meanwhile, the exit code is 7.',
      'A start without an offset is read in the time zone of --tz or SCHED_TZ. Without either, it is accepted on a terminal only, and refused if the invitee is in another time zone, because either could be meant.',
      "With --from, sched books every line of a file. The columns (or JSON fields) are named like the flags: event_type, start, email, name, timezone and so on. A flag is the value for lines that have none of their own. Answers are a column answers with a JSON object or 'Question=Answer; Question=Answer', or a column 'answers.QUESTION' for each question. A start needs a date. Without an offset it is read in the time zone of --tz if given, else in that of its invitee, and sched says which. All wrong lines are reported before anything is sent. With --skip-invalid, they are skipped and the others are booked (exit code 11).",
      'Bookings from a file are confirmed by a prompt, --yes or --confirm COUNT. Each line is booked at most once: to resume an interrupted run, or one that stopped because of the rate limit, run the same command again. A line that the service refuses, such as a taken slot, is reported and counted as rejected, and the exit code is 11. The receipt has the line, event type and start of each booking, and no name or address.',
    ],
    asks: { start: async (...asking) => (await import('./choose-time.ts')).askStart(...asking) },
    followUps: openQuestions,
  };
};
