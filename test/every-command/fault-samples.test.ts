import { describe, expect, test } from 'vitest';
import { createWorld, network, someday } from '../support/run.ts';
import { seededFile } from '../support/seeded.ts';
import { startServing } from '../support/serving.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const booking =
  '--event-type YBL6DUNR9FS4PNP6 --start 2027-02-01T10:00:00Z --timezone UTC --email ada@engine.example --name Ada';

/** A fault of the sandbox, a command that meets it, and what R26 says: how often it is sent, and the exit code. */
const samples: [operation: string, fault: string, line: string, sent: number, code: number][] = [
  ['orgs.get', '503 count=all', 'orgs get', 3, 9],
  ['events.get', 'reset-before count=2', 'events get JW6SHQTS78SH7TS8', 3, 0],
  ['members.list', 'truncate count=all', 'members list', 3, 9],
  ['groups.list', '429 header.x-ratelimit-reset=86400 count=all', 'groups list', 1, 8],
  ['compliance.delete', 'reset-after', 'compliance delete noa.levi@gefen.example --yes', 2, 0],
  ['event-types.update', 'reset-after', 'event-types update YBL6DUNR9FS4PNP6 --duration 20', 1, 0],
  ['invitees.no-show', '500 count=all', 'invitees no-show', 3, 10],
  ['invitees.create', 'reset-after', `invitees create ${booking}`, 1, 0],
  ['shares.create', 'truncate', 'shares create --event-type YBL6DUNR9FS4PNP6', 1, 10],
  ['event-types.create', 'html', 'event-types create --name Chat', 1, 10],
];

// R26: the table of test/every-command/faults.test.ts holds for real sockets, too.
describe('faults of a service that listens', () => {
  test('a sample of operations and faults: requests and exit codes as in the table', async () => {
    const { run } = await createWorld({ send: network });
    const faults = samples.flatMap(([operation, fault]) => ['--fault', `${operation} ${fault}`]);
    const { text } = await startServing(run, ['--json', '--data', await seededFile(someday), ...faults]);
    const { base_url, token, admin_token } = JSON.parse(text);
    const env = {
      SCHED_BASE_URL: base_url,
      SCHED_TOKEN: token,
      // Given, so that no command has to ask for them.
      SCHED_USER: 'http://127.0.0.1:4010/users/XYCWQX76WEER7A9Y',
      SCHED_ORG: 'http://127.0.0.1:4010/organizations/GHDAK7KT3RW2W9R9',
    };
    const command = (line: string) => run(line, { env, home: temporaryDirectory() });
    const invitee = (await command('invitees list JW6SHQTS78SH7TS8 --limit 1 -o id')).stdout.trim();
    const codes: number[] = [];
    for (const [, , line] of samples)
      codes.push((await command(`${line === 'invitees no-show' ? `${line} ${invitee} --yes` : line} --json`)).code);
    const reply = await fetch(`${base_url}/__sandbox/log`, { headers: { 'x-sandbox-admin': admin_token } });
    const { log } = (await reply.json()) as { log: { operation: string }[] };
    const seen = samples.map(([operation, fault], index) => [
      operation,
      fault,
      log.filter((entry) => entry.operation === operation).length,
      codes[index],
    ]);
    expect(seen).toEqual(samples.map(([operation, fault, , sent, code]) => [operation, fault, sent, code]));
  });
});
