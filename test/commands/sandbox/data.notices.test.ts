import { beforeEach, expect, test } from 'vitest';
import { clock as realClock } from '../../../src/node/clock.ts';
import { openReceiver } from '../../sandbox/webhooks/receiver.ts';
import { createWorld, jsonOf, network, someday, type TestWorld } from '../../support/run.ts';
import { seededFile } from '../../support/seeded.ts';
import { startServing } from '../../support/serving.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

let world: TestWorld;
let file: string;
beforeEach(async () => {
  const env = { SCHED_TOKEN: '', SCHED_BASE_URL: '' };
  world = await createWorld({ home: temporaryDirectory(), env, send: network });
  file = await seededFile(someday);
});

/** Runs a sandbox with the data. */
const start = async (...flags: string[]) => {
  // An attempt to deliver may take real time. The clock itself stands still.
  const clock = { now: world.clock.now, sleep: realClock.sleep };
  const { text } = await startServing(world.run, ['--json', '--data', file, ...flags], { clock });
  const { base_url: url, token, admin_token: secret } = JSON.parse(text);
  const env = { SCHED_TOKEN: token, SCHED_BASE_URL: url, SCHED_SANDBOX_ADMIN: secret };
  const admin = async (method: string, path: string) =>
    (await fetch(`${url}/__sandbox/${path}`, { method, headers: { 'x-sandbox-admin': secret } })).text();
  return { url, admin, run: (line: string) => world.run(line, { env }) };
};

const book =
  'invitees create --event-type "Intro call" --start 2027-02-01T10:00:00Z --email ada@engine.example --name Ada --timezone UTC';

test('sandbox notices lists them from the running sandbox, and from the data', async () => {
  const sandbox = await start();
  expect((await sandbox.run('sandbox notices')).stderr).toBe('No notices found\n');
  await sandbox.run(book);
  const { stdout } = await sandbox.run('sandbox notices --to ada@engine.example --tz UTC');
  expect(stdout).toBe(
    '2026-11-15T18:00:00.000Z\tada@engine.example\tevent.confirmed\tConfirmed: Intro call with Amara Lindqvist, 2027-02-01 10:00 UTC\n',
  );
  const fromData = jsonOf(await world.run(`sandbox notices --data ${file} --json`));
  expect(fromData).toEqual(jsonOf(await sandbox.run('sandbox notices --json')));
  expect(fromData).toHaveLength(2);
  expect(fromData[0].about).toMatch(`${sandbox.url}/scheduled_events/`);
  expect(await sandbox.admin('DELETE', 'notices')).toBe('{"notices":[]}');
  expect(jsonOf(await sandbox.run('sandbox notices --json'))).toEqual([]);
  expect(await sandbox.admin('GET', 'notices?kind=letter')).toContain('"parameter":"kind"');
});

test('deleted data is there for 7 days of the clock, and then nowhere, without a request', async () => {
  const { url, heard } = await openReceiver();
  const sandbox = await start('--webhook-to', url);
  await sandbox.run(book);
  await heard(1);
  expect((await sandbox.run('compliance delete ada@engine.example --yes')).code).toBe(0);
  /** What can be seen without a request to the service. */
  const seen = async () => (await sandbox.admin('GET', 'deliveries')) + (await sandbox.admin('GET', 'notices'));
  await sandbox.run('sandbox clock advance 6d');
  expect(await seen()).toMatch(/"Ada".*ada@engine\.example/);
  await world.clock.sleep(86_400_000);
  expect(await seen()).not.toMatch(/\bAda\b|ada@engine/);
  const [{ kind, to }] = jsonOf(await sandbox.run('sandbox notices --json'));
  expect([kind, to]).toEqual(['data.deleted', 'amara.lindqvist@northlight.example']);
  const [entry] = jsonOf(await sandbox.run('activity list --action Delete --json'));
  expect(entry.occurred_at).toBe('2026-11-22T18:00:00.000Z');
  expect(jsonOf(await sandbox.run('events list --invitee ada@engine.example --any-time --json'))).toEqual([]);
});
