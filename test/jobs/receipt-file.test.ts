import { expect, test } from 'vitest';
import type { Disk } from '../../src/jobs/disk.ts';
import { type ReceiptLine, readReceipt } from '../../src/jobs/receipt.ts';
import { startReceipt } from '../../src/jobs/receipt-file.ts';
import { headerFor, memoryDisk } from './harness.ts';

const verdict = (batch: number): ReceiptLine => ({ type: 'verdict', batch, at: 'T', verdict: 'accepted' });
const start = (disk: Disk) => startReceipt(disk, 'r', headerFor(1), false, 'draft');

const headOnDisk = ({ bytes }: ReturnType<typeof memoryDisk>) => {
  const reading = readReceipt(bytes!);
  return reading.ok && reading.head;
};

/** Where one step fails once, and works again afterwards. */
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

test('a line that was added is written with the next one, and the head is always that of the file', async () => {
  const disk = memoryDisk();
  const receipt = await start(disk);
  const before = receipt.head;
  receipt.add(verdict(1));
  expect(receipt.head).toBe(before);
  expect(headOnDisk(disk)).toBe(before);
  receipt.write(verdict(2));
  expect(receipt.head).not.toBe(before);
  expect(headOnDisk(disk)).toBe(receipt.head);
  receipt.add(verdict(3));
  receipt.settle();
  receipt.settle();
  expect(headOnDisk(disk)).toBe(receipt.head);
  expect(disk.bytes!.toString().match(/"batch":\d/g)).toEqual(['"batch":1', '"batch":2', '"batch":3']);
});

test.each(['append', 'sync'] as const)('after a failed %s nothing more is written, and all hear why', async (step) => {
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
});
