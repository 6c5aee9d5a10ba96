import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { isObject, type Json } from '../../../src/base/json.ts';
import type { Send } from '../../../src/http/message.ts';
import {
  addTexts,
  findReal,
  findRealInFile,
  inventor,
  noTexts,
  type RealTexts,
  textsIn,
} from '../../../src/sandbox/mirror/invented.ts';
import { factsOf, openMirror, setFacts } from '../../../src/sandbox/mirror/open.ts';
import { openSandbox } from '../../../src/sandbox/open.ts';
import type { Store } from '../../../src/sandbox/store/store.ts';
import { readWorld } from '../../../src/sandbox/world/file.ts';
import { whileFailing } from '../../support/failing-calls.ts';
import { createWorld, someday, type TestWorld, virtualClock } from '../../support/run.ts';
import { temporaryDirectory, temporaryFile } from '../../support/temporary.ts';

let world: TestWorld;
let home: string;

/** Adds fields that `sched` doesn't know, with people in them. */
const withMore: Send = async (request) => {
  const reply = await world.service(request);
  const body = JSON.parse(reply.body || 'null');
  if (!isObject(body) || !Array.isArray(body.collection)) return reply;
  for (const record of body.collection as Json[])
    Object.assign(record, {
      guest_name: 'Zora Quill',
      contact: 'zora@quill.example',
      seen_at: 'https://app.quill.example/zora',
    });
  return { ...reply, body: JSON.stringify(body) };
};

const offline: Send = async () => {
  throw new Error('a mirror sends nothing');
};
const exported = (flags = '', at = home) =>
  world.run(`mirror export --pseudonymous ${flags}`, { home: at, send: offline });
const mirrorFile = () => {
  const folder = join(home, '.cache/sched/mirror');
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.db'))!);
};

beforeAll(async () => {
  world = await createWorld();
  home = temporaryDirectory('home');
  expect((await world.run('mirror sync --yes --since -20d --until +20d', { home, send: withMore })).code).toBe(0);
});

/** What tests depend on: how many of what, when and how long, without any name. */
const shapeOf = (store: Store) => ({
  events: store.all(
    `SELECT e.doc ->> 'start_time' AS start, e.doc ->> 'end_time' AS ends, e.status, e.doc ->> '$.location.type' AS place,
       json_array_length(e.doc, '$.event_memberships') AS hosts, e.doc ->> '$.invitees_counter.active' AS active,
       count(i.id) AS invitees, sum(i.status = 'active') AS coming, sum(i.doc ->> '$.no_show' IS NOT NULL) AS missed,
       sum(i.doc ->> '$.old_invitee' IS NOT NULL) AS moved
     FROM events e LEFT JOIN invitees i ON i.event = e.id GROUP BY e.id ORDER BY 1, 2, 3, 4, 5, 6, 7`,
  ),
  people: store.all('SELECT count(*) AS bookings FROM invitees GROUP BY email ORDER BY 1'),
  members: store.all('SELECT role, count(*) AS count FROM memberships GROUP BY 1 ORDER BY 1'),
  types: store.all("SELECT doc ->> 'duration' AS minutes FROM event_types ORDER BY 1"),
  hours: store.all("SELECT doc ->> 'rules' AS rules FROM schedules ORDER BY 1"),
  groups: store.all('SELECT count(*) AS members FROM group_members GROUP BY "group" ORDER BY 1'),
  submissions: store.all('SELECT count(*) AS count FROM submissions GROUP BY form ORDER BY 1'),
  invitations: store.all('SELECT status FROM invitations ORDER BY 1'),
});

/** All that people are called in the mirror. */
const realOf = (store: Store): string[] => {
  const names = store
    .all<{ name: string }>(
      `SELECT doc ->> 'name' AS name FROM users UNION SELECT doc ->> 'name' FROM invitees UNION SELECT doc ->> 'email' FROM users
       UNION SELECT doc ->> 'email' FROM invitees UNION SELECT doc ->> 'email' FROM invitations
       UNION SELECT doc ->> 'name' FROM organizations UNION SELECT doc ->> 'name' FROM event_types
       UNION SELECT doc ->> 'name' FROM routing_forms UNION SELECT doc ->> 'name' FROM groups`,
    )
    .map(({ name }) => name);
  return [...names, 'Zora', 'quill', '127.0.0.1:4010', 'northlight'];
};

const mirrored = async <Result>(work: (store: Store) => Result): Promise<Result> => {
  const store = await openMirror(mirrorFile());
  try {
    return work(store);
  } finally {
    store.close();
  }
};

describe('an export', () => {
  let text: string;
  beforeAll(async () => {
    const { code, stdout, stderr } = await exported();
    expect(stderr).toContain('Left out: ');
    expect(code).toBe(0);
    text = stdout;
  });

  test('has nothing that is real', async () => {
    const real = await mirrored(realOf);
    expect(real.length).toBeGreaterThan(100);
    expect(real.filter((each) => text.toLowerCase().includes(each.toLowerCase()))).toEqual([]);
  });

  test('has the shape of the account', async () => {
    const read = readWorld(text, 'world.yaml', someday);
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    const sandbox = await openSandbox({ file: ':memory:', clock: virtualClock(), world: read.value });
    expect(shapeOf(sandbox.store)).toEqual(await mirrored(shapeOf));
    sandbox.close();
  });

  /** All texts of so many words that an account could have as a name, but for IDs and the names of invented people. */
  const phrasesIn = (written: readonly string[], length: number): string[] => {
    const people = new Set(
      text
        .match(/(?<=(?:name|email): ?"?)[\p{L}. ]+(?=\.\d+@people|"|\n)/gu)
        ?.flatMap((name) => name.toLowerCase().split(/[. ]/)),
    );
    const phrases = written
      .map((each) => each.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
      .flatMap((words) => words.slice(length - 1).map((_, at) => words.slice(at, at + length)));
    return [
      ...new Set(
        phrases
          .filter((phrase) => !phrase.some((word) => people.has(word) || /\p{L}\d|\d\p{L}|\p{L}{16}/u.test(word)))
          .map((each) => each.join(' ')),
      ),
    ];
  };

  /** One of the names for which an export would be refused. */
  const blocking = (names: readonly string[], find: (real: RealTexts) => string | undefined): string | undefined => {
    const real = noTexts();
    for (const name of names) addTexts(real, { name });
    if (find(real) === undefined) return undefined;
    if (names.length === 1) return names[0];
    const half = Math.ceil(names.length / 2);
    return blocking(names.slice(0, half), find) ?? blocking(names.slice(half), find);
  };

  test('is not refused for any of its own words, whatever the account calls its things', async () => {
    expect(blocking(phrasesIn([text], 1), (real) => findReal(text, real))).toBeUndefined();
    const file = temporaryFile();
    await exported(`--data ${file}`);
    const sandbox = await openSandbox({ file, clock: virtualClock() });
    const texts = textsIn(sandbox.store);
    sandbox.close();
    expect(blocking(phrasesIn(texts, 2), (real) => findRealInFile('', texts, real))).toBeUndefined();
  });

  test('to a file is a sandbox of the same shape, for its owner only, and starts', async () => {
    const file = temporaryFile();
    const { code, stderr } = await exported(`--data ${file}`);
    expect(stderr).toContain('sandbox file written');
    expect(code).toBe(0);
    const bytes = readFileSync(file).toString('latin1').toLowerCase();
    expect((await mirrored(realOf)).filter((each) => bytes.includes(each.toLowerCase()))).toEqual([]);
    expect(readdirSync(join(file, '..')).filter((name) => name.startsWith(`${file.split('/').at(-1)}.`))).toEqual([]);
    const sandbox = await openSandbox({ file, clock: virtualClock() });
    expect(shapeOf(sandbox.store)).toEqual(await mirrored(shapeOf));
    sandbox.close();
    const again = await exported(`--data ${file}`);
    expect(again.stderr).toContain('it already exists');
    expect(again.code).toBe(3);
  });
});

test('an export whose draft can not be removed writes no file', async () => {
  const file = temporaryFile();
  const isDraft = (path: string) => path.startsWith(`${file}.`);
  const failed = await whileFailing('rmSync', isDraft, () => exported(`--data ${file}`));
  expect([failed.code, failed.stderr]).toEqual([3, expect.stringContaining(`Can't write ${file}`)]);
  expect(existsSync(file)).toBe(false);
});

describe('an export is refused', () => {
  test.each<[flags: string, code: number, message: string]>([
    ['mirror export', 2, '--pseudonymous'],
    ['mirror export --pseudonymous --data package.json/x.db', 3, 'package.json/x.db'],
  ])('%s', async (line, code, message) => {
    const result = await world.run(line, { home });
    expect(result.stderr).toContain(message);
    expect(result.code).toBe(code);
    expect(result.stdout).toBe('');
  });

  test('by the file that it writes, in the words of SQLite', async () => {
    const file = temporaryFile();
    // The draft of a process whose random bytes are all 0.
    writeFileSync(`${file}.${'0'.repeat(16)}`, 'just text');
    const { code, stderr } = await exported(`--data ${file}`);
    expect(stderr).toContain(`error: Can't write ${file}\ncause: The file is not a SQLite database.\n`);
    expect(code).toBe(3);
  });

  test('before there is a mirror, and of one that is not complete', async () => {
    expect((await exported('', temporaryDirectory('home'))).stderr).toContain('There is no mirror of this account yet');
    const facts = await mirrored((store) => factsOf(store)!);
    const { asOf: _, ...unfinished } = facts;
    await mirrored((store) => setFacts(store, unfinished));
    const { code, stderr } = await exported();
    await mirrored((store) => setFacts(store, facts));
    expect(stderr).toContain('The mirror is not complete');
    expect(code).toBe(3);
  });

  test('if it is larger than a world file can be', async () => {
    const [form] = await mirrored((store) =>
      store.all<{ id: string; doc: string }>('SELECT id, doc FROM routing_forms'),
    );
    const { questions, ...doc } = JSON.parse(form!.doc);
    const choices = Array.from({ length: 50_000 }, () => 'Yes');
    const large = JSON.stringify({ ...doc, questions: [{ ...questions[0], answer_choices: choices }] });
    const write = (text: string) =>
      mirrored((store) => store.run('UPDATE routing_forms SET doc = ? WHERE id = ?', text, form!.id));
    await write(large);
    const { code, stdout, stderr } = await exported();
    const file = temporaryFile();
    expect((await exported(`--data ${file}`)).code).toBe(0);
    await write(form!.doc);
    expect(stderr).toContain('larger than 1 MiB');
    expect(stderr).toContain('--data');
    expect([code, stdout]).toEqual([2, '']);
    expect(existsSync(file)).toBe(true);
  });
});

describe('the search before an export', () => {
  const real = noTexts();
  addTexts(real, {
    name: 'Ada Byron',
    first_name: 'Ada',
    partner: { guest_name: 'Émile Du Châtelet' },
    note: 'write to Ada.Byron@engine.example or see https://www.engine.example/ada?to=x%40other.example',
    fully_qualified_name: 'EventType.Update',
    slug: 'round-table',
    timezone: 'Europe/Paris',
  });

  test.each([
    ['ada.byron@ENGINE.example', 'an address'],
    ['to=x@other.example', 'an address'],
    ['see www.engine.example', 'the address of a website'],
    ['with ADA today', 'a name'],
    ['with émile du châtelet', 'a name'],
    ['round-table', 'a name'],
    ['adaptive, Europe/Paris, EventType.Update', undefined],
  ])('%s: %s', (text, found) => {
    expect(findReal(text, real)).toBe(found);
  });

  test('in a database, only names of several words count', () => {
    expect(findRealInFile('x\0', ['x', 'with Ada Byron'], real)).toBe('a name');
    expect(findRealInFile('x\0', ['Ada', 'Byron'], real)).toBeUndefined();
    expect(findRealInFile('x\0ada.byron@engine.example\0', [], real)).toBe('an address');
  });

  test('nobody who is invented has a real name, and everybody has one of their own', () => {
    const plain = inventor(noTexts());
    const taken = noTexts();
    const first = plain('one@engine.example');
    addTexts(taken, { first_name: first.name.split(' ')[0] });
    expect(inventor(taken)('one@engine.example').name).not.toBe(first.name);
    const people = Array.from({ length: 5000 }, (_, index) => plain(`${index}@engine.example`));
    expect(new Set(people.map(({ name }) => name)).size).toBe(5000);
    expect(new Set(people.map(({ email }) => email)).size).toBe(5000);
    expect(plain(' ONE@engine.example')).toBe(first);
  });
});
