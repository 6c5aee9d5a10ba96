import { hash } from 'node:crypto';
import { asciiJson, isObject, type Json, jsonIn } from '../../base/json.ts';

/*
 * A receipt is printable ASCII text with one JSON object per line. Each line ends with its own SHA-256:
 *
 *   {"prev":"HASH OF THE LINE ABOVE",…,"hash":"HASH OF THIS LINE WITHOUT ,"hash":"…""}
 *
 * So `sed 's/,"hash":"[0-9a-f]*"}$/}/'`, without the line break, piped to `sha256sum`, gives the hash again. The `prev`
 * of the first line is 64 zeros. The hash of the last line is the head of the chain.
 */

export type Verdict = 'accepted' | 'rejected' | 'unknown';

export interface Counts {
  total: number;
  accepted: number;
  rejected: number;
  unknown: number;
  skipped: number;
}

/** The first line: the operation, the user and the service. */
export interface RunLine {
  type: 'run';
  receipt: 1;
  run: string;
  at: string;
  tool: string;
  operation: string;
  endpoint: string;
  owner: string;
  organization: string;
  /** ID of the key, or `none`. */
  key: string;
  /** Digest of all items together, keyed if there is a key. */
  input: string;
  total: number;
  duplicates: number;
  skipped: number;
  /** The run that this one looks at again, and the head of its receipt. */
  after?: { run: string; head: string };
}

/**
 * Written before the request is sent. A repeated request has only the batch number, no items. Attempt 0 means that
 * nothing was sent, because the outcome of an earlier request was looked up.
 */
interface SendingLine {
  type: 'sending';
  batch: number;
  attempt: number;
  at: string;
  items?: string[];
}

/** The result of a batch: a verdict for its items, or that the batch was refused as a whole (`split`, `refused`). */
export interface VerdictLine {
  type: 'verdict';
  batch: number;
  at: string;
  verdict: Verdict | 'split' | 'refused';
  /** HTTP status of the reply; missing if there was none. */
  status?: number | undefined;
  /** How the verdict is known, if not from the reply. */
  by?: string | undefined;
  request?: string | undefined;
}

/** A later process resumes the run. */
interface ResumedLine {
  type: 'resumed';
  at: string;
  tool: string;
  owner: string;
  organization: string;
  /** Bytes of an unfinished last line that were cut off. */
  repaired: number;
}

interface EndLine extends Counts {
  type: 'end';
  at: string;
}

export type ReceiptLine = RunLine | SendingLine | VerdictLine | ResumedLine | EndLine;

export const firstPrev = '0'.repeat(64);

/** A line as it is written to disk, and its hash. */
export const sealLine = (line: object, prev: string, isSandbox: boolean): { text: string; hash: string } => {
  const body = asciiJson(JSON.stringify({ prev, ...line, ...(isSandbox ? { sandbox: true } : {}) }));
  const own = hash('sha256', body);
  return { text: `${body.slice(0, -1)},"hash":"${own}"}\n`, hash: own };
};

const linePattern = /^(\{"prev":"([0-9a-f]{64})",[ -~]*),"hash":"([0-9a-f]{64})"\}$/;

export interface Damage {
  line: number;
  problem: string;
}

export interface Receipt {
  lines: Json[];
  /** Hash of the last complete line. */
  head: string;
  /** Bytes of complete lines. The bytes after them are an unfinished line of a killed process. */
  wholeBytes: number;
  tornBytes: number;
  isSandbox: boolean;
}

type ReceiptReading = ({ ok: true } & Receipt) | ({ ok: false } & Damage);

/** Checks every complete line and the chain between them. No content is trusted before that. */
export const readReceipt = (bytes: Buffer): ReceiptReading => {
  const wholeBytes = bytes.lastIndexOf(0x0a) + 1;
  const lines: Receipt['lines'] = [];
  let prev = firstPrev;
  let isSandbox = false;
  for (let from = 0, number = 1; from < wholeBytes; number += 1) {
    const end = bytes.indexOf(0x0a, from);
    // One character per byte, so that bytes outside ASCII don't match the pattern.
    const text = bytes.toString('latin1', from, end);
    from = end + 1;
    const parts = linePattern.exec(text);
    if (parts === null) return { ok: false, line: number, problem: 'the line is malformed' };
    if (hash('sha256', `${parts[1]}}`) !== parts[3])
      return { ok: false, line: number, problem: 'its hash does not match' };
    if (parts[2] !== prev) return { ok: false, line: number, problem: 'it does not follow the line above' };
    prev = parts[3]!;
    const value = jsonIn(text);
    if (!isObject(value)) return { ok: false, line: number, problem: 'it is not JSON' };
    isSandbox ||= value.sandbox === true;
    lines.push(value);
  }
  return { ok: true, lines, head: prev, wholeBytes, tornBytes: bytes.length - wholeBytes, isSandbox };
};

export interface ItemOutcome {
  verdict: Verdict;
  at: string;
  batch: number;
  status?: number;
  by?: string;
}

/** The state of a run, read from all lines of its receipt. */
export interface RunHistory {
  run: RunLine;
  /** By item. Items that were sent but have no verdict are missing. */
  outcomes: Map<string, ItemOutcome>;
  counts: Counts;
  /** Number of the next batch. */
  nextBatch: number;
  /** When the run ended; only if the last line is an end line. */
  endedAt?: string;
  /** When the last line was written. */
  lastAt: string;
}

const isVerdict = (word: unknown): word is Verdict => word === 'accepted' || word === 'rejected' || word === 'unknown';

export const countOutcomes = (outcomes: Iterable<ItemOutcome>, total: number, skipped: number): Counts => {
  const counts: Counts = { total, accepted: 0, rejected: 0, unknown: 0, skipped };
  for (const { verdict } of outcomes) counts[verdict] += 1;
  return counts;
};

const malformedLine = (line: number, problem: string) => ({ ok: false as const, line, problem });

/** Replays the lines of an intact chain. A forged chain has valid hashes, but its history may be inconsistent. */
export const replay = ({ lines }: Receipt): ({ ok: true } & RunHistory) | ({ ok: false } & Damage) => {
  const run = lines[0] as unknown as RunLine | undefined;
  if (run?.type !== 'run' || run.receipt !== 1 || typeof run.total !== 'number')
    return malformedLine(1, 'it is not the first line of a receipt');
  const batches = new Map<number, string[]>();
  const outcomes = new Map<string, ItemOutcome>();
  let nextBatch = 1;
  let endedAt: string | undefined;
  let number = 1;
  for (const value of lines.slice(1)) {
    const line = value as unknown as Exclude<ReceiptLine, RunLine>;
    number += 1;
    endedAt = undefined;
    if (line.type === 'sending') {
      if (Array.isArray(line.items)) batches.set(line.batch, line.items);
      nextBatch = Math.max(nextBatch, line.batch + 1);
    } else if (line.type === 'verdict') {
      const items = batches.get(line.batch);
      if (items === undefined) return malformedLine(number, 'it has a verdict for a batch that was never sent');
      const { verdict, at, batch, status, by } = line;
      if (isVerdict(verdict)) {
        const outcome: ItemOutcome = {
          verdict,
          at,
          batch,
          ...(status !== undefined && { status }),
          ...(by !== undefined && { by }),
        };
        for (const item of items) outcomes.set(item, outcome);
      }
    } else if (line.type === 'end') {
      const counts = countOutcomes(outcomes.values(), run.total, run.skipped);
      const wrong = (Object.keys(counts) as (keyof Counts)[]).find((name) => counts[name] !== line[name]);
      if (wrong !== undefined) return malformedLine(number, `its "${wrong}" count does not match the lines above`);
      if (counts.accepted + counts.rejected + counts.unknown !== run.total)
        return malformedLine(number, 'it ends a run that was not complete');
      endedAt = line.at;
    } else if (line.type !== 'resumed') return malformedLine(number, 'its type is unknown');
  }
  return {
    ok: true,
    run,
    outcomes,
    counts: countOutcomes(outcomes.values(), run.total, run.skipped),
    nextBatch,
    ...(endedAt === undefined ? {} : { endedAt }),
    lastAt: String(lines.at(-1)!.at),
  };
};

/** A run that looks again is done when it has looked at everything: what it can't know is a result. */
export const isDoneWith = (unknown: unknown, run: RunLine | undefined): boolean =>
  unknown === 0 || run?.after !== undefined;

/** Whether the last line ends the run and no outcome is unknown. */
export const isRunDone = ({ endedAt, counts, run }: RunHistory): boolean =>
  endedAt !== undefined && isDoneWith(counts.unknown, run);
