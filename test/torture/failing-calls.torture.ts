import { afterAll, beforeAll, expect, test } from 'vitest';
import { callKinds, errorCodes, failingCommands, openFailingCalls, wrongWith } from '../e2e/failing-calls.ts';
import { describeWith } from '../support/tools.ts';

/** This many calls of each kind fail in every way, the others in one way each. */
const inEveryWay = 5;

// R65
describeWith('strace')('a system call that fails once', () => {
  let sweep: Awaited<ReturnType<typeof openFailingCalls>>;
  beforeAll(async () => {
    sweep = await openFailingCalls();
  });
  afterAll(() => sweep.stop());

  test.each(failingCommands)('never silences %s', async (command) => {
    const calls = await sweep.callsOf(command);
    const wrong: string[] = [];
    let runs = 0;
    let failed = 0;
    for (const kind of callKinds) {
      const ends: Record<string, number> = {};
      for (const [index, call] of calls[kind].entries())
        for (const code of index < inEveryWay ? errorCodes : [errorCodes[index % errorCodes.length]!]) {
          const run = await sweep.fail(command, call, code);
          const problem = wrongWith(run);
          if (problem !== undefined) wrong.push(`${call.name} ${call.path} (${call.number}) ${code}: ${problem}`);
          runs += 1;
          if (run.failed.length > 0) failed += 1;
          ends[`exit ${run.code}`] = (ends[`exit ${run.code}`] ?? 0) + 1;
        }
      process.stdout.write(`${command}, ${kind}: ${JSON.stringify(ends)}\n`);
    }
    expect(wrong).toEqual([]);
    // The names of a few files have the time in them, so no run finds them again.
    expect(failed / runs).toBeGreaterThan(0.8);
  });
});
