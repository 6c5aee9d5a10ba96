import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { NetworkFailure } from '../../../src/http/failure.ts';
import type { HttpReply, HttpRequest, Send } from '../../../src/http/message.ts';
import { syncedDuring } from '../../support/files-world.ts';
import { execFileSync } from '../../support/processes.ts';
import { createWorld, outputs, type Result, type TestWorld, terminals, type WorldOptions } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';

// Most tests share a service. Each test gets its own home and its own hour.
const shared = await createWorld();
let world: TestWorld;
let home: string;
const liveIn = (place: TestWorld) => {
  world = { ...place, run: (line, more) => place.run(line, { home, ...more }) };
};
beforeEach(async () => {
  home = temporaryDirectory('compliance');
  await shared.clock.sleep(3_600_000);
  liveIn(shared);
});

/** The clock only moves while something waits. */
const now = (): string => new Date(world.machineNow()).toISOString();

const canary = 'canary-dünn'.slice(0, 6);
/** Addresses that can be searched for in all output and files. */
const people = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${canary}.${index}@people.example`);

const file = (name: string, content: string | Buffer): string => {
  const path = join(home, name);
  writeFileSync(path, content);
  return path;
};
const listFile = (count: number): string => file('in.txt', `${people(count).join('\n')}\n`);

const deletions = ({ requests }: Result): HttpRequest[] =>
  requests.filter(({ method, url }) => method === 'POST' && url.endsWith('/data_compliance/invitee_deletion'));
const sent = (result: Result): string[] =>
  deletions(result).flatMap(({ body }) => (JSON.parse(body!) as { emails: string[] }).emails);

const receipts = () => join(home, '.local/state/sched/receipts');
const receiptFiles = (): string[] => {
  try {
    return readdirSync(receipts())
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => join(receipts(), name));
  } catch {
    return [];
  }
};

/** The content of all files that a run left below its home, except its input. */
const leftBehind = (): string =>
  readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^(in\.|sandbox\.db)/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
const expectNoAddress = (...results: Result[]) => {
  for (const { stdout, stderr } of results) expect(stdout + stderr).not.toContain(canary);
  expect(leftBehind()).not.toContain(canary);
};

/** The sandbox under the address of a real service, with a token that is not a sandbox token. */
const real: WorldOptions = { env: { SCHED_TOKEN: 'tok', SCHED_BASE_URL: 'https://api.example.com' } };
const asOwner =
  (answer: (request: HttpRequest, next: Send) => Promise<HttpReply>): Send =>
  (request) =>
    answer({ ...request, headers: { ...request.headers, authorization: `Bearer ${world.token}` } }, world.service);
const isDeletion = ({ method, url }: HttpRequest) => method === 'POST' && url.includes('/data_compliance/');
const answering = (reply: (emails: string[], times: number) => Partial<HttpReply> | undefined): Send => {
  let times = 0;
  return asOwner(async (request, next) => {
    if (!isDeletion(request)) return next(request);
    times += 1;
    const own = reply(JSON.parse(request.body!).emails, times);
    return own === undefined ? next(request) : { status: 200, headers: {}, body: '{}', ...own };
  });
};
const throughSandbox = answering(() => undefined);

describe('compliance delete --dry-run', () => {
  test('prints the plan without an account, a home directory or a network', async () => {
    const from = file('in.txt', 'A@x.example\n# note\na@X.example\n\nb@x.example\n');
    const env = { SCHED_TOKEN: '', SCHED_BASE_URL: '' };
    const result = await world.run(`compliance delete --from ${from} --dry-run --json`, { env, home: '/dev/null/x' });
    expect(result).toMatchObject({ code: 0, stderr: '', requests: [] });
    expect(JSON.parse(result.stdout)).toEqual({
      addresses: 2,
      duplicates: 1,
      invalid_lines: [],
      batches: 1,
      estimated_s: 1,
      // Two addresses could be guessed from a plain hash, and there is no receipt key.
      digest: null,
      comments: 1,
      header_lines: 0,
      blank_lines: 1,
      // Lines stand for addresses, and no base URL is known.
      requests: [
        { method: 'POST', url: '/data_compliance/invitee_deletion', body: { emails: ['[line 1]', '[line 5]'] } },
      ],
    });
    expect(receiptFiles()).toEqual([]);
  });

  test('prints each request, to the URL it would go to', async () => {
    const from = listFile(3);
    const result = await world.run(`compliance delete --from ${from} --batch-size 2 -n --json=requests`);
    const url = 'http://127.0.0.1:4010/data_compliance/invitee_deletion';
    expect(JSON.parse(result.stdout).requests).toEqual([
      { method: 'POST', url, body: { emails: ['[line 1]', '[line 2]'] } },
      { method: 'POST', url, body: { emails: ['[line 3]'] } },
    ]);
    expectNoAddress(result);
  });

  test('mentions the sandbox without connecting to it', async () => {
    const plan = await world.run('compliance delete ada@x.example --sandbox --dry-run --quiet');
    expect([plan.code, plan.stderr]).toEqual([0, '[sandbox]\n']);
    const { code, stderr } = await world.run('compliance delete ada@x.example --sandbox --json');
    expect([code, stderr.split('\n')[0]]).toEqual([12, '{"note":"sandbox"}']);
  });

  test('prints the plan, reports invalid lines by number and fails', async () => {
    const from = file('in.txt', `${canary}@x.example\n${canary}-wrong\n`);
    const result = await world.run(`compliance delete --from ${from} --dry-run --json`);
    expect(result.code).toBe(2);
    expect(JSON.parse(result.stdout)).toMatchObject({ addresses: 1, invalid_lines: [2] });
    expect(result.stderr).toContain('line 2 contains no email address');
    expect(result.stderr).not.toContain('incomplete');
    expectNoAddress(result);
    expect((await world.run(`compliance delete --from ${from} --dry-run --skip-invalid`)).code).toBe(0);
  });

  test.each([
    ['a missing file', 'nowhere.txt', 'no such file'],
    ['a directory', '.', 'EISDIR'],
  ])('rejects %s', async (_, name, words) => {
    const result = await world.run(`compliance delete --from ${join(home, name)} --dry-run`);
    expect(result).toMatchObject({ code: 2, requests: [] });
    expect(result.stderr).toContain(words);
  });

  test('reads stdin, CSV and JSON', async () => {
    const csv = `id;e-mail\n1;${people(2)[0]}\n2;${people(2)[1]}\n`;
    for (const [line, stdin] of [
      ['--from -', people(2).join('\r\n')],
      ['--from - --column e-mail', csv],
      ['--from - --field who.mail', JSON.stringify(people(2).map((mail) => ({ who: { mail } })))],
    ]) {
      const { code, stdout } = await world.run(`compliance delete ${line} --dry-run --json=addresses,digest`, {
        stdin,
      });
      expect({ code, plan: JSON.parse(stdout) }).toMatchObject({ code: 0, plan: { addresses: 2 } });
    }
  });
});

describe('compliance delete: confirmation', () => {
  const digestOf = async (from: string): Promise<string> =>
    JSON.parse((await world.run(`compliance delete --from ${from} -n --json`)).stdout).digest;

  test.each(['', '--yes', '--max 50'])(
    'is missing with %j: exits with 12, sends nothing and writes nothing',
    async (flags) => {
      const result = await world.run(`compliance delete --from ${listFile(3)} ${flags}`, { env: { CI: 'true' } });
      expect(result).toMatchObject({ code: 12, requests: [] });
      expect(result.stderr).toContain('--confirm 3');
      expect(leftBehind()).toBe('');
    },
  );

  test('by --yes alone is enough for ten arguments, but not for eleven', async () => {
    const few = await world.run(['compliance', 'delete', ...people(10), '--yes']);
    expect({ code: few.code, sent: sent(few) }).toEqual({ code: 0, sent: people(10) });
    const many = await world.run(['compliance', 'delete', ...people(11), '--yes']);
    expect(many).toMatchObject({ code: 12, requests: [] });
    expect((await world.run(['compliance', 'delete', ...people(11), '--yes', '--max', '11'])).code).toBe(0);
    expectNoAddress(few, many);
  });

  test('works with a count, a digest, or --yes with --max', async () => {
    const from = listFile(12);
    for (const flags of [
      '--confirm 12',
      `--confirm ${await digestOf(from)}`,
      '--yes --max 12',
      '--yes --max 2147483647',
    ]) {
      const result = await world.run(`compliance delete --from ${from} --again ${flags}`);
      expect({ flags, code: result.code, sent: sent(result).length }).toEqual({ flags, code: 0, sent: 12 });
    }
  });

  test('by the digest of a few addresses needs the receipt key, so that nobody can guess them', async () => {
    const from = listFile(1);
    const plain = createHash('sha256')
      .update(`${people(1)[0]}\n`)
      .digest('hex');
    expect(await digestOf(from)).toBeNull();
    await world.run(`compliance delete --from ${listFile(2)} --confirm 2`);
    const digest = await digestOf(listFile(1));
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(digest).not.toContain(plain);
    const wrong = await world.run(`compliance delete --from ${from} --confirm sha256:${plain}`);
    expect(wrong).toMatchObject({ code: 7, requests: [] });
    expect((await world.run(`compliance delete --from ${from} --confirm ${digest}`)).code).toBe(0);
  });

  test('that does not match the input exits with 7 and sends nothing', async () => {
    const from = listFile(3);
    for (const flags of ['--confirm 4', `--confirm sha256:${'0'.repeat(64)}`, '--yes --max 2', '--confirm 3 --max 2']) {
      const result = await world.run(`compliance delete --from ${from} ${flags}`);
      expect({ flags, code: result.code, requests: result.requests }).toEqual({ flags, code: 7, requests: [] });
    }
    expect((await world.run(`compliance delete --from ${from} --confirm all`)).code).toBe(2);
  });

  test('on a terminal prompts for the count and shows organization, profile and service', async () => {
    const from = listFile(3);
    const terminals: WorldOptions['terminals'] = ['stdin', 'stderr'];
    const no = await world.run(`compliance delete --from ${from} --yes`, { terminals, stdin: 'yes\n' });
    expect({ code: no.code, sent: sent(no) }).toEqual({ code: 12, sent: [] });
    expect(no.stderr).toMatch(/Delete all data about 3 invitees\?/);
    expect(no.stderr).toContain('\nNorthlight Advisory · token from the environment · 127.0.0.1:4010 (sandbox)\nType');
    expect(receiptFiles()).toEqual([]);
    const yes = await world.run(`compliance delete --from ${from}`, { terminals, stdin: '3\n' });
    expect({ code: yes.code, sent: sent(yes).length }).toEqual({ code: 0, sent: 3 });
    expectNoAddress(no, yes);
  });

  test('with --org requires a token of that organization', async () => {
    const from = listFile(1);
    const own = JSON.parse((await world.run('users me --json=current_organization')).stdout).current_organization;
    const line = `compliance delete --from ${from} --confirm 1 --again`;
    for (const org of [own, own.split('/').at(-1)]) expect((await world.run(`${line} --org ${org}`)).code).toBe(0);
    for (const org of ['OTHER', `${own}X`, 'https://elsewhere.example/organizations/X']) {
      const result = await world.run(`${line} --org ${org}`);
      expect({ code: result.code, sent: sent(result) }).toEqual({ code: 7, sent: [] });
    }
    // SCHED_ORG sets the organization of other commands, but must not satisfy this check.
    const env = { SCHED_USER: 'U', SCHED_ORG: 'OTHER' };
    expect((await world.run(`${line} --org OTHER`, { env })).code).toBe(7);
  });

  test('with --org fails if the token may not read its user', async () => {
    const env = { SCHED_TOKEN: 'sandbox_events_only' };
    const result = await world.run(`compliance delete --from ${listFile(1)} --confirm 1 --org X`, { env });
    expect({ code: result.code, sent: sent(result) }).toEqual({ code: 5, sent: [] });
    expect(result.stderr).toContain('users:read');
  });
});

describe('compliance delete: input', () => {
  test('that is empty fails, or leaves a receipt with --allow-empty', async () => {
    const from = file('in.txt', '# nobody\n');
    const none = await world.run(`compliance delete --from ${from} --yes --max 5`);
    expect(none).toMatchObject({ code: 2, requests: [] });
    const allowed = await world.run(`compliance delete --from ${from} --yes --max 5 --allow-empty --json`);
    expect({ code: allowed.code, sent: sent(allowed) }).toEqual({ code: 0, sent: [] });
    const result = JSON.parse(allowed.stdout);
    expect(result).toMatchObject({ total: 0, accepted: 0 });
    expect(
      readFileSync(result.receipt, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).type),
    ).toEqual(['run', 'end']);
  });

  test('with only invalid lines fails, even with --skip-invalid', async () => {
    const from = file('in.txt', `${canary}\n${canary}\n`);
    const plain = await world.run(`compliance delete --from ${from} --yes --max 5`);
    const skipped = await world.run(`compliance delete --from ${from} --yes --max 5 --skip-invalid`);
    expect([plain, skipped]).toMatchObject([
      { code: 2, requests: [] },
      { code: 2, requests: [] },
    ]);
    expectNoAddress(plain, skipped);
  });

  test('is sent as typed, and skipped lines are counted', async () => {
    const from = file('in.txt', '# all of them\nAda.B@X.Example\nnobody\nada.b@x.example\n');
    const result = await world.run(`compliance delete --from ${from} --skip-invalid --confirm 1 --json`);
    expect(sent(result)).toEqual(['Ada.B@X.Example']);
    expect(result.stderr).toContain('Skipped in the input: 1 duplicate, 1 invalid line, 1 comment');
    expect(JSON.parse(result.stdout)).toMatchObject({ total: 1, accepted: 1, skipped: 1 });
    expect(JSON.parse(readFileSync(JSON.parse(result.stdout).receipt, 'utf8').split('\n')[0]!)).toMatchObject({
      total: 1,
      duplicates: 1,
      skipped: 1,
    });
  });

  test('treats a line that starts with # as an address if it has an @ and no space after the #', async () => {
    const from = file('in.txt', `#${people(1)[0]}\n# ${people(2)[1]}\n#nobody\n`);
    const result = await world.run(`compliance delete --from ${from} --confirm 1`);
    expect(sent(result)).toEqual([`#${people(1)[0]}`]);
    expect(result.stderr).toContain('Skipped in the input: 2 comments');
    expectNoAddress(result);
  });

  test('with a broken CSV quote is rejected with line numbers, or sent without those lines', async () => {
    const [bob, carl, dora] = people(3);
    const from = file('in.csv', `email,name\n${dora},Dora\n${bob},"Bob\n${carl},Carl\n`);
    const refused = await world.run(`compliance delete --from ${from} --yes --max 9`);
    expect(refused).toMatchObject({ code: 2, requests: [] });
    expect(refused.stderr).toContain('lines 3, 4: a quote is opened and never closed; use --skip-invalid to skip them');
    const rest = await world.run(`compliance delete --from ${from} --yes --max 9 --skip-invalid --json`);
    expect(sent(rest)).toEqual([dora]);
    expect(JSON.parse(rest.stdout)).toMatchObject({ total: 1, accepted: 1, skipped: 2 });
    expectNoAddress(refused, rest);
  });

  test.each([
    ['two columns of addresses', 'in.csv', `email,work\n${people(2).join()}\n`, '--column 1 or --column 2'],
    [
      'two columns of usual names',
      'in.csv',
      `email,id,mail\n${people(1)[0]},1,\n`,
      '--column 1 (email) or --column 3 (mail)',
    ],
    ['email beside emails', 'in.json', `[{"email":"${people(1)[0]}","emails":[]}]`, '--field email or --field emails'],
  ])('with %s asks the user to choose one', async (_, name, content, words) => {
    const from = file(name, content);
    const result = await world.run(`compliance delete --from ${from} --yes --max 9 --skip-invalid`);
    expect(result).toMatchObject({ code: 2, requests: [] });
    expect(result.stderr).toContain(`matches: use ${words}`);
    expectNoAddress(result);
  });

  test.each([
    ['in.csv', `name,E-Mail\nAda,${people(1)[0]}\n`, 'column "e-mail"'],
    ['in.json', `[{"name":"Ada","email":"${people(1)[0]}"}]`, 'field "email"'],
  ])('names what it chose by itself in %s', async (name, content, chosen) => {
    const result = await world.run(`compliance delete --from ${file(name, content)} --dry-run`);
    expect(result).toMatchObject({ code: 0, stderr: `Reading the ${chosen}\n` });
    expectNoAddress(result);
  });

  test('lists the columns if --column names none of them, but no address', async () => {
    const wrong = (content: string, column: string) =>
      world.run(`compliance delete --from ${file('in.csv', content)} --column ${column} --dry-run`);
    const named = await wrong(`name,e-mail\nAda,${people(1)[0]}\n`, 'email');
    expect([named.code, named.stderr]).toEqual([2, expect.stringContaining('the columns are 1 (name), 2 (e-mail)')]);
    const unnamed = await wrong(`Ada,${people(1)[0]}\n`, 'email');
    expect([unnamed.code, unnamed.stderr]).toEqual([2, expect.stringContaining('use a number from 1 to 2')]);
    expectNoAddress(named, unnamed);
  });

  test('reports an invalid argument by its position', async () => {
    const result = await world.run(['compliance', 'delete', people(1)[0]!, `${canary}-nonsense`, '--yes']);
    expect(result).toMatchObject({ code: 2, requests: [] });
    expect(result.stderr).toContain('Argument 2 is not an email address');
    expectNoAddress(result);
  });

  const misplaced = [
    ['compliance', people(1)[0]!],
    ['compliance', 'delet', people(1)[0]!],
    ['compliance', 'verify', 'r.jsonl', people(1)[0]!],
    ['compliance', 'runs', people(1)[0]!],
    ['compliance', 'prove', people(1)[0]!, '--email', people(1)[0]!],
    ['compliance', 'delete', `--email=${people(1)[0]!}`],
    ['compliance', 'delete', '--org', people(1)[0]!, people(1)[0]!, '--yes'],
    ['compliance', 'delete', '--confirm', people(1)[0]!, people(1)[0]!],
    ['compliance', 'delete', '--from', people(1)[0]!, '--yes'],
    ['compliance', 'key', people(1)[0]!, people(1)[0]!],
    ['compliance', 'delet', `"${people(1)[0]!}"@[10.0.0.1]`],
    ['compliance', 'verify', 'r.jsonl', `"a ${people(1)[0]!} b"@x.example`],
    ['compliance', 'delete', `--email=${canary}.0@=x@y.example`],
  ];
  test.each(sample(misplaced, 2))('that is misplaced is not printed: %s %s', async (...words) => {
    const environments: Record<string, string>[] = [{}, { SCHED_ERROR_FORMAT: 'json' }, { SCHED_DEBUG: '1' }];
    for (const env of environments) {
      const result = await world.run(words, { env });
      expect(result.code).not.toBe(0);
      expect(result.stdout + result.stderr).not.toContain(`${canary}.0@`);
    }
  });
});

describe('compliance delete: the run', () => {
  test('sends 25 addresses per request and prints the result', async () => {
    const result = await world.run(`compliance delete --from ${listFile(60)} --confirm 60 --json -v`);
    expect(result.code).toBe(0);
    expect(deletions(result).map(({ body }) => JSON.parse(body!).emails.length)).toEqual([25, 25, 10]);
    const answer = JSON.parse(result.stdout);
    expect(answer).toEqual({
      run: expect.stringMatching(new RegExp(`^${now().replace(/[-:]|\.\d+/g, '')}-`)),
      total: 60,
      accepted: 60,
      rejected: 0,
      unknown: 0,
      skipped: 0,
      receipt: receiptFiles()[0],
      head: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
    expectNoAddress(result);
  });

  test('writes a private receipt with the user, the service and the time', async () => {
    await world.run(`compliance delete --from ${listFile(2)} --confirm 2`);
    const [path] = receiptFiles();
    expect(statSync(path!).mode & 0o777).toBe(0o600);
    const lines = readFileSync(path!, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({
      tool: expect.stringMatching(/^sched \d+\.\d+\.\d+$/),
      endpoint: 'http://127.0.0.1:4010/data_compliance/invitee_deletion',
      owner: expect.stringMatching(/\/users\/\w+$/),
      organization: expect.stringMatching(/\/organizations\/\w+$/),
      at: now(),
    });
    expect(lines.map(({ type }) => type)).toEqual(['run', 'sending', 'verdict', 'end']);
    expect(lines.every(({ sandbox }) => sandbox === true)).toBe(true);
    expect(lines[2]).toMatchObject({ verdict: 'accepted', status: 202 });
    expect(lines[3]).toMatchObject({ total: 2, accepted: 2 });
    const { digest } = JSON.parse(
      (await world.run(`compliance delete --from ${join(home, 'in.txt')} -n --json`)).stdout,
    );
    expect(readFileSync(path!, 'utf8')).not.toContain(digest.slice(7));
  });

  test('against a real service does not mention a sandbox', async () => {
    const line = `compliance delete --from ${listFile(2)} --confirm 2 --json`;
    const { stdout, code } = await world.run(line, { ...real, send: throughSandbox });
    expect(code).toBe(0);
    const { receipt, head } = JSON.parse(stdout);
    expect(readFileSync(receipt, 'utf8')).not.toContain('sandbox":');
    expect((await world.run(`compliance verify ${receipt} --head ${head}`)).code).toBe(0);
  });

  test('records an unknown owner if the token may not read its user', async () => {
    const send = asOwner(async (request, next) =>
      request.url.endsWith('/users/me') ? { status: 403, headers: {}, body: '{}' } : next(request),
    );
    const { code, stdout } = await world.run(`compliance delete --from ${listFile(1)} --confirm 1 --json`, {
      ...real,
      send,
    });
    expect(code).toBe(0);
    expect(readFileSync(JSON.parse(stdout).receipt, 'utf8')).toMatch(/"owner":"unknown","organization":"unknown"/);
  });

  test('splits a batch to find a rejected address, and never prints what the service says about it', async () => {
    const bad = people(30)[17]!;
    const body = JSON.stringify({
      title: 'Invalid Argument',
      message: `${bad} is no address`,
      details: [{ parameter: bad, message: bad }],
    });
    const headers = { 'x-request-id': `req ${bad}` };
    const send = answering((emails) => (emails.includes(bad) ? { status: 400, body, headers } : undefined));
    const result = await world.run(`compliance delete --from ${listFile(30)} --confirm 30 --json -v`, {
      ...real,
      send,
    });
    expect(result.code).toBe(11);
    expect(JSON.parse(result.stdout)).toMatchObject({ total: 30, accepted: 29, rejected: 1, unknown: 0 });
    expectNoAddress(result);
    const { receipt } = JSON.parse(result.stdout);
    const proof = await world.run(`compliance prove ${receipt} --email ${bad} --json=found,verdict,http_status`);
    expect({ code: proof.code, proof: JSON.parse(proof.stdout) }).toEqual({
      code: 0,
      proof: { found: true, verdict: 'rejected', http_status: 400 },
    });
    const line = `compliance delete --from ${listFile(30)} --confirm 30`;
    const shown = await world.run(line, { ...real, send, terminals: outputs });
    expect(shown.stdout).toMatch(
      /^✔ 29 of 30 accepted\n✗ line 18 {2}refused \(HTTP 400\)\nFix the failed ones and send/,
    );
    expect(shown.stdout).not.toMatch(/sha256|Run:/);
    expectNoAddress(proof, shown);
  });

  test('shows no request ID that spells an address, and keeps it in no receipt', async () => {
    const [one, two, three] = people(3) as [string, string, string];
    for (const [address, id] of [
      [one, one.replace('@', '=40')],
      [two, Buffer.from(two).toString('hex')],
      [three, Buffer.from(three).toString('base64')],
    ] as const) {
      const send = answering(() => ({ status: 202, headers: { 'x-request-id': id } }));
      const line = `compliance delete --from ${file('in.one', address)} --confirm 1 -v`;
      const { code, stdout, stderr } = await world.run(line, { ...real, send });
      expect([code, (stdout + stderr).includes(id), leftBehind().includes(id)]).toEqual([0, false, false]);
    }
  });

  test('halves its batches if one is too large', async () => {
    const send = answering((emails) => (emails.length > 7 ? { status: 413 } : undefined));
    const result = await world.run(`compliance delete --from ${listFile(60)} --confirm 60 --json`, { ...real, send });
    expect(JSON.parse(result.stdout)).toMatchObject({ accepted: 60 });
    expect(deletions(result).filter(({ body }) => JSON.parse(body!).emails.length > 7)).toHaveLength(2);
  });

  test.each([
    [
      'a missing plan',
      { title: 'Permission Denied', message: `${canary}@x: upgrade to the Enterprise plan` },
      'Enterprise',
    ],
    [
      'a missing scope',
      { title: 'Insufficient scope', required_scopes: ['data_compliance:write'] },
      'data_compliance:write',
    ],
    [
      'a missing role',
      { title: 'Permission Denied', message: `not you, ${canary}@x` },
      'this needs an admin or the owner',
    ],
  ])('stops at the first 403 for %s', async (_, body, words) => {
    const send = answering(() => ({ status: 403, body: JSON.stringify(body) }));
    const result = await world.run(`compliance delete --from ${listFile(60)} --confirm 60`, { ...real, send });
    expect(result.code).toBe(5);
    expect(deletions(result)).toHaveLength(1);
    expect(result.stderr).toContain(words);
    expectNoAddress(result);
  });

  test('marks addresses without a reply as unknown, and sends them again when it is resumed', async () => {
    let isDown = true;
    const send = answering((emails) =>
      isDown && emails.includes(people(30)[27]!) ? { status: 503, body: people(1)[0]! } : undefined,
    );
    const line = `compliance delete --from ${listFile(60)} --confirm 60 --json`;
    const first = await world.run(line, { ...real, send });
    expect(first.code).toBe(11);
    expect(JSON.parse(first.stdout)).toMatchObject({ accepted: 35, unknown: 25 });
    expect((await world.run(`compliance verify ${receiptFiles()[0]}`)).code).toBe(11);
    isDown = false;
    const second = await world.run(line, { ...real, send });
    expect(second.code).toBe(0);
    expect(JSON.parse(second.stdout)).toMatchObject({ accepted: 60, unknown: 0, run: JSON.parse(first.stdout).run });
    expect(sent(second)).toEqual(people(60).slice(25, 50));
    expectNoAddress(first, second);
  });

  test('reports an unknown outcome if a request fails and its retry is rate-limited', async () => {
    const send = answering((_, times) =>
      times === 1 ? { status: 503 } : { status: 429, headers: { 'retry-after': '7200' } },
    );
    const line = `compliance delete --from ${listFile(5)} --confirm 5 --json`;
    const first = await world.run(line, { ...real, send });
    expect(JSON.parse(first.stderr.trim().split('\n').at(-1)!).error).toMatchObject({ exit: 8, outcome: 'unknown' });
    expect(readFileSync(receiptFiles()[0]!, 'utf8')).toContain('"verdict":"unknown"');
    await world.clock.sleep(7_200_000);
    const second = await world.run(line, { ...real, send: throughSandbox });
    expect(JSON.parse(second.stdout)).toMatchObject({ accepted: 5, unknown: 0 });
  });

  test("that can't reach the service can be resumed later", async () => {
    const down = asOwner(async (request, next) => {
      if (isDeletion(request)) throw new NetworkFailure('api.example.com', 'connection refused', false);
      return next(request);
    });
    const line = `compliance delete --from ${listFile(5)} --confirm 5 --json`;
    const first = await world.run(line, { ...real, send: down });
    expect(first.code).toBe(9);
    expect(first.stderr).toContain('Stopped with 0 of 5 accepted');
    const second = await world.run(line, { ...real, send: throughSandbox });
    expect(JSON.parse(second.stdout)).toMatchObject({ accepted: 5 });
    expectNoAddress(first, second);
  });

  test('shows progress: lines in CI, a bar on a terminal, nothing with --quiet', async () => {
    const key = join(home, 'in.key');
    await world.run(`compliance key ${key}`);
    const slow = answering(() => {
      void world.clock.sleep(2_500);
      return undefined;
    });
    const line = `compliance delete --from ${listFile(250)} --confirm 250 --again`;
    const env = { ...real.env, SCHED_RECEIPT_KEY_FILE: key };
    const ci = await world.run(line, { env: { ...env, CI: 'true' }, send: slow, terminals: ['stderr'] });
    expect(
      ci.stderr.split('\n').filter((text) => /\d%: \d+\/250, \d+ left, \d+s, [\d.]+\/s$/.test(text)).length,
    ).toBeGreaterThan(3);
    expect(ci.stderr).not.toContain('\x1b');
    const bar = await world.run(line, { env, send: slow, terminals: ['stderr'] });
    expect(bar.stderr).toMatch(/\r\x1b\[K█+░+ {2}125\/250 {2}125 left, \d+s {2}[\d.]+\/s/);
    const drawn = bar.stderr.split('\r\x1b[K').filter((text) => /[█░]/.test(text));
    expect(drawn.every((text) => text.length < 80 && !text.includes('\n'))).toBe(true);
    const spoken = await world.run(`${line} --accessible`, { env, send: slow, terminals: ['stderr'] });
    expect(spoken.stderr).not.toContain('█');
    expect(spoken.stderr).toMatch(/\d%: /);
    const quiet = await world.run(`${line} --quiet`, { env, send: slow, terminals: ['stderr'] });
    expect(quiet.stderr).toBe('');
  });

  test('adds a table to the GitHub job summary, even if it fails', async () => {
    const summary = join(home, 'summary.md');
    const env = { ...real.env, GITHUB_STEP_SUMMARY: summary };
    const line = `compliance delete --from ${listFile(3)} --confirm 3`;
    await world.run(line, { env, send: answering(() => ({ status: 403, body: '{}' })) });
    await world.run(line, { env, send: throughSandbox });
    const text = readFileSync(summary, 'utf8');
    expect(text.match(/### sched compliance delete/g)).toHaveLength(2);
    expect(text).toMatch(/\| \S+ \| 3 \| 0 \| 0 \| 0 \| 0 \| sha256:\w+ \| unfinished \|/);
    expect(text).toMatch(/\| \S+ \| 3 \| 3 \| 0 \| 0 \| 0 \| sha256:\w+ \| finished \|/);
    expectNoAddress();
  });

  test("reports only what is in the receipt if the receipt can't be written", async () => {
    const summary = join(home, 'summary.md');
    const env = { ...real.env, GITHUB_STEP_SUMMARY: summary };
    const send = answering((_, times) => {
      if (times === 3) appendFileSync(receiptFiles()[0]!, 'x');
      return undefined;
    });
    const result = await world.run(`compliance delete --from ${listFile(250)} --confirm 250`, { env, send });
    expect(result.code).toBe(7);
    expect(deletions(result)).toHaveLength(3);
    expect(result.stderr).toContain('Stopped with 50 of 250 accepted');
    const lines = readFileSync(receiptFiles()[0]!, 'utf8').split('\n');
    const { hash } = JSON.parse(lines.at(-2)!);
    expect(readFileSync(summary, 'utf8')).toContain(`| 250 | 50 | 0 | 0 | 0 | sha256:${hash} | unfinished |`);
  });

  test('prints a curl command that works with a file of addresses, and names none', async () => {
    const result = await world.run(`compliance delete --from ${listFile(30)} --curl`);
    expect(result).toMatchObject({ code: 0, requests: [] });
    expect(result.stderr).toContain('Put the addresses into addresses.txt, one per line, at most 25 for each request');
    expectNoAddress(result);
    file('addresses.txt', `${people(2).join('\n')}\n`);
    const script = `curl() { cat; }\n${result.stdout}`;
    const body = execFileSync('bash', ['-s'], { input: script, cwd: home, encoding: 'utf8' });
    expect(JSON.parse(body)).toEqual({ emails: people(2) });
  });
});

describe('compliance delete: repeated runs', () => {
  // When the clock moves by a year, a shared service would delete what all other tests have asked for.
  beforeEach(async () => liveIn(await createWorld()));

  const line = () => `compliance delete --from ${listFile(30)} --confirm 30 --json`;

  // R37
  test('send nothing within 12 hours, whatever the order of the lines, except with --again', async () => {
    const first = await world.run(line());
    const shuffled = file(
      'in.csv',
      `x,email\n${people(30)
        .reverse()
        .map((each) => `1,${each.toUpperCase()}`)
        .join('\n')}\n`,
    );
    const second = await world.run(`compliance delete --from ${shuffled} --confirm 30 --json`);
    expect({ code: second.code, sent: sent(second) }).toEqual({ code: 0, sent: [] });
    expect(second.stderr).toContain(`Accepted at ${now()}, as the receipt says: nothing was sent or looked up`);
    expect(JSON.parse(second.stdout)).toEqual(JSON.parse(first.stdout));
    const elsewhere = await world.run(`${line()} --receipt ${join(home, 'other.jsonl')}`);
    expect(elsewhere.stderr).toContain(`other.jsonl was not written (the receipt is ${receiptFiles()[0]})`);
    const again = await world.run(`${line()} --again`);
    expect(sent(again)).toHaveLength(30);
    await world.clock.sleep(13 * 3_600_000);
    const later = await world.run(line());
    expect(sent(later)).toHaveLength(30);
    expect(receiptFiles()).toHaveLength(3);
  });

  const day = 24 * 3_600_000;
  /** Runs `work` with a clock that is ahead by this much. */
  const underClock = async <Value>(aheadMs: number, work: () => Promise<Value>): Promise<Value> => {
    await world.clock.sleep(aheadMs);
    const value = await work();
    await world.clock.sleep(-aheadMs);
    return value;
  };
  const breaking = () => answering((_, times) => (times === 2 ? { status: 404, body: '{}' } : undefined));

  // R37
  test('send again after a run that is dated far in the future', async () => {
    // Finished 30 days ago by a clock that was 400 days ahead.
    const ahead = await underClock(370 * day, () => world.run(line()));
    expect(sent(ahead)).toHaveLength(30);
    const later = await world.run(line());
    expect({ code: later.code, sent: sent(later).length }).toEqual({ code: 0, sent: 30 });
    // The run that just ended counts, although the other one has a later date.
    const third = await world.run(line());
    expect({ code: third.code, sent: sent(third) }).toEqual({ code: 0, sent: [] });
    expect(third.stdout).toBe(later.stdout);
  });

  test('tolerate clocks that differ by a few minutes', async () => {
    await underClock(4 * 60_000, () => world.run(line()));
    expect(sent(await world.run(line()))).toEqual([]);
    const other = `compliance delete ${people(31)[30]} --yes`;
    await underClock(20 * 60_000, () => world.run(other));
    expect(sent(await world.run(other))).toHaveLength(1);
  });

  // R34, R37
  test('resume an unfinished run first, even if a finished run has a later date', async () => {
    await underClock(400 * day, () => world.run(line(), { ...real, send: throughSandbox }));
    const killed = await world.run(`${line()} --again`, { ...real, send: breaking() });
    expect({ code: killed.code, accepted: sent(killed).length }).toEqual({ code: 6, accepted: 30 });
    const resumed = await world.run(line(), { ...real, send: throughSandbox });
    expect(sent(resumed)).toEqual(people(30).slice(25));
    expect(resumed.stderr).toContain('Resuming run');
    expect(JSON.parse(resumed.stdout)).toMatchObject({ total: 30, accepted: 30 });
  });

  test('resume a run that was started with --again right after a finished one', async () => {
    await world.run(line(), { ...real, send: throughSandbox });
    await world.run(`${line()} --again`, { ...real, send: breaking() });
    // Setting the clock back in between makes no difference.
    const resumed = await underClock(-day, () => world.run(line(), { ...real, send: throughSandbox }));
    expect(sent(resumed)).toEqual(people(30).slice(25));
  });

  test('reject --receipt of a finished run while another run is unfinished', async () => {
    const receipt = join(home, 'r.jsonl');
    await world.run(`${line()} --receipt ${receipt}`, { ...real, send: throughSandbox });
    await world.run(`${line()} --again`, { ...real, send: breaking() });
    const named = await world.run(`${line()} --receipt ${receipt}`, { ...real, send: throughSandbox });
    expect({ code: named.code, sent: sent(named) }).toEqual({ code: 7, sent: [] });
    expect(named.stderr).toContain('There is an unfinished run with the same input');
  });

  test('treat organizations separately', async () => {
    await world.run(line());
    const send = asOwner(async (request, next) => {
      const reply = await next(request);
      return request.url.endsWith('/users/me')
        ? { ...reply, body: reply.body.replace(/organizations\/\w+/, 'organizations/OTHER') }
        : reply;
    });
    expect(sent(await world.run(line(), { send }))).toHaveLength(30);
  });

  test('treat services separately', async () => {
    await world.run(line(), { ...real, send: throughSandbox });
    const env = { ...real.env, SCHED_BASE_URL: 'https://other.example.com' };
    expect(sent(await world.run(line(), { env, send: throughSandbox }))).toHaveLength(30);
  });

  test('resume a stopped run with cumulative counts', async () => {
    const breaks = answering((_, times) => (times === 2 ? { status: 404, body: people(1)[0]! } : undefined));
    const first = await world.run(line(), { ...real, send: breaks });
    expect(first.code).toBe(6);
    const runs = JSON.parse((await world.run('compliance runs --json')).stdout);
    expect(runs).toMatchObject([{ status: 'incomplete', accepted: 25, total: 30 }]);
    const second = await world.run(`${line()} --quiet`, { ...real, send: throughSandbox });
    expect(JSON.parse(second.stdout)).toMatchObject({ total: 30, accepted: 30, run: runs[0].run });
    expect(sent(second)).toEqual(people(30).slice(25));
    // R37: the result counts what only the receipt says.
    expect(second.stderr).toMatch(
      /Resuming run \S+: 25 of 30 accepted before, as the receipt says\. To look .* compliance recheck/,
    );
    expect(second.stderr).toContain(runs[0].run);
    expectNoAddress(first, second);
  });

  test('resume on another machine with the receipt and its key', async () => {
    const key = join(home, 'in.key');
    await world.run(`compliance key ${key}`);
    const receipt = join(home, 'r.jsonl');
    const flags = `--receipt ${receipt} --receipt-key-file ${key}`;
    const breaks = answering((_, times) => (times === 2 ? { status: 404 } : undefined));
    await world.run(`${line()} ${flags}`, { ...real, send: breaks });
    const elsewhere = temporaryDirectory('elsewhere');
    const second = await world.run(`${line()} ${flags}`, { ...real, send: throughSandbox, home: elsewhere });
    expect(JSON.parse(second.stdout)).toMatchObject({ total: 30, accepted: 30 });
    expect(sent(second)).toEqual(people(30).slice(25));
    // With another key it is impossible to tell which addresses are done.
    writeFileSync(`${key}2`, `${'ab'.repeat(32)}\n`);
    const third = await world.run(`${line()} --receipt ${receipt} --receipt-key-file ${key}2`, {
      ...real,
      send: throughSandbox,
    });
    expect({ code: third.code, sent: sent(third) }).toEqual({ code: 3, sent: [] });
  });

  test('reject a receipt of other input, a finished receipt and a file that is not a receipt', async () => {
    const receipt = join(home, 'r.jsonl');
    await world.run(`${line()} --receipt ${receipt}`);
    const other = await world.run(`compliance delete x@y.example --yes --receipt ${receipt}`);
    expect({ code: other.code, sent: sent(other) }).toEqual({ code: 7, sent: [] });
    const again = await world.run(`${line()} --receipt ${receipt} --again`);
    expect({ code: again.code, sent: sent(again) }).toEqual({ code: 7, sent: [] });
    const none = await world.run(`compliance delete x@y.example --yes --receipt ${file('none', 'hello\n')}`);
    expect({ code: none.code, sent: sent(none) }).toEqual({ code: 13, sent: [] });
    symlinkSync(join(home, 'none'), join(home, 'link'));
    const link = await world.run(`compliance delete x@y.example --yes --receipt ${join(home, 'link')}`);
    expect({ code: link.code, sent: sent(link) }).toEqual({ code: 3, sent: [] });
  });

  test('reject a damaged receipt and do not change it', async () => {
    await world.run(line(), { ...real, send: answering((_, times) => (times === 2 ? { status: 404 } : undefined)) });
    const [path] = receiptFiles();
    const bytes = readFileSync(path!);
    bytes[bytes.indexOf(10) + 90]! ^= 1;
    writeFileSync(path!, bytes);
    const result = await world.run(line(), { ...real, send: throughSandbox });
    expect({ code: result.code, sent: sent(result) }).toEqual({ code: 13, sent: [] });
    expect(result.stderr).toContain('edited at line 2');
    expect(readFileSync(path!)).toEqual(bytes);
    const beside = await world.run(`${line()} --receipt ${join(home, 'r.jsonl')}`, { ...real, send: throughSandbox });
    expect({ code: beside.code, sent: sent(beside) }).toEqual({ code: 0, sent: people(30) });
  });

  test('find a run whose receipt is in another place', async () => {
    const receipt = join(home, 'r.jsonl');
    const breaks = answering((_, times) => (times === 2 ? { status: 404 } : undefined));
    await world.run(`${line()} --receipt ${receipt}`, { ...real, send: breaks });
    const other = await world.run(`${line()} --receipt ${receipt}2`, { ...real, send: throughSandbox });
    expect({ code: other.code, sent: sent(other) }).toEqual({ code: 7, sent: [] });
    expect(other.stderr).toContain(`its receipt is ${receipt}`);
    const second = await world.run(line(), { ...real, send: throughSandbox });
    expect(JSON.parse(second.stdout)).toMatchObject({ receipt, accepted: 30 });
    expect(sent(second)).toEqual(people(30).slice(25));
    const third = await world.run(`${line()} --receipt ${receipt}2`, { ...real, send: throughSandbox });
    expect({ code: third.code, sent: sent(third) }).toEqual({ code: 0, sent: [] });
    expect(third.stderr).toMatch(/Accepted at .*, as the receipt says.*sched compliance recheck \w+/);
  });

  test('repair an incomplete last line', async () => {
    await world.run(line(), { ...real, send: answering((_, times) => (times === 2 ? { status: 404 } : undefined)) });
    const [path] = receiptFiles();
    appendFileSync(path!, '{"prev":"12');
    const result = await world.run(line(), { ...real, send: throughSandbox });
    expect(result.code).toBe(0);
    expect(result.stderr).toContain('Repaired the last line of the receipt, which was incomplete');
    expect((await world.run(`compliance verify ${path}`)).code).toBe(0);
  });

  test('allow one run per input at a time, and name the one in progress', async () => {
    let second: Result | undefined;
    const send = asOwner(async (request, next) => {
      if (isDeletion(request)) second ??= await world.run(line(), { ...real, send: throughSandbox });
      return next(request);
    });
    const first = await world.run(line(), { ...real, send });
    expect(first.code).toBe(0);
    expect({ code: second!.code, sent: sent(second!) }).toEqual({ code: 7, sent: [] });
    expect(second!.stderr).toContain(`process ${process.pid} has been running it since`);
    expect(second!.stderr).toContain(JSON.parse(first.stdout).run);
  });

  test("send nothing if the receipt can't be written", async () => {
    const folder = join(home, 'readonly');
    mkdirSync(folder);
    chmodSync(folder, 0o500);
    const places = ['/dev/null/r.jsonl', '/proc/r.jsonl', join(home, 'no/such/r.jsonl')];
    if (process.getuid?.() !== 0) places.push(join(folder, 'r.jsonl'));
    for (const place of places) {
      const result = await world.run(`${line()} --receipt ${place}`);
      expect({ place, code: result.code, sent: sent(result) }).toEqual({ place, code: 3, sent: [] });
    }
    const homeless = await world.run(line(), { home: '/dev/null/home' });
    expect({ code: homeless.code, sent: sent(homeless) }).toEqual({ code: 3, sent: [] });
  });
});

test.each([
  [
    'delete --confirm two --max some --batch-size 1001',
    [
      '--batch-size must be a whole number from 1 to 1000, not "1001"',
      '--confirm must be the number of addresses or the sha256:… digest that --dry-run prints',
      '--max must be a whole number from 0 up, not "some"',
      'No addresses given. Add some as arguments, or a file with --from',
    ],
  ],
  ['export --column email', ['No addresses given', '--column needs --from', 'Missing required flag --to']],
  ['verify --head abc', ['--head must be sha256: followed by 64', 'try: sched compliance verify RECEIPT --head HASH']],
  ['prove --email abc', ['--email must be an email address', 'try: sched compliance prove RECEIPT --email EMAIL']],
  ['prove r.jsonl --email -', ['--email must be an email address']],
  ['key', ['Missing argument <file>. To see where the key is, run sched compliance key-file']],
  ['bundle', ['Missing argument <run>']],
])('compliance %s is refused, with all its problems', async (line, problems) => {
  const { code, stderr, requests } = await world.run(`compliance ${line}`, { stdin: 'nobody\n' });
  expect([code, requests]).toEqual([2, []]);
  for (const problem of problems) expect(stderr).toContain(problem);
});

describe('compliance: keys', () => {
  test('are private and never overwritten', async () => {
    const path = join(home, 'k');
    const made = await world.run(`compliance key ${path} --json`);
    expect(made.code).toBe(0);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
    expect(made.stdout + made.stderr).not.toContain(readFileSync(path, 'utf8').trim());
    const before = readFileSync(path, 'utf8');
    expect((await world.run(`compliance key ${path}`)).code).toBe(3);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  test('must be in a file in CI', async () => {
    const line = `compliance delete --from ${listFile(1)} --confirm 1`;
    const without = await world.run(line, { env: { CI: 'true' } });
    expect({ code: without.code, sent: sent(without) }).toEqual({ code: 3, sent: [] });
    expect(without.stderr).toContain('SCHED_RECEIPT_KEY_FILE');
    await world.run(`compliance key ${join(home, 'k')}`);
    const env = { CI: 'true', SCHED_RECEIPT_KEY_FILE: join(home, 'k') };
    expect((await world.run(line, { env })).code).toBe(0);
    expect((await world.run(line, { env: { ...env, SCHED_RECEIPT_KEY_FILE: file('bad', 'short') } })).code).toBe(3);
  });

  test('are not made a second time without a question, and the first one says how it is used', async () => {
    const first = join(home, 'k');
    const line = `compliance delete --from ${listFile(1)} --confirm 1 --again`;
    const shell = `export SCHED_RECEIPT_KEY_FILE=${first}`;
    expect((await world.run(`compliance key ${first}`)).stderr).toContain(`To use it: ${shell}\n`);
    for (const flags of ['', ' --yes']) {
      const refused = await world.run(`${line}${flags}`);
      expect({ code: refused.code, sent: sent(refused) }).toEqual({ code: 12, sent: [] });
      expect(refused.stderr).toContain(`you have made one in ${first}; to use that one: ${shell}`);
    }
    const no = await world.run(line, { terminals, stdin: 'n\n' });
    expect({ code: no.code, sent: sent(no) }).toEqual({ code: 12, sent: [] });
    expect(no.stderr).toContain(shell);
    expect(existsSync(join(home, '.local/state/sched/receipt.key'))).toBe(false);
    expect((await world.run(line, { env: { SCHED_RECEIPT_KEY_FILE: first } })).code).toBe(0);
    expect((await world.run(line, { terminals, stdin: 'y\n' })).code).toBe(0);
    // Now there is one: nothing is asked.
    expect((await world.run(line)).code).toBe(0);
  });

  test('are announced when a deletion creates one, and can be located', async () => {
    const place = join(home, '.local/state/sched/receipt.key');
    const none = await world.run('compliance key-file');
    expect([none.code, none.stderr]).toEqual([6, expect.stringContaining('There is no receipt key yet')]);
    const line = `compliance delete --from ${listFile(1)} --confirm 1 --again`;
    const created = `Created a receipt key in ${place}. Keep a copy`;
    expect((await world.run(line)).stderr).toContain(created);
    expect((await world.run(line)).stderr).not.toContain(created);
    const shown = await world.run('compliance key-file --json');
    const id = expect.stringMatching(/^[0-9a-f]{16}$/);
    expect([shown.code, JSON.parse(shown.stdout)]).toEqual([0, { file: place, key: id, place }]);
    expect(shown.stdout).not.toContain(readFileSync(place, 'utf8').trim());
    const named = await world.run('compliance key-file', { env: { SCHED_RECEIPT_KEY_FILE: join(home, 'k') } });
    expect(named.code).toBe(3);
  });

  test('are stored in the state directory outside CI', async () => {
    await world.run(`compliance delete --from ${listFile(1)} --confirm 1`);
    expect(statSync(join(home, '.local/state/sched/receipt.key')).mode & 0o777).toBe(0o600);
  });
});

describe('compliance: evidence', () => {
  const finished = async (count = 3) => {
    const line = `compliance delete --from ${listFile(count)} --confirm ${count} --json`;
    return JSON.parse((await world.run(line, { ...real, send: throughSandbox })).stdout) as {
      receipt: string;
      run: string;
      head: string;
    };
  };

  test('of a run can be listed, shown and verified', async () => {
    expect(JSON.parse((await world.run('compliance runs --json')).stdout)).toEqual([]);
    const { run, receipt, head } = await finished();
    const [listed] = JSON.parse((await world.run('compliance runs --json')).stdout);
    expect(listed).toMatchObject({ run, status: 'ok', accepted: 3, receipt, head, sandbox: false });
    expect(JSON.parse((await world.run(`compliance runs ${run} --json`)).stdout)).toEqual(listed);
    for (const word of [run, receipt]) expect((await world.run(`compliance verify ${word}`)).code).toBe(0);
    const other = await world.run(`compliance verify ${run} --head sha256:${'0'.repeat(64)} --json`);
    expect(other.code).toBe(13);
    expect(JSON.parse(other.stdout)).toMatchObject({ status: 'rewritten' });
    const chosen = await world.run('compliance verify --accessible', { terminals, stdin: '1\n' });
    expect(chosen.stderr).toMatch(new RegExp(`^Which run\\?\\n1: .*, \\d+ address(es)?, ok, ${run}$`, 'm'));
    expect(chosen.code).toBe(0);
    expect((await world.run('compliance verify nowhere')).code).toBe(6);
    expect((await world.run(`compliance verify ${run} --head abc`)).code).toBe(2);
  });

  test('in another place is listed, shown and bundled, and reported as missing if it is gone', async () => {
    const receipt = join(home, 'r.jsonl');
    const line = `compliance delete --from ${listFile(3)} --confirm 3 --json --receipt ${receipt}`;
    const { run, head } = JSON.parse((await world.run(line, { ...real, send: throughSandbox })).stdout);
    const list = async () => JSON.parse((await world.run('compliance runs --json')).stdout);
    const [listed, ...others] = await list();
    expect([listed, others]).toMatchObject([{ run, status: 'ok', accepted: 3, receipt, head }, []]);
    for (const word of [run, receipt]) {
      expect(JSON.parse((await world.run(`compliance runs ${word} --json`)).stdout)).toEqual(listed);
      const folder = join(home, `bundle-of-${word === run ? 'run' : 'file'}`);
      expect((await world.run(`compliance bundle ${word} --to ${folder}`)).code).toBe(0);
      expect(readFileSync(join(folder, 'receipt.jsonl'))).toEqual(readFileSync(receipt));
    }
    renameSync(receipt, join(home, 'moved.jsonl'));
    expect(await list()).toMatchObject([{ run, status: 'missing', accepted: null, receipt }]);
    const missing = await world.run(`compliance runs ${run}`);
    expect(missing.code).toBe(6);
    expect(missing.stderr).toContain(`it was written to ${receipt}, but is no longer there`);
    expect((await world.run(`compliance verify ${join(home, 'moved.jsonl')}`)).code).toBe(0);
    // Another run's receipt in the same place is not taken for this one.
    await world.run(`compliance delete ${people(4)[3]} --yes --receipt ${receipt}`, { ...real, send: throughSandbox });
    expect((await list()).map(({ status }: { status: string }) => status).sort()).toEqual(['missing', 'ok']);
    expect((await world.run(`compliance verify ${run}`)).code).toBe(6);
    expect(leftBehind()).not.toContain(canary);
  });

  test('made in the sandbox exits with 13', async () => {
    await world.run(`compliance delete --from ${listFile(1)} --confirm 1`);
    const result = await world.run(`compliance verify ${receiptFiles()[0]} --json`);
    expect(result.code).toBe(13);
    expect(JSON.parse(result.stdout)).toMatchObject({ status: 'sandbox', sandbox: true });
  });

  test('made in the sandbox is judged like a real one with --sandbox, and stderr says where it was made', async () => {
    await world.run(`compliance delete --from ${listFile(1)} --confirm 1`);
    const [receipt] = receiptFiles();
    const notes = '{"note":"sandbox"}\n{"note":"made in the sandbox: not proof of a real deletion"}\n';
    const verified = await world.run(`compliance verify ${receipt} --sandbox --json`);
    expect(verified).toMatchObject({ code: 0, stderr: notes });
    expect(JSON.parse(verified.stdout)).toMatchObject({ status: 'ok', sandbox: true });
    const prove = (email: string, flag = '--sandbox') =>
      world.run(`compliance prove ${receipt} --email ${email} ${flag} --json`);
    const found = await prove(people(1)[0]!);
    expect(found).toMatchObject({ code: 0, stderr: notes });
    expect(JSON.parse(found.stdout)).toMatchObject({ found: true, verdict: 'accepted', receipt_status: 'ok' });
    expect((await prove('nobody@elsewhere.example')).code).toBe(6);
    expect((await prove(people(1)[0]!, '')).code).toBe(13);
    const listed = await world.run('compliance runs --sandbox --json=status');
    expect([JSON.parse(listed.stdout), listed.stderr]).toEqual([[{ status: 'ok' }], '{"note":"sandbox"}\n']);
    truncateSync(receipt!, statSync(receipt!).size - 1);
    expect((await world.run(`compliance verify ${receipt} --sandbox`)).code).toBe(11);
    writeFileSync(receipt!, readFileSync(receipt!, 'utf8').replace('"total":1', '"total":2'));
    const edited = await world.run(`compliance verify ${receipt} --sandbox`);
    expect([edited.code, edited.stderr]).toEqual([13, expect.stringContaining('Edited at line 1')]);
  });

  test('shows whether it contains an address, without printing the address', async () => {
    const { run } = await finished();
    const prove = (email: string, more: WorldOptions = {}) =>
      world.run(['compliance', 'prove', run, '--email', email, '--json'], more);
    const found = await prove(people(1)[0]!.toUpperCase());
    expect({ code: found.code, said: JSON.parse(found.stdout) }).toMatchObject({
      code: 0,
      said: { found: true, verdict: 'accepted', http_status: 202, at: now() },
    });
    const piped = await prove('-', { stdin: `${people(1)[0]}\n` });
    expect(piped.stdout).toBe(found.stdout);
    const missing = await prove(`${canary}@elsewhere.example`);
    expect({ code: missing.code, said: JSON.parse(missing.stdout) }).toMatchObject({ code: 6, said: { found: false } });
    expect((await prove(`${canary}`)).code).toBe(2);
    await world.run(`compliance key ${join(home, 'other')}`);
    writeFileSync(join(home, 'other'), `${'ab'.repeat(32)}\n`);
    expect((await prove(people(1)[0]!, { env: { SCHED_RECEIPT_KEY_FILE: join(home, 'other') } })).code).toBe(3);
    expectNoAddress(found, piped, missing);
  });

  test.each(['delete', 'verify', 'prove', 'bundle'])(
    'is described by compliance %s without a promise when data is deleted',
    async (verb) => {
      const { stdout } = await world.run(`man compliance ${verb}`);
      expect(stdout.replace(/\s+/g, ' ').replaceAll('\\(aq', "'")).toContain(
        "doesn't say when it deletes the data or how to confirm that",
      );
    },
  );

  test('is bundled in a folder that an auditor can check with standard tools', async () => {
    const { run, head } = await finished();
    const folder = join(home, 'audit');
    let result!: Result;
    const synced = await syncedDuring(async () => {
      result = await world.run(`compliance bundle ${run} --to ${folder} --json`, { ...real, send: throughSandbox });
    });
    expect(result.code).toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({ folder, run, head, activity_entries: 1 });
    // A power cut loses neither the files nor the name of the folder.
    expect(synced).toEqual(expect.arrayContaining([statSync(folder).ino, statSync(home).ino]));
    expect(readdirSync(folder).sort()).toEqual([
      'SHA256SUMS',
      'SUMMARY.md',
      'activity.jsonl',
      'check.sh',
      'prove.sh',
      'receipt.jsonl',
    ]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const shell = (line: string, input = '') =>
      execFileSync('bash', ['-c', line], { cwd: folder, encoding: 'utf8', input });
    expect(shell('sha256sum -c SHA256SUMS')).not.toContain('FAILED');
    expect(shell(`bash check.sh receipt.jsonl ${head}`)).toContain('ok: 3 accepted');
    const key = join(home, '.local/state/sched/receipt.key');
    expect(shell(`bash prove.sh ${key} receipt.jsonl`, `${people(1)[0]}\n`)).toContain('accepted (HTTP 202)');
    const summary = readFileSync(join(folder, 'SUMMARY.md'), 'utf8');
    expect(summary).toContain(head);
    expect(summary).toContain('expect a few days');
    expect((await world.run(`compliance bundle ${run} --to ${folder}`, real)).code).toBe(3);
    expectNoAddress(result);
  });

  test('covers the whole run if the clock was set back during it', async () => {
    const line = `compliance delete --from ${listFile(30)} --confirm 30 --json`;
    const breaks = answering((_, times) => (times === 2 ? { status: 404, body: '{}' } : undefined));
    const aheadMs = 24 * 3_600_000;
    await world.clock.sleep(aheadMs);
    const begun = now();
    await world.run(line, { ...real, send: breaks });
    await world.clock.sleep(-aheadMs);
    const { run } = JSON.parse((await world.run(line, { ...real, send: throughSandbox })).stdout);
    const { requests } = await world.run(`compliance bundle ${run} --to ${join(home, 'b')}`, {
      ...real,
      send: throughSandbox,
    });
    const { searchParams } = new URL(requests.find(({ url }) => url.includes('/activity_log'))!.url);
    expect(Date.parse(searchParams.get('min_occurred_at')!)).toBe(Date.parse(now()) - 2_000);
    expect(Date.parse(searchParams.get('max_occurred_at')!)).toBeGreaterThan(Date.parse(begun));
  });

  test("gives the reason if the activity log can't be read, and contains no address from the log", async () => {
    const { run } = await finished();
    const refused = answering(() => undefined);
    const forbidden: Send = async (request) =>
      request.url.includes('/activity_log')
        ? { status: 403, headers: {}, body: '{"title":"Permission Denied"}' }
        : refused(request);
    const without = await world.run(`compliance bundle ${run} --to ${join(home, 'a')}`, { ...real, send: forbidden });
    expect(without.code).toBe(0);
    expect(readFileSync(join(home, 'a/activity-missing.txt'), 'utf8')).toContain("doesn't allow this");
    const entry = {
      uri: 'https://x/activity_log_entries/1',
      occurred_at: now(),
      details: { email: people(1)[0], sequence: 0 },
    };
    const body = JSON.stringify({ collection: [entry], pagination: {} }).replace(':0}', ':12345678901234567890}');
    const quoting: Send = async (request) =>
      request.url.includes('/activity_log') ? { status: 200, headers: {}, body } : refused(request);
    const quoted = await world.run(`compliance bundle ${run} --to ${join(home, 'b')}`, { ...real, send: quoting });
    expect(quoted.code).toBe(0);
    expect(readFileSync(join(home, 'b/activity.jsonl'), 'utf8')).toMatch(
      /"email":"hmac:[0-9a-f]{64}","sequence":12345678901234567890}/,
    );
    const elsewhere = await world.run(`compliance bundle ${run} --to ${join(home, 'c')}`);
    expect(elsewhere.code).toBe(0);
    expect(readFileSync(join(home, 'c/activity-missing.txt'), 'utf8')).toContain('a different service');
    expectNoAddress(without, quoted, elsewhere);
  });
});

describe('compliance runs', () => {
  test('prints an aligned table and names the hidden columns', async () => {
    await world.run(`compliance delete --from ${listFile(3)} --confirm 3`);
    const [cut] = receiptFiles();
    truncateSync(cut!, statSync(cut!).size - 10);
    await shared.clock.sleep(60_000);
    await world.run(`compliance delete --from ${listFile(4)} --confirm 4`);
    const { stdout, stderr } = await world.run('compliance runs', { terminals: outputs });
    const lines = stdout
      .replace(/\x1b\[[\d;]*m/g, '')
      .trim()
      .split('\n');
    expect(lines.map((line) => line.match(/STATUS|sandbox|incomplete/)?.[0])).toEqual([
      'STATUS',
      'sandbox',
      'incomplete',
    ]);
    const ends = lines.map((line) => line.match(/^\S+ +.*?(TOTAL|(?<= )[34](?= ))/)![0].length);
    expect(new Set(ends).size).toBe(1);
    expect(stderr).toContain('REJECTED, UNKNOWN, RECEIPT, HEAD hidden: terminal too narrow');
  });
});

describe('events cancel --from', () => {
  const active = async (count: number): Promise<string[]> =>
    (await world.run(`events list --status active --since tomorrow --limit ${count} -o id`)).stdout.trim().split('\n');

  test('cancels all events in a file and writes a receipt', async () => {
    const uris = await active(4);
    const from = file('in.txt', `${uris.join('\n')}\nNOSUCHEVENT\n`);
    expect((await world.run(`events cancel --from ${from}`)).code).toBe(12);
    const result = await world.run(`events cancel --from ${from} --reason closed --yes --json`);
    expect(result.code).toBe(11);
    expect(JSON.parse(result.stdout)).toMatchObject({ total: 5, accepted: 4, rejected: 1 });
    for (const uri of uris) expect((await world.run(`events get ${uri} --json=status`)).stdout).toContain('canceled');
    const again = await world.run(`events cancel --from ${from} --reason closed --yes --json`);
    expect(again.requests.filter(({ method }) => method === 'POST')).toEqual([]);
    expect(JSON.parse((await world.run('compliance runs --json')).stdout)).toEqual([]);
    const done = await world.run(`events cancel --from ${from} --reason closed --yes`, {
      terminals: outputs,
    });
    expect(done.stdout).toContain('\n✗ line 5  event NOSUCHEVENT  no event with ID NOSUCHEVENT\n');
  });

  test('writes a receipt that can be verified, but is no proof of a deletion', async () => {
    const path = join(home, 'canceled.jsonl');
    const line = `events cancel --from - --yes --receipt ${path}`;
    expect((await world.run(line, { stdin: (await active(2)).join('\n') })).code).toBe(0);
    expect(await world.run(`compliance verify ${path} --json`)).toMatchObject({
      code: 13,
      stdout: expect.stringMatching(/"status": "sandbox"[\s\S]*"accepted": 2/),
    });
    for (const verb of [`bundle ${path} --to ${join(home, 'bundle')}`, `prove ${path} --email a@x.example`]) {
      const result = await world.run(`compliance ${verb}`);
      expect(result.code).toBe(2);
      expect(result.stderr).toContain('is not from a deletion');
      expect(result.stderr).toContain('it is from events.cancel');
      expect(result.stderr).toContain(`try: sched compliance verify ${path}`);
    }
  });

  test("stops if the receipt can't be written, and reports no event as failed", async () => {
    const uris = await active(5);
    let requests = 0;
    const send: Send = async (request) => {
      if (request.url.endsWith('/cancellation') && ++requests === 2) appendFileSync(receiptFiles()[0]!, 'x');
      return world.service(request);
    };
    const result = await world.run('events cancel --from - --yes', { stdin: uris.join('\n'), send });
    expect(result.code).toBe(7);
    expect(requests).toBe(2);
    expect(result.stderr).toContain('Another process is writing to this receipt');
    expect(result.stderr).not.toContain('failed:');
  });

  test('looks up events whose cancellation got no reply', async () => {
    const uris = await active(2);
    const send: Send = async (request) => {
      const reply = await world.service(request);
      return request.url.endsWith('/cancellation') ? { ...reply, status: 502, body: '' } : reply;
    };
    const result = await world.run(`events cancel --from - --yes --json`, { stdin: uris.join('\n'), send });
    expect(result.code).toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({ total: 2, accepted: 2 });
    expect(readFileSync(JSON.parse(result.stdout).receipt, 'utf8')).toContain('"by":"read back"');
  });

  test('names events whose outcome is unknown', async () => {
    const [uri] = await active(1);
    const send: Send = async (request) =>
      request.url.includes('/scheduled_events/') ? { status: 502, headers: {}, body: '' } : world.service(request);
    const result = await world.run('events cancel --from - --yes --json', { stdin: uri!, send });
    expect(result.code).toBe(11);
    expect(JSON.parse(result.stdout)).toMatchObject({ total: 1, unknown: 1 });
    expect(result.stderr).toContain(`unknown: line 1, event ${uri!.split('/').at(-1)}: `);
  });

  test('counts a refused event as canceled only if the service shows that it is', async () => {
    const uris = await active(2);
    await world.run(`events cancel ${uris[0]} --yes`);
    const send: Send = async (request) =>
      request.url.endsWith('/cancellation')
        ? { status: 403, headers: {}, body: '{"title":"Permission Denied"}' }
        : world.service(request);
    const result = await world.run('events cancel --from - --yes --json', { stdin: uris.join('\n'), send });
    expect(result.code).toBe(11);
    expect(JSON.parse(result.stdout)).toMatchObject({ total: 2, accepted: 1, rejected: 1 });
    expect(readFileSync(JSON.parse(result.stdout).receipt, 'utf8')).toContain('"by":"canceled already"');
    const stdin = `${uris.join('\n')}\nNOSUCHEVENT1\nno event\n`;
    const line = 'events cancel --from - --yes --skip-invalid';
    const shown = await world.run(line, { stdin, send, terminals: outputs, columns: 80 });
    expect(shown.code).toBe(11);
    expect(shown.stdout).toMatch(/^✔ 1 of 4 canceled\n✗ line 2 {2}\w{3} \d+ \w{3}.* {2}Permission Denied\n/);
    expect(shown.stdout).toContain(
      '✗ line 4  no event ID\nChange lines 2, 3, 4 in the input and run this again: only lines 2, 3, 4 are\nsent.',
    );
  });

  test('counts skipped lines and reports broken CSV rows', async () => {
    const uris = await active(2);
    const plain = await world.run('events cancel --from - --dry-run', {
      stdin: `# both\n${uris.join('\n')}\n${uris[0]}\n`,
    });
    expect(plain.stderr).toContain('Skipped in the input: 1 duplicate, 1 comment');
    const csv = `uri,name\n${uris[0]},"A\n${uris[1]},B\n`;
    const broken = await world.run('events cancel --from - --column uri --yes', { stdin: csv });
    expect(broken).toMatchObject({ code: 2, requests: [] });
    expect(broken.stderr).toContain('lines 2, 3: a quote is opened and never closed');
  });

  test('rejects lines that are not events, and events of another service', async () => {
    const wrong = await world.run('events cancel --from - --yes', { stdin: 'A B\n' });
    expect(wrong).toMatchObject({ code: 2, requests: [] });
    expect(wrong.stderr).toContain('line 1 contains no event ID');
    const foreign = await world.run('events cancel --from - --yes', {
      stdin: 'https://x.example/scheduled_events/A\n',
    });
    expect(foreign.code).toBe(2);
    expect(foreign.stderr).toContain('https://x.example is not the service of this profile');
    expect(foreign.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });
});
