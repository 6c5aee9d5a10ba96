import { openMirror, readOnly } from './open.ts';
import views from './views.sql' with { type: 'text' };

export interface SqlQuestion {
  file: string;
  query: string;
  /** The most rows that are returned, and one more to show that there are others. */
  limit: number;
}

export type SqlAnswer = { columns: string[]; rows: unknown[][] } | { problem: string };

/** The query without its comments and what is in quotes: a semicolon there ends nothing. */
const bare = (query: string): string =>
  query.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, ' ').trim();

/** Why a query is refused before SQLite sees it. Only one that reads can't attach files, change settings or write. */
export const queryProblem = (query: string): string | undefined => {
  const text = bare(query).replace(/;\s*$/, '');
  if (!/^(select|with|values)\b/i.test(text)) return 'it must begin with SELECT, WITH or VALUES';
  return text.includes(';') ? 'it must be one statement' : undefined;
};

/** Whole numbers beyond 2^53 stay as they are. */
const plain = (value: unknown): unknown => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value);

/** Answers a query from the views of a mirror. Blocks, so it runs in a thread. */
export const answerQuery = async ({ file, query, limit }: SqlQuestion): Promise<SqlAnswer> => {
  const store = await openMirror(file);
  try {
    store.exec(views);
    const reader = readOnly(store);
    // As part of another query it can only read, and is one statement.
    const sql = `SELECT * FROM (\n${query.trim().replace(/;\s*$/, '')}\n) LIMIT ${limit}`;
    const rows = reader.all<Record<string, unknown>>(sql);
    const columns = Object.keys(rows[0] ?? {});
    return { columns, rows: rows.map((row) => columns.map((column) => plain(row[column]))) };
  } catch (error) {
    return { problem: (error as Error).message };
  } finally {
    store.close();
  }
};
