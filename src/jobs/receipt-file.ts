import { SchedError } from '../errors.ts';
import type { Appendable, Disk } from './disk.ts';
import { firstPrev, type Receipt, type ReceiptLine, type RunLine, sealLine } from './receipt.ts';

/** A receipt that is being written. */
export interface ReceiptFile {
  readonly path: string;
  /** Hash of the last line. */
  readonly head: string;
  /** Whether it can no longer be written: then nothing may be sent any more. */
  readonly isBroken: boolean;
  /** Appends a line. `isDurable`: it is on disk when this returns, and so is everything before it. */
  write(line: ReceiptLine, isDurable: boolean): Promise<void>;
  close(): Promise<void>;
}

const otherWriter = (path: string): SchedError =>
  new SchedError('conflict', 'Another process writes into the same receipt', { reason: path, outcome: 'not-applied' });

const writing = (
  path: string,
  file: Appendable,
  at: { size: number; head: string },
  isSandbox: boolean,
): ReceiptFile => {
  let { size, head } = at;
  let isBroken = false;
  return {
    path,
    get head() {
      return head;
    },
    get isBroken() {
      return isBroken;
    },
    async write(line, isDurable) {
      if (isBroken) throw new SchedError('environment', `Cannot write ${path}`, { reason: 'an earlier line failed' });
      const { text, hash } = sealLine(line, head, isSandbox);
      isBroken = true;
      if (file.size() !== size) throw otherWriter(path);
      file.append(text);
      if (isDurable) await file.sync();
      isBroken = false;
      size += text.length;
      head = hash;
    },
    close: () => file.close(),
  };
};

/** Begins a receipt: it is there with its first line, or not at all. */
export const startReceipt = async (
  disk: Disk,
  path: string,
  line: RunLine,
  isSandbox: boolean,
  unique: string,
): Promise<ReceiptFile> => {
  const { text, hash } = sealLine(line, firstPrev, isSandbox);
  await disk.create(path, text, unique);
  return writing(path, await disk.open(path), { size: text.length, head: hash }, isSandbox);
};

/** Goes on writing one; what a killed process left of its last line is cut off first. */
export const continueReceipt = async (disk: Disk, path: string, receipt: Receipt): Promise<ReceiptFile> => {
  const { wholeBytes, tornBytes, head, isSandbox } = receipt;
  const file = await disk.open(path);
  try {
    if (file.size() !== wholeBytes + tornBytes) throw otherWriter(path);
    if (tornBytes > 0) await file.truncate(wholeBytes);
  } catch (error) {
    await file.close();
    throw error;
  }
  return writing(path, file, { size: wholeBytes, head }, isSandbox);
};
