import { SchedError, usageError } from '../../base/errors.ts';
import { formatNumber } from '../../base/numbers.ts';
import type { RowsAnswer } from '../../cli/answer/answer.ts';
import type { Call } from '../../cli/input/input.ts';
import { forgetMarked, mirrorTrouble, withMirror } from '../../cli/session/open-mirror.ts';
import type { View } from '../../output/view.ts';
import { childEnvironment, type HeadlessRuntime, queryArgument } from '../../runtime.ts';
import { answerQuery, plainValue, queryProblem, type SqlAnswer, type SqlQuestion } from '../../sandbox/mirror/query.ts';
import type { SqlInput } from './input.ts';
import { ownMirror } from './own-mirror.ts';

/** More rows are a list, which `-o csv` of a command has page by page. */
const mostRows = 100_000;

const viewOf = (columns: readonly string[]): View => ({
  columns: columns.map((column) => ({ header: column.toUpperCase().replaceAll('_', ' '), path: column })),
  id: columns[0] ?? 'id',
});

/** Asks SQLite in a process of its own, because nothing else ends a query. Without one if `sched` can't be started again. */
const ask = async (
  { machine, env, startChild, interrupted }: HeadlessRuntime,
  question: SqlQuestion,
): Promise<SqlAnswer> => {
  if (machine.program === undefined) return answerQuery(question);
  const child = await startChild([...machine.program, queryArgument], { env: childEnvironment(env), isDetached: true });
  interrupted.addEventListener('abort', child.kill, { once: true });
  try {
    interrupted.throwIfAborted();
    child.say(JSON.stringify(question));
    const answer = await child.hear();
    interrupted.throwIfAborted();
    if (answer === undefined) throw new SchedError('environment', 'The process of the query ended without an answer');
    return JSON.parse(answer);
  } finally {
    child.kill();
    child.leave();
  }
};

export const runSql = async ({ query, limit }: SqlInput, { context }: Call): Promise<RowsAnswer> => {
  const { runtime } = context;
  const wrong = queryProblem(query);
  if (wrong !== undefined) throw usageError([`The query can't be used: ${wrong}`]);
  const file = await ownMirror(context);
  await withMirror(runtime, file, (mirror) => forgetMarked(context, mirror));
  const most = limit ?? mostRows;
  const answer = await ask(runtime, { file, query, limit: most + 1 });
  if ('failure' in answer) throw mirrorTrouble(file, answer.failure)!;
  if ('problem' in answer) throw new SchedError('usage', "SQLite can't answer the query", { reason: answer.problem });
  const rows = answer.rows
    .slice(0, most)
    .map((row) => Object.fromEntries(answer.columns.map((name, at) => [name, plainValue(row[at])])));
  const isCut = answer.rows.length > most;
  return {
    kind: 'rows',
    view: viewOf(answer.columns),
    pages: [rows],
    warnings: isCut ? [`Only the first ${formatNumber(most)} rows are shown`] : [],
  };
};
