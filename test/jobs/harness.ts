import { writeFileSync } from 'node:fs';
import { SchedError } from '../../src/errors.ts';
import { type Disk, realDisk } from '../../src/jobs/disk.ts';
import { type Counts, countOutcomes, type RunLine } from '../../src/jobs/receipt.ts';
import { continueReceipt, startReceipt } from '../../src/jobs/receipt-file.ts';
import { leftOf, runJob, type SendResult } from '../../src/jobs/run.ts';
import { openReceipt } from '../../src/jobs/runs.ts';

/** The process was killed: none of its later steps happen. */
export class Killed extends Error {}

/** Counts steps and kills the process at the chosen one. */
export class KillSwitch {
  step = 0;
  readonly last: number;

  constructor(last = Number.POSITIVE_INFINITY) {
    this.last = last;
  }

  /** `half` does the part of the step that happens before the kill. */
  next(half: () => void = () => {}): void {
    if (this.step > this.last) throw new Killed();
    this.step += 1;
    if (this.step <= this.last) return;
    half();
    throw new Killed();
  }
}

/** The real disk, which can be killed at each step. A killed append writes a share of its text. */
export const mortalDisk = (killSwitch: KillSwitch, shareWritten = 0.5): Disk => ({
  create: async (path, text, unique) => {
    killSwitch.next(() => writeFileSync(`${path}.${unique}`, text.slice(0, text.length * shareWritten)));
    await realDisk.create(path, text, unique);
    killSwitch.next();
  },
  read: (path) => realDisk.read(path),
  open: async (path) => {
    killSwitch.next();
    const file = await realDisk.open(path);
    return {
      size: () => file.size(),
      append: (text) => {
        killSwitch.next(() => file.append(text.slice(0, Math.floor(text.length * shareWritten))));
        file.append(text);
        killSwitch.next();
      },
      sync: () => {
        file.sync();
        killSwitch.next();
      },
      truncate: async (size) => {
        killSwitch.next();
        await file.truncate(size);
        killSwitch.next();
      },
      close: () => file.close(),
    };
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
    send: (killSwitch: KillSwitch) => async (items: readonly string[], leaving: () => Promise<void>) => {
      await leaving();
      killSwitch.next();
      requests.push([...items]);
      killSwitch.next();
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
  {
    killSwitch = new KillSwitch(),
    batchSize = 3,
    isSandbox = false,
    disk = mortalDisk(killSwitch),
    onProgress = () => {},
  } = {},
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
    const job = { items, mark: (item: string) => `mark-of-${item}`, batchSize, send: service.send(killSwitch) };
    return await runJob(job, {
      clock: { now: () => Date.parse('2026-11-15T18:00:01Z') },
      interrupted: new AbortController().signal,
      receipt,
      left: leftOf(job, opened?.history),
      nextBatch: opened?.history.nextBatch ?? 1,
      counts: opened === undefined ? countOutcomes([], items.length, 0) : { ...opened.history.counts, unknown: 0 },
      onProgress,
    });
  } finally {
    await receipt.close();
  }
};
