import { SchedError, usageError } from '../../base/errors.ts';
import { formatNumber } from '../../base/numbers.ts';
import type { Call } from '../../cli/input/input.ts';
import { forgetMarked, withMirror } from '../../cli/session/open-mirror.ts';
import { startThread } from '../../output/thread.ts';
import type { View } from '../../output/view.ts';
import { answerQuery, queryProblem, type SqlAnswer, type SqlQuestion } from '../../sandbox/mirror/query.ts';
import type { SqlInput } from './input.ts';
import { ownMirror } from './own-mirror.ts';

/** More rows are a list, which `-o csv` of a command has page by page. */
const mostRows = 100_000;

const viewOf = (columns: readonly string[]): View => ({
  columns: columns.map((column) => ({ header: column.toUpperCase().replaceAll('_', ' '), path: column })),
  id: columns[0] ?? 'id',
});

export const runSql = async ({ query, limit }: SqlInput, { context }: Call): Promise<void> => {
  const { runtime, printer, notes } = context;
  const wrong = queryProblem(query);
  if (wrong !== undefined) throw usageError([`The query can't be used: ${wrong}`]);
  const file = await ownMirror(context);
  await withMirror(runtime, file, (mirror) => forgetMarked(context, mirror));
  const most = limit ?? mostRows;
  const ask = await startThread<SqlQuestion, SqlAnswer>('sql-worker').catch(() => answerQuery);
  const answer = await ask({ file, query, limit: most + 1 }, runtime.interrupted);
  if ('problem' in answer) throw new SchedError('usage', "SQLite can't answer the query", { reason: answer.problem });
  const rows = answer.rows
    .slice(0, most)
    .map((row) => Object.fromEntries(answer.columns.map((name, at) => [name, row[at]])));
  await printer.list(viewOf(answer.columns), [rows]);
  if (answer.rows.length > most) notes.warn(`Only the first ${formatNumber(most)} rows are shown`);
};
