import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Clock } from '../../src/base/system.ts';
import type { Send } from '../../src/http/message.ts';
import { bookingLine, breaking, faults, isBooking, lost, plainType } from '../support/lost-replies.ts';
import type { TestWorld } from '../support/run.ts';
import { createWorld, type Result, replying, type WorldOptions } from '../support/run.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import {
  changesBetween,
  columnFacts,
  commandFacts,
  exitCodeFacts,
  type Facts,
  fieldsOf,
  listCommands,
  sorted,
} from './facts.ts';

const file = new URL('promises.json', import.meta.url);
const command = 'npx vitest run test/compatibility/promises.test.ts';

/** PROMISES=add writes additions to promises.json, PROMISES=break also writes removals and changes. */
const update = process.env.PROMISES;

let world: TestWorld;
let home: string;
beforeAll(async () => {
  home = temporaryDirectory('compatibility');
  world = await createWorld({ home });
});

const run = (line: string, more: WorldOptions = {}): Promise<Result> => world.run(line, more);
const jsonOf = async (line: string, more?: WorldOptions): Promise<unknown> => {
  const { stdout, stderr } = await run(`${line} --json`, more);
  if (stdout === '') throw new Error(`sched ${line} printed nothing: ${stderr}`);
  return JSON.parse(stdout);
};
const idOf = async (line: string): Promise<string> => (await run(`${line} -o id`)).stdout.split('\n')[0]!;

/** Uses only the stored login. */
const stored: WorldOptions = { env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' } };
const deletion = 'compliance delete a@b.example c@d.example --yes';

const logIn = () =>
  run('auth login --with-token --credential-store file --base-url http://127.0.0.1:4010', {
    ...stored,
    stdin: `${world.token}\n`,
  });

/** Adds a profile with every setting. */
const addWholeProfile = async (): Promise<void> => {
  const url = 'https://api.example.com';
  const settings = { auth_url: url, mcp_url: url, issuer: url, uri_root: url, client_id: 'id', user: 'U' };
  await run(`profiles add whole --base-url ${url}`);
  for (const [key, value] of Object.entries({ ...settings, organization: 'O', timezone: 'UTC', output: 'json' }))
    await run(`profiles set ${key} ${value} -p whole`);
};

/** Reconciles bookings whose replies were lost: one that was not made, and one that was. */
const reconciled = async (): Promise<unknown> => {
  const type = await plainType(world);
  const lostAnswer: Send = async (request) => {
    if (isBooking(request)) await world.service(request);
    else if (!request.url.includes('/scheduled_events')) return world.service(request);
    throw lost();
  };
  await run(bookingLine(type, 2), { send: breaking(world, faults['reset before commit']) });
  await run(bookingLine(type, 3), { send: lostAnswer });
  return jsonOf('invitees reconcile');
};

/** The output of `ratelimit` while another command waits. */
const duringWait = async (): Promise<unknown> => {
  let seen: unknown;
  const clock: Clock = {
    now: world.clock.now,
    sleep: async (milliseconds) => {
      seen ??= await jsonOf('ratelimit');
      await world.clock.sleep(milliseconds);
    },
  };
  let isFirst = true;
  await run('users me', {
    clock,
    send: async (request) => {
      if (!isFirst) return world.service(request);
      isFirst = false;
      return { status: 429, headers: { 'retry-after': '17' }, body: '{}' };
    },
  });
  return seen;
};

/** Records with every `_sched` mark they can have, by command. */
const markedRecords = async (): Promise<Record<string, unknown[]>> => {
  const type = await plainType(world);
  const losing = (name: keyof typeof faults) => ({ send: breaking(world, faults[name]) });
  const answering = (answer: Send): WorldOptions => ({
    send: (request) => (request.method === 'POST' ? answer(request) : world.service(request)),
  });
  const active = (await run('events list --status active --since tomorrow --limit 3 -o id')).stdout.split('\n');
  const [first, second, third] = active.map((event) => `events cancel ${event} --yes`);
  return {
    'invitees create': [
      await jsonOf(bookingLine(type, 0), losing('reset after commit')),
      await jsonOf(bookingLine(type, 0, '--if-absent')),
      await jsonOf(bookingLine(type, 1), losing('a 200 of another shape after commit')),
    ],
    'events cancel': [
      await jsonOf(
        first!,
        answering((request) => faults['reset after commit'](request, world.service)),
      ),
      await jsonOf(first!),
      await jsonOf(
        second!,
        answering(async () => ({ status: 201, headers: {}, body: '{}' })),
      ),
      await jsonOf(
        third!,
        answering(async (request) => ({ ...(await world.service(request)), body: '{}' })),
      ),
    ],
    'events list --with invitees': [await jsonOf('events list --limit 1 --with invitees')],
  };
};

const markFacts = async (): Promise<string[]> =>
  Object.entries(await markedRecords()).flatMap(([name, records]) =>
    records
      .flat()
      .flatMap((record) => Object.keys((record as { _sched?: object })._sched ?? {}))
      .map((mark) => `${name}: _sched.${mark}`),
  );

/** Outputs that sched makes itself, as opposed to records of the service, by command. */
const samples: Record<string, () => Promise<unknown>> = {
  'auth status': async () => {
    await logIn();
    return jsonOf('auth status', stored);
  },
  'profiles list': async () => {
    await addWholeProfile();
    return jsonOf('profiles list');
  },
  'profiles show': async () => [await jsonOf('profiles show default'), await jsonOf('profiles show whole')],
  'bulk result': () => jsonOf(deletion),
  'compliance delete --dry-run': () => jsonOf(`${deletion} --dry-run`),
  'compliance runs': () => jsonOf('compliance runs'),
  'compliance verify': async () => jsonOf(`compliance verify ${await idOf('compliance runs')}`),
  'compliance prove': async () => jsonOf(`compliance prove ${await idOf('compliance runs')} --email a@b.example`),
  'compliance bundle': async () => jsonOf(`compliance bundle ${await idOf('compliance runs')} --to ${home}/bundle`),
  'compliance key': () => jsonOf(`compliance key ${home}/new.key`),
  'compliance key-file': () => jsonOf('compliance key-file'),
  doctor: () => jsonOf('doctor'),
  schema: async () => {
    const document = (await jsonOf('schema')) as { commands: { output?: { record: unknown } }[] };
    // The fields of the records belong to their commands.
    for (const { output } of document.commands) if (output !== undefined) output.record = null;
    return document;
  },
  ratelimit: duringWait,
  'invitees reconcile': reconciled,
  'event-types why': () => jsonOf('event-types why "Partner interview" 2026-11-16T11:20:00Z'),
  'events stats': () => jsonOf('events stats --by week'),
  'events follow': async () => {
    const deliveries = (await jsonOf('events follow --once --since -30d')) as Record<string, unknown>[];
    // The fields of the payload belong to the service.
    return deliveries.map((delivery) => ({ ...delivery, payload: null }));
  },
  'sandbox tokens': () => jsonOf('sandbox tokens'),
  'sandbox clock': () => jsonOf('sandbox clock'),
  // It runs until its output is closed.
  'sandbox start': () => jsonOf('sandbox start --port 0 --data :memory:', { closeAfter: 0 }),
  '--dry-run': async () => {
    const [request] = [await jsonOf(`events cancel ${await idOf('events list')} --reason x --dry-run`)].flat();
    // The fields of the body belong to the service.
    return Object.fromEntries(Object.keys(request as object).map((name) => [name, null]));
  },
  error: async () => {
    const headers = { 'retry-after': '17', 'x-request-id': 'req-1' };
    const { stderr } = await run('events list --max-wait 1s --json', { send: replying({ status: 429, headers }) });
    return JSON.parse(stderr.trim().split('\n').at(-1)!);
  },
  'note before an error': async () => JSON.parse((await run('users me --json --sandbox')).stderr.split('\n')[0]!),
};

const fieldFacts = async (): Promise<string[]> => {
  const facts: string[] = [];
  for (const [name, sample] of Object.entries(samples))
    facts.push(...fieldsOf(await sample()).map((field) => `${name}: ${field}`));
  return [...facts, ...(await markFacts())];
};

/** Lists that need an argument or a flag. */
const listLines: Record<string, () => Promise<string>> = {
  'invitees list': async () => `invitees list ${await idOf('events list')}`,
  'availability list': async () => `availability list --event-type ${await plainType(world)}`,
  'event-types slots': async () => `event-types slots ${await plainType(world)}`,
  'event-types hosts': async () => `event-types hosts ${await plainType(world)}`,
  'routing-forms submissions': async () => `routing-forms submissions ${await idOf('routing-forms list')}`,
  'groups members': async () => `groups members ${await idOf('groups list')}`,
  'mirror status': async () => {
    await run('mirror sync --yes --since -1d --until +1d');
    return 'mirror status --all';
  },
  // Without --once it runs until it is stopped.
  'events follow': async () => 'events follow --once',
  'groups events': async () => `groups events ${await idOf('groups list')}`,
};

/** Lists that sched makes itself, without an operation of the service. */
const ownLists = ['compliance runs', 'profiles list', 'sandbox tokens', 'ratelimit', 'doctor'];

const headerOf = async (line: string): Promise<string[]> => {
  const { stdout, stderr } = await run(`${line} -o tsv --header`);
  if (stdout === '') throw new Error(`sched ${line} printed no header: ${stderr}`);
  return stdout.split('\n')[0]!.split('\t');
};

const allColumnFacts = async (): Promise<string[]> => {
  const facts: string[] = [];
  const lists = await listCommands();
  // They print nothing until a delivery comes, and without a dialect.
  for (const silent of ['webhooks listen', 'users busy']) {
    facts.push(...columnFacts(silent, lists.get(silent)!));
    lists.delete(silent);
  }
  for (const name of [...lists.keys(), ...ownLists])
    facts.push(...columnFacts(name, await headerOf((await listLines[name]?.()) ?? name)));
  return [...facts, ...columnFacts('events list --with invitees', await headerOf('events list --with invitees'))];
};

const readers: Record<keyof Facts, () => string[] | Promise<string[]>> = {
  'exit codes': exitCodeFacts,
  fields: fieldFacts,
  columns: allColumnFacts,
  commands: commandFacts,
};

const promised = JSON.parse(readFileSync(file, 'utf8')) as Facts;

const messageOf = (kind: string, changes: ReturnType<typeof changesBetween>): string => {
  const isBroken = changes.some((change) => change.isBroken);
  return [
    '',
    ...changes.map(
      ({ fact, what, isBroken }) => `${isBroken ? 'BROKEN PROMISE' : 'addition'}: ${kind}: ${fact} (${what})`,
    ),
    isBroken
      ? `Scripts rely on this: restore it. For a major release: PROMISES=break ${command}`
      : `Additions are allowed. To promise them from now on: PROMISES=add ${command}`,
  ].join('\n');
};

// The fields are those of a run of every command: a busy machine needs its time.
describe('promises to scripts are kept for', { timeout: 120_000 }, () => {
  test.each(Object.keys(readers) as (keyof Facts)[])('%s', async (kind) => {
    const today = sorted(await readers[kind]());
    const changes = changesBetween(promised[kind], today);
    const mayWrite = update === 'break' || (update === 'add' && !changes.some(({ isBroken }) => isBroken));
    if (mayWrite && changes.length > 0) {
      promised[kind] = today;
      writeFileSync(file, `${JSON.stringify(promised, null, 2)}\n`);
    }
    expect(changesBetween(promised[kind], today), messageOf(kind, changes)).toEqual([]);
  });
});

describe('changesBetween', () => {
  const before = ['events get', 'events get: argument 1 <event>', 'events get: --output VALUE', 'events list: 01 uri'];

  test.each([
    ['a removed flag', before.filter((fact) => !fact.includes('--output')), ['events get: --output VALUE']],
    [
      'a flag that no longer takes a value',
      before.map((fact) => fact.replace('VALUE', 'SWITCH')),
      ['events get: --output VALUE'],
    ],
    ['a renamed column', before.map((fact) => fact.replace('uri', 'id')), ['events list: 01 uri']],
    [
      'another required argument',
      [...before, 'events get: argument 2 <invitee>'],
      ['events get: argument 2 <invitee>'],
    ],
    [
      'a shared flag with a different meaning',
      [...before, 'events get: has its own --yes'],
      ['events get: has its own --yes'],
    ],
  ])('reports %s as a broken promise', (_, today, broken) => {
    const found = changesBetween(before, today).filter(({ isBroken }) => isBroken);
    expect(found.map(({ fact }) => fact)).toEqual(broken);
  });

  test.each([
    'events list: 02 name',
    'events get: --fresh SWITCH',
    'events get: argument 2 [invitee]',
    'webhooks get',
    'webhooks get: argument 1 <webhook>',
  ])('reports %s as an addition', (fact) => {
    expect(changesBetween(before, [...before, fact])).toEqual([{ fact, isBroken: false, what: 'added' }]);
  });
});
