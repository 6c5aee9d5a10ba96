import { dirname, resolve } from 'node:path';
import { isOutcomeUnknown, type Outcome, SchedError, sameCommand } from '../../base/errors.ts';
import { counted } from '../../base/numbers.ts';
import type { PictureAnswer } from '../../cli/answer/answer.ts';
import { type Plan, plan } from '../../cli/answer/plan.ts';
import type { Call } from '../../cli/input/input.ts';
import { changeOptions } from '../../cli/operation/change-record.ts';
import type { Context } from '../../cli/session/context.ts';
import { stateDirectory } from '../../cli/session/shared-state.ts';
import type { HttpRequest } from '../../http/message.ts';
import { changeLockOf, noteUnread } from '../availability/change-lock.ts';
import { reportProgress } from '../bulk/progress.ts';
import { runAnswer } from '../bulk/screen.ts';
import { keyProblem, readSigningKey } from '../webhooks/signing-key.ts';
import { checkAllowed, checkTool, planQuestion } from './confirm-plan.ts';
import { entriesNow, planAnswer, planPicture, shortDigest } from './diff.ts';
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

/** The requests of a plan. */
const preparedOf = async (context: Context, { plan, world }: Comparison): Promise<HttpRequest[]> => {
  const client = await context.client();
  return Promise.all(requestsOf(plan, world).map(({ operation, input }) => client.prepare(operation, input)));
};

const nothing = async (): Promise<undefined> => undefined;

/** There is nothing to change. */
const unchanged = async (context: Context, comparison: Comparison): Promise<PictureAnswer> => ({
  kind: 'picture',
  done: { log: `nothing to change: the service is as ${comparison.plan.file} says` },
  picture: nothing,
  others: await planAnswer(context, 'apply', comparison),
});

/** The plan as it is now. The confirmed one was another. */
const otherPlan = async (context: Context, comparison: Comparison): Promise<PictureAnswer> => {
  const refusalText = 'The changes differ from the confirmed ones. Nothing was sent';
  return {
    kind: 'picture',
    picture: () => planPicture(context, comparison),
    others: await planAnswer(context, 'apply', comparison, undefined, refusalText),
    failure: new SchedError('conflict', refusalText, {
      reason: `their digest is now ${shortDigest(comparison)}: the file or the service has changed since`,
      hint: { flags: { confirm: shortDigest(comparison) } },
      outcome: 'not-applied',
      answered: true,
    }),
  };
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

/** What became of each change, with an error if not all of them were made. */
const appliedAnswer = async (context: Context, comparison: Comparison, result: ApplyResult): Promise<PictureAnswer> => {
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
  const others = await planAnswer(context, 'apply', comparison, resultOf);
  if (stopReason !== undefined) {
    const appliedNames = entries.filter(({ problem }) => problem === undefined).map(({ names }) => names);
    context.notes.always(
      `Stopped with ${accepted} of ${entries.length} applied${accepted === 0 ? '' : `: ${appliedNames.join(', ')}`}`,
    );
    // Another directory would not have the records of this run.
    const isKept = outcome !== 'not-sent' && stopReason.category === 'environment';
    const advice = isKept ? { advice: 'fix that, then run the same command again', hint: sameCommand } : {};
    const failure = stopReason.with({ answered: true, outcome, ...advice });
    return { kind: 'picture', picture: nothing, others, failure };
  }
  const task = {
    ...{ items: [], wrong: [], mark: () => '', things: 'changes', done: 'applied', thing: 'line' as const },
    fix: () => 'Run the same command again: what is applied is not sent twice.',
  };
  const counts = { total: entries.length, accepted, rejected: failures.length, unknown: 0, skipped: 0 };
  const answer = runAnswer(context, { task, result: { run: '', receipt: '', head: '', ...counts }, failures });
  for (const { names, line, problem } of failures)
    await context.notes.problems.add(() => `failed: ${names}, line ${line}: ${problem}`);
  return {
    ...answer,
    others: { ...others, done: { log: `applied: ${accepted} of ${entries.length}` } },
    failure: answer.failure?.with({ outcome }),
  };
};

interface Found {
  comparison: Comparison;
  /** Missing if there is nothing to apply. */
  apply?: ApplyContext;
  /** The confirmed plan was another. */
  isOther: boolean;
}

export const planApply = async (input: ApplyInput, { context }: Call): Promise<Plan> => {
  const { file, confirm: confirmedDigest } = input;
  const compare = () => compareWithService(context, file, true);
  const read = async (): Promise<Found> => {
    const comparison = await compare();
    if (comparison.plan.changes.length === 0) return { comparison, isOther: false };
    const apply = await applyContext(context, comparison, file.path);
    const isOther = confirmedDigest !== undefined && !(await acceptsConfirmed(apply, comparison.plan, confirmedDigest));
    return { comparison, apply, isOther };
  };
  return plan({
    requests: async () => ({ prepared: await preparedOf(context, await compare()) }),
    read,
    nothingToDo: ({ comparison, isOther }) => {
      if (comparison.plan.changes.length === 0) return unchanged(context, comparison);
      return isOther ? otherPlan(context, comparison) : undefined;
    },
    isAgreed: confirmedDigest !== undefined,
    mayBy: ({ comparison }, who) =>
      who === 'tool' ? checkTool(comparison.plan) : checkAllowed(context, input, comparison.plan),
    // A digest is not the name of a protected profile.
    action: ({ comparison }) => `apply ${counted(comparison.plan.changes.length, 'change')} of ${file.path}`,
    question: ({ comparison }) => planQuestion(context, comparison),
    send: async ({ comparison, apply }) =>
      appliedAnswer(context, comparison, await applyAll(context, apply!, comparison, confirmedDigest)),
  });
};
