import { events } from '../../api/events.ts';
import type { SentInvitee } from '../../api/invitees.ts';
import { SchedError, sameCommand } from '../../base/errors.ts';
import { counted } from '../../base/numbers.ts';
import type { Page, RowsAnswer } from '../../cli/answer/answer.ts';
import type { Plan } from '../../cli/answer/plan.ts';
import type { Argument, Command, Invocation } from '../../cli/command.ts';
import { type Call, input, taking } from '../../cli/input/input.ts';
import { choice } from '../../cli/input/kinds.ts';
import { aboutService } from '../../cli/mirror-answer.ts';
import { eventTypeOf } from '../../cli/operation/event-type.ts';
import { type Decorations, type GenericCommand, operationInput } from '../../cli/operation/generic-command.ts';
import { withPage } from '../../cli/operation/open-page.ts';
import { type OperationInput, runOperation } from '../../cli/operation/run-operation.ts';
import type { Context } from '../../cli/session/context.ts';
import { readIfPossible } from '../../client/change.ts';
import { csvQuestionColumns } from '../../output/question-columns.ts';
import type { View } from '../../output/view.ts';
import { bookingContextOf } from '../booking/booking-context.ts';
import { questionsOf } from '../booking/work-answers.ts';
import { reconcile, type SettledAttempt } from '../booking/work-reconcile.ts';
import type { Usual } from '../events/prompt-choices.ts';
import { noShowArguments, noShowInput, runNoShow } from './no-show.ts';

export const examples = {
  list: ['invitees list JW6SHQTS78SH7TS8', 'invitees list JW6SHQTS78SH7TS8 --status active --json=name,email'],
  get: [
    'invitees get $(sched invitees list JW6SHQTS78SH7TS8 --limit 1 -o id)',
    'invitees get $(sched invitees list XEFT95ZZDW9SPL93 --limit 1 -o id) --json',
    'invitees get $(sched invitees list XEFT95ZZDW9SPL93 --limit 1 -o id) --web=reschedule',
  ],
  'get-no-show': ['invitees get-no-show 7XMLWK4XT9XSSFB2', 'invitees get-no-show 7XMLWK4XT9XSSFB2 --json=invitee'],
  'no-show': [
    'invitees no-show X3XCCHNUC6KQ5HVJ',
    'invitees no-show $(sched invitees list X3XCCHNUC6KQ5HVJ --status active --limit 1 -o id) --json',
  ],
};

/** Lists the invitees of an event. A CSV file has a column for each question of the event type. */
const runList = async (generic: GenericCommand, values: OperationInput, context: Context): Promise<Plan> => {
  const forCsv = async () => {
    const client = await context.client();
    // Without the event type, the column with all answers has to do.
    const type = await readIfPossible(async () => {
      const { event_type: uri } = await client.call(events.get, { path: values.request.path! });
      return typeof uri === 'string' ? eventTypeOf(context, uri) : undefined;
    });
    return csvQuestionColumns(type === undefined ? [] : questionsOf(type));
  };
  return runOperation({ ...generic, forCsv }, values, context);
};

const pages: Record<string, Page> = {
  cancel: { field: 'cancel_url', name: 'page for canceling' },
  reschedule: { field: 'reschedule_url', name: 'page for rescheduling' },
};

const pageEntry = choice(Object.keys(pages), 'open a page of the invitee in the browser', {
  value: 'PAGE',
  heading: 'Output',
});

/** Lets a terminal choose the event, and then the invitee unless the event has only one. */
const chooseArguments = (
  [event, invitee]: readonly Argument[],
  usual: Usual = 'next',
  isWanted?: (invitee: SentInvitee) => boolean,
): Argument[] => [
  {
    ...event!,
    offer: async (invocation) =>
      (await import('../events/prompt-choices.ts')).offerEvents(usual, 'Which event?', invocation),
  },
  ...(invitee === undefined
    ? []
    : [
        {
          ...invitee,
          offer: async (invocation: Invocation) =>
            (await import('../events/prompt-choices.ts')).offerInvitees('Which invitee?', invocation, isWanted),
        },
      ]),
];

export const decorate = {
  list: (generic) => ({
    arguments: chooseArguments(generic.arguments),
    notes: ['With -o csv, each question of the event type has a column of its own after the others.'],
    run: taking(operationInput(generic), (values, { context }) => runList(generic, values, context)).run,
  }),
  get: (generic) =>
    withPage({ ...generic, arguments: chooseArguments(generic.arguments) }, (page) => pages[page!]!, pageEntry),
  'no-show': (generic, others) => ({
    ...taking(
      noShowInput(chooseArguments(noShowArguments, 'began', ({ status }) => status !== 'canceled')),
      (...call) => runNoShow(...call, generic.view),
    ),
    alternative: others['undo-no-show']!.operation,
    notes: [
      'On a terminal, the event can be chosen from those of the last week. The only active invitee of an event is taken, everywhere; with --undo the only one with a mark.',
      'If the meeting has not started yet, or it or the invitee was canceled, sched asks for confirmation. A single ID is first looked up as an event. If there is no such event, it is used as the ID of an invitee. Then sched can neither check when the meeting starts nor read the invitee afterwards. An invitee that is already marked is reported as such, with exit code 0.',
      '--undo takes the mark back, after a confirmation. It needs the event, or the full URI of the invitee. An invitee without a mark is reported as such, with exit code 0.',
    ],
  }),
} satisfies Decorations;

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

const runReconcile = async (_: object, { context }: Call): Promise<RowsAnswer> => {
  const bookingContext = await bookingContextOf(context);
  const unknownAttempts: SettledAttempt[] = [];
  async function* settledRows() {
    for await (const each of reconcile(bookingContext)) {
      if (each.verdict === 'unknown') unknownAttempts.push(each);
      yield [each];
    }
  }
  /** What is still open once all were looked up. */
  const failure = async (rows: number): Promise<SchedError | undefined> => {
    const { moveContextOf, noteOpenMoves } = await import('../move/plan-move.ts');
    await noteOpenMoves(context, await moveContextOf(context));
    const [first] = unknownAttempts;
    return (
      first &&
      new SchedError(
        'outcome-unknown',
        `The outcome of ${unknownAttempts.length} of ${counted(rows, 'booking')} is still unknown`,
        {
          reason: first.reason ?? 'looking them up found nothing',
          hint: sameCommand,
          outcome: 'unknown',
        },
      )
    );
  };
  const below = async (rows: number) => (rows === 0 ? ['No bookings with an unknown outcome'] : []);
  return { kind: 'rows', view: settledView, pages: settledRows(), below, failure };
};

export const extra = (): Command[] => [
  {
    name: 'reconcile',
    summary: 'Look up bookings whose outcome is unknown',
    ...taking(input({}), runReconcile),
    examples: ['invitees reconcile', 'invitees reconcile --json'],
    notes: [
      "Checks every booking from this machine, or from all machines with the same SCHED_SHARED_STATE, whose reply was lost. The verdict is booked, not-booked or unknown. The verdict not-booked needs proof: the token sees all hosts of the event type, the request must have ended at least two minutes ago by the service's clock, and the list of events shows a newer one. The exit code is 10 while any outcome is unknown. Moves of events that are not finished are named with the command that finishes them.",
    ],
    effect: 'read',
    mirror: aboutService,
    view: settledView,
    fields: ['verdict', 'event_type', 'start_time', 'sent_at', 'decidable_at', 'uri', 'event', 'reason'],
  },
];
