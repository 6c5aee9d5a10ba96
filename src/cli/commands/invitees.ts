import { eventTypes } from '../../api/event-types.ts';
import { invitees } from '../../api/invitees.ts';
import type { Json } from '../../client/reading.ts';
import { SchedError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { describeInstant } from '../../time/echo.ts';
import type { Command, Flag, Invocation } from '../command.ts';
import { readInput } from '../input.ts';
import { marked, type OperationCommand, printRequest } from '../operation-command.ts';

export const examples = {
  list: ['invitees list EVENT_ID', 'invitees list EVENT_ID --status active --json=name,email'],
  get: ['invitees get EVENT_ID INVITEE_ID', 'invitees get INVITEE_URI --json'],
  create: [
    'invitees create --event-type TYPE_ID --start 2026-12-01T15:00:00+01:00 --email ada@example.com --name "Ada Byron" --timezone Europe/Paris',
    'invitees create --body booking.json --dry-run',
  ],
  'no-show': ['invitees no-show EVENT_ID INVITEE_ID', 'invitees no-show INVITEE_URI --json'],
};

const answerFlag: Flag = {
  name: 'answer',
  value: 'Q=A',
  repeat: true,
  description: "answer to a question of the event type, as 'Question=Answer'",
  heading: 'Flags',
};

/** `Question=Answer`, where the question itself may hold a `=`: the longest known question wins. */
const readAnswer = (
  raw: string,
  questions: Json[],
): { question: string; answer: string; position: number } | string => {
  const known = questions.map((question) => String(question.name)).sort((a, b) => b.length - a.length);
  const question = known.find((name) => raw.toLowerCase().startsWith(`${name.toLowerCase()}=`));
  if (question !== undefined) {
    const { name, position } = questions.find((candidate) => candidate.name === question)!;
    return { question: String(name), answer: raw.slice(question.length + 1), position: Number(position) };
  }
  if (known.length === 0) return `--answer '${raw}': this event type asks no questions`;
  const meant = nearest(raw.split('=')[0]!, known);
  return `--answer '${raw}' names no question of this event type${meant === undefined ? '' : `, did you mean '${meant}'?`}; it asks: ${known.join(' / ')}`;
};

/** Puts `--answer` into the body: the questions' exact words and places are the event type's. */
const addAnswers = async ({ context, typed, problems }: Invocation, body: Json): Promise<void> => {
  const answers = typed.answer as string[] | undefined;
  if (answers === undefined) return;
  const id = String(body.event_type).split('/').at(-1)!;
  const type = await (await context.client()).call(eventTypes.get, { path: { event_type: id } });
  const questions = Array.isArray(type.custom_questions) ? (type.custom_questions as Json[]) : [];
  const read = answers.map((raw) => readAnswer(raw, questions));
  for (const answer of read) if (typeof answer === 'string') problems.add(answer);
  body.custom_questions = read.filter((answer) => typeof answer !== 'string');
};

const runCreate = async ({ fieldFlags, view }: OperationCommand, invocation: Invocation): Promise<void> => {
  const { context } = invocation;
  const input = await readInput(invocation, invitees.create, fieldFlags, (body) => addAnswers(invocation, body));
  const { start_time, invitee } = input.body as { start_time: string; invitee: { email: string } };
  const when = describeInstant(start_time, context.settings.zone);
  if (context.settings.dryRun) {
    context.notes.say(`would book ${when} for ${invitee.email}`);
    return printRequest(invocation, invitees.create, [input]);
  }
  const record = await (await context.client()).call(invitees.create, input);
  context.notes.say(`booked: ${when} for ${invitee.email}`);
  await context.printer.one(view, record);
};

const runNoShow = async ({ view }: OperationCommand, invocation: Invocation): Promise<void> => {
  const { context, args, problems } = invocation;
  // A bare invitee ID works too; without its event nothing can be read back.
  const isBare = args.length === 1 && !args[0]!.includes('/');
  const { path } = await readInput(invocation, isBare ? invitees['no-show'] : invitees.get, []);
  problems.check();
  const input = { path: { invitee: path!.invitee! } };
  if (context.settings.dryRun) return printRequest(invocation, invitees['no-show'], [input]);
  const client = await context.client();
  const record = await client.call(invitees['no-show'], input).catch(async (error: unknown) => {
    if (!(error instanceof SchedError && error.category === 'conflict') || isBare) throw error;
    const current = await client.call(invitees.get, { path: path! });
    if (current.no_show === null || current.no_show === undefined) throw error;
    return marked(current, { already: true });
  });
  context.notes.say(`${record._sched === undefined ? 'marked' : 'already marked'} as no-show: ${record.name}`);
  await context.printer.one(view, record);
};

export const decorate = {
  create: (generic: OperationCommand): Command => ({
    ...generic,
    flags: [...generic.flags.slice(0, -1), answerFlag, generic.flags.at(-1)!],
    notes: [
      'A time without an offset is read in --tz. It is refused where the invitee lives in another zone, because it could mean either.',
    ],
    run: (invocation) => runCreate(generic, invocation),
  }),
  'no-show': (generic: OperationCommand): Command => ({
    ...generic,
    arguments: [
      { name: 'event', description: 'ID of the event, or the full URI of the invitee', required: true },
      { name: 'invitee', description: 'ID of the invitee' },
    ],
    run: (invocation) => runNoShow(generic, invocation),
  }),
};
