import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { handleSignals } from '../../src/node/signals.ts';

const names = ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'] as const;
const listeners = () => new Map(names.map((name) => [name, process.listeners(name)]));

/** Calls the newest listener: a real signal would also reach the test runner. */
const receive = (name: NodeJS.Signals) => process.listeners(name).at(-1)!(name);

let before: ReturnType<typeof listeners>;
beforeEach(() => {
  before = listeners();
});
afterEach(() => {
  vi.restoreAllMocks();
  for (const [name, all] of listeners())
    for (const each of all) if (!before.get(name)!.includes(each)) process.off(name, each);
});

describe('signals on Windows', () => {
  test('Ctrl-Break interrupts, and a second time it ends the process', () => {
    const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
    const { interrupted } = handleSignals({ isMidLine: false }, 'win32');
    receive('SIGBREAK');
    expect([interrupted.reason.category, exit.mock.calls]).toEqual(['interrupted', []]);
    receive('SIGBREAK');
    expect(exit.mock.calls).toEqual([[130]]);
  });

  test.each([
    ['win32', [[129]], []],
    ['linux', [], [[process.pid, 'SIGHUP']]],
  ])('a closed window ends the process on %s after protected work', async (platform, exits, kills) => {
    const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    await handleSignals({ isMidLine: false }, platform).protect(async () => {
      receive('SIGHUP');
      expect([exit.mock.calls, kill.mock.calls]).toEqual([[], []]);
    });
    expect([exit.mock.calls, kill.mock.calls]).toEqual([exits, kills]);
  });
});
