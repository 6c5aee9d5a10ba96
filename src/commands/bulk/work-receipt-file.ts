import { SchedError } from '../../base/errors.ts';
import type { Appendable, Disk } from '../../state/disk.ts';
import { firstPrev, type Receipt, type ReceiptLine, sealLine } from './work-receipt.ts';

/** A file of lines that are chained by their hashes: the receipt of a run, or another record. */
export interface ReceiptFile<Line extends object = ReceiptLine> {
  readonly path: string;
  /** Hash of the last line in the file. */
  readonly head: string;
  /** Whether a write has failed. Nothing may be sent after that. */
  readonly isBroken: boolean;
  /** Adds a line. A kill doesn't lose it; a power cut may, until the next `write`. */
  add(line: Line): void;
  /** Adds a line. It and all lines before it are on disk when this returns. */
  write(line: Line): void;
  close(): Promise<void>;
}

const otherWriter = (path: string): SchedError =>
  new SchedError('conflict', 'Another process is writing to this receipt', { reason: path, outcome: 'not-applied' });

const writing = <Line extends object>(
  path: string,
  file: Appendable,
  at: { size: number; head: string },
  isSandbox: boolean,
): ReceiptFile<Line> => {
  let { size, head } = at;
  let trouble: { error: unknown } | undefined;
  /** After a failure the state on disk is unknown, so nothing more is written: later calls throw the same error. */
  const attempt = (work: () => void): void => {
    if (trouble !== undefined) throw trouble.error;
    try {
      work();
    } catch (error) {
      trouble = { error };
      throw error;
    }
  };
  const add = (line: Line) =>
    attempt(() => {
      const { text, hash } = sealLine(line, head, isSandbox);
      if (file.size() !== size) throw otherWriter(path);
      file.append(text);
      size += text.length;
      head = hash;
    });
  return {
    path,
    get head() {
      return head;
    },
    get isBroken() {
      return trouble !== undefined;
    },
    add,
    write: (line) => {
      add(line);
      attempt(() => file.sync());
    },
    close: () => file.close(),
  };
};

/** Starts a receipt: the file is created with its first line, or not at all. */
export const startReceipt = async <Line extends object = ReceiptLine>(
  disk: Disk,
  path: string,
  line: NoInfer<Line>,
  isSandbox: boolean,
  unique: string,
): Promise<ReceiptFile<Line>> => {
  const { text, hash } = sealLine(line, firstPrev, isSandbox);
  await disk.create(path, text, unique);
  return writing(path, await disk.open(path), { size: text.length, head: hash }, isSandbox);
};

/** Resumes a receipt. If a killed process left an unfinished last line, it is cut off first. */
export const continueReceipt = async <Line extends object = ReceiptLine>(
  disk: Disk,
  path: string,
  receipt: Receipt,
): Promise<ReceiptFile<Line>> => {
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
