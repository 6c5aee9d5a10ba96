import { dirname, resolve } from 'node:path';
import type { Change, WantedWebhook } from '../../../config/model.ts';
import { hasCategory, isOutcomeUnknown, type Outcome, SchedError, sameCommand } from '../../../errors.ts';
import { type Applied, type ApplyContext, applyConfig } from '../../../jobs/apply-config.ts';
import { requestsOf } from '../../../jobs/config-requests.ts';
import { acceptsConfirmed } from '../../../jobs/confirmed-plan.ts';
import type { Call } from '../../input/input.ts';
import { printRequests } from '../../operation/generic-command.ts';
import { changeOptions } from '../../scheduling/booking-context.ts';
import { changeLockOf, noteUnread } from '../../scheduling/change-lock.ts';
import type { Context } from '../../session/context.ts';
import { stateDirectory } from '../../session/shared-state.ts';
import { isWatched, printAnswer } from '../bulk/answer.ts';
import { reportProgress } from '../bulk/show-progress.ts';
import { keyProblem, readSigningKey } from '../webhooks/signing-key.ts';
import { confirmPlan } from './confirm-plan.ts';
import { entriesNow, planText, printPlan, shortDigest } from './diff.ts';
import type { ApplyInput } from './input.ts';
import type { ResultOf } from './plan-record.ts';
import { type ReadPlan, readPlan, worldSource } from './read-plan.ts';

/** R13: the file names the place of a key, never the key. A path is relative to the file. */
const signingKey = async ({ runtime }: Context, file: string, webhook: WantedWebhook): Promise<string | undefined> => {
  const { url, signing_key_env: variable, signing_key_file: path } = webhook;
  if (path === undefined && variable === undefined) return undefined;
  const key =
    path === undefined
      ? runtime.env[variable!] || undefined
      : await readSigningKey(file === '-' ? path : resolve(dirname(file), path), runtime);
  if (key !== undefined) runtime.secrets.keep(key, 'signing key');
  const missing = path === undefined ? 'it is not set' : 'it is missing';
  const problem = key === undefined ? missing : keyProblem(key);
  if (problem === undefined) return key;
  const reason = `${path === undefined ? `environment variable ${variable}` : `file ${path}`}: ${problem}`;
  throw new SchedError('usage', `No signing key for the webhook ${url}. Nothing was sent`, { reason });
};

export const applyContext = async (context: Context, { plan }: ReadPlan, file: string): Promise<ApplyContext> => {
  const { runtime, settings } = context;
  return {
    ...(await worldSource(context)),
    creations: (await context.sharedState()).creations,
    change: changeOptions(context),
    lock: await changeLockOf(context, plan.organization, { waitMs: 0 }),
    onUnread: ({ label }, error) => noteUnread(context, label, error),
    plans: { directory: stateDirectory(runtime), world: runtime },
    interrupted: runtime.interrupted,
    timeoutMs: settings.timeoutMs,
    pid: runtime.machine.pid,
    signingKey: (wanted) => signingKey(context, file, wanted),
  };
};

const printDryRun = async (context: Context, { plan, world }: ReadPlan): Promise<void> => {
  const client = await context.client();
  const requests = requestsOf(plan, world).map(({ operation, input }) => client.prepare(operation, input));
  await printRequests(context, await Promise.all(requests));
};

/** The plan as it is now. The confirmed one was another. */
const refuseOther = async (context: Context, read: ReadPlan): Promise<never> => {
  if (context.printer.showsPages) await context.printer.draw(await planText(context, read));
  const refused = 'The changes differ from the confirmed ones. Nothing was sent';
  await printPlan(context, 'apply', read, undefined, refused);
  throw new SchedError('conflict', refused, {
    reason: `their digest is now ${shortDigest(read)}: the file or the service has changed since`,
    hint: { flags: { confirm: shortDigest(read) } },
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
const work = async (context: Context, apply: ApplyContext, read: ReadPlan, confirmed?: string): Promise<Applied> => {
  const entries = entriesNow(context, read);
  const counts = { total: entries.length, accepted: 0, rejected: 0, unknown: 0, skipped: 0 };
  const progress = reportProgress(context, { ...counts });
  const states = new Map<Change, string>();
  const onOutcome: ApplyContext['onOutcome'] = (change, { state }) => {
    states.set(change, state);
    const ended = entries.filter(({ changes }) => changes.every((each) => states.has(each)));
    counts.accepted = ended.filter(({ changes }) => changes.every((each) => isDone(states.get(each)!))).length;
    counts.rejected = ended.length - counts.accepted;
    progress.update(counts);
  };
  const left = () => read.plan.changes.filter((change) => !states.has(change));
  context.notes.ahead = () => ({ requests: requestsAhead(left()), isMost: false });
  try {
    return await applyConfig({ ...apply, onOutcome }, read.read, read.reach, read.plan, confirmed);
  } finally {
    context.notes.ahead = undefined;
    progress.end();
  }
};

const isDone = (outcome: string): boolean => outcome === 'applied' || outcome === 'already';

/** Whether a run that did not make all changes has changed anything. */
export const outcomeOf = ({ outcomes, stopped }: Applied): Outcome => {
  if (outcomes.some(({ state, error }) => state === 'unknown' || isOutcomeUnknown(error))) return 'unknown';
  if (outcomes.some(({ state, isPartly }) => state === 'applied' || isPartly)) return 'applied';
  return stopped?.facts.outcome ?? 'not-applied';
};

/** Prints what became of each change. Throws if not all of them were made. */
const report = async (context: Context, read: ReadPlan, applied: Applied): Promise<void> => {
  const { notes } = context;
  const { outcomes, stopped } = applied;
  const outcome = outcomeOf(applied);
  const byChange = new Map(read.plan.changes.map((change, index) => [change, outcomes[index]!]));
  const resultOf: ResultOf = (change) => {
    const { state, error } = byChange.get(change)!;
    const reason = error?.facts.reason ? ` (${error.facts.reason})` : '';
    return { outcome: state, cause: isDone(state) ? undefined : `${error?.message ?? state}${reason}` };
  };
  const entries = entriesNow(context, read).map(({ title, line, changes }) => {
    const problem = changes.map((change) => resultOf(change)?.cause).find((cause) => cause !== undefined);
    return { line, named: [title], problem };
  });
  const failures = entries.filter((entry): entry is typeof entry & { problem: string } => entry.problem !== undefined);
  const accepted = entries.length - failures.length;
  const print = () => printPlan(context, 'apply', read, resultOf);
  if (stopped !== undefined) {
    const written = entries.filter(({ problem }) => problem === undefined).map(({ named }) => named);
    notes.always(
      `Stopped with ${accepted} of ${entries.length} applied${accepted === 0 ? '' : `: ${written.join(', ')}`}`,
    );
    await print();
    // Another directory would not have the records of this run.
    const isKept = outcome !== 'not-sent' && stopped.category === 'environment';
    const advice = isKept ? { advice: 'fix that, then run the same command again', hint: sameCommand } : {};
    throw stopped.with({ answered: true, outcome, ...advice });
  }
  if (!isWatched(context))
    for (const { named, line, problem } of failures) notes.warn(`failed: ${named}, line ${line}: ${problem}`);
  if (!context.printer.showsPages) await notes.done(`applied: ${accepted} of ${entries.length}`);
  const asked = {
    ...{ items: [], wrong: [], mark: () => '', things: 'changes', done: 'applied', thing: 'line' as const },
    fix: () => 'Run the same command again: what is applied is not sent twice.',
  };
  const counts = { total: entries.length, accepted, rejected: failures.length, unknown: 0, skipped: 0 };
  const answer = { asked, result: { run: '', receipt: '', head: '', ...counts }, failures };
  await printAnswer(context, answer, print).catch((error: unknown) => {
    throw hasCategory(error, 'partial') ? error.with({ outcome }) : error;
  });
};

export const runApply = async (input: ApplyInput, { context }: Call): Promise<void> => {
  const { file, confirm: confirmed } = input;
  const read = await readPlan(context, file, true);
  if (context.settings.dryRun) return printDryRun(context, read);
  if (read.plan.changes.length === 0) {
    await context.notes.done(`nothing to change: the service is as ${read.plan.file} says`);
    return printPlan(context, 'apply', read);
  }
  const apply = await applyContext(context, read, file.path);
  const isConfirmed = confirmed !== undefined && (await acceptsConfirmed(apply, read.plan, confirmed));
  if (confirmed !== undefined && !isConfirmed) return refuseOther(context, read);
  await confirmPlan(context, input, read, isConfirmed);
  await report(context, read, await work(context, apply, read, confirmed));
};
