import { type Counts, isDone, type RunHistory, readReceipt, replay } from './receipt.ts';

/** Said of every receipt that was made in the sandbox. */
export const madeInSandbox = 'made in the sandbox: not proof of a real deletion';

export type Status = 'ok' | 'edited' | 'rewritten' | 'incomplete' | 'sandbox';

/** The result of checking a receipt offline. */
export interface ReceiptFinding {
  status: Status;
  /** The result as a sentence. */
  finding: string;
  /** The line that was edited. */
  line?: number;
  head: string;
  sandbox: boolean;
  history?: RunHistory;
  counts?: Counts;
}

export interface VerifyOptions {
  /** The head kept elsewhere. */
  head?: string | undefined;
  /** Judge a receipt made in the sandbox like a real one. */
  isRehearsal?: boolean;
}

/** Checks a receipt, and compares its head with a head kept elsewhere, if one is given. */
export const verify = (bytes: Buffer, { head, isRehearsal = false }: VerifyOptions = {}): ReceiptFinding => {
  const reading = readReceipt(bytes);
  if (!reading.ok) {
    const { line, problem } = reading;
    return { status: 'edited', finding: `edited at line ${line}: ${problem}`, line, head: '', sandbox: false };
  }
  const facts = { head: `sha256:${reading.head}`, sandbox: reading.isSandbox };
  if (head !== undefined && head !== facts.head) {
    const finding = 'the chain is intact, but its head is not the given one: the receipt was cut off or rewritten';
    return { ...facts, status: 'rewritten', finding };
  }
  if (reading.lines.length === 0)
    return { ...facts, status: 'incomplete', finding: 'incomplete: it has no complete line' };
  const history = replay(reading);
  if (!history.ok) {
    const { line, problem } = history;
    return { ...facts, status: 'edited', finding: `edited at line ${line}: ${problem}`, line };
  }
  const told = { ...facts, history, counts: history.counts };
  if (reading.tornBytes > 0)
    return {
      ...told,
      status: 'incomplete',
      finding: 'incomplete: its last line is cut off; resuming the run repairs it',
    };
  if (history.endedAt === undefined)
    return {
      ...told,
      status: 'incomplete',
      finding: 'incomplete: the run did not finish, or its last lines are missing',
    };
  if (!isDone(history))
    return {
      ...told,
      status: 'incomplete',
      finding: `incomplete: ${history.counts.unknown} with unknown outcome; run the same command again to retry`,
    };
  if (reading.isSandbox && !isRehearsal)
    return { ...told, status: 'sandbox', finding: 'intact, but made in the sandbox: it proves nothing' };
  return { ...told, status: 'ok', finding: 'ok: no line was changed, removed or moved, and the run finished' };
};
