import { invitees } from '../../../api/invitees.ts';
import type { Input } from '../../../client/wire.ts';
import { fallBack, hasCategory } from '../../../errors.ts';
import { groupProblems } from '../../../jobs/batch-plan.ts';
import type { Booking } from '../../../jobs/booking.ts';
import { digestOf } from '../../../jobs/booking-attempt.ts';
import type { Json } from '../../../json.ts';
import { counted, formatNumber } from '../../../numbers.ts';
import { idIn } from '../../../uri.ts';
import type { Invocation } from '../../command.ts';
import type { Value } from '../../input/field-kinds.ts';
import { type Call, howOf } from '../../input/input.ts';
import { the, words } from '../../input/words.ts';
import { Problems } from '../../messages/problems.ts';
import type { FieldFlag } from '../../operation/field-flags.ts';
import { checkOrigins, type Draft, draftInput, finalOf } from '../../operation/input.ts';
import { referredRecord } from '../../operation/references.ts';
import { eventTypeOf, isAnswer, questionsOf, readAnswer, unanswered } from '../../scheduling/answers.ts';
import type { BookingInput } from '../booking-input.ts';
import type { Failure } from './answer.ts';
import { bookingColumns, columnOf, columnsOf, rowOf } from './booking-rows.ts';
import { type InputRecord, readRecordFile } from './read-items.ts';

export interface BookingLine {
  line: number;
  input: Input;
  body: Omit<Booking, 'send'> & { invitee: Json & { email: string } };
  /** Name of the event type, or its ID if the token may not read it. */
  typeName: string;
  /** The zone in which a start without an offset was read. */
  startZone?: string;
}

/** An event type of the file, looked up once. `record` is undefined if the token may not read it. */
type KnownType = { uri: string; record: Json | undefined } | { problem: string };

/** The words of an error about the user's input. Any other error ends the command. */
const inputProblem = (error: unknown): string => {
  if (!hasCategory(error, 'usage', 'not-found')) throw error;
  return error.message;
};

const findType = async ({ context }: Invocation, value: Value): Promise<KnownType> => {
  if ('ready' in value) return { uri: String(value.ready), record: undefined };
  const problems = new Problems();
  try {
    await checkOrigins({ context, problems }, [value.root]);
    problems.check();
    const { uri, record } = await referredRecord(value, context);
    return { uri, record: record ?? (await eventTypeOf(context, uri).catch(fallBack(undefined, 'forbidden'))) };
  } catch (error) {
    return { problem: inputProblem(error) };
  }
};

/** Adds the answers of a line to its body. A later answer to the same question replaces an earlier one. */
const addAnswers = (body: Json, answers: readonly string[], record: Json | undefined, problems: Problems): void => {
  if (record === undefined) {
    if (answers.length > 0) problems.add("answers: the token can't read the questions of the event type");
    return;
  }
  const questions = questionsOf(record);
  const byQuestion = new Map<string, unknown>();
  for (const raw of answers) {
    const read = readAnswer(raw, questions);
    if (isAnswer(read)) byQuestion.set(read.question, read);
    else problems.report({ words: read });
  }
  for (const { name } of unanswered(questions, [...byQuestion.keys()]))
    problems.add(`answers: no answer to the required question "${name}"`);
  if (byQuestion.size > 0) body.custom_questions = [...byQuestion.values()];
};

const mostProblems = 50;

export interface LineProblem {
  line: number;
  problem: string;
}

/** Reports the problems of all lines together. Throws if there are any, unless --skip-invalid leaves some to book. */
export const checkLines = (
  { context, problems }: Pick<Call, 'context' | 'problems'>,
  skipInvalid: boolean,
  wrong: readonly LineProblem[],
  thing: 'item' | 'line',
  total: number,
): void => {
  if (wrong.length === 0) return;
  const all = groupProblems(
    wrong.toSorted((one, other) => one.line - other.line),
    thing,
  );
  for (const { lines, problem } of all.slice(0, mostProblems)) context.notes.warn(`${lines}: ${problem}`);
  if (all.length > mostProblems) context.notes.warn(`and ${counted(all.length - mostProblems, 'more problem')}`);
  const count = new Set(wrong.map(({ line }) => line)).size;
  if (skipInvalid && count < total) return;
  const verb = count === 1 ? 'has' : 'have';
  const way = words`; use ${the('skipInvalid')} to skip ${count === 1 ? 'it' : 'them'}`;
  const what = `${formatNumber(count)} of ${counted(total, thing)} ${verb} a problem. Nothing was sent`;
  problems.report({ words: words`${what}${count < total ? way : ''}` });
  problems.check();
};

/** The wrong lines, for the answer of a run. */
export const failuresOf = (wrong: readonly LineProblem[]): Failure[] => {
  const byLine = new Map<number, string[]>();
  for (const { line, problem } of wrong) byLine.set(line, [...(byLine.get(line) ?? []), problem]);
  return [...byLine].map(([line, all]) => ({ line, problem: all.join('; ') }));
};

type Report = (line: number, problem: string) => void;

/** Reports a line that books the same as an earlier one. */
const checkDuplicates = (lines: readonly BookingLine[], thing: string, report: Report): void => {
  const seen = new Map<string, number>();
  for (const { line, body } of lines) {
    const digest = digestOf({ version: 2, origin: '' }, body, body.invitee.email);
    const earlier = seen.get(digest);
    if (earlier === undefined) seen.set(digest, line);
    else report(line, `it books the same event type, start and email as ${thing} ${formatNumber(earlier)}`);
  }
};

/** A line that was read without the service. */
interface DraftLine {
  line: number;
  draft: Draft;
  answers: string[];
  problems: Problems;
}

/** Reads the lines as calls of the command, as far as that is possible without the service. */
const draftLines = async (
  invocation: Invocation,
  flags: readonly FieldFlag[],
  records: readonly InputRecord[],
  report: Report,
): Promise<DraftLine[]> => {
  const how = howOf(invocation);
  const drafts: DraftLine[] = [];
  for (const record of records) {
    const { line } = record;
    const row = 'problem' in record ? [record.problem] : rowOf(how.given, flags, record.value);
    if (Array.isArray(row)) {
      for (const problem of row) report(line, problem);
      continue;
    }
    const problems = new Problems(undefined, bookingColumns);
    const call = { ...invocation, problems };
    const draft = await draftInput(call, invitees.create, flags, { ...how, given: row.given, isFile: true });
    for (const problem of problems.texts) report(line, problem);
    drafts.push({ line, draft, answers: row.answers, problems });
  }
  return drafts;
};

const valueIn = ({ values }: Draft, name: string): Value | undefined =>
  values.find(([flag]) => flag.name === name)?.[1][0];

/** Turns lines into bookings. Looks up each event type once. */
const bookingsOf = async (
  invocation: Invocation,
  drafts: readonly DraftLine[],
  report: Report,
): Promise<BookingLine[]> => {
  const lines: BookingLine[] = [];
  const types = new Map<string, KnownType>();
  for (const { line, draft, answers, problems } of drafts) {
    const value = valueIn(draft, 'event-type');
    if (value === undefined) continue;
    const key = JSON.stringify(value);
    const type = types.get(key) ?? (await findType(invocation, value));
    types.set(key, type);
    if ('problem' in type) {
      report(line, type.problem);
      continue;
    }
    // A line with a problem is checked only for its event type, which may not exist either.
    if (problems.texts.length > 0) continue;
    const find: typeof finalOf = async (each, flag, context) =>
      each === value ? type.uri : finalOf(each, flag, context);
    const input = await draft
      .finish(async (body) => addAnswers(body, answers, type.record, problems), find)
      .catch((error: unknown) => report(line, inputProblem(error)));
    if (input === undefined) continue;
    const typeName = typeof type.record?.name === 'string' ? type.record.name : idIn(type.uri);
    const start = valueIn(draft, 'start');
    const startZone = start !== undefined && 'ready' in start ? start.zone : undefined;
    const body = input.body as BookingLine['body'];
    lines.push({ line, input, body, typeName, ...(startZone === undefined ? {} : { startZone }) });
  }
  return lines;
};

/** The bookings of a file, and its lines that are skipped because they are wrong. */
interface BookingFile {
  lines: BookingLine[];
  thing: 'item' | 'line';
  wrong: Failure[];
  /** How many lines book the same as an earlier one. Nothing is missing without them. */
  duplicates: number;
}

/** Reads the file and checks every line, by the same rules as the flags. Reports all wrong lines together. */
export const readBookings = async (
  { from, skipInvalid }: BookingInput,
  { problems, bridge: invocation }: Call,
  flags: readonly FieldFlag[],
): Promise<BookingFile> => {
  const columns = columnsOf(flags);
  const { records, thing } = await readRecordFile(invocation, from!, {
    columnOf: columnOf(columns),
    columns: `${columns.join(', ')} and answers.QUESTION`,
  });
  if (records.length === 0) problems.add('No bookings in the input');
  problems.check();
  const wrong: LineProblem[] = [];
  const report: Report = (line, problem) => {
    wrong.push({ line, problem });
  };
  const check = () => checkLines(invocation, skipInvalid, wrong, thing, records.length);
  const drafts = await draftLines(invocation, flags, records, report);
  const isLocallyWrong = wrong.length > 0;
  const lines = await bookingsOf(invocation, drafts, report).catch((error: unknown) => {
    // The lines can be fixed without the service, so an unreachable one is no reason to hide their problems.
    if (isLocallyWrong) check();
    throw error;
  });
  const failures = failuresOf(wrong);
  checkDuplicates(lines, thing, report);
  check();
  const skipped = new Set(wrong.map(({ line }) => line));
  return {
    lines: lines.filter(({ line }) => !skipped.has(line)),
    thing,
    wrong: failures,
    duplicates: skipped.size - failures.length,
  };
};
