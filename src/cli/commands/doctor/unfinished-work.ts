import { join } from 'node:path';
import { SchedError } from '../../../errors.ts';
import { counted } from '../../../numbers.ts';
import { singleQuoted } from '../../../shell-quote.ts';
import { directoryPath } from '../../../state/paths.ts';
import { baseUrlOf, type Check, errorText, type Finding, note, problem } from './finding.ts';

/** Turns an error into a finding, so that the other checks still run. */
const failed = (check: string, error: unknown): Finding => {
  if (!(error instanceof SchedError)) throw error;
  return problem(check, errorText(error), error.facts.advice ?? 'make sure you can read it');
};

export const bookingCheck: Check = async (context) => {
  const { runtime, account } = context;
  const baseUrl = baseUrlOf(context);
  if (baseUrl === undefined) return [];
  const [{ fileLedger }, { bookings }] = await Promise.all([
    import('../../../state/ledger.ts'),
    import('../../../state/ledger-entry.ts'),
  ]);
  const directory = join(directoryPath('state', runtime), bookings.name);
  const ledger = fileLedger({ directory, randomBytes: runtime.randomBytes }, bookings);
  const open = await ledger.open(baseUrl).catch((error: unknown) => failed('bookings', error));
  if (!Array.isArray(open)) return [open];
  const { length } = open;
  if (length === 0) return [];
  const finding = `${counted(length, 'booking has', 'bookings have')} an unknown outcome`;
  return [note('bookings', finding, `sched invitees reconcile${account === undefined ? '' : ` -p ${account.name}`}`)];
};

/** Finds bulk runs that were killed or stopped and can be resumed with the same command. */
export const runCheck: Check = async ({ runtime }) => {
  const [{ listRuns, openReceipt }, { realDisk }] = await Promise.all([
    import('../../../jobs/runs.ts'),
    import('../../../jobs/disk.ts'),
  ]);
  const findings: Finding[] = [];
  const { runs } = await listRuns(join(directoryPath('state', runtime), 'receipts'));
  for (const { path, run } of runs) {
    const opened = await openReceipt(realDisk, path).catch((error: unknown) => failed('runs', error));
    if (opened === undefined) continue;
    if ('check' in opened) findings.push(opened);
    else if (!opened.ok)
      findings.push(problem('runs', `receipt ${path} is damaged`, `sched compliance verify ${singleQuoted(path)}`));
    else if (opened.history.endedAt === undefined) {
      findings.push(
        note(
          'runs',
          `run ${run.run} is not finished`,
          `run the same command again to resume it; for details: sched compliance runs ${run.run}`,
        ),
      );
    }
  }
  return findings;
};
