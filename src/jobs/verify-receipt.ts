import { type Counts, isDone, type RunHistory, readReceipt, replay } from './receipt.ts';

export type Status = 'ok' | 'edited' | 'rewritten' | 'incomplete' | 'sandbox';

/** What can be said of a receipt without asking anybody. */
export interface Finding {
  status: Status;
  /** In words. */
  finding: string;
  /** Where it was edited. */
  line?: number;
  head: string;
  sandbox: boolean;
  history?: RunHistory;
  counts?: Counts;
}

/** Checks a receipt, and its head against the one that was kept elsewhere where that is given. */
export const verify = (bytes: Buffer, head?: string): Finding => {
  const reading = readReceipt(bytes);
  if (!reading.ok) {
    const { line, problem } = reading;
    return { status: 'edited', finding: `edited at line ${line}: ${problem}`, line, head: '', sandbox: false };
  }
  const facts = { head: `sha256:${reading.head}`, sandbox: reading.isSandbox };
  if (head !== undefined && head !== facts.head) {
    const finding = 'the chain is whole, but it is not the one of that head: it was cut off or written anew';
    return { ...facts, status: 'rewritten', finding };
  }
  if (reading.lines.length === 0)
    return { ...facts, status: 'incomplete', finding: 'incomplete: there is no whole line' };
  const history = replay(reading);
  if (!history.ok) {
    const { line, problem } = history;
    return { ...facts, status: 'edited', finding: `edited at line ${line}: ${problem}`, line };
  }
  const told = { ...facts, history, counts: history.counts };
  if (reading.tornBytes > 0)
    return { ...told, status: 'incomplete', finding: 'incomplete: its last line is cut off; running again repairs it' };
  if (history.endedAt === undefined)
    return { ...told, status: 'incomplete', finding: 'incomplete: the run did not end, or its last lines are missing' };
  if (!isDone(history))
    return {
      ...told,
      status: 'incomplete',
      finding: `incomplete: what became of ${history.counts.unknown} is not known; running again asks once more`,
    };
  if (reading.isSandbox)
    return { ...told, status: 'sandbox', finding: 'made in the sandbox: it is whole, and proves nothing' };
  return { ...told, status: 'ok', finding: 'ok: no line was changed, removed or moved, and the run ended' };
};
