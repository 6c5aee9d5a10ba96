import { expect, test } from 'vitest';
import { type ReceiptLine, readReceipt } from '../../../src/commands/bulk/work-receipt.ts';
import { startReceipt } from '../../../src/commands/bulk/work-receipt-file.ts';
import type { Disk } from '../../../src/state/disk.ts';
import { headerFor, memoryDisk } from '../harness.ts';

const verdict = (batch: number): ReceiptLine => ({ type: 'verdict', batch, at: 'T', verdict: 'accepted' });
const start = (disk: Disk) => startReceipt(disk, 'r', headerFor(1), false, 'draft');

const headOnDisk = ({ bytes }: ReturnType<typeof memoryDisk>) => {
  const reading = readReceipt(bytes!);
  return reading.ok && reading.head;
};

/** A disk on which one step fails once and then works again. */
const failingOnce = (disk: Disk, step: 'append' | 'sync', trouble: Error): Disk => {
  let hasFailed = false;
  return {
    ...disk,
    open: async (path) => {
      const file = await disk.open(path);
      const fail = () => {
        if (hasFailed) return;
        hasFailed = true;
        throw trouble;
      };
      return {
        ...file,
        append: (text) => {
          if (step === 'append') fail();
          file.append(text);
        },
        sync: () => {
          if (step === 'sync') fail();
          file.sync();
        },
      };
    },
  };
};

test('keeps the head equal to the head on disk', async () => {
  const disk = memoryDisk();
  const receipt = await start(disk);
  const before = receipt.head;
  for (const write of [receipt.add, receipt.write]) {
    write(verdict(1));
    expect(headOnDisk(disk)).toBe(receipt.head);
  }
  expect(receipt.head).not.toBe(before);
});

test.each(['append', 'sync'] as const)(
  'writes nothing after a failed %s, and throws the same error again',
  async (step) => {
    const disk = memoryDisk();
    const trouble = new Error('the disk is full');
    const receipt = await start(failingOnce(disk, step, trouble));
    expect(receipt.isBroken).toBe(false);
    expect(() => receipt.write(verdict(1))).toThrow(trouble);
    const { length } = disk.bytes!;
    expect(receipt.isBroken).toBe(true);
    expect(() => receipt.add(verdict(2))).toThrow(trouble);
    expect(() => receipt.write(verdict(2))).toThrow(trouble);
    expect(disk.bytes).toHaveLength(length);
  },
);
