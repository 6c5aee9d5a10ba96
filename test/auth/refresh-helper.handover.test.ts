import { describe, expect, test } from 'vitest';
import { usualServer } from '../../src/auth/auth-server.ts';
import { refreshHelperFor } from '../../src/auth/refresh-helper.ts';
import { SchedError } from '../../src/base/errors.ts';
import type { Clock, Machine } from '../../src/base/system.ts';
import type { ChildProcess } from '../../src/runtime.ts';
import type { HeldLock } from '../../src/state/lock.ts';
import { machineIn, random } from './support/memory.ts';

const job = {
  key: { issuer: 'i', client: 'c', user: 'u' },
  server: usualServer('https://i.example'),
  store: 'file',
  config: '/c',
} as const;

/** A helper with a given reply for each line, and a runtime around it. `never` means no reply. */
const world = (
  answers: (string | undefined | 'never')[],
  {
    isGiven = true,
    running = true,
    machine = machineIn('/nonexistent'),
  }: { isGiven?: boolean; running?: boolean; machine?: Machine } = {},
) => {
  const events: string[] = [];
  const controller = new AbortController();
  const helper: ChildProcess = {
    pid: process.pid,
    say: (line) => events.push(line.startsWith('{') ? 'job' : line),
    hear: () => {
      const answer = answers.shift();
      return answer === 'never' ? new Promise(() => {}) : Promise.resolve(answer);
    },
    isRunning: () => running,
    kill: () => events.push('killed'),
    leave: () => events.push('left'),
  };
  const clock: Clock = {
    now: () => 0,
    // Longer than any reply takes.
    sleep: () => new Promise((resolve) => setImmediate(() => setImmediate(resolve))),
  };
  const held: HeldLock = {
    keep: async () => true,
    release: async () => {},
    handOver: async (heir) => {
      if (machine.platform === 'win32') events.push(`started by ${heir.started}`);
      events.push(`given to ${heir.pid === process.pid ? 'the helper' : heir.pid}`);
      return isGiven;
    },
  };
  const start = refreshHelperFor(job, {
    env: {},
    startChild: async () => helper,
    machine: { ...machine, program: ['sched'] },
    clock,
    randomBytes: random,
    interrupted: controller.signal,
  })!;
  return { events, controller, run: () => start(held) };
};

const given = 'given to the helper';

describe('handover', () => {
  test('gives the lock to a helper that is ready, and then says go', async () => {
    const { run, events } = world(['ready', '{}']);
    expect(await run()).toBe('done');
    expect(events).toEqual(['job', given, 'go', 'left']);
  });

  // It would look like another process that has got the PID later.
  test('does not give the age of the command to the helper on Windows', async () => {
    const machine = { ...machineIn('/nonexistent'), platform: 'win32', startedAt: -3_600_000 };
    const { run, events } = world(['ready', '{}'], { machine });
    await run();
    expect(events).toContain('started by 0');
  });

  test('keeps the lock if the helper ends or does not start', async () => {
    for (const answers of [[undefined], ['never'], ['what?']]) {
      const { run, events } = world(answers);
      expect(await run()).toBe('not started');
      expect(events).toEqual(['job', 'killed', 'left']);
    }
    const { run, events } = world(['ready'], { running: false });
    expect(await run()).toBe('not started');
    expect(events).toEqual(['job', 'left']);
  });

  test('does not say go if the lock was lost or a signal arrived', async () => {
    const lost = world(['ready'], { isGiven: false });
    expect(await lost.run()).toBe('ended early');
    expect(lost.events).toEqual(['job', given, 'left']);
    const stopped = world(['ready']);
    stopped.controller.abort(new SchedError('interrupted', 'Interrupted'));
    await expect(stopped.run()).rejects.toThrow('Interrupted');
    expect(stopped.events).toEqual(['job', given, 'left']);
  });

  test('reports a helper that ended early, and names one that takes too long', async () => {
    expect(await world(['ready', undefined]).run()).toBe('ended early');
    const { run, events } = world(['ready', 'never']);
    await expect(run()).rejects.toMatchObject({
      category: 'environment',
      facts: { reason: expect.stringContaining(`process ${process.pid} `) },
    });
    expect(events).toEqual(['job', given, 'go', 'left']);
  });

  test("throws the helper's error unchanged", async () => {
    const error = { category: 'auth', message: 'The login is no longer valid', facts: { hint: 'sched auth login' } };
    await expect(world(['ready', JSON.stringify({ error })]).run()).rejects.toMatchObject(error);
  });

  test('is undefined if it is not known how to start sched, and reports a helper that cannot be started', async () => {
    const { clock } = { clock: { now: () => 0, sleep: async () => {} } };
    const bare = {
      env: {},
      startChild: () => Promise.reject(new Error('ENOENT')),
      machine: machineIn('/'),
      clock,
      randomBytes: random,
      interrupted: new AbortController().signal,
    };
    expect(refreshHelperFor(job, bare)).toBeUndefined();
    const held = { keep: async () => true, release: async () => {}, handOver: async () => true };
    const started = { ...bare, machine: { ...bare.machine, program: ['sched'] } };
    expect(await refreshHelperFor(job, started)!(held)).toBe('not started');
  });
});
