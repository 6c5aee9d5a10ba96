import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { beforeAll, describe, expect, test } from 'vitest';
import { allOperations } from '../../../src/api/catalogue.ts';
import { exitCodes } from '../../../src/base/errors.ts';
import { buildTree } from '../../../src/cli/parse/tree.ts';
import type { commandFacts } from '../../../src/commands/schema/command-facts.ts';
import { kinds } from '../../simulation/intents/kinds.ts';
import { plainType } from '../../support/lost-replies.ts';
import { createWorld } from '../../support/run.ts';
import { sample } from '../../support/tier.ts';

type CommandFacts = ReturnType<typeof commandFacts>;

interface Document {
  version: number;
  commands: CommandFacts[];
  shared_flags: { name: string }[];
  exit_codes: { code: number; name: string; meaning: string }[];
}

let world: Awaited<ReturnType<typeof createWorld>>;
let whole: Document;
const documentOf = async (line: string): Promise<Document> => JSON.parse((await world.run(line)).stdout);
const factsOf = (name: string): CommandFacts => whole.commands.find(({ command }) => command === name)!;

beforeAll(async () => {
  world = await createWorld();
  whole = await documentOf('schema');
});

/** Commands that change something at the service, and no simulation runs: why. */
const notSimulated: Record<string, string> = {
  'mcp serve': 'its tools run the same commands, and test/torture/mcp.torture.ts kills it',
};

test('every command that writes is simulated', () => {
  const names = whole.commands.map(({ command }) => command);
  const writing = whole.commands.filter(({ effect }) => effect !== 'read' && effect !== 'local');
  const simulated = Object.values(kinds).flatMap(({ commands }) => commands);
  const known = [...simulated, ...Object.keys(notSimulated)];
  expect(writing.map(({ command }) => command).filter((name) => !known.includes(name))).toEqual([]);
  expect(known.filter((name) => !names.includes(name))).toEqual([]);
});

describe('sched schema', () => {
  test('describes every command of the tree that the service has once, sorted by name', async () => {
    const optional = (await allOperations()).flatMap((row) => (row.optional ? [row.name.replace('.', ' ')] : []));
    const names = (await buildTree()).commands.flatMap((noun) =>
      noun.commands.length === 0 ? [noun.name()] : noun.commands.map((verb) => `${noun.name()} ${verb.name()}`),
    );
    expect(whole.version).toBe(1);
    expect(whole.commands.map(({ command }) => command)).toEqual(
      names.filter((name) => !optional.includes(name)).toSorted(),
    );
  });

  test('lists every exit code with its meaning', () => {
    const codes = whole.exit_codes.map(({ name, code }) => [name, code]);
    expect(codes).toEqual([['ok', 0], ...Object.entries(exitCodes)]);
    for (const { meaning } of whole.exit_codes) expect(meaning).not.toBe('');
  });

  test('describes a single command', async () => {
    const { commands } = await documentOf('schema event cancel');
    expect(commands).toEqual([factsOf('events cancel')]);
    expect(commands[0]).toMatchObject({
      effect: 'change',
      scope: 'scheduled_events:write',
      operations: ['POST /scheduled_events/{event}/cancellation'],
      arguments: [{ name: 'event', required: false, repeatable: true }],
    });
    expect(commands[0]!.flags.find(({ name }) => name === 'reason')).toEqual({
      name: 'reason',
      type: 'string',
      value: 'TEXT',
      required: false,
      repeatable: false,
      negatable: false,
      description: 'reason to send to the invitees',
    });
  });

  test('has the types and choices of flags', () => {
    const flag = (command: string, name: string) => factsOf(command).flags.find((each) => each.name === name);
    expect(flag('events list', 'limit')).toMatchObject({ type: 'integer' });
    expect(flag('compliance delete', 'confirm')).toMatchObject({ type: ['integer', 'string'] });
    expect(flag('events list', 'status')).toMatchObject({ type: 'string', choices: ['active', 'canceled'] });
    expect(flag('event-types list', 'active')).toMatchObject({ type: 'boolean', negatable: true });
    expect(flag('one-offs create', 'host')).toMatchObject({ type: 'string', repeatable: true });
    expect(flag('invitees create', 'start')).toMatchObject({ required: false, unless: 'first-free' });
    expect(whole.shared_flags.find(({ name }) => name === 'json')).toMatchObject({ optional_value: true });
  });

  test.each([
    ['events list', 'read'],
    ['event-types slots', 'read'],
    ['invitees create', 'creation'],
    ['availability update', 'change'],
    ['compliance delete', 'deletion'],
    ['api', 'any'],
    ['profiles use', 'local'],
  ])('says that the effect of %s is %s', (command, effect) => {
    expect(factsOf(command).effect).toBe(effect);
  });

  test('prints one noun, and the same text each time', async () => {
    const [first, second] = [await world.run('schema groups'), await world.run('schema group')];
    expect(first.stdout).toBe(second.stdout);
    const { commands } = JSON.parse(first.stdout) as Document;
    expect(commands.every(({ command }) => command.startsWith('groups '))).toBe(true);
    expect(commands.length).toBeGreaterThan(3);
  });

  test.each([
    ['schema evnts', 'No command "evnts"', 'sched schema events'],
    ['schema events lst', 'No subcommand "lst"', 'sched schema events list'],
    ['schema whoami list', '"whoami" has no subcommands', 'sched schema whoami'],
  ])('%s is a usage error with a suggestion', async (line, message, hint) => {
    const { code, stderr, stdout } = await world.run(line);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain(`try: ${hint}`);
    expect(stdout).toBe('');
  });

  test('needs no account, and sends no request', async () => {
    const { code, requests } = await world.run('schema users', { env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' } });
    expect(code).toBe(0);
    expect(requests).toEqual([]);
  });
});

describe('output.record of sched schema', () => {
  const ajv = new AjvJsonSchemaValidator();
  const check = (name: string, record: unknown) => ajv.getValidator(factsOf(name).output!.record as never)(record);

  const lists: [name: string, lineOf: () => Promise<string>][] = [
    ['events list', async () => 'events list --with invitees --limit 20'],
    ['events stats', async () => 'events stats --by host'],
    ['event-types list', async () => 'event-types list --org current'],
    ['event-types slots', async () => `event-types slots ${await plainType(world)}`],
    ['routing-forms submissions', async () => 'routing-forms submissions'],
    ['members list', async () => 'members list'],
    ['invitations list', async () => 'invitations list'],
    ['groups events', async () => `groups events ${(await world.run('groups list -o id')).stdout.split('\n')[0]}`],
    ['activity list', async () => 'activity list --limit 50'],
  ];
  test.each(sample(lists, 1))('accepts the records of %s, and lists their fields', async (name, lineOf) => {
    const records = JSON.parse((await world.run(`${await lineOf()} --json`)).stdout) as object[];
    expect(records.length).toBeGreaterThan(0);
    const known = Object.keys(factsOf(name).output!.record.properties as object);
    for (const record of records) {
      expect(check(name, record)).toMatchObject({ valid: true });
      expect(Object.keys(record).filter((field) => !known.includes(field))).toEqual([]);
    }
  });

  test('allows null and unknown fields and values, but not another type', () => {
    expect(check('events list', { uri: 'x', name: null, status: 'moved', added: 1 })).toMatchObject({ valid: true });
    expect(check('events list', { uri: 1 })).toMatchObject({ valid: false });
  });
});
