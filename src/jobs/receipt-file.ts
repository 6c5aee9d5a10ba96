import { SchedError } from '../errors.ts';
import type { Appendable, Disk } from './disk.ts';
import { firstPrev, type Receipt, type ReceiptLine, type RunLine, sealLine } from './receipt.ts';

/** A receipt that is being written. */
export interface ReceiptFile {
  readonly path: string;
  /** Hash of the last line that was written. */
  readonly head: string;
  /** Whether it can no longer be written: then nothing may be sent any more. */
  readonly isBroken: boolean;
  /**
   * Adds a line that waits in memory to be written together with the next one, as each write costs time. Whoever adds one
   * sees to it that `write` or `settle` follows, also when something goes wrong.
   */
  add(line: ReceiptLine): void;
  /** Writes what waits. */
  settle(): void;
  /** Adds a line; it is on disk when this returns, and so is everything before it. */
  write(line: ReceiptLine): void;
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
  let added = { text: '', head };
  let trouble: { error: unknown } | undefined;
  /** After a failure nobody knows what is on disk, so nothing more is written: the next one to ask hears the same. */
  const attempt = <Value>(work: () => Value): Value => {
    if (trouble !== undefined) throw trouble.error;
    try {
      return work();
    } catch (error) {
      trouble = { error };
      throw error;
    }
  };
  const add = (line: ReceiptLine) => {
    const { text, hash } = attempt(() => sealLine(line, added.head, isSandbox));
    added = { text: added.text + text, head: hash };
  };
  const settle = () => {
    const { text } = added;
    if (text === '') return;
    attempt(() => {
      if (file.size() !== size) throw otherWriter(path);
      file.append(text);
    });
    size += text.length;
    head = added.head;
    added = { text: '', head };
  };
  return {
    path,
    get head() {
      return head;
    },
    get isBroken() {
      return trouble !== undefined;
    },
    add,
    settle,
    write: (line) => {
      add(line);
      settle();
      attempt(() => file.sync());
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
