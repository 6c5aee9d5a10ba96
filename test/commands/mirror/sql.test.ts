import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createWorld, jsonOf, type TestWorld } from '../../support/run.ts';
import { syncedHome } from '../../support/synced.ts';
import { temporaryFile } from '../../support/temporary.ts';

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
    ["SELECT load_extension('x')", "SQLite can't answer the query"],
    ['SELECT unknown FROM events', 'no such column'],
    ['', 'must begin with SELECT'],
  ])('%s', async (query, message) => {
    const { code, stdout, stderr } = await sql(query);
    expect(stderr).toContain(message);
    expect([code, stdout]).toEqual([2, '']);
    expect(readdirSync(join(file, '..'))).not.toContain('attached.db');
    expect(jsonOf(await sql('SELECT count(*) > 0 AS full FROM invitees', '--json'))).toEqual([{ full: 1 }]);
  });
});

test.each<[query: string, rows: unknown]>([
  ["SELECT ';' AS a -- ;", [{ a: ';' }]],
  ['VALUES (1, NULL)', [{ column1: 1, column2: null }]],
  ["WITH w(x) AS (VALUES ('é;'), (2.5)) SELECT x FROM w;", [{ x: 'é;' }, { x: 2.5 }]],
  ['SELECT 1 AS a; -- one', [{ a: 1 }]],
  ['SELECT 1 AS "a ""b", 2 AS a, 3 AS a', [{ 'a "b': 1, a: 2, 'a:1': 3 }]],
  ["SELECT x'00ff' AS bytes", [{ bytes: '00ff' }]],
  ['SELECT count(*) = (SELECT count(*) FROM main.invitees) AS same FROM bookings', [{ same: 1 }]],
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
