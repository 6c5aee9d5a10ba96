import { isCallLog, replayCalls } from './work-call-log.ts';
import {
  type Counts,
  type Damage,
  isRunDone,
  type Receipt,
  type RunHistory,
  readReceipt,
  replay,
} from './work-receipt.ts';

/** Said of every receipt that was made in the sandbox. */
export const madeInSandbox = 'made in the sandbox: not proof of a real deletion';

/** The result of checking a receipt offline. */
export interface ReceiptFinding {
  status: 'ok' | 'edited' | 'rewritten' | 'incomplete' | 'sandbox';
  finding: string;
  /** The line that was edited. */
  line?: number;
  head: string;
  sandbox: boolean;
  history?: RunHistory | undefined;
  /** Of a log of writes, which has no run. */
  calls?: Counts;
}

const edited = ({ line, problem }: Damage) =>
  ({ status: 'edited', finding: `edited at line ${line}: ${problem}`, line }) as const;

/** Checks the log of the writes that programs made. It has no end: a server can always write more. */
const verifyLog = (log: Receipt, isRehearsal: boolean): ReceiptFinding => {
  const facts = { head: `sha256:${log.head}`, sandbox: log.isSandbox };
  const replayed = replayCalls(log);
  if (!replayed.ok) return { ...facts, ...edited(replayed) };
  const { total, done, failed, unknown, asked } = replayed;
  const found = { ...facts, calls: { total, accepted: done, rejected: failed, unknown, skipped: asked } };
  if (log.tornBytes > 0) return { ...found, status: 'incomplete', finding: 'incomplete: its last line is cut off' };
  if (unknown > 0)
    return {
      ...found,
      status: 'incomplete',
      finding: `incomplete: ${unknown} with unknown outcome; look at the service`,
    };
  if (log.isSandbox && !isRehearsal)
    return { ...found, status: 'sandbox', finding: 'intact, but made in the sandbox: it proves nothing' };
  return {
    ...found,
    status: 'ok',
    finding: 'ok: no line was changed, moved, or removed before the last one, and each call has an outcome',
  };
};

/**
 * Checks a receipt, and compares its head with one kept elsewhere, if that is given. A rehearsal judges a receipt made
 * in the sandbox like a real one.
 */
export const verifyChain = (
  bytes: Buffer,
  { head, isRehearsal = false }: { head?: string | undefined; isRehearsal?: boolean } = {},
): ReceiptFinding => {
  const reading = readReceipt(bytes);
  if (!reading.ok) return { ...edited(reading), head: '', sandbox: false };
  const facts = { head: `sha256:${reading.head}`, sandbox: reading.isSandbox };
  const incomplete = (why: string, history?: RunHistory): ReceiptFinding => ({
    ...facts,
    status: 'incomplete',
    finding: `incomplete: ${why}`,
    history,
  });
  // A log grows: an earlier head is the hash of one of its lines.
  const isEarlier = isCallLog(reading) && reading.lines.some(({ hash }) => `sha256:${hash}` === head);
  if (head !== undefined && head !== facts.head && !isEarlier) {
    const finding = 'the chain is intact, but its head is not the given one: the receipt was cut off or rewritten';
    return { ...facts, status: 'rewritten', finding };
  }
  if (reading.lines.length === 0) return incomplete('it has no complete line');
  if (isCallLog(reading)) return verifyLog(reading, isRehearsal);
  const history = replay(reading);
  if (!history.ok) return { ...facts, ...edited(history) };
  if (reading.tornBytes > 0) return incomplete('its last line is cut off; resuming the run repairs it', history);
  if (history.endedAt === undefined)
    return incomplete('the run did not finish, or its last lines are missing', history);
  if (!isRunDone(history)) {
    const { unknown } = history.counts;
    return incomplete(`${unknown} with unknown outcome; run the same command again to retry`, history);
  }
  if (reading.isSandbox && !isRehearsal)
    return { ...facts, history, status: 'sandbox', finding: 'intact, but made in the sandbox: it proves nothing' };
  return {
    ...facts,
    history,
    status: 'ok',
    finding: 'ok: no line was changed, removed or moved, and the run finished',
  };
};
