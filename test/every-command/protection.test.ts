import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { events } from '../../src/api/events.ts';
import { SchedError } from '../../src/base/errors.ts';
import { type Plan, plan } from '../../src/cli/answer/plan.ts';
import type { Command } from '../../src/cli/command.ts';
import type { Context } from '../../src/cli/session/context.ts';
import { nouns } from '../../src/commands/registry.ts';
import { commandEffect } from '../../src/commands/schema/command-facts.ts';
import { createWorld, type Result, terminals, type WorldOptions, writes } from '../support/run.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { sample } from '../support/tier.ts';
import { allCommands } from './all-commands.ts';
import { linesIn } from './operation-lines.ts';

/*
 * What stands between a person and a write, for every command of the tree that can write: --dry-run, the question, and a
 * protected profile.
 */

const root = 'http://127.0.0.1:4010';
const folder = temporaryDirectory();

const inFile = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

/** Lines of commands that write and have no operation of their own, or write many records. Each would write. */
const linesOfOthers = async (): Promise<Record<string, string>> => {
  const { run } = await createWorld();
  const team = inFile('team.yaml', (await run('config export')).stdout.replace('duration: 15', 'duration: 20'));
  const events = inFile('events.txt', (await run('events list --upcoming --status active --limit 2 -o id')).stdout);
  const people = inFile('people.csv', 'email,name,timezone,start\nada@engine.example,Ada,UTC,2027-02-01T10:00:00Z\n');
  const addresses = inFile('addresses.txt', 'noa.levi@gefen.example\n');
  const key = inFile('hooks.key', 'the-key-of-the-webhooks-of-this-test');
  const [event] = JSON.parse((await run('events list --upcoming --status active --limit 1 --json')).stdout);
  const type = event.event_type;
  return {
    'events cancel, many': `events cancel --from ${events} --confirm 2`,
    'events move': `events move ${event.uri} --to 2026-11-25T10:00:00Z --yes`,
    'invitees create, first free': `invitees create --event-type ${type} --first-free --email ada@engine.example --name Ada --timezone UTC --yes`,
    'invitees create, many': `invitees create --event-type ${type} --from ${people} --confirm 1`,
    'availability off': 'availability off 2026-12-24 --yes',
    'webhooks backfill': `webhooks backfill --since 2026-11-14 --forward-to http://127.0.0.1:9 --signing-key-file ${key} --yes`,
    'config apply': `config apply ${team} --yes`,
    'compliance delete, many': `compliance delete --from ${addresses} --confirm 1`,
    'api POST': 'api POST /invitees/NOBODY/no_show --yes',
    'api DELETE': 'api DELETE /webhook_subscriptions/NOBODY --yes',
  };
};

const isReading = /^\S+ (list|get|hosts|me|submissions|relationships?|metadata)$/;
const lines = Object.entries({ ...(await linesIn(await createWorld())), ...(await linesOfOthers()) }).filter(
  ([name]) => !isReading.test(name),
);

/** Creations and changes that nobody is asked about. */
const unasked = ['event-types create', 'event-types update', 'invitees create', 'invitees create, first free'].concat(
  'invitees no-show',
  'one-offs create',
  'shares create',
  'webhooks create',
);

const withoutAgreement = (line: string): string => line.replace(/ --(yes|confirm \d+)\b/g, '');

/** A fresh service, and a home. */
const freshWorld = async () => {
  const { run } = await createWorld();
  const home = temporaryDirectory();
  return (line: string, more: WorldOptions = {}): Promise<Result> => run(line, { home, ...more });
};

/** The same with a protected profile in the home. */
const protectedWorld = async () => {
  const run = await freshWorld();
  expect((await run(`profiles add prod --base-url ${root} --auth-url ${root} --protected yes`)).code).toBe(0);
  return run;
};

test('every command that can write has a line here', async () => {
  const has = (name: string) => lines.some(([, line]) => `${line} `.startsWith(`${name} `));
  const missing = (await allCommands())
    .filter(([, command]) => !['local', 'read'].includes(commandEffect(command)))
    .map(([name]) => name)
    .filter((name) => !has(name));
  // The service of these tests has no such link. A call of the server is a command of its own.
  expect(missing).toEqual(['shares create-link', 'mcp serve']);
});

describe.each(sample(lines, 12))('%s', (name, line) => {
  test('sends no write under --dry-run', async () => {
    const run = await freshWorld();
    const ways: [string, WorldOptions][] = [
      [`${line} --dry-run`, {}],
      [`${withoutAgreement(line)} --dry-run`, { terminals, stdin: 'y\ny\n' }],
      [`${line} --curl`, {}],
    ];
    for (const [words, world] of ways) {
      const result = await run(words, world);
      expect([words, result.code, writes(result)]).toEqual([words, 0, []]);
    }
  });

  test('sends no write without agreement', async () => {
    const run = await freshWorld();
    if (unasked.includes(name)) return expect(writes(await run(line)).length).toBeGreaterThan(0);
    const ways: WorldOptions[] = [{}, { env: { SCHED_NO_INPUT: '1' }, terminals }, { terminals, stdin: 'n\nn\n' }];
    for (const way of ways) {
      const result = await run(withoutAgreement(line), way);
      expect([line, result.code, writes(result)]).toEqual([line, 12, []]);
    }
    return undefined;
  });

  test('sends no write with a protected profile, unless its name is repeated', async () => {
    const run = await protectedWorld();
    const sure = line.includes('--yes') ? line : `${line} --yes`;
    const env = { SCHED_PROFILE: 'prod' };
    for (const way of [{ env }, { env: { ...env, SCHED_NO_INPUT: '1' }, terminals }]) {
      const refused = await run(sure, way);
      expect([line, refused.code, writes(refused)]).toEqual([line, 12, []]);
    }
    const no = await run(sure, { env, terminals, stdin: 'n\nn\n' });
    expect([line, no.code, writes(no)]).toEqual([line, 12, []]);
    expect(no.stderr).toContain('prod (protected)');
    expect((await run(`${sure} --profile-is staging`, { env })).code).toBe(2);
    const done = await run(`${sure} --profile-is prod`, { env });
    expect(done.stderr).not.toContain('Confirmation needed');
    expect(writes(done).length).toBeGreaterThan(0);
  });
});

describe('a command that sends a write too early', () => {
  afterEach(() => vi.restoreAllMocks());

  const cancel = async ({ client }: Context): Promise<undefined> => {
    await (await client()).write(events.cancel, { path: { event: 'KMVB3TWXU6CHW4DN' }, body: {} });
  };
  const early = {
    read: async (context: Context) => cancel(context),
    question: async (context: Context) => cancel(context),
    requests: async (context: Context) => cancel(context),
    remarks: async (context: Context) => cancel(context),
    // They are no place to wait for a reply, so this one doesn't.
    nothingToDo: (context: Context) => void cancel(context).catch(() => {}),
    changes: (context: Context) => void cancel(context).catch(() => {}),
  };

  /** Runs this in place of a command. */
  const runs = (run: Command['run']) => {
    const command: Command = {
      ...{ name: 'ratelimit', summary: '', arguments: [], flags: [], examples: [], effect: 'change' },
      run,
    };
    vi.spyOn(nouns.ratelimit!, 'commands').mockResolvedValue([command]);
  };

  /** Runs a command whose plan sends a write in this part. */
  const plant = (part: keyof typeof early) =>
    runs(async ({ context }) => {
      const parts: Omit<Plan, 'kind'> & Pick<Required<Plan>, 'requests'> = {
        requests: () => ({ operation: events.cancel, inputs: [{ path: { event: 'KMVB3TWXU6CHW4DN' } }] }),
        question: () => ({ question: 'Cancel it?', action: 'cancel it' }),
        send: async () => ({ kind: 'nothing' }),
      };
      const own = parts[part] as ((...args: unknown[]) => unknown) | undefined;
      const planted = (...args: unknown[]) => {
        const sent = early[part](context);
        return sent === undefined ? own?.(...args) : sent.then(() => own?.(...args) ?? []);
      };
      return plan({ ...parts, [part]: planted });
    });

  test.each(Object.keys(early) as (keyof typeof early)[])('is stopped: in its %s', async (part) => {
    plant(part);
    const run = await protectedWorld();
    const ways: [string, WorldOptions][] = [
      ['ratelimit --dry-run', {}],
      ['ratelimit', {}],
      ['ratelimit', { terminals, stdin: 'n\n' }],
      ['ratelimit --yes', { env: { SCHED_PROFILE: 'prod' } }],
    ];
    const results = [];
    for (const [line, more] of ways) results.push(await run(line, more));
    expect(results.flatMap(writes)).toEqual([]);
    // Each part is asked for in one of the ways, and what waits for its write fails.
    const isAwaited = early[part].constructor.name === 'AsyncFunction';
    expect(results.some(({ code }) => code === 1)).toBe(isAwaited);
  });

  test('is stopped in the plan after one that was refused', async () => {
    const late: Plan = plan({
      requests: () => ({ prepared: [] }),
      send: async () => {
        throw new SchedError('conflict', 'It is taken');
      },
      refused: async () => ({ ...late, read: async () => cancel(running), refused: undefined }),
    });
    let running: Context;
    runs(async ({ context }) => {
      running = context;
      return late;
    });
    const result = await (await freshWorld())('ratelimit --yes');
    expect([result.code, writes(result)]).toEqual([1, []]);
  });
});
