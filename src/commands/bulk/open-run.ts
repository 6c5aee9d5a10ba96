import { dirname, join } from 'node:path';
import { SchedError } from '../../base/errors.ts';
import { version } from '../../base/system.ts';
import type { Context } from '../../cli/session/context.ts';
import { stat } from '../../node/files.ts';
import { realDisk } from '../../state/disk.ts';
import type { FoundRun } from './find-run.ts';
import type { RunLine } from './work-receipt.ts';
import { continueReceipt, startReceipt } from './work-receipt-file.ts';
import { addToIndex, findIndexed, receiptEnding } from './work-runs.ts';

/** What the first line of a receipt says about a run, and where the receipt is. */
interface NewRun
  extends Pick<RunLine, 'operation' | 'endpoint' | 'owner' | 'organization' | 'key' | 'input' | 'after'> {
  items: readonly unknown[];
  wrong: readonly unknown[];
  duplicates?: number;
  isSandbox: boolean;
  receipt?: string | undefined;
}

/** The program that makes a receipt, and the dialect that it spoke. */
const toolName = async ({ dialect }: Context): Promise<string> => {
  const dialectInUse = await dialect();
  return `sched ${version}${dialectInUse === undefined ? '' : ` (dialect ${dialectInUse.name} ${dialectInUse.digest})`}`;
};

const uniqueName = ({ runtime }: Context): string => Buffer.from(runtime.randomBytes(8)).toString('hex');

const timeNow = ({ runtime }: Context): string => new Date(runtime.clock.now()).toISOString();

/** Starts a new receipt. If the name of the run is taken, adds a number to it. */
export const beginReceipt = async (context: Context, folder: string, bulk: NewRun) => {
  const at = timeNow(context);
  const random = Buffer.from(context.runtime.randomBytes(3)).toString('hex');
  const first = `${at.replace(/[-:]|\.\d+/g, '')}-${random}`;
  const { operation, endpoint, owner, organization, key, input, duplicates = 0, after } = bulk;
  for (let count = 1; ; count += 1) {
    const run = count === 1 ? first : `${first}-${count}`;
    const path = bulk.receipt ?? join(folder, `${run}${receiptEnding}`);
    if (bulk.receipt === undefined && (await stat(path).catch(() => undefined)) !== undefined) continue;
    if ((await findIndexed(folder, run)) !== undefined) continue;
    const line: RunLine = {
      type: 'run',
      receipt: 1,
      run,
      at,
      tool: await toolName(context),
      operation,
      endpoint,
      owner,
      organization,
      key,
      input,
      total: bulk.items.length,
      duplicates,
      skipped: bulk.wrong.length,
      ...(after && { after }),
    };
    return { line, file: await startReceipt(realDisk, path, line, bulk.isSandbox, uniqueName(context)) };
  }
};

export const resumeReceipt = async (context: Context, { path, receipt, history }: FoundRun, bulk: NewRun) => {
  const file = await continueReceipt(realDisk, path, receipt);
  const { owner, organization } = bulk;
  const at = timeNow(context);
  try {
    file.write({
      type: 'resumed',
      at,
      tool: await toolName(context),
      owner,
      organization,
      repaired: receipt.tornBytes,
    });
  } catch (error) {
    await file.close();
    throw error;
  }
  if (receipt.tornBytes > 0) context.notes.info('Repaired the last line of the receipt, which was incomplete');
  return { line: history.run, file };
};

/** Adds a receipt outside the folder to the list of runs. If that fails, the run continues. */
export const indexReceipt = async (
  context: Context,
  folder: string,
  { run, at, operation }: RunLine,
  receipt: string,
) => {
  if (dirname(receipt) === folder) return;
  await addToIndex(folder, { run, at, operation, receipt }, context.runtime).catch((error: unknown) => {
    if (!(error instanceof SchedError)) throw error;
    context.notes.info(`This run won't be listed: ${error.message} (${error.facts.reason})`);
  });
};
