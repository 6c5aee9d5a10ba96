import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/sandbox/store/database.ts';
import { createWorld, jsonOf, type TestWorld } from '../../support/run.ts';
import { syncedHome } from '../../support/synced.ts';
import { temporaryDirectory, temporaryFile } from '../../support/temporary.ts';

let world: TestWorld;
let home: string;

const sql = (query: string, ...flags: string[]) =>
  world.run(['mirror', 'sql', query, ...flags], {
    home,
    send: async () => {
      throw new Error('a mirror sends nothing');
    },
  });

beforeAll(async () => {
  world = await createWorld();
  home = await syncedHome(world, '--since -5d --until +5d');
});

const file = temporaryFile('attached.db');
const splitWords = (text: string) => text.split(/\s+/);

describe('a query is refused', () => {
  test.each<[query: string, message: string]>([
    ['SELECT 1; SELECT 2', 'one statement'],
    [`ATTACH '${file}' AS more`, 'must begin with SELECT'],
    [`SELECT 1; ATTACH '${file}' AS more`, 'one statement'],
    ['PRAGMA query_only = OFF', 'must begin with SELECT'],
    ['DELETE FROM invitees', 'must begin with SELECT'],
    ['/* SELECT */ DROP TABLE events', 'must begin with SELECT'],
    ["SELECT ';' /* ; */; VACUUM", 'one statement'],
    ['WITH a AS (SELECT 1) DELETE FROM main.invitees', "SQLite can't answer the query"],
    ['SELECT 1) WHERE 1; --', "SQLite can't answer the query"],
    [`SELECT writefile('${file}', 'x')`, "can't use writefile"],
    [`SELECT "WriteFile"('${file}', 'x')`, "can't use writefile"],
    ["SELECT readfile('/etc/hostname')", "can't use readfile"],
    ["SELECT lsmode(1) FROM [fsdir] WHERE path = '/'", "can't use lsmode"],
    ["SELECT * FROM 'fsdir' WHERE path = '/'", "can't use fsdir"],
    [`SELECT sha3_query('ATTACH ''${file}'' AS more')`, "can't use sha3_query"],
    ["SELECT load_extension('x')", "can't use load_extension"],
    ['SELECT unknown FROM events', 'no such column'],
    // docs/mirror.md names the tables. How the file stores them can change.
    ['SELECT * FROM sqlite_master', "can't use sqlite_master"],
    ["SELECT * FROM 'sqlite_schema'", "can't use sqlite_schema"],
    ['SELECT * FROM pragma_table_list', "can't use pragma_table_list"],
    ['SELECT * FROM mirror_events', 'no such table: mirror_events'],
    ['SELECT * FROM users', 'no such table: users'],
    ['SELECT (SELECT count(*) FROM [sent]) FROM events', 'no such table: sent'],
    ['SELECT * FROM main.events', 'no such table: main.events'],
    ['', 'must begin with SELECT'],
  ])('%s', async (query, message) => {
    const { code, stdout, stderr } = await sql(query);
    expect(stderr).toContain(message);
    expect([code, stdout]).toEqual([2, '']);
    expect(readdirSync(join(file, '..'))).not.toContain('attached.db');
    expect(jsonOf(await sql('SELECT count(*) > 0 AS full FROM invitees', '--json'))).toEqual([{ full: 1 }]);
  });
});

test('a mirror that is damaged where the query reads is no problem of the query', async () => {
  const damaged = temporaryDirectory('damaged');
  cpSync(home, damaged, { recursive: true });
  const folder = join(damaged, '.cache/sched/mirror');
  const path = join(folder, readdirSync(folder).find((name) => name.endsWith('.db'))!);
  const bytes = readFileSync(path);
  // Pages of 4 KiB, of which the last third has records.
  for (let at = Math.floor(bytes.length / 4096 / 1.5) * 4096; at < bytes.length; at += 4096)
    bytes.fill(0xff, at, at + 8);
  writeFileSync(path, bytes);
  const { code, stderr } = await world.run(['mirror', 'sql', 'SELECT * FROM bookings', '--json'], { home: damaged });
  const { message, outcome } = JSON.parse(stderr.trim().split('\n').at(-1)!).error;
  expect([code, message, outcome]).toEqual([3, "Can't use the mirror", 'not-sent']);
});

// Another version of the library may have more of them: look at each before it is added here.
test('no function or table of SQLite that is not known reaches beyond the mirror', async () => {
  const known =
    splitWords(`acos acosh asin asinh atan atan2 atanh atn2 bm25 ceil ceiling charindex cos cosh cot coth degrees
    difference exp floor fts3_tokenizer fts5 fts5_source_id highlight last_rows_affected leftstr ln log log10 lower_quartile
    lsmode match matchinfo median mode offsets optimize padc padl padr pi power proper radians readfile regexp regexpi replicate
    reverse rightstr rtreecheck rtreedepth rtreenode sha3 sha3_query sign sin sinh snippet sqrt square stdev strfilter tan tanh
    trunc mod upper_quartile uuid uuid_blob uuid_str variance writefile carray dbstat fsdir fts3 fts3tokenize fts4 fts4aux
    fts5vocab generate_series json_each json_tree jsonb_each jsonb_tree rtree rtree_i32 sqlite_dbpage sqlite_stmt bytecode
    tables_used vector_top_k fts5_locale fts5_get_locale fts5_insttoken percentile percentile_cont percentile_disc`);
  const list = `SELECT name FROM pragma_function_list WHERE builtin = 0 UNION SELECT name FROM pragma_module_list`;
  const database = await openDatabase(':memory:');
  const names = database.all<{ name: string }>(list).map(({ name }) => name);
  database.close();
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name: string) => !known.includes(name) && !/^(geopoly|sqlite3mc|pragma)_?/.test(name))).toEqual(
    [],
  );
});

test.each<[query: string, rows: unknown]>([
  ["SELECT ';' AS a -- ;", [{ a: ';' }]],
  ['VALUES (1, NULL)', [{ column1: 1, column2: null }]],
  ["WITH w(x) AS (VALUES ('é;'), (2.5)) SELECT x FROM w;", [{ x: 'é;' }, { x: 2.5 }]],
  ['SELECT 1 AS a; -- one', [{ a: 1 }]],
  ['SELECT 1 AS "a ""b", 2 AS a, 3 AS a', [{ 'a "b': 1, a: 2, 'a:1': 3 }]],
  ["SELECT x'00ff' AS bytes", [{ bytes: '00ff' }]],
  ['SELECT count(*) = (SELECT count(*) FROM invitees) AS same FROM bookings', [{ same: 1 }]],
  ["SELECT count(*) AS others FROM events WHERE doc ->> 'name' IS NOT name", [{ others: 0 }]],
])('%s', async (query, rows) => {
  const result = await sql(query, '--json');
  expect(result.stderr).not.toContain('error');
  expect(jsonOf(result)).toEqual(rows);
});

test('a whole number beyond 2^53 keeps its digits', async () => {
  const { stdout, stderr } = await sql('SELECT 9007199254740993 AS large', '--json');
  expect(stderr).not.toContain('error');
  expect(stdout.replace(/\s/g, '')).toBe('[{"large":9007199254740993}]');
});

test('without rows there is still a heading', async () => {
  expect((await sql('SELECT id, name FROM invitees WHERE 0', '-o', 'csv')).stdout).toBe('id,name\r\n');
});

test('more rows than the limit are cut off, with a warning', async () => {
  const { code, stdout, stderr } = await sql('SELECT id FROM invitees', '--limit', '2', '-o', 'csv');
  expect(stdout.trim().split('\n')).toHaveLength(3);
  expect(stderr).toContain('Only the first 2 rows are shown');
  expect(code).toBe(0);
});
