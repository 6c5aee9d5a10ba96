import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Advice, SchedError, usageError } from '../../../src/base/errors.ts';
import { the, words } from '../../../src/base/words.ts';
import { noAccount } from '../../../src/cli/messages/suggested-line.ts';
import { toolError } from '../../../src/commands/mcp/parameters.ts';
import { callTool, connect } from '../../support/mcp-client.ts';
import { createWorld } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';

let open: Awaited<ReturnType<typeof connect>>;
beforeAll(async () => {
  open = await connect(await createWorld({ home: temporaryDirectory('mcp-arguments') }), '--allow-writes');
});
afterAll(() => open.close());

interface Property {
  type: string;
  enum?: string[];
  items?: Property;
  description?: string;
}

/** A value that the schema of a property allows. */
const valueFor = ({ type, enum: choices, items, description = '' }: Property): unknown => {
  if (type === 'array') return [valueFor(items!)];
  if (type === 'integer') return 30;
  if (/time zone/.test(description)) return 'UTC';
  if (/email/.test(description)) return 'somebody@example.com';
  return choices?.[0] ?? (/time/.test(description) ? '2027-01-04T09:00:00Z' : 'nothing');
};

/** A schema can't say that one of several properties is needed. These are the ones that descriptions name. */
const alternatives: Record<string, Record<string, unknown>> = {
  invitees_create: { first_free: true, name: 'Somebody' },
  one_offs_create: { days: 5 },
  event_types_slots: { event_type: 'Intro call' },
};

describe('the schema of a tool', () => {
  test('requires all that a call needs', async () => {
    const { tools } = await open.client.listTools();
    const lacking: string[] = [];
    for (const { name, description, inputSchema } of sample(tools, 6)) {
      const properties = inputSchema.properties as unknown as Record<string, Property>;
      const values = (inputSchema.required ?? []).map((property) => [property, valueFor(properties[property]!)]);
      const chosen = alternatives[name] ?? {};
      for (const property of Object.keys(chosen)) expect(description).toMatch(new RegExp(`Give .*\\b${property}\\b`));
      const { error } = await callTool(open.client, name, { ...Object.fromEntries(values), ...chosen });
      if (/Missing/.test(error?.message ?? '')) lacking.push(`${name}: ${error.message}`);
    }
    expect(lacking).toEqual([]);
  });
});

describe('what a tool says', () => {
  test.each([
    ['events_list', { since: 'someday' }, /^since: Can't read "someday"/],
    ['events_agenda', { day: true, week: true }, /^day and week can't be used together/],
    [
      'one_offs_create',
      { name: 'x', duration: 30 },
      /^Missing required argument days, start_date with end_date, or spot/,
    ],
    ['availability_update', { event_type: 'x' }, /Use rule, day_off, remove or timezone/],
    ['invitees_get', { event: '/invitees/x', invitee: 'x' }, /^event must be next, an ID/],
    ['events_list', { invitee: 'a" --since b' }, /^invitee must be an email address, not "a" --since b"/],
    ['events_list', { since: '2026-12-01 15:00 EST' }, /Set the time zone with tz America/],
  ])('names properties instead of flags: %s %j', async (name, values, message) => {
    const { error } = await callTool(open.client, name, values);
    expect(error.message).toMatch(message);
  });

  test('names properties in notes too', async () => {
    const { notes } = await callTool(open.client, 'events_stats', { no_shows: true });
    expect(notes).toContainEqual(expect.stringMatching(/^no_shows: reading the invitees/));
  });

  test('names properties in messages and reasons, and flags in commands for a person', () => {
    const parameters = [{ name: 'first-free', property: 'first_free' }] as never;
    const finish = 'To finish it: sched invitees create --first-free';
    const told = { reason: words`${the('firstFree')} or ${the('yes')} is set. ${finish}` };
    const { message, facts } = toolError(parameters, usageError([words`Use ${the('firstFree')}`], told), noAccount);
    expect([message, facts.reason]).toEqual(['Use first_free', `first_free or --yes is set. ${finish}`]);
  });

  test('has no advice to use a flag that the tool lacks', () => {
    const parameters = [{ name: 'event-type', property: 'event_type' }] as never;
    const adviceIn = (advice: Advice) =>
      toolError(parameters, new SchedError('conflict', 'x', { advice }), { sandbox: true }).facts.advice;
    expect(adviceIn(words`to book again, add ${the('allowDuplicate')}`)).toBeUndefined();
    expect(adviceIn(words`choose another ${the('eventType')}`)).toBe('choose another event_type');
    const list = { command: ['events', 'list'], flags: { 'event-type': 'NAME' } };
    expect(adviceIn([...words`with ${the('eventType')}, or: `, list])).toBe(
      'with event_type, or: sched --sandbox events list --event-type NAME',
    );
  });
});

test('a batch is refused with an error, and the connection goes on', async () => {
  const { transport } = open.client;
  const { onmessage } = transport!;
  const refused = new Promise((resolve) => {
    transport!.onmessage = (message) => resolve(message);
  });
  await transport!.send([{ jsonrpc: '2.0', id: 'a', method: 'tools/list' }] as never);
  expect(await refused).toMatchObject({ id: null, error: { code: -32_600, message: expect.stringMatching(/batch/) } });
  transport!.onmessage = onmessage!;
  expect((await callTool(open.client, 'users_me')).isError).toBe(false);
});
