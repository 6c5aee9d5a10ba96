import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exitCodes, SchedError } from '../../../src/base/errors.ts';
import { requestsAhead } from '../../../src/commands/config/apply.ts';
import type { HttpReply, HttpRequest, Send } from '../../../src/http/message.ts';
import { lost } from '../../support/lost-replies.ts';
import { callTool, connect } from '../../support/mcp-client.ts';
import { createWorld, isWrite, lastJson, type TestWorld, terminals, type WorldOptions } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';

const home = temporaryDirectory();
const file = join(home, 'team.yaml');
const key = 'a-key-that-signs-deliveries';

/** Writes a configuration of some event types and webhooks of the user. */
const write = (types: object, webhooks?: object[]): void =>
  writeFileSync(file, JSON.stringify({ sched: 1, users: { me: { event_types: types, webhooks } } }, null, 2));

const intro = (more: object = {}) => ({ intro: { name: 'Intro call', ...more } });
const fresh = { fresh: { name: 'Design review', duration: 45, active: true } };
const crm = { url: 'https://crm.example.com/hook', events: ['invitee.created'], signing_key_env: 'CRM_KEY' };

const world = await createWorld({ home });

const config = (line: string, options: WorldOptions = {}, at: TestWorld = world) => at.run(`config ${line}`, options);

const digestOf = async (): Promise<string> => JSON.parse((await config(`diff ${file} --json`)).stdout).digest;

describe('config export', () => {
  test('prints a file that differs in nothing, as YAML or as JSON', async () => {
    for (const format of sample(['yaml', 'json'], 1)) {
      const { stdout, code } = await config(`export -o ${format} --with dates,uris`);
      expect(code).toBe(0);
      writeFileSync(file, stdout);
      const diff = await config(`diff ${file} --exit-code --json`);
      expect([diff.code, JSON.parse(diff.stdout).changes]).toEqual([0, []]);
    }
  });

  test('says how to write the schema that its first line names', async () => {
    const [first, second] = (await config('export')).stdout.split('\n');
    expect(first).toContain('$schema=./sched.schema.json');
    expect(second).toContain('the output of config schema in that file');
  });

  test('says how to make it a file, unless it already goes to one', async () => {
    const said = 'To make this a file, add > team.yaml';
    expect((await config('export', { terminals })).stderr).toContain(said);
    expect((await config('export', { terminals: ['stdin', 'stderr'] })).stderr).not.toContain(said);
  });

  test('has the organization, its groups and all owners for an admin', async () => {
    const { stdout } = await config('export --org current --json');
    const { users, organization, groups } = JSON.parse(stdout);
    expect(Object.keys(users).every((user) => user.includes('@'))).toBe(true);
    expect(Object.keys(users).length).toBeGreaterThan(1);
    expect([organization.webhooks, Object.keys(groups)]).toEqual([expect.any(Array), expect.any(Array)]);
  });

  test('says how long reading takes at 10 requests a minute', async () => {
    const free = await createWorld({ plan: 'free' });
    const { code, stderr } = await config('export --org current', {}, free);
    expect(code).toBe(0);
    expect(stderr).toMatch(/\d+ requests left at 10 per minute: expect to wait about \dm /);
  });

  test.each([
    ['--user nobody@northlight.example', 6, 'No member with the email address nobody@northlight.example'],
    ['--user Jonas', 2, '--user must be an email address, not "Jonas"'],
    ['--with date', 2, '--with must be dates, uris or both, not "date"'],
    ['--with date,uri', 2, '--with must be dates, uris or both, not "date" or "uri"'],
    ['--org current --user me', 2, "--org and --user can't be used together"],
  ])('refuses %s', async (flags, code, message) => {
    const result = await config(`export ${flags}`);
    expect([result.code, result.stdout]).toEqual([code, '']);
    expect(result.stderr).toContain(message);
  });
});

describe('config diff', () => {
  test('draws the changes for a person, and has a row for each field in a pipe', async () => {
    write(intro({ duration: 20, availability: { dates: { '2026-12-24': 'off' } } }));
    const screen = await config(`diff ${file}`, { terminals, columns: 100 });
    expect(screen.stdout).toMatch(/→ Northlight Advisory/);
    expect(screen.stdout).toContain('Duration    15 min → 20 min');
    expect(screen.stdout).toContain('Thu 24 Dec  usual hours → off');
    const short = (await digestOf()).slice(0, 12);
    expect(screen.stdout).toContain(`Apply: sched config apply ${file} --confirm ${short}\n`);
    const piped = await config(`diff ${file}`);
    const rows = piped.stdout.split('\n').map((line) => line.split('\t').slice(0, 6));
    expect(rows[0]).toEqual(['update', 'event type', 'Intro call', 'duration', '15', '20']);
    expect(piped.stderr).toContain(`1 change: 1 update · 8 types not in the file · digest ${short}`);
    expect(piped.requests.filter(isWrite)).toEqual([]);
  });

  test('exits with 7 if asked to, and reads stdin', async () => {
    write(intro({ duration: 20 }));
    const stdin = readFileSync(file, 'utf8');
    expect((await config('diff -', { stdin })).code).toBe(0);
    expect((await config('diff - --exit-code', { stdin })).code).toBe(7);
  });

  test('names each mistake of the file with its place, and sends nothing', async () => {
    writeFileSync(file, 'sched: 1\nusers:\n  me:\n    event_types:\n      a: { name: A, duration: long, slug: a }\n');
    const { code, stderr, requests } = await config(`diff ${file}`);
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toContain(`${file}:5:31: users.me.event_types.a.duration must be a whole number`);
    expect(stderr).toContain('"slug" is not a field here');
    expect((await config('diff no-such.yaml')).stderr).toContain("can't read no-such.yaml (no such file)");
    expect((await config(`diff ${home}`)).stderr).toContain('(it is a directory)');
  });

  test('adds a table to the summary of a GitHub job, with text of the service made safe', async () => {
    const create = { location: { kind: 'zoom_conference' } };
    write({ ...intro({ description_plain: 'a|b `c`' }), fresh: { ...fresh.fresh, create } });
    const summary = join(home, 'summary.md');
    await config(`diff ${file}`, { env: { GITHUB_STEP_SUMMARY: summary } });
    const text = readFileSync(summary, 'utf8');
    expect(text).toContain('### sched config diff\n\n2 changes: 1 update, 1 creation');
    expect(text).toContain('| update | event type | Intro call | description_plain |');
    expect(text).toContain("| a\\|b 'c' |");
    expect(text).toContain('| {"kind":"zoom_conference"} |');
  });
});

test('docs/config.md shows what the commands print', async () => {
  const page = readFileSync(new URL('../../../docs/config.md', import.meta.url), 'utf8');
  const blocks = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) => text!);
  const [exported, edited, whole] = blocks as [string, string, string];
  const { stdout } = await config('export');
  expect(stdout).toContain(exported.slice(exported.indexOf('      intro-call')));
  const [start, rest] = stdout.split(/(?=^ {6}intro-call:)/m) as [string, string];
  const inFile = edited.replace(/^/gm, ' '.repeat(8)).trimEnd();
  writeFileSync(file, start + rest.replace(/^ {8}availability:(?:\n {10}.*)+/m, inFile));
  const screen = await config(`diff ${file}`, { terminals });
  expect(screen.stdout).toContain(/^~ Intro call.*?(?=\nApply: )/ms.exec(page)![0]);
  writeFileSync(file, whole);
  expect((await config(`diff ${file}`)).stderr).toContain('1 update, 1 creation');
});

describe('config apply', () => {
  test('applies what a person confirms at the prompt, once', async () => {
    const own = await createWorld({ home: temporaryDirectory() });
    write(intro({ duration: 20, availability: { dates: { '2027-01-04': 'off' } } }), [crm]);
    const options = { terminals, stdin: 'y\n', env: { CRM_KEY: key } };
    const done = await config(`apply ${file}`, options, own);
    expect(done.screen).toMatch(
      /~ Intro call .*- webhook .*\+ webhook https:\/\/crm.*Apply these changes.*0\/3 .*3\/3\r.*✔ 3 of 3 applied/s,
    );
    expect(done.requests.filter(isWrite).map(({ method }) => method)).toEqual(['PATCH', 'PATCH', 'POST', 'DELETE']);
    expect(done.screen).not.toContain(key);
    const again = await config(`apply ${file}`, options, own);
    expect([again.code, again.requests.filter(isWrite)]).toEqual([0, []]);
    expect(again.screen).toContain('Nothing to change');
  });

  test('sends nothing if the person says no, or if there is nobody to ask', async () => {
    write(intro({ duration: 20 }));
    const no = await config(`apply ${file}`, { terminals, stdin: 'n\n' });
    const nobody = await config(`apply ${file}`);
    expect([no.code, nobody.code, ...no.requests.filter(isWrite), ...nobody.requests.filter(isWrite)]).toEqual([
      12, 12,
    ]);
    expect(nobody.stderr).toMatch(/Duration {2}15 min → 20 min.*try: sched config apply .* --confirm [0-9a-f]{12}\n$/s);
  });

  const allowed: [allow: string, types: object, webhooks: object[] | undefined][] = [
    ['create', fresh, undefined],
    ['delete', {}, []],
    ['create,delete', fresh, []],
  ];
  test.each(sample(allowed, 1))('needs --allow %s beside --yes', async (allow, types, webhooks) => {
    const own = await createWorld({ home: temporaryDirectory() });
    write({ ...intro(), ...types }, webhooks);
    const refused = await config(`apply ${file} --yes`, {}, own);
    expect([refused.code, refused.requests.filter(isWrite)]).toEqual([12, []]);
    expect(refused.stderr).toContain(`To see them: sched config diff ${file}\n`);
    expect(refused.stderr).toContain(`--yes --allow ${allow}\n`);
    const done = await config(`apply ${file} --yes --allow ${allow} --json`, {}, own);
    expect(done.code).toBe(0);
    const { changes } = JSON.parse(done.stdout);
    expect(new Set(changes.map(({ outcome }: { outcome: string }) => outcome))).toEqual(new Set(['applied']));
    // The plan is read, and again after the yes. The first run also asked who the user is.
    const read = refused.requests.length - 1;
    expect(requestsAhead(changes)).toBe(done.requests.length - 2 * read);
  });

  test('applies exactly the plan with the digest, and prints another one', async () => {
    const own = await createWorld({ home: temporaryDirectory() });
    write(intro({ duration: 20 }));
    const digest = await digestOf();
    write(intro({ duration: 25 }));
    const summary = join(temporaryDirectory(), 'summary.md');
    const other = await config(`apply ${file} --confirm ${digest}`, { env: { GITHUB_STEP_SUMMARY: summary } }, own);
    expect([other.code, other.requests.filter(isWrite)]).toEqual([7, []]);
    expect(other.stdout).toContain('duration\t15\t25');
    expect(readFileSync(summary, 'utf8')).toContain('Nothing was sent.\n\n1 change: 1 update');
    write(intro({ duration: 20 }));
    const done = await config(`apply ${file} --confirm ${digest.slice(0, 12)}`, {}, own);
    expect([done.code, done.stdout.split('\t').slice(3, 8)]).toEqual([0, ['duration', '15', '20', '6', 'applied']]);
  });

  test('goes on after a refusal, says what failed, and exits with 11', async () => {
    const own = await createWorld({ home: temporaryDirectory() });
    write({ ...intro({ duration: 20 }), two: { name: 'Consultation', duration: 20 } });
    const refused = new Set<string>();
    const send: WorldOptions['send'] = async (request) => {
      if (request.method !== 'PATCH' || refused.has(request.url)) return own.service(request);
      refused.add(request.url);
      return { status: 403, headers: {}, body: '{"title":"Forbidden"}' };
    };
    const once = await config(`apply ${file} --yes`, { terminals, send }, own);
    expect(once.code).toBe(11);
    expect(once.screen).toContain('0 of 2 applied');
    const { code, screen } = await config(`apply ${file} --yes`, { terminals, send }, own);
    expect([code, screen]).toEqual([0, expect.stringContaining('✔ 2 of 2 applied')]);
  });

  test('stops at a change by somebody else, and names what was written', async () => {
    const own = await createWorld({ home: temporaryDirectory() });
    write({ ...intro({ duration: 20 }), two: { name: 'Consultation', duration: 20 } });
    const patches: HttpRequest[] = [];
    const send: WorldOptions['send'] = async (request) => {
      const reply = await own.service(request);
      if (request.method !== 'PATCH' || patches.push(request) > 1) return reply;
      const [other] = JSON.parse((await own.run('event-types list --json')).stdout).filter(
        ({ name }: { name: string }) => name === 'Consultation',
      );
      await own.run(`event-types update ${other.uri} --duration 50`);
      return reply;
    };
    const { code, stderr } = await config(`apply ${file} --yes`, { send }, own);
    expect([code, patches.length]).toEqual([7, 1]);
    expect(stderr).toContain('Stopped with 1 of 2 applied: Intro call');
    expect(stderr).toContain('Consultation was changed by someone else');
  });

  test('says whether anything was changed if not all changes are made', async () => {
    const own = await createWorld({ home: temporaryDirectory() });
    const outcomeWith = async (reply: (request: HttpRequest) => Promise<HttpReply | undefined>) => {
      const send: WorldOptions['send'] = async (request) =>
        (isWrite(request) ? await reply(request) : undefined) ?? own.service(request);
      // A rate limit would be known to the next command with the same home.
      const options = { send, home: temporaryDirectory() };
      const { code, stderr } = await config(`apply ${file} --yes --allow create --json`, options, own);
      return [code, lastJson(stderr).error.outcome];
    };
    const refused = (status: number) => ({ status, headers: { 'retry-after': '3600' }, body: '{}' });
    write({ ...intro({ duration: 20 }), two: { name: 'Consultation', duration: 20 } });
    expect(await outcomeWith(async () => refused(403))).toEqual([11, 'not-applied']);
    let patches = 0;
    expect(await outcomeWith(async () => (++patches === 1 ? refused(403) : undefined))).toEqual([11, 'applied']);
    expect(await outcomeWith(async () => refused(429))).toEqual([8, 'not-applied']);
    // It is created, and can't be activated.
    write(fresh);
    expect(await outcomeWith(async ({ method }) => (method === 'PATCH' ? refused(429) : undefined))).toEqual([
      8,
      'applied',
    ]);
    // One change is made before it.
    write({ old: { name: 'Consultation', active: false }, other: { name: 'Other', duration: 45, active: true } });
    expect(
      await outcomeWith(async ({ method }) => {
        if (method === 'POST') throw lost();
        return undefined;
      }),
    ).toEqual([10, 'unknown']);
  });

  test('needs the signing key of a new webhook before it sends anything', async () => {
    write(intro({ duration: 20 }), [crm]);
    for (const env of [{ CRM_KEY: '' }, { CRM_KEY: 'short' }]) {
      const { code, stderr, requests } = await config(`apply ${file} --yes --allow create,delete`, { env });
      expect([code, requests.filter(isWrite)]).toEqual([2, []]);
      expect(stderr).toMatch(
        /hook\. Nothing was sent\n.*environment variable CRM_KEY: (it is not set|a signing key has)/,
      );
    }
  });

  test('prints the requests with --dry-run, without the key', async () => {
    write(intro({ duration: 20 }), [crm]);
    const { stdout, requests, code } = await config(`apply ${file} --dry-run`, { env: { CRM_KEY: key } });
    expect([code, requests.filter(isWrite)]).toEqual([0, []]);
    expect(JSON.parse(stdout).map(({ method }: HttpRequest) => method)).toEqual(['PATCH', 'POST', 'DELETE']);
    expect(stdout).not.toContain(key);
  });

  test.each([
    ['--confirm 123', '--confirm must be the digest that config diff prints'],
    ['--allow all', '--allow must be create, delete or both, not "all"'],
  ])('refuses %s', async (flags, message) => {
    const { code, stderr, requests } = await config(`apply ${file} ${flags}`);
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toContain(message);
  });
});

describe('tools', () => {
  test('export and diff work on texts, and apply needs a digest and a person', async () => {
    const own = await createWorld({ home: temporaryDirectory() });
    const questions: string[] = [];
    const answer = (question: string) => {
      questions.push(question);
      return 'yes' as const;
    };
    const { client, close } = await connect(own, '--tools config.* --allow-writes', { answer });
    const { code } = await own.run(['event-types', 'update', 'YBL6DUNR9FS4PNP6', '--description', 'two\nlines']);
    expect(code).toBe(0);
    const exported = await callTool(client, 'config_export');
    expect(JSON.stringify(exported)).toContain("long texts don't fit: descriptions of Intro call");
    const text = JSON.stringify(exported.record);
    const changed = text.replace('"duration":15', '"duration":20');
    const { digest, changes } = (await callTool(client, 'config_diff', { file: changed })).record;
    expect(changes).toMatchObject([{ name: 'Intro call', fields: { duration: { before: 15, after: 20 } } }]);
    const without = await callTool(client, 'config_apply', { file: changed });
    expect([without.error.code, questions]).toEqual(['usage', []]);
    const done = await callTool(client, 'config_apply', { file: changed, confirm: digest });
    expect(done.record.changes).toMatchObject([{ outcome: 'applied' }]);
    expect(questions).toEqual([expect.stringMatching(/Apply this change\?.*Duration +15 min → 20 min/s)]);
    await close();
  });

  test('never create a webhook, and read no file', async () => {
    write(intro(), [{ ...crm, signing_key_env: undefined, signing_key: 'none' }]);
    const { client, close } = await connect(world, '--tools config.* --allow-writes --yes');
    expect((await callTool(client, 'config_diff', { file })).error.message).toMatch(/^file:1:1: /);
    const text = readFileSync(file, 'utf8');
    const { digest } = (await callTool(client, 'config_diff', { file: text })).record;
    const refused = await callTool(client, 'config_apply', { file: text, confirm: digest });
    expect(refused.error.message).toBe("A tool can't create webhooks");
    await close();
  });
});

// R42
test.each(['interrupted', 'terminated'] as const)('%s while it reads back says what was applied', async (category) => {
  const at = await createWorld({ home });
  write(intro({ availability: { dates: { '2027-03-01': 'off' } } }));
  const stop = new AbortController();
  let isWritten = false;
  const send: Send = async (request) => {
    if (isWritten) stop.abort(new SchedError(category, 'Stopped'));
    stop.signal.throwIfAborted();
    isWritten ||= isWrite(request);
    return at.service(request);
  };
  const { code, stderr } = await config(`apply ${file} --yes --json`, { send, interrupted: stop.signal }, at);
  expect([code, lastJson(stderr).error.outcome]).toEqual([exitCodes[category], 'applied']);
});
