import type { SentEventType } from '../../api/event-types.ts';
import { invitees, type SentInvitee } from '../../api/invitees.ts';
import { fallBack, hasCategory } from '../../base/errors.ts';
import { counted, formatNumber } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import { the, words } from '../../base/words.ts';
import type { Value } from '../../cli/input/field-kinds.ts';
import type { Call } from '../../cli/input/input.ts';
import { Problems } from '../../cli/messages/problems.ts';
import { eventTypeOf } from '../../cli/operation/event-type.ts';
import type { FieldFlag } from '../../cli/operation/field-flags.ts';
import { checkOrigins, type Draft, draftInput, finalOf } from '../../cli/operation/input.ts';
import { referredRecord } from '../../cli/operation/references.ts';
import type { Input } from '../../client/wire.ts';
import { type InputRecord, readRecordFile } from '../bulk/read-items.ts';
import type { Failure } from '../bulk/screen.ts';
import { groupProblems } from '../bulk/work-plan.ts';
import { bookingColumnOf, bookingColumns, bookingFileColumns, rowOf } from './file-rows.ts';
import type { BookingInput } from './input.ts';
import type { Booking, DraftBody } from './work.ts';
import { isAnswer, questionsOf, readAnswer, unanswered } from './work-answers.ts';
import { bookingDigest } from './work-attempt.ts';

export interface BookingLine {
  line: number;
  input: Input;
  body: Omit<Booking, 'send'> & { invitee: SentInvitee };
  /** Name of the event type, or its ID if the token may not read it. */
  typeName: string;
  /** The zone in which a start without an offset was read. */
  startZone?: string;
}

/** An event type of the file, looked up once. `record` is undefined if the token may not read it. */
type KnownType = { uri: string; record: SentEventType | undefined } | { problem: string };

/** The words of an error about the user's input. Any other error ends the command. */
const inputProblem = (error: unknown): string => {
  if (!hasCategory(error, 'usage', 'not-found')) throw error;
  return error.message;
};

const findType = async ({ context }: Call, value: Value): Promise<KnownType> => {
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
const addLineAnswers = (body: DraftBody, answers: readonly string[], problems: Problems, record?: SentEventType) => {
  if (record === undefined) {
    if (answers.length > 0) problems.add("answers: the token can't read the questions of the event type");
    return;
  }
  const questions = questionsOf(record);
  const byQuestion = new Map<string, unknown>();
  for (const raw of answers) {
    const reading = readAnswer(raw, questions);
    if (isAnswer(reading)) byQuestion.set(reading.question, reading);
    else problems.report({ words: reading });
  }
  for (const { name } of unanswered(questions, [...byQuestion.keys()]))
    problems.add(`answers: no answer to the required question "${name}"`);
  if (byQuestion.size > 0) body.custom_questions = [...byQuestion.values()];
};

const mostProblems = 50;

export interface LineProblem {
  line: number;
  problem: string;
  /** It books the same as an earlier one, so nothing is missing without it. */
  isDuplicate?: boolean;
}

/** How many lines are wrong, and how many only repeat another one. */
const countWrong = (wrong: readonly LineProblem[]): { mistakes: number; duplicates: number } => {
  const countLines = (problems: readonly LineProblem[]) => new Set(problems.map(({ line }) => line)).size;
  const mistakes = countLines(wrong.filter(({ isDuplicate }) => !isDuplicate));
  return { mistakes, duplicates: countLines(wrong) - mistakes };
};

/** Reports the problems of all lines together. Throws if there are any, unless --skip-invalid leaves some to book. */
export const checkLines = (
  { context, problems }: Pick<Call, 'context' | 'problems'>,
  skipInvalid: boolean,
  wrong: readonly LineProblem[],
  thing: 'item' | 'line',
  total: number,
): void => {
  if (wrong.length === 0) return;
  const grouped = groupProblems(
    wrong.toSorted((one, other) => one.line - other.line),
    thing,
  );
  for (const { lines, problem } of grouped.slice(0, mostProblems)) context.notes.warn(`${lines}: ${problem}`);
  if (grouped.length > mostProblems)
    context.notes.warn(`and ${counted(grouped.length - mostProblems, 'more problem')}`);
  const { mistakes, duplicates } = countWrong(wrong);
  const count = mistakes + duplicates;
  if (skipInvalid && count < total) return;
  const all = `of ${counted(total, thing)}`;
  const facts = [
    ...(mistakes === 0 ? [] : [`${formatNumber(mistakes)} ${all} ${mistakes === 1 ? 'has' : 'have'} a problem`]),
    ...(duplicates === 0
      ? []
      : [
          `${formatNumber(duplicates)} ${mistakes === 0 ? `${all} ` : ''}${duplicates === 1 ? 'repeats' : 'repeat'} another one`,
        ]),
  ];
  const way = words`; use ${the('skipInvalid')} to skip ${count === 1 ? 'it' : 'them'}`;
  problems.report({ words: words`${facts.join(', and ')}. Nothing was sent${count < total ? way : ''}` });
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
const checkDuplicates = (lines: readonly BookingLine[], thing: string, wrong: LineProblem[]): void => {
  const firstLines = new Map<string, number>();
  for (const { line, body } of lines) {
    const digest = bookingDigest({ version: 2, origin: '' }, body, body.invitee.email);
    const earlier = firstLines.get(digest);
    if (earlier === undefined) firstLines.set(digest, line);
    else {
      const problem = `it books the same event type, start and email as ${thing} ${formatNumber(earlier)}`;
      wrong.push({ line, problem, isDuplicate: true });
    }
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
  call: Call,
  flags: readonly FieldFlag[],
  records: readonly InputRecord[],
  report: Report,
): Promise<DraftLine[]> => {
  const drafts: DraftLine[] = [];
  for (const record of records) {
    const { line } = record;
    const row = 'problem' in record ? [record.problem] : rowOf(call.how.given, flags, record.value);
    if (Array.isArray(row)) {
      for (const problem of row) report(line, problem);
      continue;
    }
    const problems = new Problems(undefined, bookingColumns);
    const how = { ...call.how, given: row.given, isFile: true } as const;
    const draft = await draftInput({ ...call, problems }, invitees.create, flags, how);
    for (const problem of problems.texts) report(line, problem);
    drafts.push({ line, draft, answers: row.answers, problems });
  }
  return drafts;
};

const valueIn = ({ values }: Draft, name: string): Value | undefined =>
  values.find(([flag]) => flag.name === name)?.[1][0];

/** Turns lines into bookings. Looks up each event type once. */
const bookingsOf = async (call: Call, drafts: readonly DraftLine[], report: Report): Promise<BookingLine[]> => {
  const lines: BookingLine[] = [];
  const types = new Map<string, KnownType>();
  for (const { line, draft, answers, problems } of drafts) {
    const value = valueIn(draft, 'event-type');
    if (value === undefined) continue;
    const key = JSON.stringify(value);
    const type = types.get(key) ?? (await findType(call, value));
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
      .finish(async (body) => addLineAnswers(body, answers, problems, type.record), find)
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
  call: Call,
  flags: readonly FieldFlag[],
): Promise<BookingFile> => {
  const { problems } = call;
  const columns = bookingFileColumns(flags);
  const { records, thing } = await readRecordFile(call, from!, {
    columnOf: bookingColumnOf(columns),
    columns: `${columns.join(', ')} and answers.QUESTION`,
  });
  if (records.length === 0) problems.add('No bookings in the input');
  problems.check();
  const wrong: LineProblem[] = [];
  const report: Report = (line, problem) => {
    wrong.push({ line, problem });
  };
  const check = () => checkLines(call, skipInvalid, wrong, thing, records.length);
  const drafts = await draftLines(call, flags, records, report);
  const isLocallyWrong = wrong.length > 0;
  const lines = await bookingsOf(call, drafts, report).catch((error: unknown) => {
    // The lines can be fixed without the service, so an unreachable one is no reason to hide their problems.
    if (isLocallyWrong) check();
    throw error;
  });
  const failures = failuresOf(wrong);
  checkDuplicates(lines, thing, wrong);
  check();
  const skipped = new Set(wrong.map(({ line }) => line));
  return {
    lines: lines.filter(({ line }) => !skipped.has(line)),
    thing,
    wrong: failures,
    duplicates: countWrong(wrong).duplicates,
  };
};
