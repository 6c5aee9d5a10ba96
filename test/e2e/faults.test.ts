import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sample } from '../support/tier.ts';
import { farMonday, type RunningSandbox, sched, startSandbox, temporaryHome, testClock } from './program.ts';

/** A fault of the sandbox, a command that meets it, and what R26 says: how often it is sent, and the exit code. */
const all: [operation: string, fault: string, line: string, sent: number, code: number][] = [
  ['events.get', 'reset-before', 'events get JW6SHQTS78SH7TS8', 2, 0],
  ['invitees.create', 'reset-after', 'invitees create', 1, 0],
  ['shares.create', 'reset-after', 'shares create --event-type YBL6DUNR9FS4PNP6', 1, 10],
];
/** every-command/faults.test.ts has the whole table, in one process. */
const samples = sample(all, 1);

/** What a line needs besides that is not the same every day. */
const words: Record<string, string[]> = {
  'invitees create': [
    ...['--event-type', 'YBL6DUNR9FS4PNP6', '--start', farMonday(), '--timezone', 'UTC'],
    ...['--email', 'ada@engine.example', '--name', 'Ada'],
  ],
};

// R26
describe('faults: real processes', () => {
  let sandbox: RunningSandbox;
  beforeAll(async () => {
    sandbox = await startSandbox(...samples.flatMap(([operation, fault]) => ['--fault', `${operation} ${fault}`]));
  });
  afterAll(() => sandbox.stop());

  test('a sample of operations and faults: requests and exit codes as in the table', async () => {
    const { base_url, token, admin_token } = sandbox;
    // Said, so that nothing else is asked for.
    const who = {
      SCHED_USER: 'http://127.0.0.1:4010/users/XYCWQX76WEER7A9Y',
      SCHED_ORG: 'http://127.0.0.1:4010/organizations/GHDAK7KT3RW2W9R9',
    };
    const env = { SCHED_BASE_URL: base_url, SCHED_TOKEN: token, ...who, ...testClock().env };
    const results = await Promise.all(
      samples.map(([, , line]) => sched([...line.split(' '), ...(words[line] ?? []), '--json'], temporaryHome(), env)),
    );
    const reply = await fetch(`${base_url}/__sandbox/log`, { headers: { 'x-sandbox-admin': admin_token } });
    const { log } = (await reply.json()) as { log: { operation: string }[] };
    const seen = samples.map(([operation, fault], index) => [
      operation,
      fault,
      log.filter((entry) => entry.operation === operation).length,
      results[index]!.code,
    ]);
    expect(seen).toEqual(samples.map(([operation, fault, , sent, code]) => [operation, fault, sent, code]));
  });
});
