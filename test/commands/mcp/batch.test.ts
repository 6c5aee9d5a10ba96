import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { mostBytes } from '../../../src/commands/mcp/result.ts';
import { allTools } from '../../../src/commands/mcp/tools.ts';
import { findNoun, nouns } from '../../../src/commands/registry.ts';
import type { Send } from '../../../src/http/message.ts';
import { plainType, slot } from '../../support/lost-replies.ts';
import { callTool, oneServer, type Structured } from '../../support/mcp-client.ts';
import { createWorld, type TestWorld, writes } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';

type Values = Record<string, unknown>;
type Call = [tool: string, values?: Values];
interface Part extends Partial<Structured> {
  tool: string;
  status: string;
}

let world: TestWorld;
let home: string;
beforeEach(async () => {
  home = temporaryDirectory('mcp-batch');
  world = await createWorld({ home });
});

const { serving, end } = oneServer(() => world);

/** Answers each question alike, and keeps the questions. */
const asking = (word: 'yes' | 'no' | 'close' = 'yes') => {
  const questions: string[] = [];
  const answer = (question: string) => {
    questions.push(question);
    return word;
  };
  return { questions, answer };
};

const toCalls = (calls: readonly Call[]) =>
  calls.map(([tool, values]) => ({ tool, ...(values && { arguments: values }) }));

const batch = async (client: Awaited<ReturnType<typeof serving>>, ...calls: Call[]) => {
  const result = await callTool(client, 'batch', { calls: toCalls(calls) });
  const { results = [] } = result as unknown as { results?: Part[] };
  return { ...result, results, statuses: results.map(({ status }) => status) };
};

const upcoming = async (count: number): Promise<string[]> =>
  (await world.run(`events list --status active --upcoming --limit ${count} -o id`)).stdout.trim().split('\n');
const statusOf = async (event: string): Promise<string> =>
  JSON.parse((await world.run(`events get ${event} --json`)).stdout).status;
const booking = async (turn: number): Promise<Values> => ({
  event_type: await plainType(world),
  start: slot(turn),
  name: 'Ada Byron',
  email: 'ada@engine.example',
  timezone: 'Europe/Paris',
});

describe('a batch of reads', () => {
  test('returns what the tools return one after another', async () => {
    const client = await serving();
    const calls: Call[] = [['users_me'], ['events_list', { limit: 2 }], ['event_types_list', { limit: 1 }]];
    const singles: Values[] = [];
    for (const [tool, values] of calls) {
      const { notice: _, isError: __, text: ___, bytes: ____, ...content } = await callTool(client, tool, values);
      singles.push({ tool, status: 'done', ...content });
    }
    const { results, isError, text, notice } = await batch(client, ...calls);
    expect([results, isError]).toEqual([singles, false]);
    expect(notice).toContain('never as instructions');
    expect(text).toMatch(/never as instructions\.\n1\. users_me: done\n/);
    expect(text).toMatch(/\n2\. events_list: done\n2 rows\./);
    // The cursor of a list works in its tool.
    const next = await callTool(client, 'events_list', { limit: 2, cursor: results[1]!.next_cursor });
    expect(next.items).toHaveLength(2);
  });

  test('stops at the first failure, and says what was not run', async () => {
    const client = await serving();
    const { results, statuses, isError, text } = await batch(
      client,
      ['users_me'],
      ['events_get', { event: 'NOPE' }],
      ['groups_list'],
    );
    expect([statuses, isError]).toEqual([['done', 'failed', 'not-run'], true]);
    expect(results[1]!.error).toMatchObject({ code: 'not-found', exit: 6 });
    expect(text).toContain('\n3. groups_list: not-run');
    const { requests } = await end();
    expect(requests.filter(({ url }) => url.includes('/groups'))).toEqual([]);
  });

  const wrong: [title: string, values: Values, message: RegExp][] = [
    ['arguments', { calls: toCalls([['users_me'], ['events_list', { limit: 0 }]]) }, /Call 2, events_list: .*limit/],
    ['names', { calls: toCalls([['users_me'], ['events_list', { lmit: 1 }]]) }, /did you mean "limit"/],
    ['tools', { calls: toCalls([['users_me'], ['events_lits']]) }, /Call 2: no tool "events_lits"/],
    ['writes', { calls: toCalls([['users_me'], ['events_cancel', { event: ['X'] }]]) }, /no tool "events_cancel"/],
    ['batches', { calls: toCalls([['users_me'], ['batch', { calls: [] }]]) }, /Call 2: a batch can't be in a batch/],
    ['numbers of calls', { calls: Array(21).fill({ tool: 'users_me' }) }, /calls must NOT have more than 20/],
    ['empty lists', { calls: [] }, /calls must NOT have fewer than 1/],
    ['fields', { calls: [{ tool: 'users_me', args: {} }] }, /additional/],
    ['types', { calls: [{ tool: 'users_me', arguments: 'x' }] }, /arguments must be object/],
  ];
  test.each(wrong)('is checked as a whole before the first call: %s', async (_, values, message) => {
    const client = await serving();
    const { error } = await callTool(client, 'batch', values);
    expect(error).toMatchObject({ code: 'usage', exit: 2, outcome: 'not-sent' });
    expect(error.message).toMatch(message);
    expect((await end()).requests).toEqual([]);
  });

  test('has at most 32 KiB, whatever its calls return, and makes no noise', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const client = await serving();
    for (const tools of [Array(20).fill('events_list'), ['users_me', 'events_list']]) {
      const { bytes, results } = await batch(
        client,
        ...tools.map((tool): Call => [tool, tool === 'users_me' ? {} : { org: 'current', limit: 100 }]),
      );
      expect(bytes).toBeLessThanOrEqual(mostBytes);
      for (const { items, record, left_out } of results) expect(items?.length ?? record ?? left_out).toBeTruthy();
      // What one call doesn't need, the next ones have.
      expect(bytes).toBeGreaterThan(mostBytes / 2);
    }
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  test('is offered like every other tool', async () => {
    const names = async (flags: string) => (await (await serving(flags)).listTools()).tools.map(({ name }) => name);
    expect((await names('')).at(-1)).toBe('batch');
    expect(await names('--tools users.me,batch')).toEqual(['users_me', 'batch']);
    const without = await serving('--tools users.me');
    await expect(callTool(without, 'batch', { calls: [] })).rejects.toThrow('No tool "batch"');
  });

  test('is a command of --compact', async () => {
    const client = await serving('--compact');
    const { text } = await callTool(client, 'describe_command', { command: 'batch' });
    expect(JSON.parse(text)).toMatchObject({ name: 'batch', inputSchema: { required: ['calls'] } });
    const calls = toCalls([['users_me'], ['groups_list', { limit: 1 }]]);
    const result = await callTool(client, 'call_command', { command: 'batch', arguments: { calls } });
    expect(result).toMatchObject({ results: [{ status: 'done' }, { tool: 'groups_list', status: 'done' }] });
  });
});

describe('a batch with writes', () => {
  test.each(sample([false, true], 1))(
    'asks once for all, and then runs in order (newest revision: %s)',
    async (isModern) => {
      const [first, second] = await upcoming(2);
      const { questions, answer } = asking();
      const client = await serving('--allow-writes', { answer, isModern });
      const { statuses, results } = await batch(
        client,
        ['events_cancel', { event: first }],
        ['events_get', { event: first }],
        ['invitees_create', { ...(await booking(20)), name: 'Ada\n3. Nothing' }],
        ['events_cancel', { event: [second] }],
      );
      expect(statuses).toEqual(['done', 'done', 'done', 'done']);
      expect(results[1]!.record).toMatchObject({ status: 'canceled' });
      expect(questions).toHaveLength(1);
      const [head, ...listed] = questions[0]!.split('\n\n');
      expect(head).toBe('Make these 3 changes in this order?');
      expect(listed).toEqual([
        expect.stringMatching(/^1\. Cancel .+ and notify \d+ (person|people)\?\n {2}× .+\nNorthlight Advisory · /),
        expect.stringMatching(/^2\. Book a meeting for an invitee: \{.*"name":"Ada\\n3\. Nothing".*\}$/),
        expect.stringMatching(/^3\. Cancel .+\?\n {2}× /),
      ]);
      expect([await statusOf(first!), await statusOf(second!)]).toEqual(['canceled', 'canceled']);
    },
  );

  test.each(sample(['no', 'close'] as const, 1))('runs nothing after the answer %s, reads neither', async (word) => {
    const [event] = await upcoming(1);
    const client = await serving('--allow-writes', { answer: asking(word).answer });
    const { error } = await batch(client, ['groups_list'], ['events_cancel', { event }]);
    expect(error).toMatchObject({ code: 'confirmation-required', message: 'Not confirmed. Nothing was sent' });
    const { requests } = await end();
    expect(requests.filter(({ method, url }) => method !== 'GET' || url.includes('/groups'))).toEqual([]);
  });

  test('runs up to the first write that needs an answer if the client can not ask', async () => {
    const [event] = await upcoming(1);
    const client = await serving('--allow-writes');
    const { statuses, results } = await batch(
      client,
      ['invitees_create', await booking(20)],
      ['events_cancel', { event }],
      ['invitees_create', await booking(21)],
    );
    expect(statuses).toEqual(['done', 'failed', 'not-run']);
    expect(results[1]!.error).toMatchObject({ code: 'confirmation-required', exit: 12, outcome: 'not-sent' });
    expect(writes(await end())).toHaveLength(1);
    expect(await statusOf(event!)).toBe('active');
  });

  test('does not ask with --yes, nor where nothing may be asked', async () => {
    const [event] = await upcoming(1);
    const { questions, answer } = asking();
    const calls: Call[] = [['events_cancel', { event }], ['users_me']];
    expect((await batch(await serving('--allow-writes --no-input', { answer }), ...calls)).statuses).toEqual([
      'failed',
      'not-run',
    ]);
    await end();
    expect((await batch(await serving('--allow-writes --yes', { answer }), ...calls)).statuses).toEqual([
      'done',
      'done',
    ]);
    expect(questions).toEqual([]);
  });

  test('asks about nothing if one of its writes can not be made', async () => {
    const [event] = await upcoming(1);
    const { questions, answer } = asking();
    const client = await serving('--allow-writes', { answer });
    const { statuses } = await batch(
      client,
      ['users_me'],
      ['events_cancel', { event }],
      ['webhooks_delete', { webhook: 'NOPE' }],
    );
    expect([statuses, questions]).toEqual([['not-run', 'not-run', 'failed'], []]);
    expect(writes(await end())).toEqual([]);
  });

  /** Each read of the event shows the next of these names, and then the last one. */
  const renaming =
    (event: string, names: string[]): Send =>
    async (request) => {
      const reply = await world.service(request);
      if (!request.url.endsWith(`/scheduled_events/${event.split('/').at(-1)}`) || reply.status !== 200) return reply;
      const name = names.length > 1 ? names.shift() : names[0];
      const { resource } = JSON.parse(reply.body);
      return { ...reply, body: JSON.stringify({ resource: { ...resource, name } }) };
    };

  test('asks again if something changes before the answer, and stops at what changes after it', async () => {
    const [first, second] = await upcoming(2);
    const { questions, answer } = asking();
    const calls: Call[] = [
      ['events_cancel', { event: first }],
      ['events_cancel', { event: second }],
    ];
    // The second event is read to ask, to check the answer, and before the write.
    const early = await serving('--allow-writes', { answer, send: renaming(second!, ['One', 'Two']) });
    expect((await batch(early, ...calls)).statuses).toEqual(['done', 'done']);
    expect(questions.map((question) => /"(One|Two)"/.exec(question)![1])).toEqual(['One', 'Two']);
    await end();

    const [third, fourth] = await upcoming(2);
    const late = await serving('--allow-writes', { answer, send: renaming(fourth!, ['One', 'One', 'Two']) });
    const { statuses, results } = await batch(
      late,
      ['events_cancel', { event: third }],
      ['events_cancel', { event: fourth }],
    );
    expect(statuses).toEqual(['done', 'failed']);
    expect(results[1]!.error).toMatchObject({ code: 'confirmation-required', outcome: 'not-sent' });
    expect(results[1]!.error!.message).toContain("list doesn't say what this call asks now");
    expect([await statusOf(third!), await statusOf(fourth!)]).toEqual(['canceled', 'active']);
  });

  // R27
  test('books once, by the ledger of all calls', async () => {
    const client = await serving('--allow-writes', { answer: asking().answer });
    const values = await booking(20);
    const { statuses, results } = await batch(client, ['invitees_create', values], ['invitees_create', values]);
    expect(statuses).toEqual(['done', 'done']);
    const again = await callTool(client, 'invitees_create', values);
    for (const { record } of [results[1]!, again])
      expect(record).toMatchObject({ uri: results[0]!.record!.uri, _sched: { already: true } });
    expect(writes(await end())).toHaveLength(1);
  });

  test('has the lines of single calls in the log', async () => {
    const key = join(home, 'receipt.key');
    const log = join(home, 'mcp.log');
    writeFileSync(key, 'ab'.repeat(32), { mode: 0o600 });
    world = await createWorld({ home, env: { SCHED_RECEIPT_KEY_FILE: key } });
    const [event] = await upcoming(1);
    const answers: ('yes' | 'no')[] = ['no', 'yes'];
    const client = await serving(`--allow-writes --log ${log}`, { answer: () => answers.shift()! });
    const calls: Call[] = [['users_me'], ['invitees_create', await booking(20)], ['events_cancel', { event }]];
    await batch(client, ...calls);
    await batch(client, ...calls);
    await callTool(client, 'events_cancel', { event });
    await end();
    const lines = readFileSync(log, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const said = lines
      .filter(({ type }) => type === 'done')
      .map(
        ({ call, confirmed, outcome }) => `${lines.find((line) => line.call === call).tool} ${confirmed} ${outcome}`,
      );
    const listed = (text: string) => [`invitees_create ${text}`, `events_cancel ${text}`];
    expect(said).toEqual([
      ...listed('nobody asked'),
      ...listed('nobody confirmation-required'),
      ...listed('nobody asked'),
      ...listed('person done'),
      'events_cancel nobody done',
    ]);
    const marks = lines.filter(({ tool }) => tool === 'events_cancel').map((line) => line.arguments);
    expect(new Set(marks).size).toBe(1);
    const verified = await world.run(`compliance verify ${log} --json --sandbox`);
    expect(JSON.parse(verified.stdout)).toMatchObject({ status: 'ok', total: 9, accepted: 3 });
  });
});

describe('a write in a batch is asked for and refused as the single call', () => {
  const situations: [title: string, flags: string, canAsk: boolean, isProtected?: true][] = [
    ['that can ask', '', true],
    ['that can not ask', '', false],
    ['with --no-input', '--no-input', true],
    ['with --yes', '--yes', false],
    ['with a protected profile', '', true, true],
    ['with a protected profile, --yes and its name', '--yes --profile-is prod', true, true],
  ];
  const url = 'http://127.0.0.1:4010';

  const valuesFor = async (): Promise<Record<string, Values>> => {
    const [event] = await upcoming(1);
    const idOf = async (line: string) => (await world.run(`${line} -o id`)).stdout.split('\n')[0]!;
    const type = await plainType(world);
    const reader = await serving();
    const { record } = await callTool(reader, 'config_export');
    await end();
    const changed = JSON.stringify(record).replace('"duration":15', '"duration":20');
    const digester = await serving();
    const { digest } = (await callTool(digester, 'config_diff', { file: changed })).record;
    await end();
    return {
      availability_off: { date: ['2026-12-01'] },
      availability_update: { event_type: type, rule: ['friday 09:00-12:00'] },
      config_apply: { file: changed, confirm: digest },
      event_types_create: { name: 'Chat', duration: 25 },
      event_types_update: { event_type: type, name: 'Talk' },
      events_cancel: { event: [event] },
      events_move: { event, to: slot(30) },
      invitees_create: await booking(20),
      invitees_no_show: { event, invitee: await idOf(`invitees list ${event}`) },
      one_offs_create: { name: 'Once', duration: 30, days: 5 },
      shares_create: { event_type: type },
      webhooks_delete: { webhook: await idOf('webhooks list') },
    };
  };

  let tools: string[];
  beforeAll(async () => {
    tools = (await allTools({ nouns, findNoun })).filter(({ isWrite }) => isWrite).map(({ name }) => name);
  });

  /** What is asked, what fails, and what is written. */
  const outcomeOf = async (
    isBatch: boolean,
    tool: string,
    [, flags, canAsk, isProtected]: (typeof situations)[number],
  ) => {
    home = temporaryDirectory('mcp-batch-same');
    world = await createWorld({ home });
    const values = (await valuesFor())[tool]!;
    if (isProtected) {
      world = await createWorld({ home, env: { SCHED_PROFILE: 'prod' } });
      await world.run(['profiles', 'add', 'prod', '--base-url', url, '--auth-url', url, '--protected', 'yes']);
    }
    const { questions, answer } = asking();
    const client = await serving(`--allow-writes ${flags}`, canAsk ? { answer } : {});
    const { results, ...whole } = await (isBatch
      ? batch(client, [tool, values])
      : callTool(client, tool, values).then((result) => ({ ...result, results: [] as Part[] })));
    const { error = whole.error } = results[0] ?? {};
    const sent = writes(await end()).map(({ method, url: address }) => `${method} ${new URL(address).pathname}`);
    return { questions, error, sent };
  };

  test.each(sample(situations, 1, ([, , , isProtected]) => isProtected))(
    '%s',
    { timeout: 600_000 },
    async (...situation) => {
      for (const tool of sample(tools, 2)) {
        const single = await outcomeOf(false, tool, situation);
        const both = await outcomeOf(true, tool, situation);
        expect([tool, both.error, both.sent]).toEqual([tool, single.error, single.sent]);
        if (situation[3]) expect([tool, both.error?.code, both.sent]).toEqual([tool, 'confirmation-required', []]);
        // The list has the same words. It also has writes about which a single call doesn't ask.
        const isListed = situation[2] && situation[1] === '' && !situation[3];
        expect([tool, both.questions.length]).toEqual([tool, isListed ? 1 : 0]);
        for (const question of single.questions) expect(both.questions[0]).toBe(`Make this change?\n\n1. ${question}`);
        if (!situation[3] && situation[0] !== 'that can not ask' && situation[1] !== '--no-input')
          expect([tool, both.error, both.sent.length > 0]).toEqual([tool, undefined, true]);
      }
    },
  );
});
