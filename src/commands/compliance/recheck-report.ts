import { formatNumber } from '../../base/numbers.ts';
import type { PictureAnswer } from '../../cli/answer/answer.ts';
import type { Context } from '../../cli/session/context.ts';
import type { View } from '../../output/view.ts';
import { type BulkTask, type Failure, runAnswer } from '../bulk/screen.ts';
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

/** What was found of each line, as the receipt has it. It has no address (R49). */
export const findingsAnswer = (
  context: Context,
  task: BulkTask<PlannedItem>,
  { history, receipt }: OpenedReceipt,
  path: string,
): PictureAnswer => {
  const { run, counts, outcomes } = history;
  const lines = task.items.map((item) => ({ line: item.line, ...findingIn(outcomes.get(task.mark(item))) }));
  const failures = lines.flatMap((each): Failure[] =>
    each.finding === 'gone' ? [] : [{ line: each.line, problem: problemOf(each) }],
  );
  const head = `sha256:${receipt.head}`;
  const { accepted: gone, rejected: present, total, unknown, skipped } = counts;
  const result = { run: run.run, ...counts, receipt: path, head };
  const answer = runAnswer(context, { task, result, failures: [...task.wrong, ...failures] });
  return {
    ...answer,
    others: {
      kind: 'record',
      view: recheckView,
      record: { run: run.run, total, gone, present, unknown, skipped, receipt: path, head },
      // As lines of text, thousands of people would hide the counts.
      details: { after: run.after, lines },
      done: { warnings: groupProblems(failures, task.thing).map(({ lines, problem }) => `${lines}: ${problem}`) },
    },
    hints:
      answer.failure === undefined
        ? [`${formatNumber(gone)} gone: nothing of them is shown any more in what this token can read`]
        : [],
  };
};
