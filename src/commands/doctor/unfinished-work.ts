import { join } from 'node:path';
import { SchedError } from '../../base/errors.ts';
import { counted } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import { adviceText, commandHere } from '../../cli/messages/suggested-line.ts';
import type { StoredEntry } from '../../state/ledger.ts';
import type { CommonEntry, LedgerKind } from '../../state/ledger-entry.ts';
import { directoryPath } from '../../state/paths.ts';
import { endsMove, moves, type StoredMove } from '../move/work-record.ts';
import { baseUrlOf, type Check, type DoctorContext, errorText, type Finding, note, problem } from './finding.ts';

/** Turns an error into a finding, so that the other checks still run. */
const failedFinding = ({ settings }: DoctorContext, check: string, error: unknown): Finding => {
  if (!(error instanceof SchedError)) throw error;
  return problem(check, errorText(error), adviceText(error.facts.advice ?? 'make sure you can read it', settings.here));
};

/** The open entries of a ledger in the files of this machine. */
const openIn = async <Entry extends CommonEntry>(
  context: DoctorContext,
  kind: LedgerKind<Entry>,
  findingsOf: (openEntries: StoredEntry<Entry>[]) => Finding[],
): Promise<Finding[]> => {
  const { runtime } = context;
  const baseUrl = baseUrlOf(context);
  if (baseUrl === undefined) return [];
  const { fileLedger } = await import('../../state/ledger.ts');
  const directory = join(directoryPath('state', runtime), kind.name);
  const ledger = fileLedger({ directory, world: runtime }, kind);
  return ledger.open(baseUrl).then(findingsOf, (error: unknown) => [failedFinding(context, kind.name, error)]);
};

export const bookingCheck: Check = async (context) => {
  const { bookings } = await import('../../state/ledger-entry.ts');
  return openIn(context, bookings, ({ length }) => {
    if (length === 0) return [];
    const finding = `${counted(length, 'booking has', 'bookings have')} an unknown outcome`;
    return [note('bookings', finding, commandHere(context, 'invitees', 'reconcile'))];
  });
};

/** A finding for each move that was begun and not finished: its people may have two bookings, or none. */
export const moveFindings = (context: DoctorContext, openMoves: readonly StoredMove[]): Finding[] =>
  openMoves.map(({ entry }) => {
    const finding = `the move of event ${idIn(entry.old)} to ${entry.to} is not finished`;
    return note('moves', finding, commandHere(context, ...endsMove(entry)));
  });

export const moveCheck: Check = (context) => openIn(context, moves, (openMoves) => moveFindings(context, openMoves));

/** Finds bulk runs that were killed or stopped and can be resumed with the same command. */
export const runCheck: Check = async (context) => {
  const { runtime } = context;
  const [{ listRuns, openReceipt }, { realDisk }] = await Promise.all([
    import('../bulk/work-runs.ts'),
    import('../../state/disk.ts'),
  ]);
  const findings: Finding[] = [];
  const { runs } = await listRuns(join(directoryPath('state', runtime), 'receipts'));
  for (const { path, run } of runs) {
    const receipt = await openReceipt(realDisk, path).catch((error: unknown) => failedFinding(context, 'runs', error));
    if (receipt === undefined) continue;
    if ('check' in receipt) findings.push(receipt);
    else if (!receipt.ok)
      findings.push(problem('runs', `receipt ${path} is damaged`, commandHere(context, 'compliance', 'verify', path)));
    else if (receipt.history.endedAt === undefined) {
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
