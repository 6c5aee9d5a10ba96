import { SchedError } from '../../src/base/errors.ts';
import { type Counts, countOutcomes, type RunLine } from '../../src/commands/bulk/work-receipt.ts';
import { continueReceipt, startReceipt } from '../../src/commands/bulk/work-receipt-file.ts';
import { leftOf, runJob, type SendResult } from '../../src/commands/bulk/work-run.ts';
import { openReceipt } from '../../src/commands/bulk/work-runs.ts';
import { type Disk, realDisk } from '../../src/state/disk.ts';

/** The process was killed: none of its later steps happen. */
export class Killed extends Error {}

/** A process that was killed at a step takes no later one. */
export class KillSwitch {
  isKilled = false;

  next(): void {
    if (this.isKilled) throw new Killed();
  }
}

/** The real disk of a process that is killed while it writes this line, counted from 1. */
export const dyingDisk = (lastLine: number): Disk => ({
  ...realDisk,
  open: async (path) => {
    const file = await realDisk.open(path);
    let lines = 0;
    const append = (text: string) => {
      lines += 1;
      if (lines < lastLine) return file.append(text);
      if (lines === lastLine) file.append(text.slice(0, text.length / 2));
      throw new Killed();
    };
    return { ...file, append };
  },
});

/** One file in memory, for tests with thousands of runs. */
export const memoryDisk = (bytes?: Buffer): Disk & { bytes: Buffer | undefined } => {
  const disk = {
    bytes,
    create: async (_: string, text: string) => {
      disk.bytes = Buffer.from(text);
    },
    read: async () => disk.bytes,
    open: async () => ({
      size: () => disk.bytes!.length,
      append: (text: string) => {
        disk.bytes = Buffer.concat([disk.bytes!, Buffer.from(text)]);
      },
      sync: () => {},
      truncate: async (size: number) => {
        disk.bytes = disk.bytes!.subarray(0, size);
      },
      close: async () => {},
    }),
  };
  return disk;
};

/** A service that records the items it receives. */
export const createService = (
  answer: (items: readonly string[]) => SendResult | Promise<SendResult> = () => ({ verdict: 'accepted', status: 202 }),
) => {
  const requests: string[][] = [];
  return {
    requests,
    send: async (items: readonly string[], leaving: () => Promise<void>) => {
      await leaving();
      requests.push([...items]);
      return answer(items);
    },
    /** How often each item arrived. */
    times: () => {
      const times = new Map<string, number>();
      for (const item of requests.flat()) times.set(item, (times.get(item) ?? 0) + 1);
      return times;
    },
  };
};

export const itemsUpTo = (count: number): string[] => Array.from({ length: count }, (_, index) => `item-${index}`);

export const headerFor = (total: number): RunLine => ({
  type: 'run',
  receipt: 1,
  run: 'R',
  at: '2026-11-15T18:00:00.000Z',
  tool: 'sched test',
  operation: 'test',
  endpoint: 'https://api.example.com/x',
  owner: 'unknown',
  organization: 'unknown',
  key: 'none',
  input: 'i',
  total,
  duplicates: 0,
  skipped: 0,
});

/** One process: starts the receipt at `path` or resumes it. */
export const runOnce = async (
  path: string,
  items: string[],
  service: ReturnType<typeof createService>,
  { batchSize = 3, isSandbox = false, disk = realDisk, onProgress = () => {}, follow = async () => {} } = {},
): Promise<Counts> => {
  const opened = await openReceipt(disk, path);
  if (opened?.ok === false) throw new SchedError('integrity', `edited at line ${opened.line}: ${opened.problem}`);
  const receipt =
    opened === undefined
      ? await startReceipt(disk, path, headerFor(items.length), isSandbox, `draft-${Math.random()}`)
      : await continueReceipt(disk, path, opened.receipt);
  try {
    if (opened !== undefined) {
      const facts = { at: '2026-11-15T19:00:00.000Z', tool: 'sched test', owner: 'unknown', organization: 'unknown' };
      receipt.write({ type: 'resumed', ...facts, repaired: opened.receipt.tornBytes });
    }
    const job = { items, mark: (item: string) => `mark-of-${item}`, batchSize, send: service.send, follow };
    return await runJob(job, {
      clock: { now: () => Date.parse('2026-11-15T18:00:01Z') },
      interrupted: new AbortController().signal,
      receipt,
      remaining: leftOf(job, opened?.history),
      nextBatch: opened?.history.nextBatch ?? 1,
      counts: opened === undefined ? countOutcomes([], items.length, 0) : { ...opened.history.counts, unknown: 0 },
      onProgress,
    });
  } finally {
    await receipt.close();
  }
};
