import { isFileTrouble, openDatabase } from '../store/database.ts';
import type { Store } from '../store/store.ts';
import { openMirror, readOnly } from './open.ts';
import views from './views.sql' with { type: 'text' };

export interface SqlQuestion {
  file: string;
  query: string;
  /** The most rows that are returned, and one more to show that there are others. */
  limit: number;
}

/** A problem is one of the query, a failure one of the file. */
export type SqlAnswer =
  | { columns: string[]; rows: unknown[][] }
  | { problem: string }
  | { failure: { message: string; code: string } };

/** What is in quotes, or a comment: a semicolon there ends nothing. */
const quoted = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;

/** The query without comments, and without a semicolon at its end. */
const plainQuery = (query: string): string =>
  query
    .replace(quoted, (found) => (/^(--|\/\*)/.test(found) ? ' ' : found))
    .trim()
    .replace(/;$/, '');

/**
 * What some builds of SQLite add that reads or writes other files, runs a text as SQL, or loads code. Looked for in the
 * whole text: a name may be in any quotes, and it can't be spelled in another way.
 */
const outside =
  /\b(readfile|writefile|lsmode|fsdir|sha3_query|load_extension|fts3_tokenizer|sqlite3mc_\w+|sqlite_crypt)\b/i;

/** What every database tells about itself, in tables of its own. */
const catalog = /\b(sqlite_(?:temp_)?(?:master|schema)|sqlite_(?:sequence|stat\d)|pragma_\w+|dbstat)\b/i;

/** Why a query is refused before SQLite sees it. Only one that reads can't attach files, change settings or write. */
export const queryProblem = (query: string): string | undefined => {
  const text = plainQuery(query).replace(quoted, ' ');
  const [found] = outside.exec(query) ?? [];
  if (found !== undefined) return `it can't use ${found.toLowerCase()}, which reaches beyond the mirror`;
  const [own] = catalog.exec(query) ?? [];
  if (own !== undefined) return `it can't use ${own.toLowerCase()}, which is no table of the mirror`;
  if (!/^(select|with|values)\b/i.test(text)) return 'it must begin with SELECT, WITH or VALUES';
  return text.includes(';') ? 'it must be one statement' : undefined;
};

/** A control character marks a number that JavaScript would round. */
const marked = (name: string): string => {
  const column = `"${name.replaceAll('"', '""')}"`;
  const isLarge = `typeof(${column}) = 'integer' AND ${column} NOT BETWEEN -9007199254740991 AND 9007199254740991`;
  const isBytes = `typeof(${column}) = 'blob'`;
  return `CASE WHEN ${isLarge} THEN char(1) || ${column} WHEN ${isBytes} THEN lower(hex(${column})) ELSE ${column} END AS ${column}`;
};

/** A value of an answer. Whole numbers beyond 2^53 stay as they are. */
export const plainValue = (value: unknown): unknown =>
  typeof value === 'string' && /^\x01-?\d+$/.test(value) ? BigInt(value.slice(1)) : value;

/** Throws if a query needs more than the views: a database with nothing but tables of their names must understand it. */
const checkTables = async (store: Store, query: string): Promise<void> => {
  const views = store.all<{ name: string; columns: string }>(
    `SELECT v.name, (SELECT group_concat(c.name) FROM pragma_table_info(v.name, 'temp') c) AS columns
     FROM sqlite_temp_master v WHERE v.type = 'view'`,
  );
  const empty = await openDatabase(':memory:');
  try {
    for (const { name, columns } of views) empty.exec(`CREATE TEMP TABLE ${name} (${columns})`);
    empty.exec(`CREATE TEMP VIEW asked AS\n${query}`);
    empty.all('EXPLAIN SELECT * FROM temp.asked');
  } finally {
    empty.close();
  }
};

/** Answers a query from the views of a mirror, as JSON can say it. Blocks, perhaps for ever. */
export const answerQuery = async ({ file, query, limit }: SqlQuestion): Promise<SqlAnswer> => {
  const wrong = queryProblem(query);
  if (wrong !== undefined) return { problem: wrong };
  let store: Store | undefined;
  try {
    store = await openMirror(file);
    store.exec(views);
    await checkTables(store, plainQuery(query));
    // A view is one statement that only reads, and tells its columns.
    store.run(`CREATE TEMP VIEW asked AS\n${plainQuery(query)}`);
    const reader = readOnly(store);
    const columns = reader.all<{ name: string }>("SELECT name FROM pragma_table_info('asked')").map(({ name }) => name);
    const sql = `SELECT ${columns.map(marked).join()} FROM temp.asked LIMIT ${limit}`;
    const rows = reader.all<Record<string, unknown>>(sql);
    return { columns, rows: rows.map((row) => columns.map((column) => row[column])) };
  } catch (error) {
    const { message, code = '' } = error as NodeJS.ErrnoException;
    return store === undefined || isFileTrouble(error) ? { failure: { message, code } } : { problem: message };
  } finally {
    store?.close();
  }
};
