import { SchedError, sameCommand } from '../../../errors.ts';
import { groupProblems } from '../../../jobs/batch-plan.ts';
import type { ItemOutcome, RunHistory } from '../../../jobs/receipt.ts';
import type { SendResult } from '../../../jobs/run.ts';
import { formatNumber } from '../../../numbers.ts';
import { asciiForm, needsAscii } from '../../../output/ascii.ts';
import type { BlockStyle } from '../../../output/block.ts';
import { cutLong, humanText } from '../../../output/cells.ts';
import { pad, shorten, width, wrap } from '../../../output/width.ts';
import type { Context } from '../../session/context.ts';
import { isTimeRefused } from './item-refused.ts';
import { type BulkResult, resultView } from './run-result.ts';

/** Something in the input that was not done. */
export interface Failure {
  line: number;
  problem: string;
  /** Its time and its person, if they may be shown: `Tue 1 Dec, 13:00`, `Grace Hopper`. */
  named?: readonly string[];
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

type Cause = Omit<ItemOutcome, 'at' | 'batch' | 'status'> & { status?: number | undefined; error?: SchedError };

/** Why an item failed, in a few words: those of the service only if ours say nothing about the item. */
const shortCause = ({ verdict, status, error }: Cause): string => {
  if (verdict === 'unknown') return 'unknown: the reply was lost';
  if (error === undefined) return `refused (HTTP ${status})`;
  const { category, message, facts } = error;
  const said = category === 'usage' || category === 'forbidden' ? facts.reason : undefined;
  return said?.replace(/ \[request [^\]]*\]$/, '') ?? message.charAt(0).toLowerCase() + message.slice(1);
};

/** What an answer needs to know about the input of a run. */
export interface Asked<Item extends InputItem = InputItem> {
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
  /** What to do about refused and skipped items, in a sentence. */
  fix(accepted: number): string;
}

/** Whether one person sees both the notes of a run and its answer in words. */
export const isWatched = ({ printer, runtime }: Context): boolean =>
  printer.showsPages && runtime.stdout.isTerminal && runtime.stderr.isTerminal;

const failureOf = async (asked: Asked, item: InputItem, cause: Cause): Promise<Failure> => ({
  line: item.line,
  problem: shortCause(cause),
  named: (await asked.nameOf?.(item)) ?? [],
  findFree: isTimeRefused(cause.error) ? async () => asked.freeInstead?.(item) : undefined,
});

/** The items that earlier processes of a run could not do. The receipt has no other cause than the status. */
export const earlierFailures = async (asked: Asked, history: RunHistory | undefined): Promise<Failure[]> => {
  const failures: Failure[] = [];
  if (history === undefined || history.counts.rejected === 0) return failures;
  for (const item of asked.items) {
    const outcome = history.outcomes.get(asked.mark(item));
    if (outcome?.verdict === 'rejected') failures.push(await failureOf(asked, item, outcome));
    if (failures.length === mostFailures) break;
  }
  return failures;
};

export const failureText = ({ thing }: Asked, { line, named = [], problem }: Failure): string =>
  `${[`${thing} ${formatNumber(line)}`, ...named].join(', ')}: ${problem}`;

/** Notes the items of a batch that were not accepted. In a log it says so at once; a person sees them in the answer. */
export const noteFailures = async (
  context: Context,
  asked: Asked,
  items: readonly InputItem[],
  answer: SendResult,
  failures: Failure[],
): Promise<void> => {
  const { verdict, status } = answer;
  if (verdict !== 'rejected' && verdict !== 'unknown') return;
  const { error } = answer;
  for (const item of items) {
    const isLogged = error !== undefined && !isWatched(context);
    if (!isLogged && failures.length >= mostFailures) return;
    const failure = await failureOf(asked, item, { verdict, status, ...(error && { error }) });
    if (failures.length < mostFailures) failures.push(failure);
    if (!isLogged) continue;
    const { message, facts } = error;
    const problem = `${message}${facts.reason ? ` (${facts.reason})` : ''}`;
    const failed = verdict === 'unknown' ? 'unknown' : 'failed';
    context.notes.warn(`${failed}: ${failureText(asked, { ...failure, problem })}`);
  }
};

/** The result of a run and the first of its failures. */
interface Answer {
  asked: Asked;
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

const rowsOf = async (failures: readonly Failure[], thing: string): Promise<Row[]> => {
  const sorted = failures.toSorted((one, other) => one.line - other.line);
  const refused = sorted.filter(({ findFree }) => findFree !== undefined).slice(0, mostWithFree);
  const rows: Row[] = [];
  const nameless: Failure[] = [];
  for (const failure of sorted) {
    const { line, named = [], problem, findFree } = failure;
    const cells = [`${thing} ${formatNumber(line)}`, ...named].map(humanText);
    if (named.length === 0) nameless.push(failure);
    else rows.push({ cells, why: problem, free: refused.includes(failure) ? await findFree!() : undefined });
  }
  for (const { lines, problem = '' } of groupProblems(nameless, thing)) rows.push({ cells: [lines], why: problem });
  return rows.map((row) => ({ ...row, why: humanText(cutLong(row.why, 500)) }));
};

const headOf = ({ result: { accepted, total, skipped }, asked: { done } }: Answer): string =>
  `${formatNumber(accepted)} of ${formatNumber(total + skipped)} ${done}`;

/** How many failures have no row. */
const unnamedIn = ({ result: { rejected, unknown, skipped }, failures }: Answer): number =>
  rejected + unknown + skipped - failures.length;

/** What to do about the failures, and where the evidence is. Hashes and run IDs are for `--json` and `-v`. */
const nextOf = ({ asked, result }: Answer, { runtime, settings }: Context): string[] => {
  const { accepted, rejected, unknown, skipped, run, receipt, head } = result;
  const isInHome = runtime.home !== '' && receipt.startsWith(`${runtime.home}/`);
  return [
    ...(rejected + skipped > 0 ? [asked.fix(accepted)] : []),
    ...(unknown > 0 ? ['Run the same command again to find out what became of the unknown ones.'] : []),
    ...(receipt === '' ? [] : [`Receipt: ${isInHome ? `~${receipt.slice(runtime.home.length)}` : receipt}`]),
    ...(settings.verbose && run !== '' ? [`Run: ${run}`, `Head: ${head}`] : []),
  ];
};

const inLines = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** What was done, what failed and why, and what to do. */
const drawnAnswer = (
  answer: Answer,
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
    `${accepted > 0 || total === 0 ? paint.done(done) : paint.error(failed)} ${headOf(answer)}`,
    ...rows.flatMap(({ cells, why: cause, free }) => {
      const padded = cells.flatMap((cell, at) => (widths[at] === 0 ? [] : [pad(cell, widths[at]!)]));
      const row = (cells.length > 1 ? padded : cells).join('  ');
      const room = available - width(failed) - 1;
      const why = free === undefined ? cause : `${cause} · ${free}`;
      // Half of the free times would mislead.
      const isNarrow = room - width(row) - 2 < (free === undefined ? leastCause - 2 : width(why));
      const [first, ...below] = isNarrow ? [row.trimEnd(), `  ${why}`] : [`${row}  ${why}`];
      return [`${paint.error(failed)} ${shorten(first!, room)}`, ...below.map((line) => shorten(line, available))];
    }),
    ...(more > 0 ? [`  and ${formatNumber(more)} more`] : []),
    ...next.flatMap((line) => wrap(humanText(line), available)),
  ]);
  return isAscii ? asciiForm(text) : text;
};

/** The same for screen readers. */
const spokenAnswer = (answer: Answer, rows: readonly Row[], next: readonly string[]): string => {
  const more = unnamedIn(answer);
  return inLines([
    headOf(answer),
    ...rows.map(
      ({ cells, why, free }) => `Failed: ${cells.join(', ')}: ${why}${free === undefined ? '' : `, ${free}`}`,
    ),
    ...(more > 0 ? [`And ${formatNumber(more)} more failed`] : []),
    ...next.map(humanText),
  ]);
};

const partial = (context: Context, { asked, result }: Answer): SchedError => {
  const { rejected, unknown } = result;
  const counts = { rejected, unknown, skipped: asked.needsAll ? result.skipped : 0 };
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  const words = parts.map(([name, count]) => `${formatNumber(count)} ${name}`).join(', ');
  return new SchedError('partial', `Not all ${asked.things} were ${asked.done}: ${words}`, {
    outcome: unknown > 0 ? 'unknown' : 'applied',
    answered: true,
    ...(unknown > 0 ? { hint: sameCommand } : {}),
    // The answer on the same terminal says it already.
    ...(isWatched(context) ? { lines: [] } : {}),
  });
};

/**
 * Prints the result of a run: in words for people, by `printRest` for programs. Throws if not everything was done. Work
 * that has no receipt has an empty one.
 */
export const printAnswer = async (
  context: Context,
  answer: Answer,
  printRest = async () => {
    if (!context.printer.showsPages) await context.printer.one(resultView, answer.result);
  },
): Promise<void> => {
  const { printer, settings, runtime } = context;
  const { asked, result, failures } = answer;
  if (printer.showsPages) {
    const rows = await rowsOf(failures, asked.thing);
    const next = nextOf(answer, context);
    await printer.draw((style) =>
      settings.accessible
        ? spokenAnswer(answer, rows, next)
        : drawnAnswer(answer, rows, next, style, needsAscii(runtime.env)),
    );
  }
  await printRest();
  if (result.rejected > 0 || result.unknown > 0 || (asked.needsAll && result.skipped > 0))
    throw partial(context, answer);
};
