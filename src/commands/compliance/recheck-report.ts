import { formatNumber } from '../../base/numbers.ts';
import type { Context } from '../../cli/session/context.ts';
import type { View } from '../../output/view.ts';
import { type BulkTask, type Failure, printAnswer } from '../bulk/screen.ts';
import { groupProblems, type PlannedItem } from '../bulk/work-plan.ts';
import type { OpenedReceipt } from '../bulk/work-runs.ts';
import { type Finding, findingIn } from './work-finding.ts';

/** Later columns go to the end, because scripts count them. */
const recheckView: View = {
  columns: [
    { header: 'RUN', path: 'run', shrink: false },
    { header: 'TOTAL', path: 'total', as: 'count' },
    { header: 'GONE', path: 'gone', as: 'count' },
    { header: 'PRESENT', path: 'present', as: 'count' },
    { header: 'UNKNOWN', path: 'unknown', as: 'count' },
    { header: 'SKIPPED', path: 'skipped', as: 'count' },
    { header: 'RECEIPT', path: 'receipt', shrink: false },
    { header: 'HEAD', path: 'head', shrink: false },
  ],
  id: 'run',
};

export const recheckFields = [...recheckView.columns.map(({ path }) => path), 'after', 'lines'];

const placeNames = { events: 'events', invitees: 'invitee records', submissions: 'submissions' };

const problemOf = (found: Exclude<Finding, { finding: 'gone' }>): string =>
  found.finding === 'present'
    ? `still there: ${found.where.map((place) => placeNames[place] ?? place).join(', ')}`
    : `unknown: the service doesn't show ${found.unread.join(', ')}`;

/** Prints what was found of each line, as the receipt has it. No address is printed (R49). */
export const reportFindings = async (
  context: Context,
  task: BulkTask<PlannedItem>,
  { history, receipt }: OpenedReceipt,
  path: string,
): Promise<void> => {
  const { run, counts, outcomes } = history;
  const lines = task.items.map((item) => ({ line: item.line, ...findingIn(outcomes.get(task.mark(item))) }));
  const failures = lines.flatMap((each): Failure[] =>
    each.finding === 'gone' ? [] : [{ line: each.line, problem: problemOf(each) }],
  );
  const head = `sha256:${receipt.head}`;
  if (!context.printer.showsPages)
    for (const { lines, problem } of groupProblems(failures, task.thing)) context.notes.warn(`${lines}: ${problem}`);
  const { accepted: gone, rejected: present, ...others } = counts;
  const { format, fields } = context.settings;
  // As lines of text, thousands of people would hide the counts.
  const whole = ['json', 'jsonl', 'yaml'].includes(format) || fields !== undefined ? { after: run.after, lines } : {};
  const { total, unknown, skipped } = others;
  const record = { run: run.run, total, gone, present, unknown, skipped, receipt: path, head, ...whole };
  const result = { run: run.run, ...counts, receipt: path, head };
  await printAnswer(context, { task, result, failures: [...task.wrong, ...failures] }, async () => {
    if (!context.printer.showsPages) await context.printer.one(recheckView, record);
  });
  context.notes.info(`${formatNumber(gone)} gone: nothing of them is shown any more in what this token can read`);
};
