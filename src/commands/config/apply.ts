import { dirname, resolve } from 'node:path';
import { hasCategory, isOutcomeUnknown, type Outcome, SchedError, sameCommand } from '../../base/errors.ts';
import { counted } from '../../base/numbers.ts';
import type { Call } from '../../cli/input/input.ts';
import { changeOptions } from '../../cli/operation/change-record.ts';
import { printRequests } from '../../cli/operation/run-operation.ts';
import { confirmProtected } from '../../cli/session/confirm.ts';
import type { Context } from '../../cli/session/context.ts';
import { isWatched } from '../../cli/session/context.ts';
import { stateDirectory } from '../../cli/session/shared-state.ts';
import { changeLockOf, noteUnread } from '../availability/change-lock.ts';
import { reportProgress } from '../bulk/progress.ts';
import { printAnswer } from '../bulk/screen.ts';
import { keyProblem, readSigningKey } from '../webhooks/signing-key.ts';
import { confirmPlan } from './confirm-plan.ts';
import { entriesNow, planText, printConfigPlan, shortDigest } from './diff.ts';
import type { ApplyInput } from './input.ts';
import type { ResultOf } from './plan-record.ts';
import { type Comparison, compareWithService, worldSource } from './read-plan.ts';
import { type ApplyContext, type ApplyResult, applyConfig } from './work-apply.ts';
import { acceptsConfirmed } from './work-confirmed-plan.ts';
import { creations } from './work-creation-record.ts';
import type { WantedWebhook } from './work-file-schema.ts';
import type { Change } from './work-model.ts';
import { requestsOf } from './work-requests.ts';

/** R13: the file names the place of a key, never the key. A path is relative to the file. */
const signingKey = async ({ runtime }: Context, file: string, webhook: WantedWebhook): Promise<string | undefined> => {
  const { url, signing_key_env: variable, signing_key_file: path } = webhook;
  if (path === undefined && variable === undefined) return undefined;
  const key =
    path === undefined
      ? runtime.env[variable!] || undefined
      : await readSigningKey(file === '-' ? path : resolve(dirname(file), path), runtime);
  if (key !== undefined) runtime.secrets.keep(key, 'signing key');
  const missingText = path === undefined ? 'it is not set' : 'it is missing';
  const problem = key === undefined ? missingText : keyProblem(key);
  if (problem === undefined) return key;
  const reason = `${path === undefined ? `environment variable ${variable}` : `file ${path}`}: ${problem}`;
  throw new SchedError('usage', `No signing key for the webhook ${url}. Nothing was sent`, { reason });
};

export const applyContext = async (context: Context, { plan }: Comparison, file: string): Promise<ApplyContext> => {
  const { runtime, settings } = context;
  return {
    ...(await worldSource(context)),
    clock: runtime.clock,
    serviceTime: context.serviceTime,
    creations: (await context.sharedState()).ledger(creations),
    change: changeOptions(context),
    lock: await changeLockOf(context, plan.organization, { waitMs: 0 }),
    onUnread: ({ label }, error) => noteUnread(context, label, error),
    plans: { directory: stateDirectory(runtime), world: runtime },
    interrupted: runtime.interrupted,
    timeoutMs: settings.timeoutMs,
    pid: runtime.machine.pid,
    signingKey: (entry) => signingKey(context, file, entry),
  };
};

const printDryRun = async (context: Context, { plan, world }: Comparison): Promise<void> => {
  const client = await context.client();
  const requests = requestsOf(plan, world).map(({ operation, input }) => client.prepare(operation, input));
  await printRequests(context, await Promise.all(requests));
};

/** The plan as it is now. The confirmed one was another. */
const refuseOther = async (context: Context, comparison: Comparison): Promise<never> => {
  if (context.printer.showsPages) await context.printer.draw(await planText(context, comparison));
  const refusalText = 'The changes differ from the confirmed ones. Nothing was sent';
  await printConfigPlan(context, 'apply', comparison, undefined, refusalText);
  throw new SchedError('conflict', refusalText, {
    reason: `their digest is now ${shortDigest(comparison)}: the file or the service has changed since`,
    hint: { flags: { confirm: shortDigest(comparison) } },
    outcome: 'not-applied',
    answered: true,
  });
};

/** Requests to come: a change is read again and written. A webhook is replaced in two; a new type is looked for, too. */
const requestsFor = { create: 6, replace: 3, update: 2, delete: 2 };
export const requestsAhead = (changes: readonly Change[]): number =>
  changes.reduce(
    (sum, { kind, action }) => sum + (kind === 'webhook' && action === 'create' ? 2 : requestsFor[action]),
    0,
  );

/** Applies a confirmed plan and shows the progress. */
const applyAll = async (
  context: Context,
  apply: ApplyContext,
  comparison: Comparison,
  confirmedDigest?: string,
): Promise<ApplyResult> => {
  const entries = entriesNow(context, comparison);
  const counts = { total: entries.length, accepted: 0, rejected: 0, unknown: 0, skipped: 0 };
  const progress = reportProgress(context, { ...counts });
  const states = new Map<Change, string>();
  const onOutcome: ApplyContext['onOutcome'] = (change, { state }) => {
    states.set(change, state);
    const endedEntries = entries.filter(({ changes }) => changes.every((each) => states.has(each)));
    counts.accepted = endedEntries.filter(({ changes }) =>
      changes.every((each) => isApplied(states.get(each)!)),
    ).length;
    counts.rejected = endedEntries.length - counts.accepted;
    progress.update(counts);
  };
  const remaining = () => comparison.plan.changes.filter((change) => !states.has(change));
  context.notes.ahead = () => ({ requests: requestsAhead(remaining()), isMost: false });
  try {
    return await applyConfig(
      { ...apply, onOutcome },
      comparison.file,
      comparison.reach,
      comparison.plan,
      confirmedDigest,
    );
  } finally {
    context.notes.ahead = undefined;
    progress.end();
  }
};

const isApplied = (outcome: string): boolean => outcome === 'applied' || outcome === 'already';

/** Whether a run that did not make all changes has changed anything. */
export const outcomeOf = ({ outcomes, stopReason }: ApplyResult): Outcome => {
  if (outcomes.some(({ state, error }) => state === 'unknown' || isOutcomeUnknown(error))) return 'unknown';
  if (outcomes.some(({ state, isPartly }) => state === 'applied' || isPartly)) return 'applied';
  return stopReason?.facts.outcome ?? 'not-applied';
};

/** Prints what became of each change. Throws if not all of them were made. */
const reportApply = async (context: Context, comparison: Comparison, result: ApplyResult): Promise<void> => {
  const { notes } = context;
  const { outcomes, stopReason } = result;
  const outcome = outcomeOf(result);
  const byChange = new Map(comparison.plan.changes.map((change, index) => [change, outcomes[index]!]));
  const resultOf: ResultOf = (change) => {
    const { state, error } = byChange.get(change)!;
    const reason = error?.facts.reason ? ` (${error.facts.reason})` : '';
    return { outcome: state, cause: isApplied(state) ? undefined : `${error?.message ?? state}${reason}` };
  };
  const entries = entriesNow(context, comparison).map(({ title, line, changes }) => {
    const problem = changes.map((change) => resultOf(change)?.cause).find((cause) => cause !== undefined);
    return { line, names: [title], problem };
  });
  const failures = entries.filter((entry): entry is typeof entry & { problem: string } => entry.problem !== undefined);
  const accepted = entries.length - failures.length;
  const print = () => printConfigPlan(context, 'apply', comparison, resultOf);
  if (stopReason !== undefined) {
    const appliedNames = entries.filter(({ problem }) => problem === undefined).map(({ names }) => names);
    notes.always(
      `Stopped with ${accepted} of ${entries.length} applied${accepted === 0 ? '' : `: ${appliedNames.join(', ')}`}`,
    );
    await print();
    // Another directory would not have the records of this run.
    const isKept = outcome !== 'not-sent' && stopReason.category === 'environment';
    const advice = isKept ? { advice: 'fix that, then run the same command again', hint: sameCommand } : {};
    throw stopReason.with({ answered: true, outcome, ...advice });
  }
  if (!isWatched(context))
    for (const { names, line, problem } of failures) notes.warn(`failed: ${names}, line ${line}: ${problem}`);
  if (!context.printer.showsPages) await notes.done(`applied: ${accepted} of ${entries.length}`);
  const task = {
    ...{ items: [], wrong: [], mark: () => '', things: 'changes', done: 'applied', thing: 'line' as const },
    fix: () => 'Run the same command again: what is applied is not sent twice.',
  };
  const counts = { total: entries.length, accepted, rejected: failures.length, unknown: 0, skipped: 0 };
  const answer = { task, result: { run: '', receipt: '', head: '', ...counts }, failures };
  await printAnswer(context, answer, print).catch((error: unknown) => {
    throw hasCategory(error, 'partial') ? error.with({ outcome }) : error;
  });
};

export const runApply = async (input: ApplyInput, { context }: Call): Promise<void> => {
  const { file, confirm: confirmedDigest } = input;
  const comparison = await compareWithService(context, file, true);
  if (context.settings.dryRun) return printDryRun(context, comparison);
  if (comparison.plan.changes.length === 0) {
    await context.notes.done(`nothing to change: the service is as ${comparison.plan.file} says`);
    return printConfigPlan(context, 'apply', comparison);
  }
  const apply = await applyContext(context, comparison, file.path);
  const isConfirmed =
    confirmedDigest !== undefined && (await acceptsConfirmed(apply, comparison.plan, confirmedDigest));
  if (confirmedDigest !== undefined && !isConfirmed) return refuseOther(context, comparison);
  await confirmPlan(context, input, comparison, isConfirmed);
  // A digest is not the name of a protected profile.
  await confirmProtected(context, `apply ${counted(comparison.plan.changes.length, 'change')} of ${file.path}`);
  await reportApply(context, comparison, await applyAll(context, apply, comparison, confirmedDigest));
};
