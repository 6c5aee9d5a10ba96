import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Send } from '../../../src/http/message.ts';
import { openSandbox } from '../../../src/sandbox/open.ts';
import { syncedDuring } from '../../support/files-world.ts';
import { meetingsService } from '../../support/meetings-service.ts';
import { createWorld, type Result, someday, type WorldOptions } from '../../support/run.ts';
import { dontWaitForDisk, seededFile } from '../../support/seeded.ts';
import { closeLater, temporaryDirectory } from '../../support/temporary.ts';
import { times } from '../../support/tier.ts';

const world = await createWorld();
let home: string;
let to: string;
beforeEach(() => {
  home = temporaryDirectory('export');
  to = join(home, 'out');
});

const canary = 'canary';

const runExport = async (words: string[], more: WorldOptions = {}): Promise<Result> => {
  const result = await world.run(['compliance', 'export', ...words, '--to', to, '--json'], { home, ...more });
  expect(result.stdout + result.stderr).not.toMatch(/@|%40|canary/);
  return result;
};

const exported = (name = '1.json') => JSON.parse(readFileSync(join(to, name), 'utf8'));
const list = (name: string, text: string): string => {
  writeFileSync(join(home, name), text);
  return join(home, name);
};
/** Requests for the events of a person. */
const lookUps = ({ requests }: Result) => requests.filter(({ url }) => url.includes(`invitee_email=${canary}`));

/** A sandbox whose data the test can read and write. */
const openData = async () => {
  const sandbox = await openSandbox({
    file: await seededFile(someday),
    clock: world.clock,
    limits: false,
    usualOrigin: 'http://127.0.0.1:4010',
  });
  dontWaitForDisk(sandbox.store);
  closeLater(() => sandbox.close());
  return sandbox;
};

describe('compliance export', () => {
  test('has its files and the name of its directory on disk at the end', async () => {
    // The state directory is synced in the home directory.
    to = join(temporaryDirectory('elsewhere'), 'out');
    const synced = await syncedDuring(() => runExport([`${canary}@people.example`]));
    expect(synced).toEqual(expect.arrayContaining(['1.json', '.', '..'].map((name) => statSync(join(to, name)).ino)));
  });

  test('has all events, invitee records and submissions of a person, as the database has them', async () => {
    const { store, service } = await openData();
    const email = `${canary}.Person@people.example`;
    const rows = <Row>(sql: string, ...values: string[]) => store.all<Row & { doc: string }>(sql, ...values);
    const [event] = rows<{ organization: string; event_type: string }>('SELECT * FROM events LIMIT 1');
    const [invitee] = rows('SELECT * FROM invitees LIMIT 1');
    const [submission] = rows<{ form: string }>('SELECT * FROM submissions LIMIT 1');
    const count = times(30, 300);
    const insert = (index: number) => {
      const uri = `/scheduled_events/EXPORT${index}`;
      const status = index % 7 === 0 ? 'canceled' : 'active';
      const start_time = new Date(someday + (index - count / 2) * 86_400_000).toISOString();
      const { organization, event_type } = event!;
      const doc = { ...JSON.parse(event!.doc), uri, status, start_time };
      store.insert('events', `EXPORT${index}`, doc, { organization, event_type });
      for (const [at, address] of [index % 2 === 0 ? email : email.toLowerCase(), 'other@people.example'].entries()) {
        const answers = [{ question: 'Why?', answer: `because ${index}`, position: 0 }];
        const own = { uri: `${uri}/invitees/I${index}X${at}`, event: uri, email: address, status };
        const record = { ...JSON.parse(invitee!.doc), ...own, questions_and_answers: answers };
        store.insert('invitees', `I${index}X${at}`, record, { event: `EXPORT${index}` });
      }
    };
    const submit = (id: string, answer: string, submitter: string | null) => {
      const questions_and_answers = [{ question_uuid: 'Q', question: 'You?', answer }];
      const doc = {
        ...JSON.parse(submission!.doc),
        uri: `/routing_form_submissions/${id}`,
        questions_and_answers,
        submitter,
      };
      store.insert('submissions', id, doc, { form: submission!.form });
    };
    store.transaction(() => {
      for (let index = 0; index < count; index += 1) insert(index);
      submit('EXACT', email.toUpperCase(), null);
      submit('INSIDE', `Write to <${email}>.`, null);
      submit('BOOKED', 'no address', '/scheduled_events/EXPORT1/invitees/I1X0');
      submit('ANOTHER', `x${email}`, null);
      submit('LONGER', `${email}.invalid`, '/scheduled_events/EXPORT1/invitees/I1X1');
    });

    const { code, stdout } = await runExport([email], { send: service });
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ total: 1, accepted: 1, unknown: 0 })]);
    const docs = (sql: string, ...values: string[]) => rows(sql, ...values).map(({ doc }) => JSON.parse(doc));
    const found = JSON.parse(readFileSync(join(to, '1.json'), 'utf8').replaceAll('http://127.0.0.1:4010', ''));
    const byUri = (one: { uri: string }, other: { uri: string }) => (one.uri < other.uri ? -1 : 1);
    const inData = {
      events: docs("SELECT doc FROM events WHERE id LIKE 'EXPORT%'"),
      invitees: docs('SELECT doc FROM invitees WHERE email = ?', email),
      routing_form_submissions: docs("SELECT doc FROM submissions WHERE id IN ('EXACT', 'INSIDE', 'BOOKED')"),
    };
    expect([inData.events.length, inData.invitees.length]).toEqual([count, count]);
    for (const [name, records] of Object.entries(inData))
      expect(found[name].toSorted(byUri)).toEqual(records.toSorted(byUri));
    expect(JSON.stringify(found)).not.toContain('other@people.example');
  });

  test('writes private files that say what is missing, named by line, and a receipt without addresses', async () => {
    const from = list('in.txt', `# people\n${canary}.a@x.example\n\n${canary}.B@x.example\n${canary}.b@X.example\n`);
    const { code, stdout, stderr } = await runExport(['--from', from, '-v']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ total: 2, accepted: 2, receipt: join(to, 'receipt.jsonl') });
    expect(readdirSync(to).toSorted()).toEqual(['2.json', '4.json', 'receipt.jsonl']);
    for (const [path, mode] of [[to, 0o700], ...readdirSync(to).map((name) => [join(to, name), 0o600])] as const)
      expect(statSync(path as string).mode & 0o777).toBe(mode);
    expect(exported('4.json')).toMatchObject({ email: `${canary}.B@x.example`, events: [], sandbox: true });
    expect(exported('4.json').not_included.join()).toContain('activity log');
    expect(stderr).toContain('Nothing found for lines 2, 4');
    expect(stderr).toContain('Never included: events of other organizations');
    expect(readFileSync(join(to, 'receipt.jsonl'), 'utf8')).not.toContain(canary);
    const verified = await world.run(['compliance', 'verify', join(to, 'receipt.jsonl'), '--sandbox', '--json'], {
      home,
    });
    expect(JSON.parse(verified.stdout)).toMatchObject({ status: 'ok', accepted: 2 });
  });

  test('says in files and output what the token may not read', async () => {
    const { code, stderr } = await runExport([`${canary}@x.example`], { env: { SCHED_TOKEN: 'sandbox_user' } });
    expect(code).toBe(0);
    expect(stderr).toContain("Not included: events of other hosts (the token can't read them)");
    expect(exported().not_included[0]).toBe("events of other hosts (the token can't read them)");
    to = join(home, 'forms');
    const send: Send = async (request) =>
      request.url.includes('/routing_form_submissions?')
        ? { status: 403, headers: {}, body: `{"title":"${canary}@x.example"}` }
        : world.service(request);
    const { stderr: other } = await runExport([`${canary}@x.example`], { send });
    expect(other).toMatch(/Not included: submissions of routing form \w+ \(the token can't read them\); submissions/);
    expect(exported().not_included[0]).toMatch(/^submissions of routing form \w+ /);
  });

  test('leaves out events of others if the service ignores the filters', async () => {
    const meetings = [
      { start: '2026-01-01T09:00:00Z', emails: [`${canary}@x.example`, 'other@x.example'] },
      { start: '2026-01-02T09:00:00Z', emails: ['other@x.example', null] },
    ];
    const { code } = await runExport([`${canary}@X.example`], { send: meetingsService(meetings, world.service, true) });
    expect(code).toBe(0);
    expect(exported()).toMatchObject({ events: [{ start_time: '2026-01-01T09:00:00Z' }], invitees: [{}] });
    expect(readFileSync(join(to, '1.json'), 'utf8')).not.toContain('other@');
  });

  const crowd = Array.from({ length: 30 }, (_, index) => `${canary}.${index}@x.example`);

  test('resumes after an interrupt, without reading finished people again', async () => {
    const from = list('in.txt', crowd.join('\n'));
    const stop = new AbortController();
    let asked = 0;
    const send: Send = (request) => {
      if (request.url.includes(`invitee_email=${canary}`)) asked += 1;
      if (asked === 27) stop.abort();
      stop.signal.throwIfAborted();
      return world.service(request);
    };
    const first = await runExport(['--from', from], { send, interrupted: stop.signal });
    expect(first.code).not.toBe(0);
    expect(first.stderr).toContain('Stopped with 25 of 30 exported. Run the same command again to resume');
    expect(readdirSync(to)).toHaveLength(26);
    // A killed process may leave half a file beside the whole ones.
    writeFileSync(join(to, '27.json.draft'), '{"email":');
    const second = await runExport(['--from', from]);
    expect([second.code, lookUps(second).length]).toEqual([0, 5]);
    expect(readdirSync(to)).toHaveLength(31);
    expect(exported('27.json').email).toBe(crowd[26]);
    const third = await runExport(['--from', from]);
    expect([third.code, lookUps(third)]).toEqual([0, []]);
    expect(third.stderr).toContain('To repeat it, name another directory with --to');
  });

  test('never changes the export of another run', async () => {
    const words = ['--from', list('in.txt', `${crowd[0]}\n${crowd[1]}\n`)];
    await runExport(words);
    const before = readFileSync(join(to, '1.json'), 'utf8');
    // The same people in another order would get other files.
    for (const text of [`${crowd[1]}\n${crowd[0]}\n`, `${crowd[2]}\n`]) {
      const result = await runExport(['--from', list('in.txt', text)]);
      expect([result.code, lookUps(result)]).toEqual([7, []]);
      expect(result.stderr).toContain('name another directory with --to');
    }
    expect(readFileSync(join(to, '1.json'), 'utf8')).toBe(before);
    to = join(home, 'again');
    expect((await runExport(words)).code).toBe(0);
  });

  test.each([
    ['a directory with files', () => mkdirSync(join(to, 'mine'), { recursive: true }), 'it already exists'],
    ['a file', () => writeFileSync(to, 'mine'), 'ENOTDIR'],
    ['a path below a missing directory', () => (to = join(home, 'no/out')), 'no such directory'],
  ])('refuses %s', async (_, prepare, words) => {
    prepare();
    const { code, stderr } = await runExport([crowd[0]!]);
    expect([code, stderr]).toEqual([3, expect.stringContaining(words)]);
    expect(existsSync(join(to, '1.json'))).toBe(false);
  });

  test('takes an empty directory, and makes it private', async () => {
    mkdirSync(to, { mode: 0o755 });
    // Left by a process that was killed while it created the receipt.
    writeFileSync(join(to, 'receipt.jsonl.0011'), '{');
    expect((await runExport([crowd[0]!])).code).toBe(0);
    expect(statSync(to).mode & 0o777).toBe(0o700);
  });

  test('stops if a file cannot be written, and resumes', async () => {
    const from = list('in.txt', `${crowd[0]}\n${crowd[1]}\n`);
    const send: Send = (request) => {
      if (request.url.includes('/routing_forms?')) mkdirSync(join(to, '2.json'));
      return world.service(request);
    };
    const first = await runExport(['--from', from], { send });
    expect([first.code, first.stderr]).toEqual([3, expect.stringContaining("Can't write")]);
    expect(readdirSync(to).toSorted()).toEqual(['1.json', '2.json', 'receipt.jsonl']);
    rmdirSync(join(to, '2.json'));
    expect((await runExport(['--from', from])).code).toBe(0);
    expect(exported('2.json').email).toBe(crowd[1]);
  });

  test('gives two addresses in one JSON object a file each', async () => {
    const from = list('in.json', JSON.stringify([{ emails: [crowd[0], crowd[1]] }, { emails: [crowd[2]] }]));
    expect((await runExport(['--from', from])).code).toBe(0);
    expect(readdirSync(to).toSorted()).toEqual(['1-2.json', '1.json', '2.json', 'receipt.jsonl']);
    expect(exported('1-2.json').email).toBe(crowd[1]);
  });

  test.each([
    ['no addresses', [], 'No addresses given'],
    ['an empty file', ['--from', '/dev/null'], 'No addresses in the input'],
    ['a wrong address', [canary], 'Argument 1 is not an email address'],
    ['--dry-run', [`${canary}@x.example`, '--dry-run'], "--dry-run doesn't work"],
  ])('rejects %s', async (_, words, problem) => {
    const { code, stderr, requests } = await runExport(words);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain(problem);
    expect(existsSync(to)).toBe(false);
  });

  test('skips invalid lines if told to, and says what to do about them', async () => {
    const from = list('in.txt', `${crowd[0]}\n${canary}\n`);
    const { code, stdout } = await runExport(['--from', from, '--skip-invalid']);
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ total: 1, accepted: 1, skipped: 1 })]);
  });
});
