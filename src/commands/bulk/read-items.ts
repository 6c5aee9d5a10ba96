import { basename } from 'node:path';
import { formatNumber } from '../../base/numbers.ts';
import { the, words } from '../../base/words.ts';
import type { Call } from '../../cli/input/input.ts';
import type { Context } from '../../cli/session/context.ts';
import { readNamedFile } from '../../state/named-file.ts';
import type { ItemFile } from './input.ts';
import type { Failure } from './screen.ts';
import { type ItemOptions, readItems } from './work-items.ts';
import { type BatchPlan, groupProblems, leftOutText, makePlan } from './work-plan.ts';
import { type RecordOptions, type RecordValues, readRecords } from './work-record-input.ts';
import { BadInput, type SourceEntry } from './work-text-source.ts';

export interface ItemKind extends Pick<ItemOptions, 'usual' | 'isItem' | 'isSurelyItem'> {
  /** The normalized form that identifies an item, or undefined if the text isn't an item. */
  fold(text: string): string | undefined;
}

/** Millions of items: more don't fit into memory. */
const mostBytes = 256 * 1024 * 1024;

/** The bytes of the file that --from names, or of stdin. */
const inputBytes = ({ runtime }: Context, from: string): Promise<Uint8Array> =>
  from === '-' ? runtime.stdin.bytes(mostBytes) : readNamedFile(from, runtime.interrupted, mostBytes);

/** The input in a sentence: the name of its file, if it has one. */
const inputName = (from: string | undefined): string =>
  from === undefined || from === '-' ? 'the input' : basename(from);

/** What to do about lines that failed if the same command can be run again: `the 28 are not sent twice`. */
export const fixAndRepeat =
  (from: string | undefined, those: string, that: string) =>
  (accepted: number, lines?: string): string => {
    if (lines !== undefined && accepted > 0)
      return `Change ${lines} in ${inputName(from)} and run this again: only ${lines} ${lines.startsWith('lines') ? 'are' : 'is'} sent.`;
    const rest = accepted === 1 ? `: the other one ${that}` : `: the ${formatNumber(accepted)} ${those}`;
    return `Fix ${inputName(from)} and run the same command again${accepted === 0 ? '' : rest}.`;
  };

/** Runs `read`. Reports an input that can't be read as a problem of --from. */
const readingInput = async <Value>(
  { context, problems }: Pick<Call, 'context' | 'problems'>,
  from: string,
  read: (bytes: Uint8Array) => Promise<Value>,
): Promise<Value> => {
  try {
    return await read(await inputBytes(context, from));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isBadInput = error instanceof BadInput;
    if (!isBadInput && code === undefined) throw error;
    const reason = isBadInput ? error.sentence : code === 'ENOENT' ? 'no such file' : code;
    const what = from === '-' ? 'stdin' : from;
    problems.report({ words: words`${the('from')}: can't read ${what} (${reason ?? ''})` });
    problems.check();
    throw error;
  }
};

export type InputRecord = Exclude<SourceEntry<RecordValues>, { skipped: unknown }>;

/** The records of the file that --from names, and what they are called in messages. */
export const readRecordFile = (
  call: Pick<Call, 'context' | 'problems'>,
  from: string,
  options: Pick<RecordOptions, 'columnOf' | 'columns'>,
): Promise<{ records: InputRecord[]; thing: 'item' | 'line' }> =>
  readingInput(call, from, async (bytes) => {
    const all = await readRecords(bytes, { ...options, name: from });
    const records = [...all].flatMap((record) => ('skipped' in record ? [] : [record]));
    return { records, thing: records[0]?.isListed ? 'item' : 'line' };
  });

/** Reads the input into a plan. Problems with the whole input are reported, but the input is never quoted. */
export const readBatchPlan = async (
  call: Pick<Call, 'context' | 'problems'>,
  { from, column, field }: ItemFile,
  args: readonly string[],
  kind: ItemKind,
): Promise<BatchPlan> => {
  call.problems.check();
  if (from === undefined)
    return makePlan(
      args.map((text, index) => ({ line: index + 1, value: text.trim() })),
      kind.fold,
    );
  return readingInput(call, from, async (bytes) => {
    const columnChoices = new Set<string>();
    const entries = await readItems(bytes, {
      ...kind,
      name: from,
      column,
      field,
      onChosen: (what, title) => columnChoices.add(`${what} "${title}"`),
    });
    const plan = makePlan(entries, kind.fold);
    if (columnChoices.size > 0) call.context.notes.info(`Reading the ${[...columnChoices].join(' and the ')}`);
    return plan;
  });
};

/** The lines without a valid item, for the answer of a run. */
export const wrongLines = ({ invalid }: BatchPlan, thing: string): Failure[] =>
  invalid.map(({ line, problem = `no ${thing}` }) => ({ line, problem }));

/** One text per problem, with all its lines: `line 2 contains no event ID`, `lines 4, 5: a quote is never closed`. */
const invalidTexts = ({ invalid, isListed }: BatchPlan, thing: string): string[] =>
  groupProblems(invalid, isListed ? 'item' : 'line').map(({ problem, lines, isOne }) =>
    problem === undefined ? `${lines} ${isOne ? 'contains' : 'contain'} no ${thing}` : `${lines}: ${problem}`,
  );

/** Rejects the input if it has invalid lines, unless --skip-invalid is set. */
export const checkInvalid = (
  { problems }: Pick<Call, 'problems'>,
  { from, skipInvalid }: ItemFile,
  plan: BatchPlan,
  thing: string,
): void => {
  const { invalid } = plan;
  if (invalid.length === 0 || skipInvalid) return;
  if (from === undefined) for (const { line } of invalid) problems.add(`Argument ${line} is not an ${thing}`);
  else {
    const texts = invalidTexts(plan, thing);
    const them = invalid.length === 1 ? 'it' : 'them';
    for (const text of texts.slice(0, -1)) problems.add(text);
    problems.report({ words: words`${texts.at(-1)!}; use ${the('skipInvalid')} to skip ${them}` });
  }
  problems.check();
};

/** Reports how much of the input is skipped, before the user is asked for confirmation. */
export const noteLeftOut = ({ notes }: Context, plan: BatchPlan): void => {
  const text = leftOutText(plan);
  if (text !== '') notes.info(`Skipped in the input: ${text}`);
};
