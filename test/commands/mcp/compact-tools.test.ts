import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { callTool, oneServer } from '../../support/mcp-client.ts';
import { createWorld } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';
import { counting, type Task, tenTasks } from './ten-tasks.ts';

const world = await createWorld({ home: temporaryDirectory('mcp-compact') });

const { serving, end } = oneServer(() => world);

describe('the list of tools', () => {
  test.each([
    ['', 36, 27_500, [true, false, true]],
    ['--allow-writes', 48, 42_000, [false, true, true]],
    ['--compact', 3, 2000, [true, false, true]],
    ['--compact --allow-writes=invitees.create', 3, 2000, [false, false, false]],
    ['--compact --allow-writes --output-schemas', 3, 2200, [false, true, false]],
  ])('with "%s" has %i tools, at most %i characters, and the hints %j', async (flags, count, most, hints) => {
    const { tools } = await (await serving(flags)).listTools();
    expect(tools).toHaveLength(count);
    const { length } = JSON.stringify({ tools });
    expect(length).toBeLessThanOrEqual(most);
    // The limit is near, so that the test notices a list that grows.
    expect(length).toBeGreaterThan(most * 0.9);
    // Any command can be behind call_command, so it has the strictest hints of all.
    const command = tools.find(({ name }) => ['call_command', 'events_cancel'].includes(name)) ?? tools[0]!;
    const { readOnlyHint, destructiveHint, idempotentHint } = command.annotations!;
    expect([readOnlyHint, destructiveHint, idempotentHint]).toEqual(hints);
  });
});

type Counted = ReturnType<typeof counting>;

const straight = ({ call }: Counted, [, command, values]: Task) => call(command, values);

/** Finds the command, reads its arguments, and calls it. */
const searching = async ({ call }: Counted, [query, command, values]: Task) => {
  const { text } = await call('search_commands', { query });
  expect(JSON.parse(text).commands.map((found: { command: string }) => found.command)).toContain(command);
  const described = JSON.parse((await call('describe_command', { command })).text);
  expect(Object.keys(described.inputSchema.properties)).toEqual(expect.arrayContaining(Object.keys(values)));
  return call('call_command', { command, arguments: values });
};

/** Does the ten tasks, and returns their results and what they cost. */
const doTasks = async (flags: string, perform: typeof straight, tasks: readonly Task[]) => {
  const client = await serving(`${flags} --allow-writes`, { answer: () => 'yes' });
  const list = JSON.stringify(await client.listTools()).length;
  const counted = counting(client);
  const results: unknown[][] = [];
  for (const task of tasks) {
    const { structured } = await perform(counted, task);
    expect(structured.error, task[0]).toBeUndefined();
    const [record = {}] = structured.items ?? [structured.record];
    results.push([task[1], Object.keys(record), structured.record?.status]);
  }
  await end();
  return { results, list, ...counted };
};

const guide = readFileSync(new URL('../../../docs/mcp.md', import.meta.url), 'utf8');

/** Calls, characters of the list and characters of the calls in a row of the guide's table. */
const toldIn = (row: string): number[] => {
  const line = guide.split('\n').find((each) => each.startsWith(`| ${row} `))!;
  return line
    .split('|')
    .slice(2, 5)
    .map((cell) => Number(cell.replaceAll(/[ ,]/g, '')));
};

test('ten tasks have the same results through three tools, and cost what the guide says', {
  timeout: 60_000,
}, async () => {
  const [first, second] = await tenTasks(world);
  const full = await doTasks('', straight, first);
  const compact = await doTasks('--compact', searching, second);
  expect(compact.results).toEqual(full.results);
  const { all, searches } = compact;
  const costs = {
    'all tools': [full.all.calls, full.list, full.all.characters],
    '`--compact`, with a search': [all.calls, compact.list, all.characters],
    '`--compact`, by name': [all.calls - searches.calls, compact.list, all.characters - searches.characters],
  };
  for (const [row, [calls, list, characters]] of Object.entries(costs)) {
    const [toldCalls, toldList, toldCharacters] = toldIn(row);
    expect([row, calls]).toEqual([row, toldCalls]);
    expect(list).toBeCloseTo(toldList!, -3);
    expect(characters).toBeCloseTo(toldCharacters!, -4);
  }
});

describe('call_command', () => {
  test('returns what the tool of the full set returns, in parts', async () => {
    const values = { org: 'current', limit: 2 };
    const { time_zone, ...full } = await callTool(await serving(), 'events_list', values);
    await end();
    const client = await serving('--compact');
    const compact = await callTool(client, 'call_command', { command: 'events list', arguments: values });
    expect(compact).toEqual({ ...full, time_zone });
    const next = { ...values, cursor: compact.next_cursor };
    const rest = await callTool(client, 'call_command', { command: 'events.list', arguments: next });
    expect(rest.items).toHaveLength(2);
    expect(rest.items[0]).not.toEqual(compact.items[0]);
  });

  const mistakes: [command: string, values: unknown, message: RegExp][] = [
    ['events_list', { limit: 0 }, /data\/limit/],
    ['events_list', { statsu: 'active' }, /unknown argument "statsu", did you mean "status"\?/],
    ['events_list', { yes: true }, /unknown argument "yes"/],
    ['events_get', undefined, /'event'/],
    ['events_lits', {}, /No command "events_lits". Did you mean "events_list"\?/],
    ['nothing', {}, /No command "nothing". describe_command lists all commands/],
    ['events_cancel', { event: ['X'] }, /No command "events_cancel"/],
    ['compliance_delete', {}, /No command "compliance_delete"/],
    ['events_list', 'upcoming', /data\/arguments must be object/],
  ];
  test.each(sample(mistakes, 2))('names what is wrong: %s %j', async (command, values, message) => {
    const client = await serving('--compact');
    const { error } = await callTool(client, 'call_command', { command, arguments: values });
    expect(error).toMatchObject({ code: 'usage', exit: 2, outcome: 'not-sent' });
    expect(error.message).toMatch(message);
    expect((await end()).requests).toEqual([]);
  });

  // R52
  const answers: [word: 'yes' | 'no' | undefined, isModern: boolean, status: string][] = [
    ['yes', false, 'canceled'],
    ['yes', true, 'canceled'],
    ['no', true, 'active'],
    [undefined, false, 'active'],
  ];
  test.each(sample(answers, 1, ([, , status]) => status))(
    'asks before a write: answer %s, newest revision %s',
    async (word, isModern, status) => {
      const event = (await world.run('events list --status active --upcoming --limit 1 -o id')).stdout.trim();
      const questions: string[] = [];
      const answer = (question: string) => {
        questions.push(question);
        return word!;
      };
      const client = await serving('--compact --allow-writes', { isModern, ...(word && { answer }) });
      const call = { command: 'events_cancel', arguments: { event: [event] } };
      const { error } = await callTool(client, 'call_command', call);
      expect(error?.code).toBe(status === 'active' ? 'confirmation-required' : undefined);
      expect(questions).toHaveLength(word === undefined ? 0 : 1);
      expect(JSON.parse((await world.run(`events get ${event} --json`)).stdout).status).toBe(status);
    },
  );

  test('is the only way to run a command, and finds only the chosen ones', async () => {
    const client = await serving('--compact --tools users.me,events.list');
    await expect(callTool(client, 'users_me')).rejects.toThrow('No tool "users_me"');
    const { text } = await callTool(client, 'search_commands', { query: 'something else' });
    const { note, commands } = JSON.parse(text);
    expect(note).toBe('Nothing matches. These are all commands');
    expect(commands.map(({ command }: { command: string }) => command)).toEqual(['events_list', 'users_me']);
    const { error } = await callTool(client, 'describe_command', { command: 'groups_list' });
    expect(error.message).toContain('No command "groups_list"');
  });
});
