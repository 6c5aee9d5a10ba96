import { events } from '../../api/events.ts';
import { invitees } from '../../api/invitees.ts';
import { SchedError } from '../../errors.ts';
import { type Booking, book } from '../../jobs/booking.ts';
import { readIfPossible } from '../../jobs/read-back.ts';
import { reconcile, type SettledAttempt } from '../../jobs/reconcile.ts';
import type { Json } from '../../json.ts';
import { counted } from '../../numbers.ts';
import { csvQuestionColumns } from '../../output/question-columns.ts';
import type { View } from '../../output/view.ts';
import { describeInstant } from '../../time/label.ts';
import type { Argument, Command, Flag, FollowUp, Invocation } from '../command.ts';
import { type GenericCommand, printRequest } from '../operation/generic-command.ts';
import { readInput } from '../operation/input.ts';
import { keepOf, noteHidden, printListing, readBounds } from '../operation/listing.ts';
import { type Page, webFlag, withPage } from '../operation/open-page.ts';
import { printRecord } from '../operation/print-record.ts';
import { eventTypeOf, questionsOf, readAnswer, typedEventType, unanswered } from '../scheduling/answers.ts';
import {
  answersHidden,
  bookedRecord,
  bookingContextOf,
  bookingFlags,
  bookingOptions,
  hidesAnswers,
  noteBooked,
} from '../scheduling/booking-context.ts';
import { bookingFileFlags } from './bulk/flags.ts';
import { resultFields } from './bulk/run-result.ts';
import type { Usual } from './event-choices.ts';
import {
  chooseFirstFree,
  type FirstFree,
  firstFreeFlag,
  firstFreeRefused,
  firstFreeWindow,
  readFirstFree,
  startChoices,
} from './first-free.ts';
import { runNoShow } from './no-show.ts';

export const examples = {
  list: ['invitees list JW6SHQTS78SH7TS8', 'invitees list JW6SHQTS78SH7TS8 --status active --json=name,email'],
  get: [
    'invitees get $(sched invitees list JW6SHQTS78SH7TS8 --limit 1 -o id)',
    'invitees get $(sched invitees list XEFT95ZZDW9SPL93 --limit 1 -o id) --json',
    'invitees get $(sched invitees list XEFT95ZZDW9SPL93 --limit 1 -o id) --web=reschedule',
  ],
  create: [
    'invitees create --event-type "Support call" --start "monday 14:00" --tz Europe/Paris --timezone Europe/Paris --email ada@example.com --name "Ada Byron"',
    'invitees create --event-type K2C8C7DLAMCWKYZ7 --start 2030-12-02T15:00:00+01:00 --email ada@example.com --name "Ada Byron" --timezone Europe/Paris --dry-run',
    'invitees create --event-type "Intro call" --first-free --since tomorrow --email ada@example.com --name "Ada Byron" --timezone Europe/Paris',
    'invitees create --from bookings.csv --event-type "Support call" --dry-run',
  ],
  'no-show': [
    'invitees no-show $(sched invitees list EAZJDYBENEHDMUCN --limit 1 -o id)',
    'invitees no-show $(sched invitees list 5Z95GGE7WBNJ2FC8 --limit 1 -o id) --json',
  ],
};

const answerFlag: Flag = {
  name: 'answer',
  value: 'Q=A',
  repeat: true,
  description: "answer to a question of the event type, as 'Question=Answer'",
};

/** Adds the answers to the body, with the exact text and position of each question from the event type. */
const addAnswers = async ({ context, typed, problems }: Invocation, body: Json): Promise<void> => {
  const answers = typed.answer as string[] | undefined;
  if (answers === undefined) return;
  const questions = questionsOf(await eventTypeOf(context, String(body.event_type)));
  const read = answers.map((raw) => readAnswer(raw, questions));
  for (const answer of read) if (typeof answer === 'string') problems.add(answer);
  body.custom_questions = read.filter((answer) => typeof answer !== 'string');
};

/** Questions of the event type that need an answer and have none yet. */
const openQuestions = async (invocation: Invocation): Promise<FollowUp[]> => {
  const { typed } = invocation;
  const questions = questionsOf(await typedEventType(invocation));
  const answered = [typed.answer ?? []].flat().map((raw) => readAnswer(String(raw), questions));
  const known = answered.filter((answer) => typeof answer !== 'string').map(({ question }) => question);
  return unanswered(questions, known).map(({ name, answer_choices, include_other }) => ({
    flag: 'answer',
    label: String(name),
    ...(Array.isArray(answer_choices) && answer_choices.length > 0 && include_other !== true
      ? { choices: answer_choices.map(String) }
      : {}),
    valueOf: (answer) => `${name}=${answer}`,
  }));
};

/** The first free time can take the place of `--start`. */
const startUnlessFirstFree = <F extends Flag>(flag: F): F =>
  flag.name === 'start' ? { ...flag, required: false, unless: firstFreeFlag.name } : flag;

const runCreate = async ({ fieldFlags, view }: GenericCommand, invocation: Invocation): Promise<void> => {
  const { context, typed, problems } = invocation;
  for (const { name } of bookingFileFlags) if (typed[name] !== undefined) problems.add(`--${name} needs --from`);
  const isFirstFree = readFirstFree(invocation);
  let chosen: FirstFree | undefined;
  const flags = [...fieldFlags.map(startUnlessFirstFree), ...firstFreeWindow];
  const input = await readInput(invocation, invitees.create, flags, async (body, rows) => {
    await addAnswers(invocation, body);
    if (!isFirstFree) return;
    chosen = await chooseFirstFree(invocation, body, rows);
    body.start_time = chosen?.start_time;
  });
  const body = input.body as Omit<Booking, 'send'>;
  const { start_time, invitee } = body;
  const when = describeInstant(start_time, context.settings.zone, context.runtime.clock.now());
  if (context.settings.dryRun) {
    context.notes.info(`Would book ${when} for ${invitee.email}${isFirstFree ? ', the first free time' : ''}`);
    return printRequest(invocation, invitees.create, [input]);
  }
  const client = await context.client();
  const send: Booking['send'] = (beforeSend) => client.write(invitees.create, input, beforeSend);
  const booked =
    chosen?.existing ??
    (await book(await bookingContextOf(context), { ...body, send }, bookingOptions(invocation)).catch(
      (error: unknown) => {
        throw isFirstFree ? firstFreeRefused(error, when) : error;
      },
    ));
  const record = bookedRecord(context, booked, input.body as Json);
  if (hidesAnswers(booked, input.body as Json)) context.notes.info(answersHidden);
  await noteBooked(context, booked, when, invitee);
  await printRecord(context, view, record);
};

/** Lists the invitees of an event. A CSV file has a column for each question of the event type. */
const runList = async (generic: GenericCommand, invocation: Invocation): Promise<void> => {
  const { context } = invocation;
  const { format, fields, dryRun } = context.settings;
  if (format !== 'csv' || fields !== undefined || dryRun) return generic.run(invocation);
  const bounds = readBounds(invocation);
  const { rows, found: _, ...input } = await readInput(invocation, invitees.list, generic.fieldFlags);
  const client = await context.client();
  // Without the event type, the column with all answers has to do.
  const type = await readIfPossible(async () => {
    const { event_type: uri } = await client.call(events.get, { path: input.path! });
    return typeof uri === 'string' ? eventTypeOf(context, uri) : undefined;
  });
  const columns = [...generic.view.columns, ...csvQuestionColumns(type === undefined ? [] : questionsOf(type))];
  const view = { ...generic.view, columns };
  const keep = keepOf(invitees.list, rows);
  await printListing(invocation, { operation: invitees.list, view, input, bounds, scope: { rows: 'invitees' }, keep });
};

const pages: Record<string, Page> = {
  cancel: { field: 'cancel_url', name: 'page for canceling' },
  reschedule: { field: 'reschedule_url', name: 'page for rescheduling' },
};

const pageFlag: Flag = {
  ...webFlag,
  value: 'PAGE',
  choices: Object.keys(pages),
  description: 'open a page of the invitee in the browser',
};

/** Lets a terminal choose the event, and then the invitee unless the event has only one. */
const chosen = (
  [event, invitee]: readonly Argument[],
  usual: Usual = 'next',
  isWanted?: (invitee: Json) => boolean,
): Argument[] => [
  {
    ...event!,
    offer: async (invocation) => (await import('./event-choices.ts')).offerEvents(usual, 'Which event?', invocation),
  },
  ...(invitee === undefined
    ? []
    : [
        {
          ...invitee,
          offer: async (invocation: Invocation) =>
            (await import('./event-choices.ts')).offerInvitees('Which invitee?', invocation, isWanted),
        },
      ]),
];

export const decorate = {
  list: (generic: GenericCommand): Command => ({
    ...generic,
    arguments: chosen(generic.arguments),
    notes: ['With -o csv, each question of the event type has a column of its own after the others.'],
    run: (invocation) => runList(generic, invocation),
  }),
  get: (generic: GenericCommand): Command =>
    withPage(
      { ...generic, arguments: chosen(generic.arguments) },
      (page) => (Object.hasOwn(pages, String(page)) ? pages[String(page)] : undefined),
      pageFlag,
    ),
  create: (generic: GenericCommand): Command => ({
    ...generic,
    flags: [
      ...generic.flags
        .slice(0, -1)
        .flatMap((flag) =>
          flag.name === 'start' ? [startUnlessFirstFree(flag), firstFreeFlag, ...firstFreeWindow] : [flag],
        ),
      answerFlag,
      generic.flags.at(-1)!,
      ...bookingFlags,
      ...bookingFileFlags,
    ],
    fields: [...Object.keys(invitees.create.reply.of.record.shape), ...resultFields],
    notes: [
      "In scripts and CI use --if-absent: it checks the service first, so that running the command again never books twice. sched records each booking on this machine before sending it. If the reply is lost, sched looks up the booking and never sends it a second time. If it can't find out what happened, the exit code is 10, and `sched invitees reconcile` checks again. While a booking exists, the same booking from the same machine (or one with the same SCHED_SHARED_STATE) is refused with exit code 7. If a booking can't be recorded, nothing is booked (exit code 3) unless you add --allow-duplicate.",
      '--first-free books the first time that `sched event-types slots` lists, and says which. Run again, it books no second time in the same window: like --start, it is refused with exit code 7, or with --if-absent the existing booking is used. If the time was taken meanwhile, the exit code is 7.',
      'A start without an offset is read in the time zone of --tz or SCHED_TZ. Without either, it is accepted on a terminal only, and refused if the invitee is in another time zone, because either could be meant.',
      "With --from, sched books every line of a file. The columns (or JSON fields) are named like the flags: event_type, start, email, name, timezone and so on. A flag is the value for lines that have none of their own. Answers are a column answers with a JSON object or 'Question=Answer; Question=Answer', or a column 'answers.QUESTION' for each question. A start needs a date. Without an offset it is read in the time zone of --tz if given, else in that of its invitee, and sched says which. All wrong lines are reported before anything is sent. With --skip-invalid, they are skipped and the others are booked (exit code 11).",
      'Bookings from a file are confirmed by a prompt, --yes or --confirm COUNT. Each line is booked at most once: to resume an interrupted run, or one that stopped because of the rate limit, run the same command again. A line that the service refuses, such as a taken slot, is reported and counted as rejected, and the exit code is 11. The receipt has the line, event type and start of each booking, and no name or address.',
    ],
    choices: { start: startChoices },
    followUps: openQuestions,
    run: async (invocation) =>
      invocation.typed.from === undefined
        ? runCreate(generic, invocation)
        : (await import('./bulk/book.ts')).bookFromFile(generic, invocation),
  }),
  'no-show': (generic: GenericCommand): Command => ({
    ...generic,
    arguments: chosen(
      [
        {
          name: 'event',
          description: 'ID of the event, or the full URI of the invitee',
          required: true,
          collection: 'scheduled_events',
        },
        { name: 'invitee', description: 'ID of the invitee', collection: 'invitees' },
      ],
      'began',
      ({ status }) => status !== 'canceled',
    ),
    notes: [
      'On a terminal, the event can be chosen from those of the last week, and the only active invitee of an event is taken.',
      'If the meeting has not started yet, sched asks for confirmation. A single ID is first looked up as an event. If there is no such event, it is used as the ID of an invitee. Then sched can neither check when the meeting starts nor read the invitee afterwards. An invitee that is already marked is reported as such, with exit code 0.',
    ],
    run: (invocation) => runNoShow(generic, invocation),
  }),
};

const settledView: View = {
  columns: [
    { header: 'VERDICT', path: 'verdict', shrink: false, priority: 5 },
    { header: 'START', path: 'start_time', as: 'time', priority: 4 },
    { header: 'SENT', path: 'sent_at', as: 'time', priority: 2 },
    { header: 'EVENT TYPE', path: 'event_type', as: 'id', priority: 1 },
    { header: 'INVITEE', path: 'uri', as: 'id', priority: 3 },
    { header: 'CHECK AFTER', path: 'decidable_at', as: 'time' },
  ],
};

const runReconcile = async ({ context, problems }: Invocation): Promise<void> => {
  problems.check();
  const bookingContext = await bookingContextOf(context);
  const unknown: SettledAttempt[] = [];
  async function* settled() {
    for await (const each of reconcile(bookingContext)) {
      if (each.verdict === 'unknown') unknown.push(each);
      yield [each];
    }
  }
  const { rows, hiddenColumns } = await context.printer.list(settledView, settled());
  noteHidden(context.notes, hiddenColumns);
  if (rows === 0) context.notes.footer('No bookings with an unknown outcome');
  const [first] = unknown;
  if (first === undefined) return;
  throw new SchedError(
    'outcome-unknown',
    `The outcome of ${unknown.length} of ${counted(rows, 'booking')} is still unknown`,
    {
      reason: first.reason ?? 'looking them up found nothing',
      hint: bookingContext.checkAgain,
      outcome: 'unknown',
    },
  );
};

export const extra = (): Command[] => [
  {
    name: 'reconcile',
    summary: 'Look up bookings whose outcome is unknown',
    arguments: [],
    flags: [],
    examples: ['invitees reconcile', 'invitees reconcile --json'],
    notes: [
      "Checks every booking from this machine, or from all machines with the same SCHED_SHARED_STATE, whose reply was lost. The verdict is booked, not-booked or unknown. The verdict not-booked needs proof: the token sees all hosts of the event type, the request must have ended at least two minutes ago by the service's clock, and the list of events shows a newer one. The exit code is 10 while any outcome is unknown.",
    ],
    effect: 'read',
    view: settledView,
    fields: ['verdict', 'event_type', 'start_time', 'sent_at', 'decidable_at', 'uri', 'event', 'reason'],
    run: runReconcile,
  },
];
