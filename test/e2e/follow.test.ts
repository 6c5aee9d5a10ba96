import { expect, test } from 'vitest';
import { spawn } from '../support/processes.ts';
import { few, isDeep, times } from '../support/tier.ts';
import { until } from '../support/until.ts';
import { openFollowTorture } from './follow-kills.ts';
import { cleanEnvironment, program, runner, sched, startSandbox, temporaryHome, usedHome } from './program.ts';

const kills = times(1, 8);

few(1, {
  // R55; test/simulation/ kills at any step.
  [`events follow misses nothing when killed ${kills} times, and repeats at most one line after each`]: async () => {
    const torture = await openFollowTorture();
    try {
      for (let count = 0; count < kills; count += 1) {
        await torture.book(5);
        await torture.dieAfter((count + 1) % 4, 3);
      }
      const told = await torture.finish();
      // Every fifth booking is canceled.
      const happened = kills * 8 + Math.floor((kills * 8) / 5);
      expect(told).toMatchObject({ kills, happened, missing: 0, invented: 0, outOfOrder: 0 });
      expect(told.mostDoubledPerKill).toBeLessThanOrEqual(1);
    } finally {
      await torture.stop();
    }
  },
  'events follow sees bookings that other processes make in the built-in sandbox': async () => {
    const home = await usedHome();
    const follow = ['--sandbox', 'events', 'follow', '--once', '-o', 'jsonl'];
    expect(await sched(follow, home)).toMatchObject({ code: 0, stdout: '' });
    const person = ['--email', 'ada@engine.example', '--name', 'Ada', '--timezone', 'UTC'];
    const booking = [
      '--sandbox',
      'invitees',
      'create',
      '--event-type',
      'Intro call',
      '--first-free',
      ...person,
      '--yes',
    ];
    expect((await sched(booking, home)).code).toBe(0);
    const { stdout } = await sched(follow, home);
    expect(JSON.parse(stdout)).toMatchObject({ event: 'invitee.created', payload: { email: 'ada@engine.example' } });
  },
});
// R30, R55; commands/follow/run.test.ts has the same in one process.
test.runIf(isDeep)('events follow leaves half of 10 requests a minute to a command that must not wait', async () => {
  const sandbox = await startSandbox('--plan', 'free');
  const home = temporaryHome();
  const env = { SCHED_TOKEN: sandbox.token, SCHED_BASE_URL: sandbox.base_url };
  // There is more to read than the limit allows.
  const args = [...program, 'events', 'follow', '--since', '-60d', '--org', 'current', '-o', 'jsonl'];
  const follower = spawn(runner, args, { env: cleanEnvironment(home, env) });
  const ended = new Promise<number | null>((resolve) => follower.once('close', resolve));
  try {
    const log = async () => {
      const headers = { 'x-sandbox-admin': sandbox.admin_token };
      const reply = await fetch(`${sandbox.base_url}/__sandbox/log`, { headers });
      return ((await reply.json()) as { log: { status: number }[] }).log;
    };
    await until(async () => (await log()).length >= 5);
    for (const noun of ['locations', 'event-types']) {
      const { code, stderr } = await sched([noun, 'list', '--no-wait'], home, env);
      expect(code, stderr).toBe(0);
    }
    expect((await log()).every(({ status }) => status === 200)).toBe(true);
    follower.kill('SIGINT');
    expect(await ended).toBe(0);
  } finally {
    follower.kill('SIGKILL');
    await sandbox.stop();
  }
});
