import { events } from '../../api/events.ts';
import { type Outcome, SchedError, usageError } from '../../base/errors.ts';
import { second } from '../../base/milliseconds.ts';
import { counted, formatNumber } from '../../base/numbers.ts';
import { version } from '../../base/system.ts';
import { isLoopback } from '../../base/uri.ts';
import { the, words } from '../../base/words.ts';
import type { RecordAnswer } from '../../cli/answer/answer.ts';
import { type Plan, plan, type Question } from '../../cli/answer/plan.ts';
import type { Call } from '../../cli/input/input.ts';
import { fillScope } from '../../cli/operation/default-scope.ts';
import { bothClocks, type Context } from '../../cli/session/context.ts';
import type { View } from '../../output/view.ts';
import { readNamedFile } from '../../state/named-file.ts';
import { timeLabel } from '../../time/label.ts';
import { utcText } from '../../time/wall.ts';
import { reportProgress } from '../bulk/progress.ts';
import { linesText } from '../bulk/work-plan.ts';
import { placeOfPosition } from '../follow/source.ts';
import type { BackfillInput } from './backfill-input.ts';
import { targetName } from './forward-to.ts';
import { readStretch, type Stretch } from './read-stretch.ts';
import { readVerification } from './signature-check.ts';
import { type Backfilled, digestOf, isReceived, readReceived } from './work-backfill.ts';
import { type BackfillRecord, openRecord } from './work-backfill-record.ts';
import { deliver } from './work-deliver.ts';

const mostReceivedBytes = 256 * 1024 * 1024;

const resultView: View = {
  columns: [
    { header: 'SINCE', path: 'since', as: 'time' },
    { header: 'UNTIL', path: 'until', as: 'time' },
    { header: 'DELIVERIES', path: 'deliveries', as: 'count' },
    { header: 'RECEIVED', path: 'received', as: 'count' },
    { header: 'EARLIER', path: 'earlier', as: 'count' },
    { header: 'ACCEPTED', path: 'accepted', as: 'count' },
    { header: 'FAILED', path: 'failed', as: 'count' },
    { header: 'LEFT', path: 'left', as: 'count' },
    { header: 'RECORD', path: 'record', shrink: false },
  ],
  id: 'record',
};

const planView: View = {
  columns: [
    { header: 'EVENT', path: 'event' },
    { header: 'AT', path: 'created_at', as: 'time' },
    { header: 'URI', path: 'uri', as: 'id' },
  ],
  id: 'uri',
};

const readLog = async ({ runtime }: Context, path: string | undefined): Promise<ReadonlySet<string>> => {
  if (path === undefined) return new Set();
  const bytes = await readNamedFile(path, runtime.interrupted, mostReceivedBytes).catch(
    (error: NodeJS.ErrnoException) => {
      runtime.interrupted.throwIfAborted();
      throw usageError([
        words`${the('received')}: can't read ${path} (${error.code === 'ENOENT' ? 'no such file' : (error.code ?? error.message)})`,
      ]);
    },
  );
  const { keys, wrong } = readReceived(bytes.toString('utf8'));
  if (wrong.length === 0) return keys;
  const lines = `line${wrong.length === 1 ? '' : 's'} ${linesText(wrong)}`;
  throw usageError([words`${the('received')}: ${lines} of ${path}: neither a delivery nor EVENT<TAB>INVITEE_URI`]);
};

/** R51: personal data leaves this machine only where nobody else can read it, unless somebody allows that. */
const checkTarget = ({ forwardTo: { protocol, hostname }, allowHttp }: BackfillInput): void => {
  if (protocol === 'https:' || isLoopback(hostname) || allowHttp) return;
  throw usageError([
    words`${the('forwardTo')} is http on another machine, where others may read the deliveries. Use https, or add ${the('allowHttp')}`,
  ]);
};

/** What the handler has accepted. It doesn't depend on the stretch. */
const openFor = async (
  context: Context,
  { forwardTo, events: wanted, request, again = false }: BackfillInput,
): Promise<BackfillRecord> => {
  const of = [forwardTo.href, wanted.toSorted(), request.query, request.rows?.event_type ?? null];
  const position = { folder: 'backfills', purpose: 'what the handler has accepted', of };
  const { isSandbox } = await context.connection();
  return openRecord(await placeOfPosition(context, position), { isSandbox, again });
};

/** What came of it is shown, and it is not all that was wanted. */
const partly = (message: string, facts: Pick<SchedError['facts'], 'reason' | 'advice' | 'outcome'>): SchedError =>
  new SchedError('partial', message, { ...facts, answered: true });

const countsText = (deliveries: readonly Backfilled[]): string[] => {
  const counts = new Map<string, number>();
  for (const { event } of deliveries) counts.set(event, (counts.get(event) ?? 0) + 1);
  return [...counts].map(([event, count]) => `${formatNumber(count)} × ${event}`);
};

/** Sends what is left, and records each delivery after its 2xx. */
const sendAll = async (
  context: Context,
  input: BackfillInput & Awaited<ReturnType<typeof readVerification>>,
  record: BackfillRecord,
  stretch: Stretch,
  left: readonly Backfilled[],
) => {
  const { runtime, notes } = context;
  const { clock, interrupted } = runtime;
  const name = targetName(input.forwardTo);
  const timeNow = () => new Date(clock.now()).toISOString();
  const file = await record.begin({ type: 'begin', backfill: 1, at: timeNow(), ...stretch, total: left.length });
  const counts = { total: left.length, accepted: 0, rejected: 0, unknown: 0, skipped: 0 };
  const progress = reportProgress(context, counts);
  let isSent = false;
  const outcome = (): Outcome => (counts.accepted > 0 ? 'applied' : isSent ? 'unknown' : 'not-sent');
  let stopped: SchedError | undefined;
  try {
    for (const delivery of left) {
      const { accepted, attempts, status, problem } = await deliver(
        {
          url: input.forwardTo.href,
          key: input.key,
          signatureHeader: input.signatureHeader,
          userAgent: `sched/${version}`,
          send: (request) => {
            isSent = true;
            return runtime.sendToEnd(request);
          },
          clock,
          interrupted,
          onRetry: (why, pauseMs) => notes.info(`${name}: ${why}. Trying again in ${pauseMs / second} s`),
        },
        delivery.body,
      );
      const type = accepted ? 'accepted' : 'failed';
      counts[accepted ? 'accepted' : 'rejected'] += 1;
      file.write({ type, at: timeNow(), delivery: digestOf(delivery), attempts, status });
      progress.update(counts);
      if (accepted) continue;
      const reason = `${delivery.event} of ${delivery.created_at}: ${problem}, in ${attempts} attempts`;
      if (input.skipFailed) {
        notes.warn(`Not accepted by ${name}: ${reason}`);
        continue;
      }
      stopped = partly('The handler did not accept a delivery, so the backfill stopped', {
        reason,
        advice: words`fix the handler and run the same command again: it goes on from there. Or add ${the('skipFailed')}`,
        outcome: outcome(),
      });
      return { counts, outcome: outcome(), stopped };
    }
    file.write({ type: 'end', at: timeNow(), accepted: counts.accepted, failed: counts.rejected });
  } catch (error) {
    throw error instanceof SchedError ? error.with({ outcome: outcome() }) : error;
  } finally {
    progress.end();
  }
  return { counts, outcome: outcome(), stopped };
};

/** What happened in a stretch of time, and what of it the handler still needs. */
interface Missed {
  record: BackfillRecord;
  stretch: Stretch;
  deliveries: readonly Backfilled[];
  missing: readonly Backfilled[];
  left: readonly Backfilled[];
  /** The service may still hide some. */
  isShort: boolean;
}

const labelOf = ({ settings, now }: Context, at: number): string | undefined =>
  timeLabel(utcText(at), settings.zone, now());

/** Reads what the handler has missed. The record is open from then on. */
const readMissed = async (
  context: Context,
  input: BackfillInput,
  { record, received, whose }: { record: BackfillRecord; received: ReadonlySet<string>; whose: string | undefined },
): Promise<Missed> => {
  const { notes } = context;
  const since = Math.min(input.since, record.openSince ?? input.since);
  if (since < input.since)
    notes.info(`An earlier backfill has not ended, so this one begins where that began: ${labelOf(context, since)}`);
  const { deliveries, isShort } = await readStretch(context, input, since);
  const { later } = await bothClocks(context);
  const stretch = { since, until: Math.max(input.until ?? later, since) };
  const missing = deliveries.filter((each) => !isReceived(received, each));
  const left = missing.filter((each) => !record.accepted.has(digestOf(each)));
  notes.info(
    `${counted(deliveries.length, 'delivery', 'deliveries')} of ${whose ?? 'the chosen events'} since ${labelOf(context, stretch.since)}: ${formatNumber(deliveries.length - missing.length)} received, ${formatNumber(missing.length - left.length)} accepted earlier, ${formatNumber(left.length)} to send`,
  );
  notes.info("sched can't see no-shows, or what was deleted since. What has changed since is sent as it is now");
  return { record, stretch, deliveries, missing, left, isShort };
};

const sendQuestion = (context: Context, { forwardTo }: BackfillInput, { left, stretch }: Missed): Question => {
  const all = counted(left.length, 'delivery', 'deliveries');
  return {
    question: `Send ${all} to ${targetName(forwardTo)}?`,
    action: `send ${all} with personal data to ${targetName(forwardTo)}`,
    list: countsText(left),
    facts: [
      ['since', `${labelOf(context, stretch.since)}`],
      ['contains', 'names, addresses and answers of invitees'],
    ],
  };
};

/** What came of it, and why it is not all that was wanted. */
const resultOf = (
  { record, stretch, deliveries, missing, left, isShort }: Missed,
  { counts, outcome, stopped }: Awaited<ReturnType<typeof sendAll>>,
): RecordAnswer => {
  const rejected = () =>
    partly(`The handler did not accept ${counted(counts.rejected, 'delivery', 'deliveries')}`, {
      advice: words`to send them again, run the same command with ${the('since')} ${utcText(stretch.since)}`,
      outcome,
    });
  const short = () =>
    partly('The service may not show all bookings yet', {
      reason: "some lists of invitees don't match the counters of their events",
      advice: 'run the same command again in a few minutes',
      outcome,
    });
  return {
    kind: 'record',
    view: resultView,
    record: {
      since: utcText(stretch.since),
      until: utcText(stretch.until),
      deliveries: deliveries.length,
      received: deliveries.length - missing.length,
      earlier: missing.length - left.length,
      accepted: counts.accepted,
      failed: counts.rejected,
      left: left.length - counts.accepted - counts.rejected,
      record: record.path,
    },
    failure: stopped ?? (counts.rejected > 0 ? rejected() : isShort ? short() : undefined),
  };
};

export const runBackfill = async (input: BackfillInput, { context }: Call): Promise<Plan> => {
  checkTarget(input);
  const received = await readLog(context, input.received);
  const verification = await readVerification({ ...input, tolerance: undefined }, context);
  const whose = await fillScope(events.list, { query: input.request.query! }, context);
  let record: BackfillRecord | undefined;
  const read = async (): Promise<Missed> => {
    record = await openFor(context, input);
    return readMissed(context, input, { record, received, whose });
  };
  return plan<Missed>({
    preview: async () => {
      const { left } = await read();
      return { kind: 'rows', view: planView, pages: left.length > 0 ? [left.map(({ body: _, ...each }) => each)] : [] };
    },
    read,
    question: (missed) => (missed.left.length > 0 ? sendQuestion(context, input, missed) : undefined),
    send: async (missed) => {
      const { stretch, left } = missed;
      return resultOf(missed, await sendAll(context, { ...input, ...verification }, missed.record, stretch, left));
    },
    end: async () => record?.close(),
  });
};
