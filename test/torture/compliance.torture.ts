import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bytesABatch, openTorture, type Step, type Torture } from '../e2e/kills.ts';
import { type RunningSandbox, startSandbox } from '../e2e/program.ts';

let sandbox: RunningSandbox;
let torture: ReturnType<typeof openTorture>;
beforeAll(async () => {
  sandbox = await startSandbox('--no-limits');
  torture = openTorture(sandbox);
});
afterAll(() => sandbox?.stop());

const ways: Step['how'][] = ['before', 'half', 'after'];

/** R34, checked with the sandbox's own log. */
const expectWhole = (told: Torture, total: number) => {
  expect(told).toMatchObject({
    lost: 0,
    leaks: 0,
    status: 'sandbox',
    result: { total, accepted: total, rejected: 0, unknown: 0 },
  });
  expect(told.sentTwice).toBeLessThanOrEqual(told.kills * 25);
};

const report = (title: string, told: Torture) => process.stdout.write(`${title}: ${JSON.stringify(told)}\n`);

test.each(ways)('loses nothing if killed at any step of a run or of the resumed run (%s the step)', async (how) => {
  const sum: Torture[] = [];
  for (const processes of [1, 2]) {
    let wasKilled = true;
    for (let step = 1; wasKilled; step += 1) {
      const deletion = await torture.begin(75);
      // The second process resumes a run whose first process was killed after its third batch.
      if (processes === 2) await deletion.dieAfter(2 * bytesABatch);
      wasKilled = await deletion.dieAt({ step, how });
      const told = await deletion.finish();
      expectWhole(told, 75);
      sum.push(told);
    }
  }
  const total = (name: 'kills' | 'sentTwice' | 'lost') => sum.reduce((all, each) => all + each[name], 0);
  process.stdout.write(
    `every step, ${how}: ${sum.length} runs, ${total('kills')} kills, ${total('sentTwice')} sent twice, ${total('lost')} lost\n`,
  );
  expect(total('kills')).toBeGreaterThan(30);
});

test.each(ways)('sends 10,000 addresses with each process killed one step later (%s the step)', async (how) => {
  const deletion = await torture.begin(10_000);
  for (let step = 1; await deletion.dieAt({ step, how }); step += 1);
  const told = await deletion.finish();
  report(`one step later, ${how}`, told);
  expectWhole(told, 10_000);
  expect(told.kills).toBeGreaterThan(40);
});

test('sends 10,000 addresses when killed 100 times at random', async () => {
  const deletion = await torture.begin(10_000);
  const batches = 10_000 / 25 / 101;
  for (let count = 0; count < 100; count += 1) {
    // Every fifth process is killed during its start. A process sends some more batches before the kill takes effect.
    const some = count % 5 === 4 ? 0 : Math.random() * batches * bytesABatch;
    const isKilled = await deletion.dieAfter(some, () => sleep(Math.random() * (some === 0 ? 150 : 5)));
    expect(isKilled).toBe(true);
  }
  const told = await deletion.finish();
  report('random kills', told);
  expectWhole(told, 10_000);
  expect(told.kills).toBe(100);
});
