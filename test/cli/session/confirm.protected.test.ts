import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { linesIn } from '../../every-command/operation-lines.ts';
import { createWorld, type TestWorld, terminals, type WorldOptions, writes } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

/*
 * A protected profile: what it asks, and how. That no command writes without an answer or the name of the profile is tested in
 * test/every-command/protection.test.ts.
 */

const addProfile = (world: TestWorld, home: string, ...more: string[]) =>
  world.run(
    ['profiles', 'add', 'prod', '--base-url', 'http://127.0.0.1:4010', '--auth-url', 'http://127.0.0.1:4010', ...more],
    { home },
  );

/** A fresh service and a home with the protected profile. */
const protectedWorld = async () => {
  const world = await createWorld();
  const home = temporaryDirectory();
  expect(await addProfile(world, home, '--protected', 'yes')).toMatchObject({ code: 0 });
  const run = (line: string | string[], more: WorldOptions = {}) =>
    world.run(line, { home, ...more, env: { SCHED_PROFILE: 'prod', ...more.env } });
  return { world, home, run };
};

const lines = await linesIn(await createWorld());

describe('a protected profile', () => {
  test('asks once, and a yes is enough', async () => {
    const { run } = await protectedWorld();
    const done = await run('event-types create --name Chat --duration 25 --yes', { terminals, stdin: 'y\n' });
    expect([done.code, writes(done).length]).toEqual([0, 1]);
    expect(done.stderr.match(/\[y\/N\]/g)).toHaveLength(1);
    const canceled = await run(lines['events cancel']!, { terminals, stdin: 'y\n' });
    expect([canceled.code, writes(canceled).length]).toEqual([0, 1]);
    expect(canceled.stderr.match(/\[y\/N\]/g)).toHaveLength(1);
  });

  test.each([
    ['event-types create --name Chat --duration 25', /^Create an event type\? [\s\S]*name +Chat\n +duration +25\n/],
    ['event-types update YBL6DUNR9FS4PNP6 --duration 20', /^Change event type with ID YBL6\w+\? [\s\S]*duration +20\n/],
    ['api POST /reports -f kind=all', /^Send POST \/reports\? [\s\S]*kind +all\n/],
    [lines['invitees create']!, /^Book a meeting\? [\s\S]*invitee\.email +\S+@/],
  ])('says what is written: %s', async (line, question) => {
    const { run } = await protectedWorld();
    const { stderr } = await run(line, { terminals, stdin: 'n\n' });
    expect(stderr).toMatch(question);
    expect(stderr).toContain('? The profile prod is protected.');
  });

  test.each([
    ['compliance delete noa.levi@gefen.example --yes', '; add --profile-is prod\n'],
    ['compliance delete noa.levi@gefen.example', '; add --yes --profile-is prod\n'],
    ['event-types create --name Chat --duration 25 --yes', '--yes --profile-is prod -p prod\n'],
    [lines['events cancel']!, '--yes --profile-is prod -p prod\n'],
  ])('says without a terminal which flag is missing, and why: %s', async (line, end) => {
    const { run } = await protectedWorld();
    const { code, stderr } = await run(line);
    expect(code).toBe(12);
    expect(stderr).toContain('cause: the profile prod is protected, so --yes needs its name beside it');
    expect(stderr.endsWith(end)).toBe(true);
  });

  test('asks beside a confirmed digest', async () => {
    const { run, home } = await protectedWorld();
    const config = join(home, 'org.yaml');
    writeFileSync(config, (await run('config export')).stdout.replace('duration: 15', 'duration: 20'));
    const digest = JSON.parse((await run(`config diff ${config} --json`)).stdout).digest;
    for (const flags of [`--confirm ${digest}`, '--yes', `--confirm ${digest} --yes`]) {
      const refused = await run(`config apply ${config} ${flags}`);
      expect([flags, refused.code, writes(refused)]).toEqual([flags, 12, []]);
    }
    const asked = await run(`config apply ${config} --confirm ${digest}`, { terminals, stdin: 'n\n' });
    expect([asked.stderr, writes(asked)]).toEqual([expect.stringContaining('prod (protected)'), []]);
    const applied = await run(`config apply ${config} --confirm ${digest} --profile-is prod`);
    expect([applied.code, writes(applied).length]).toEqual([0, 1]);
  });

  test('reads as usual, and shows that it is protected', async () => {
    const { run } = await protectedWorld();
    expect(await run('events list --limit 1')).toMatchObject({ code: 0 });
    expect(JSON.parse((await run('whoami --json')).stdout)._sched).toMatchObject({ profile: 'prod', protected: true });
    expect((await run('whoami', { terminals })).stdout).toContain(' · protected · profile prod');
    expect(JSON.parse((await run('profiles show --json')).stdout).protected).toBe(true);
    expect((await run('event-types create --name Chat --duration 25 --dry-run')).code).toBe(0);
    expect((await run('events list -p prod --profile-is prod --limit 1')).code).toBe(0);
  });

  test('keeps its protection, unless its name or an answer ends it', async () => {
    const { run, home } = await protectedWorld();
    const before = readFileSync(join(home, '.config/sched/config.json'), 'utf8');
    for (const line of [
      'profiles set protected no --yes',
      "profiles set protected '' --yes",
      'profiles remove prod --yes',
      'profiles remove prod --yes --profile-is other',
    ])
      expect([line, (await run(line)).code]).toEqual([line, 12]);
    expect(readFileSync(join(home, '.config/sched/config.json'), 'utf8')).toBe(before);
    expect((await addProfile(await createWorld(), home)).code).toBe(7);
    expect((await run('profiles set protected no --yes --profile-is prod')).code).toBe(0);
    expect(await run('event-types create --name Chat --duration 25')).toMatchObject({ code: 0 });
    expect((await run('profiles set protected maybe')).code).toBe(2);
    expect((await run('profiles set protected yes')).code).toBe(0);
    expect((await run('event-types create --name Chat --duration 25')).code).toBe(12);
  });
});

describe('--profile-is', () => {
  let world: TestWorld;
  beforeAll(async () => {
    world = await createWorld();
  });

  test('must name the profile in use', async () => {
    const { run } = await protectedWorld();
    const wrong = await run('events list --profile-is prod2');
    expect([wrong.code, wrong.requests]).toEqual([2, []]);
    expect(wrong.stderr).toContain('--profile-is is "prod2", but the profile in use is "prod"');
    const none = await world.run('events list --profile-is prod');
    expect(none.stderr).toContain('--profile-is is "prod", but no profile is in use');
  });
});
