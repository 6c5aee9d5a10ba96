import { join } from 'node:path';
import { SchedError } from '../../../errors.ts';
import { endsMove, moves, type StoredMove } from '../../../jobs/move-record.ts';
import { counted } from '../../../numbers.ts';
import type { StoredEntry } from '../../../state/ledger.ts';
import type { CommonEntry, LedgerKind } from '../../../state/ledger-entry.ts';
import { directoryPath } from '../../../state/paths.ts';
import { idIn } from '../../../uri.ts';
import { adviceText, commandHere } from '../../messages/suggested-line.ts';
import { baseUrlOf, type Check, type DoctorContext, errorText, type Finding, note, problem } from './finding.ts';

/** Turns an error into a finding, so that the other checks still run. */
const failed = ({ settings }: DoctorContext, check: string, error: unknown): Finding => {
  if (!(error instanceof SchedError)) throw error;
  return problem(check, errorText(error), adviceText(error.facts.advice ?? 'make sure you can read it', settings.here));
};

/** The open entries of a ledger in the files of this machine. */
const openIn = async <Entry extends CommonEntry>(
  context: DoctorContext,
  kind: LedgerKind<Entry>,
  findingsOf: (open: StoredEntry<Entry>[]) => Finding[],
): Promise<Finding[]> => {
  const { runtime } = context;
  const baseUrl = baseUrlOf(context);
  if (baseUrl === undefined) return [];
  const { fileLedger } = await import('../../../state/ledger.ts');
  const directory = join(directoryPath('state', runtime), kind.name);
  const ledger = fileLedger({ directory, world: runtime }, kind);
  return ledger.open(baseUrl).then(findingsOf, (error: unknown) => [failed(context, kind.name, error)]);
};

export const bookingCheck: Check = async (context) => {
  const { bookings } = await import('../../../state/ledger-entry.ts');
  return openIn(context, bookings, ({ length }) => {
    if (length === 0) return [];
    const finding = `${counted(length, 'booking has', 'bookings have')} an unknown outcome`;
    return [note('bookings', finding, commandHere(context, 'invitees', 'reconcile'))];
  });
};

/** A finding for each move that was begun and not finished: its people may have two bookings, or none. */
export const moveFindings = (context: DoctorContext, open: readonly StoredMove[]): Finding[] =>
  open.map(({ entry }) => {
    const finding = `the move of event ${idIn(entry.old)} to ${entry.to} is not finished`;
    return note('moves', finding, commandHere(context, ...endsMove(entry)));
  });

export const moveCheck: Check = (context) => openIn(context, moves, (open) => moveFindings(context, open));

/** Finds bulk runs that were killed or stopped and can be resumed with the same command. */
export const runCheck: Check = async (context) => {
  const { runtime } = context;
  const [{ listRuns, openReceipt }, { realDisk }] = await Promise.all([
    import('../../../jobs/runs.ts'),
    import('../../../jobs/disk.ts'),
  ]);
  const findings: Finding[] = [];
  const { runs } = await listRuns(join(directoryPath('state', runtime), 'receipts'));
  for (const { path, run } of runs) {
    const opened = await openReceipt(realDisk, path).catch((error: unknown) => failed(context, 'runs', error));
    if (opened === undefined) continue;
    if ('check' in opened) findings.push(opened);
    else if (!opened.ok)
      findings.push(problem('runs', `receipt ${path} is damaged`, commandHere(context, 'compliance', 'verify', path)));
    else if (opened.history.endedAt === undefined) {
      findings.push(
        note(
          'runs',
          `run ${run.run} is not finished`,
          `run the same command again to resume it; for details: ${commandHere(context, 'compliance', 'runs', run.run)}`,
        ),
      );
    }
  }
  return findings;
};
