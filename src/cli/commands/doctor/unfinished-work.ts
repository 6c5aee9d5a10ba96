import { join } from 'node:path';
import { SchedError } from '../../../errors.ts';
import { singleQuoted } from '../../../shell-quote.ts';
import { directoryPath } from '../../../state/paths.ts';
import { baseUrlOf, type Check, errorText, type Finding, note, problem } from './finding.ts';

/** What a check stumbled over is a finding too: the others are still to be told. */
const stumbled = (check: string, error: unknown): Finding => {
  if (!(error instanceof SchedError)) throw error;
  return problem(check, errorText(error), error.facts.hint ?? 'see to it that it can be read');
};

export const bookingCheck: Check = async (context) => {
  const { runtime, account } = context;
  const baseUrl = baseUrlOf(context);
  if (baseUrl === undefined) return [];
  const { fileLedger } = await import('../../../state/ledger.ts');
  const ledger = fileLedger({
    directory: join(directoryPath('state', runtime), 'bookings'),
    randomBytes: runtime.randomBytes,
  });
  const open = await ledger.open(baseUrl).catch((error: unknown) => stumbled('bookings', error));
  if (!Array.isArray(open)) return [open];
  const { length } = open;
  if (length === 0) return [];
  const finding = `${length === 1 ? 'of one booking' : `of ${length} bookings`} it is not known whether it was made`;
  return [note('bookings', finding, `sched invitees reconcile${account === undefined ? '' : ` -p ${account.name}`}`)];
};

/** Bulk work that was killed or stopped, and goes on with the same command. */
export const runCheck: Check = async ({ runtime }) => {
  const [{ listRuns, openReceipt }, { realDisk }] = await Promise.all([
    import('../../../jobs/runs.ts'),
    import('../../../jobs/disk.ts'),
  ]);
  const findings: Finding[] = [];
  for (const { path, run } of await listRuns(join(directoryPath('state', runtime), 'receipts'))) {
    const opened = await openReceipt(realDisk, path).catch((error: unknown) => stumbled('runs', error));
    if (opened === undefined) continue;
    if ('check' in opened) findings.push(opened);
    else if (!opened.ok)
      findings.push(problem('runs', `the receipt ${path} is damaged`, `sched compliance verify ${singleQuoted(path)}`));
    else if (opened.history.endedAt === undefined) {
      findings.push(
        note(
          'runs',
          `the run ${run.run} is not finished`,
          `the same command again; sched compliance runs ${run.run} shows it`,
        ),
      );
    }
  }
  return findings;
};
