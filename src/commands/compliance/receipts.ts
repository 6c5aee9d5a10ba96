import { join, resolve } from 'node:path';
import { fallBack, SchedError } from '../../base/errors.ts';
import { counted } from '../../base/numbers.ts';
import { the, words } from '../../base/words.ts';
import type { ChoiceList, Invocation } from '../../cli/command.ts';
import type { Context } from '../../cli/session/context.ts';
import { realDisk } from '../../state/disk.ts';
import { timeLabel } from '../../time/label.ts';
import { receiptFolder } from '../bulk/find-run.ts';
import { type RunHistory, type RunLine, readReceipt } from '../bulk/work-receipt.ts';
import {
  findIndexed,
  firstLineOf,
  type IndexedReceipt,
  isRunName,
  listRuns,
  receiptEnding,
} from '../bulk/work-runs.ts';
import { madeInSandbox, type ReceiptFinding, verifyChain } from '../bulk/work-verify-receipt.ts';
import { findKey } from './receipt-key.ts';

const deletionOperation = 'compliance.delete';
const recheckOperation = 'compliance.recheck';

const noReceipt = (word: string, place: IndexedReceipt | undefined): SchedError =>
  new SchedError('not-found', `No receipt "${word}"`, {
    reason:
      place === undefined
        ? 'this is neither a file nor the ID of a run on this machine'
        : `it was written to ${place.receipt}, but is no longer there`,
    hint: { command: ['compliance', 'runs'] },
  });

/** Paths where the receipt may be, most likely first. */
const placesOf = async (context: Context, word: string, place: IndexedReceipt | undefined): Promise<string[]> => {
  if (!isRunName(word)) return [resolve(word)];
  const isThere = place !== undefined && (await firstLineOf(place.receipt))?.run === place.run;
  return [join(receiptFolder(context), `${word}${receiptEnding}`), ...(isThere ? [place.receipt] : []), resolve(word)];
};

/** Reads a receipt, given its file or the ID of its run. */
export const loadReceipt = async (context: Context, word: string): Promise<{ path: string; bytes: Buffer }> => {
  const place = await findIndexed(receiptFolder(context), word);
  const paths = await placesOf(context, word, place);
  for (const path of paths) {
    const bytes = await realDisk.read(path).catch((error: unknown) => {
      if (path !== paths.at(-1)) return undefined;
      throw error;
    });
    if (bytes !== undefined) return { path, bytes };
  }
  throw noReceipt(word, place);
};

/**
 * Checks a receipt. With --sandbox this is a rehearsal: a receipt made in the sandbox is judged like a real one, and
 * stderr says where it was made.
 */
export const checkReceipt = ({ settings, notes }: Context, bytes: Buffer, head?: string): ReceiptFinding => {
  const isRehearsal = settings.sandbox;
  if (isRehearsal) notes.place('sandbox');
  const finding = verifyChain(bytes, { head, isRehearsal });
  if (isRehearsal && finding.sandbox) notes.warn(madeInSandbox);
  return finding;
};

/**
 * Reads and checks the receipt of a deletion, or also of a look at one. Throws if its history can't be read or if it is of
 * something else.
 */
export const loadDeletion = async (context: Context, word: string, isLookAllowed = false) => {
  const { path, bytes } = await loadReceipt(context, word);
  const finding = checkReceipt(context, bytes);
  const { history } = finding;
  if (history === undefined)
    throw findingError(finding) ?? new SchedError('usage', `Receipt "${word}" is not from a deletion`, {});
  const { operation } = history.run;
  if (operation === deletionOperation || (isLookAllowed && operation === recheckOperation))
    return { path, bytes, finding, history };
  throw new SchedError('usage', `Receipt "${word}" is not from a deletion`, {
    reason: `it is from ${operation}`,
    hint: { command: ['compliance', 'verify', word] },
  });
};

/** Whether a run was sent to the service of this command. */
export const isSameService = async (context: Context, { run }: RunHistory): Promise<boolean> => {
  const { baseUrl, isSandbox } = await context.connection();
  return isSandbox || run.endpoint.startsWith(`${new URL(baseUrl).origin}/`);
};

/** The key that a run was made with. Without it, nobody can be found in its receipt. */
export const keyOfRun = async (context: Context, keyFile: string | undefined, { run }: RunHistory) => {
  const key = await findKey(context, keyFile, false);
  if (key?.id === run.key) return key;
  throw new SchedError('environment', "Can't find the key of this receipt", {
    reason: `the receipt uses key ${run.key}${key === undefined ? '' : `, but the key found is ${key.id}`}`,
    advice: words`name its file with ${the('receiptKeyFile')}`,
  });
};

/** The receipt that a recheck names, if it is on this machine, and whether it has the line that was its head. */
export const loadFirst = async (context: Context, { after }: RunLine) => {
  if (after === undefined) return undefined;
  const loaded = await loadReceipt(context, after.run).catch(fallBack(undefined, 'not-found', 'environment'));
  if (loaded === undefined) return { first: 'missing' as const };
  const reading = readReceipt(loaded.bytes);
  // A run that was resumed afterwards has a later head.
  const hashes = reading.ok ? reading.lines.map(({ hash }) => `sha256:${hash}`) : [];
  return { first: hashes.includes(after.head) ? ('ok' as const) : ('different' as const), bytes: loaded.bytes };
};

export const runRecord = (
  path: string,
  { status, history, calls, head, sandbox, finding }: ReceiptFinding,
  counts = history?.counts ?? calls,
) => ({
  run: history?.run.run ?? null,
  started_at: history?.run.at ?? null,
  ended_at: history?.endedAt ?? null,
  status,
  total: counts?.total ?? null,
  accepted: counts?.accepted ?? null,
  rejected: counts?.rejected ?? null,
  unknown: counts?.unknown ?? null,
  skipped: counts?.skipped ?? null,
  organization: history?.run.organization ?? null,
  owner: history?.run.owner ?? null,
  endpoint: history?.run.endpoint ?? null,
  tool: history?.run.tool ?? null,
  sandbox,
  finding,
  receipt: path,
  head,
});

type RunRecord = Omit<ReturnType<typeof runRecord>, 'status'> & { status: ReceiptFinding['status'] | 'missing' };

/** The record of a file of which nothing is known. */
const nothing = runRecord('', { status: 'edited', finding: '', head: '', sandbox: false });
export const runFields = Object.keys(nothing);

const lostRecord = ({ run, at, receipt }: IndexedReceipt): RunRecord => {
  const finding = 'missing: the receipt was moved or deleted; if it was moved, pass its file instead of the run ID';
  return { ...nothing, run, started_at: at, status: 'missing', finding, receipt };
};

/** Runs per page. The first page determines the column widths of the table. */
const mostInAPage = 100;

/** Lists all deletion runs known on this machine, newest first. Runs whose receipt is gone are listed as missing. */
export async function* deletionRuns(context: Context): AsyncGenerator<RunRecord[]> {
  const { runs, lost: lostReceipts } = await listRuns(receiptFolder(context));
  const all = [
    ...runs.map(({ path, run }) => ({ path, place: run })),
    ...lostReceipts.map((place) => ({ path: undefined, place })),
  ].filter(({ place }) => place.operation === deletionOperation);
  all.sort((one, other) => (one.place.at < other.place.at ? 1 : -1));
  let page: RunRecord[] = [];
  for (const { path, place } of all) {
    const bytes = path === undefined ? undefined : await realDisk.read(path);
    if (bytes !== undefined)
      page.push({ ...runRecord(path!, verifyChain(bytes, { isRehearsal: context.settings.sandbox })), run: place.run });
    else if (path === undefined) page.push(lostRecord(place));
    if (page.length < mostInAPage) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** The deletion runs whose receipts are on this machine, newest first. */
export const offerRuns = async ({ context }: Invocation): Promise<ChoiceList> => {
  const { settings, runtime } = context;
  const runs: RunRecord[] = [];
  for await (const page of deletionRuns(context)) runs.push(...page.filter(({ status }) => status !== 'missing'));
  const labelOf = ({ run, started_at: at, status, total }: RunRecord): string =>
    [
      timeLabel(at, settings.zone, runtime.clock.now()) ?? run,
      total === null ? 'no count' : counted(total, 'address', 'addresses'),
      status,
      run,
    ].join(' · ');
  return { question: 'Which run?', choices: runs.map((each) => ({ value: String(each.run), label: labelOf(each) })) };
};

/** The error for a finding, or undefined if the receipt is ok. */
export const findingError = ({ status, finding }: ReceiptFinding): SchedError | undefined => {
  if (status === 'ok') return undefined;
  const words = `${finding[0]!.toUpperCase()}${finding.slice(1)}`;
  return new SchedError(status === 'incomplete' ? 'partial' : 'integrity', words, { answered: true });
};
