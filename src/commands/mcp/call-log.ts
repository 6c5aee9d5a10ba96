import { basename, dirname, join } from 'node:path';
import { hasCategory, SchedError } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { version } from '../../base/system.ts';
import { asSchedError } from '../../cli/messages/error-report.ts';
import type { Context } from '../../cli/session/context.ts';
import { linkTarget } from '../../state/directories.ts';
import { realDisk } from '../../state/disk.ts';
import { accountLock, type HeldLock } from '../../state/lock.ts';
import type { CallLogLine } from '../bulk/work-call-log.ts';
import { replayCalls } from '../bulk/work-call-log.ts';
import { readReceipt } from '../bulk/work-receipt.ts';
import { continueReceipt, startReceipt } from '../bulk/work-receipt-file.ts';
import type { Values } from './parameters.ts';
import type { Outcome } from './run-tool.ts';

/** Who agreed to a write: the person, the flag of the server, or nobody, because there was no question. */
type Confirmed = 'person' | 'flag' | 'nobody';

/** What is known about a call when it has run. */
export interface Agreement {
  confirmed: Confirmed;
  /** The person was asked, and the answer comes with another call. */
  isOpen: boolean;
}

/** The record of the writes that programs made. */
export interface CallLog {
  /** Runs a write between two lines. Throws without running it if the first line can't be written. */
  around(tool: string, values: Values, run: () => Promise<Outcome>, agreement: () => Agreement): Promise<Outcome>;
  close(): Promise<void>;
}

/** JSON with the names of objects in order, so that the same arguments give the same mark. */
const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1))) : part,
  );

const outcomeOf = ({ error }: Outcome, { isOpen }: Agreement): { outcome: string; effect?: string } => {
  if (isOpen) return { outcome: 'asked' };
  if (error === undefined) return { outcome: 'done' };
  const { category, facts } = asSchedError(error);
  return { outcome: category, ...(facts.outcome && { effect: facts.outcome }) };
};

const takenOver = (path: string): SchedError =>
  new SchedError('conflict', `Another server writes to the log ${path} now, so nothing was sent`, {
    reason: 'this one was silent for too long',
    outcome: 'not-sent',
  });

/** Keeps other servers from writing to the log: lines of theirs would break its chain. */
const lockLog = async ({ runtime, notes }: Context, path: string): Promise<HeldLock | undefined> => {
  const busy = (pid: number, since: string) =>
    new SchedError('conflict', `Another server is writing to the log ${path}`, {
      reason: `process ${pid} has been running since ${since}`,
      advice: 'give each server a log of its own',
    });
  const lock = accountLock(`log ${join(linkTarget(dirname(path)), basename(path))}`, runtime, { waitMs: 0, busy });
  return lock.acquire().catch((error) => {
    if (!hasCategory(error, 'environment')) throw error;
    notes.warn(`The log isn't locked against other servers: ${error.facts.reason ?? error.message}`);
    return undefined;
  });
};

/** Opens the log, or starts it. Only one server at a time can have it open. */
export const openCallLog = async (context: Context, path: string, isSandbox: boolean): Promise<CallLog> => {
  const held = await lockLog(context, path);
  try {
    const log = await openLocked(context, path, isSandbox);
    return {
      around: async (...call) => {
        if ((await held?.keep()) === false) throw takenOver(path);
        return log.around(...call);
      },
      close: async () => {
        await log.close();
        await held?.release();
      },
    };
  } catch (error) {
    await held?.release();
    throw error;
  }
};

/** The key makes the marks of arguments. */
const openLocked = async (context: Context, path: string, isSandbox: boolean): Promise<CallLog> => {
  const { runtime, notes } = context;
  const { findKey, secondKeyDanger } = await import('../compliance/receipt-key.ts');
  const danger = await secondKeyDanger(context);
  if (danger !== undefined) throw danger.unasked;
  const key = (await findKey(context, undefined, true))!;
  const now = () => new Date(runtime.clock.now()).toISOString();
  const server = () => ({ at: now(), version, key: key.id });
  const bytes = await realDisk.read(path);
  const reading = bytes === undefined ? undefined : readReceipt(bytes);
  const calls = reading?.ok ? replayCalls(reading) : undefined;
  const damage = [reading, calls].find((each) => each?.ok === false);
  if (damage?.ok === false)
    throw new SchedError('integrity', `The log ${path} is damaged: edited at line ${damage.line}`, {
      reason: `${damage.problem}; the file is left unchanged, and no tool runs`,
      outcome: 'not-sent',
    });
  const unique = Buffer.from(runtime.randomBytes(8)).toString('hex');
  const file = reading?.ok
    ? await continueReceipt<CallLogLine>(realDisk, path, reading)
    : await startReceipt<CallLogLine>(realDisk, path, { type: 'log', log: 1, ...server() }, isSandbox, unique);
  if (reading?.ok) file.write({ type: 'opened', ...server(), repaired: reading.tornBytes });
  let count = calls?.ok ? calls.total : 0;
  return {
    around: async (tool, values, run, agreement) => {
      count += 1;
      const call = count;
      file.write({ type: 'call', call, at: now(), tool, arguments: key.mac(sortedJson(values)) });
      const outcome = await run();
      const how = agreement();
      try {
        file.write({ type: 'done', call, at: now(), confirmed: how.confirmed, ...outcomeOf(outcome, how) });
      } catch (error) {
        const note = `The log ${path} can't be written, so no other write runs: ${asSchedError(error).message}`;
        notes.always(note);
        outcome.notes.push(note);
      }
      return outcome;
    },
    close: () => file.close(),
  };
};
