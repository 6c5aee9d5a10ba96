import { beforeAll, describe, expect, test } from 'vitest';
import { clock as realClock } from '../../../src/node/clock.ts';
import { createWorld, network, someday } from '../../support/run.ts';
import { seededFile } from '../../support/seeded.ts';
import { startServing } from '../../support/serving.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

let run: (line: string) => Promise<{ code: number; stdout: string; stderr: string }>;
let data: string;
beforeAll(async () => {
  const world = await createWorld({
    home: temporaryDirectory(),
    env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' },
    send: network,
  });
  data = await seededFile(someday);
  // Deliveries and the waiting itself take real time. The clock stands still.
  const clock = { now: world.clock.now, sleep: realClock.sleep };
  const { text } = await startServing(world.run, ['--json', '--data', data], { clock });
  const { base_url: url, token, admin_token: secret } = JSON.parse(text);
  const env = { SCHED_TOKEN: token, SCHED_BASE_URL: url, SCHED_SANDBOX_ADMIN: secret };
  run = (line) => world.run(line, { env, clock });
});

const book =
  'invitees create --event-type "Intro call" --start 2027-02-01T10:00:00Z --email ada@engine.example --name Ada --timezone UTC';

describe('sandbox wait', () => {
  test('waits for a notice, and counts from a mark', async () => {
    const { stdout: mark } = await run('sandbox mark');
    expect(mark).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(JSON.parse((await run('sandbox mark -o json')).stdout)).toEqual({ mark: expect.any(String) });
    const early = run('sandbox wait notice --match to=ada@engine.example --json');
    expect(await run(book)).toMatchObject({ code: 0 });
    expect(JSON.parse((await early).stdout)).toMatchObject({ kind: 'event.confirmed', to: 'ada@engine.example' });
    const late = await run(`sandbox wait request --match operation=invitees.create --since ${mark.trim()} --json`);
    expect(JSON.parse(late.stdout)).toMatchObject({ method: 'POST', path: '/invitees', status: 200 });
    const { code } = await run(`sandbox wait notice --match details.x=1 --timeout 60ms --data ${data}`);
    expect(code).toBe(9);
  });

  test('exits with 9 if nothing has come, and says what did', async () => {
    const { stdout: mark } = await run('sandbox mark');
    await run('users get me');
    const line = `sandbox wait request --match operation=groups.list --since ${mark.trim()} --timeout 60ms`;
    const { code, stderr } = await run(line);
    expect([code, stderr]).toEqual([9, expect.stringContaining('1 other request came: GET /users/me (200)')]);
  });

  test.each([
    ['sandbox wait email', 'delivery, notice'],
    ['sandbox wait notice --event invitee.created', '--event is about deliveries'],
    ['sandbox wait notice --since yesterday', '--since must be what sandbox mark has printed'],
    ['sandbox wait notice --match ada', '--match must be PATH=VALUE'],
  ])('refuses %s', async (line, problem) => {
    expect(await run(line)).toMatchObject({ code: 2, stderr: expect.stringContaining(problem) });
  });
});
