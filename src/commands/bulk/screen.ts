import { SchedError, sameCommand, withoutRequestId } from '../../base/errors.ts';
import { formatNumber } from '../../base/numbers.ts';
import { once } from '../../base/once.ts';
import type { PictureAnswer } from '../../cli/answer/answer.ts';
import type { ProblemLog } from '../../cli/messages/notes.ts';
import type { Context } from '../../cli/session/context.ts';
import { isTimeRefused } from '../../client/refusal.ts';
import { asciiForm, needsAscii } from '../../output/ascii.ts';
import type { BlockStyle } from '../../output/block.ts';
import { cutLong, humanText } from '../../output/cells.ts';
import { pad, shorten, width, wrap } from '../../output/width.ts';
import { recallReasons } from './reasons-file.ts';
import { type BulkResult, resultView } from './run-result.ts';
import { groupProblems } from './work-plan.ts';
import type { ItemOutcome, RunHistory } from './work-receipt.ts';
import type { SendResult } from './work-run.ts';

/** Something in the input that was not done. */
export interface Failure {
  line: number;
  problem: string;
  /** Its time and its person, if they may be shown: `Tue 1 Dec, 13:00`, `Grace Hopper`. */
  names?: readonly string[];
  /** Finds free times instead, if the service refused its time. */
  findFree?: (() => Promise<string | undefined>) | undefined;
}

/** An item of a run, and where in the input it is. */
export interface InputItem {
  line: number;
}

/** Failures that an answer names. The others are counted, so that the answer stays on the screen. */
export const mostFailures = 15;
/** Failures with free times instead. They cost requests. */
const mostWithFree = 10;
/** Lines that an advice names. */
const mostLines = 5;

type Cause = Omit<ItemOutcome, 'at' | 'batch' | 'status'> & { status?: number | undefined; error?: SchedError };

/** Why an item failed, in a few words: those of the service only if ours say nothing about the item. */
const shortCause = ({ verdict, status, error }: Cause): string => {
  if (verdict === 'unknown') return 'unknown: the reply was lost';
  if (error === undefined) return `refused (HTTP ${status})`;
  const { category, message, facts } = error;
  const said = category === 'usage' || category === 'forbidden' ? facts.reason : undefined;
  return (said && withoutRequestId(said)) ?? message.charAt(0).toLowerCase() + message.slice(1);
};

/** What an answer needs to know about the input of a run. */
export interface BulkTask<Item extends InputItem = InputItem> {
  items: readonly Item[];
  mark(item: Item): string;
  /** The plural name of the items: `addresses`. */
  things: string;
  /** The state of an item after success: `booked`. */
  done: string;
  /** What the input consists of. */
  thing: 'line' | 'item' | 'argument';
  /** The time and the person of an item, if they may be shown. */
  nameOf?(item: Item): readonly string[] | Promise<readonly string[]>;
  /** Free times near that of an item, if they can be read without waiting. */
  freeInstead?(item: Item): Promise<string | undefined>;
  /** The lines that were skipped because they are wrong, and whether that is a failure of the run. */
  wrong: readonly Failure[];
  needsAll?: boolean;
  /** What to do about refused and skipped items, in a sentence. `lines` are theirs if all of them are known. */
  fix(accepted: number, lines?: string): string;
  /** For work that only looks: what a rejected item is, and what to do about unknown ones. */
  look?: { rejected: string; unknown: string };
}

const itemFailure = async (task: BulkTask, item: InputItem, cause: Cause): Promise<Failure> => ({
  line: item.line,
  problem: shortCause(cause),
  names: (await task.nameOf?.(item)) ?? [],
  findFree: isTimeRefused(cause.error) ? async () => task.freeInstead?.(item) : undefined,
});

/** The items that earlier processes of a run could not do, with the reasons that are still known. */
export const earlierFailures = async (
  { runtime }: Context,
  task: BulkTask,
  history: RunHistory | undefined,
): Promise<Failure[]> => {
  const failures: Failure[] = [];
  if (history === undefined || history.counts.rejected === 0) return failures;
  const reasonOf = await recallReasons(runtime, history.run.run);
  for (const item of task.items) {
    const outcome = history.outcomes.get(task.mark(item));
    if (outcome?.verdict !== 'rejected') continue;
    const { problem, isTime } = reasonOf(item.line) ?? {};
    failures.push({
      ...(await itemFailure(task, item, outcome)),
      ...(problem !== undefined && { problem }),
      ...(isTime && { findFree: async () => task.freeInstead?.(item) }),
    });
    if (failures.length === mostFailures) break;
  }
  return failures;
};

export const failureText = ({ thing }: BulkTask, { line, names = [], problem }: Failure): string =>
  `${[`${thing} ${formatNumber(line)}`, ...names].join(', ')}: ${problem}`;

/** Collects the items of a batch that were not accepted, for the answer, and says them in a log. */
export const noteFailures = async (
  log: ProblemLog,
  task: BulkTask,
  items: readonly InputItem[],
  answer: SendResult,
  failures: Failure[],
): Promise<void> => {
  const { verdict, status } = answer;
  if (verdict !== 'rejected' && verdict !== 'unknown') return;
  const { error } = answer;
  for (const item of items) {
    const failure = once(() => itemFailure(task, item, { verdict, status, ...(error && { error }) }));
    if (failures.length < mostFailures) failures.push(await failure());
    if (error === undefined) continue;
    const { message, facts } = error;
    const problem = `${message}${facts.reason ? ` (${facts.reason})` : ''}`;
    const verdictWord = verdict === 'unknown' ? 'unknown' : 'failed';
    await log.add(async () => `${verdictWord}: ${failureText(task, { ...(await failure()), problem })}`);
  }
};

/** The result of a run and the first of its failures. */
interface RunAnswer {
  task: BulkTask;
  result: BulkResult;
  failures: readonly Failure[];
}

const longestName = 24;
/** With less room for the cause, it has a line of its own. */
const leastCause = 20;

/** A failure, or several that have no time and person and the same problem. */
interface Row {
  cells: string[];
  why: string;
  /** Free times instead. */
  free?: string | undefined;
}

const failureRows = async (failures: readonly Failure[], thing: string): Promise<Row[]> => {
  const byLine = failures.toSorted((one, other) => one.line - other.line);
  const timeFailures = byLine.filter(({ findFree }) => findFree !== undefined).slice(0, mostWithFree);
  const rows: Row[] = [];
  const nameless: Failure[] = [];
  for (const failure of byLine) {
    const { line, names = [], problem, findFree } = failure;
    const cells = [`${thing} ${formatNumber(line)}`, ...names].map(humanText);
    if (names.length === 0) nameless.push(failure);
    else rows.push({ cells, why: problem, free: timeFailures.includes(failure) ? await findFree!() : undefined });
  }
  for (const { lines, problem = '' } of groupProblems(nameless, thing)) rows.push({ cells: [lines], why: problem });
  return rows.map((row) => ({ ...row, why: humanText(cutLong(row.why, 500)) }));
};

const answerHead = ({ result: { accepted, total, skipped }, task: { done } }: RunAnswer): string =>
  `${formatNumber(accepted)} of ${formatNumber(total + skipped)} ${done}`;

/** How many failures have no row. */
const unnamedIn = ({ result: { rejected, unknown, skipped }, failures }: RunAnswer): number =>
  rejected + unknown + skipped - failures.length;

/** `line 7`, or `lines 7, 9`. Nothing if not all are known, or one is. */
const linesText = (answer: RunAnswer): string | undefined => {
  const lines = answer.failures.map(({ line }) => line).sort((one, other) => one - other);
  if (answer.task.thing !== 'line' || lines.length === 0 || lines.length > mostLines || unnamedIn(answer) > 0)
    return undefined;
  return `${lines.length === 1 ? 'line' : 'lines'} ${lines.map(formatNumber).join(', ')}`;
};

/** What to do about the failures, and where the evidence is. Hashes and run IDs are for `--json` and `-v`. */
const nextOf = (answer: RunAnswer, { runtime, settings }: Context): string[] => {
  const { task, result } = answer;
  const { accepted, rejected, unknown, skipped, run, receipt, head } = result;
  const isInHome = runtime.home !== '' && receipt.startsWith(`${runtime.home}/`);
  return [
    ...(rejected + skipped > 0 ? [task.fix(accepted, linesText(answer))] : []),
    ...(unknown > 0
      ? [task.look?.unknown ?? 'Run the same command again to find out what became of the unknown ones.']
      : []),
    ...(receipt === '' ? [] : [`Receipt: ${isInHome ? `~${receipt.slice(runtime.home.length)}` : receipt}`]),
    ...(settings.verbose && run !== '' ? [`Run: ${run}`, `Head: ${head}`] : []),
  ];
};

const inLines = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** What was done, what failed and why, and what to do. */
const drawnAnswer = (
  answer: RunAnswer,
  shownRows: readonly Row[],
  next: readonly string[],
  { paint, available }: BlockStyle,
  isAscii: boolean,
): string => {
  const [done, failed] = isAscii ? (['ok', 'x'] as const) : (['✔', '✗'] as const);
  const { accepted, total } = answer.result;
  const rows = shownRows.map(({ cells: [place = '', when, who], ...row }) => ({
    ...row,
    // A single cell may hold many line numbers: the columns of the other rows must stay where they are.
    cells: when === undefined ? [place] : [place, when, shorten(who ?? '', longestName)],
  }));
  const columns = rows.filter(({ cells }) => cells.length > 1);
  const widths = [0, 1, 2].map((at) => Math.max(0, ...columns.map(({ cells }) => width(cells[at]!))));
  const more = unnamedIn(answer);
  const text = inLines([
    `${accepted > 0 || total === 0 ? paint.done(done) : paint.error(failed)} ${answerHead(answer)}`,
    ...rows.flatMap(({ cells, why: cause, free }) => {
      const padded = cells.flatMap((cell, at) => (widths[at] === 0 ? [] : [pad(cell, widths[at]!)]));
      const row = (cells.length > 1 ? padded : cells).join('  ');
      const room = available - width(failed) - 1;
      const why = free === undefined ? cause : `${cause} · ${free}`;
      // Half of the free times would mislead.
      const isNarrow = room - width(row) - 2 < (free === undefined ? leastCause - 2 : width(why));
      const whyLines = free !== undefined && width(why) + 2 > available ? [cause, free] : [why];
      const [first, ...below] = isNarrow ? [row.trimEnd(), ...whyLines.map((line) => `  ${line}`)] : [`${row}  ${why}`];
      return [`${paint.error(failed)} ${shorten(first!, room)}`, ...below.map((line) => shorten(line, available))];
    }),
    ...(more > 0 ? [`  and ${formatNumber(more)} more`] : []),
    ...next.flatMap((line) => wrap(humanText(line), available)),
  ]);
  return isAscii ? asciiForm(text) : text;
};

/** The same for screen readers. */
const spokenAnswer = (answer: RunAnswer, rows: readonly Row[], next: readonly string[]): string => {
  const more = unnamedIn(answer);
  return inLines([
    answerHead(answer),
    ...rows.map(
      ({ cells, why, free }) => `Failed: ${cells.join(', ')}: ${why}${free === undefined ? '' : `, ${free}`}`,
    ),
    ...(more > 0 ? [`And ${formatNumber(more)} more failed`] : []),
    ...next.map(humanText),
  ]);
};

const partial = ({ task, result }: RunAnswer): SchedError => {
  const { rejected, unknown } = result;
  const { look } = task;
  const counts = { [look?.rejected ?? 'rejected']: rejected, unknown, skipped: task.needsAll ? result.skipped : 0 };
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  const words = parts.map(([name, count]) => `${formatNumber(count)} ${name}`).join(', ');
  return new SchedError('partial', `Not all ${task.things} were ${task.done}: ${words}`, {
    outcome: look !== undefined ? 'not-applied' : unknown > 0 ? 'unknown' : 'applied',
    answered: true,
    ...(unknown > 0 && look === undefined ? { hint: sameCommand } : {}),
  });
};

/** The answer of a run: in words for people, the result for programs. Work that has no receipt has an empty one. */
export const runAnswer = (context: Context, answer: RunAnswer): PictureAnswer & { failure: SchedError | undefined } => {
  const { task, result, failures } = answer;
  const isPartial = result.rejected > 0 || result.unknown > 0 || (task.needsAll && result.skipped > 0);
  return {
    kind: 'picture',
    others: { kind: 'record', view: resultView, record: { ...result } },
    picture: async () => {
      const rows = await failureRows(failures, task.thing);
      const next = nextOf(answer, context);
      return {
        draw: (style) => ({ picture: drawnAnswer(answer, rows, next, style, needsAscii(context.runtime.env)) }),
        words: () => spokenAnswer(answer, rows, next),
      };
    },
    failure: isPartial ? partial(answer) : undefined,
    saysFailure: true,
  };
};
