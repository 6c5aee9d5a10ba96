import * as z from 'zod/mini';
import { choice, flag, integer, list, record, text, type Value } from '../../api/field.ts';
import type { SandboxClock } from '../clock/sandbox-clock.ts';
import { invalid, invalidParameter } from '../error-replies.ts';
import { finishDeletions } from '../rules/deletion.ts';
import { listNotices, noticeKinds } from '../rules/notices.ts';
import { listWindows } from '../rules/rate-limits.ts';
import { changePlan, planOf, plans } from '../rules/subscription.ts';
import { lastMoment } from '../store/names.ts';
import { type AdminCall, callsWith } from './admin.ts';
import { type DataContext, dataPlace, worldCalls } from './world-admin.ts';

const call = callsWith<DataContext>();

const ClockChange = record({
  time: z.optional(text('a time such as 2026-12-01T09:00:00Z, or now for the time of the system')),
  advance_seconds: z.optional(z.number()),
  frozen: z.optional(flag('true stops the clock, false lets it run on')),
});

const moveClock = (clock: SandboxClock, { time, advance_seconds: seconds, frozen }: Value<typeof ClockChange>) => {
  const isMoved = time !== undefined || seconds !== undefined;
  if ((time !== undefined && seconds !== undefined) || (!isMoved && frozen === undefined))
    throw invalid({ message: 'time, advance_seconds or frozen is required, but not both time and advance_seconds' });
  const target = seconds === undefined ? Date.parse(time ?? '') : clock.now() + seconds * 1000;
  if (isMoved && time !== 'now' && !(target >= 0 && target <= lastMoment))
    throw invalidParameter(
      seconds === undefined ? 'time' : 'advance_seconds',
      seconds === undefined ? 'must be now or a time such as 2026-12-01T09:00:00Z' : 'leads to a time out of range',
    );
  if (frozen === true) clock.freeze();
  if (seconds !== undefined) clock.advance(Math.round(seconds * 1000));
  else if (isMoved) clock.set(time === 'now' ? 'system' : target);
  if (frozen === false) clock.resume();
};

const ClockState = record({
  time: text('the time of the sandbox'),
  offset_seconds: integer('how far it is ahead of the time of the system'),
  frozen: flag('whether the clock stands still'),
  data: dataPlace,
});

const clockState = ({ sandbox: { clock }, data }: DataContext): Value<typeof ClockState> => ({
  time: new Date(clock.now()).toISOString(),
  offset_seconds: Math.round(clock.offset / 1000),
  frozen: clock.isFrozen,
  data,
});

const RateWindow = record({
  window: text('such as general/minute'),
  whose: text('the URI of the user, or the address, whose requests it counts'),
  used: integer('requests in this window'),
  limit: integer('requests that are allowed'),
  reset_seconds: integer('seconds until the window ends'),
});

const SnapshotName = record({ name: text('1 to 64 letters, digits, dots, dashes or underscores') });
const Snapshot = record({
  name: text('name of the snapshot'),
  saved_at: text('when it was saved, by the time of the system'),
  bytes: integer('size of its file'),
});
const SnapshotList = record({ snapshots: list(Snapshot, 'by name') });
const PlanState = record({ plan: choice(plans, "the organization's plan") });
const Windows = record({ rate_windows: list(RateWindow, 'one for each counter that is not over') });
const Notices = record({ notices: list(z.unknown(), 'the newest first, at most 100') });
const NoticeFilters = record({
  to: z.optional(text('only those to this email address or phone number')),
  kind: z.optional(choice(noticeKinds, 'only those of this kind')),
  since: z.optional(integer('only those with a higher number')),
});

/** Admin requests about the data. They also work without a server. */
export const dataCalls: readonly AdminCall<DataContext>[] = [
  call('GET /__sandbox/clock', 'Show the clock', { reply: ClockState }, (_, context) => clockState(context)),
  call(
    'POST /__sandbox/clock',
    'Set or advance the clock, freeze it, or let it run on',
    { body: ClockChange, reply: ClockState },
    ({ body }, context) => {
      const { clock, store } = context.sandbox;
      moveClock(clock, body);
      finishDeletions(store, clock.now());
      return clockState(context);
    },
  ),
  call('GET /__sandbox/snapshots', 'List the snapshots', { reply: SnapshotList }, (_, { sandbox }) => ({
    snapshots: sandbox.snapshots.list(),
  })),
  call(
    'POST /__sandbox/snapshots',
    'Save the data as a snapshot, or replace the one with this name',
    { body: SnapshotName, reply: Snapshot, status: 201 },
    ({ body }, { sandbox }) => sandbox.snapshots.save(body.name),
  ),
  call(
    'POST /__sandbox/snapshots/{name}/restore',
    'Replace the data, the clock included, by a snapshot',
    { reply: Snapshot },
    ({ params }, { sandbox }) => sandbox.snapshots.restore(params.name!),
  ),
  call(
    'DELETE /__sandbox/snapshots/{name}',
    'Delete a snapshot',
    { reply: SnapshotList },
    ({ params }, { sandbox }) => {
      sandbox.snapshots.delete(params.name!);
      return { snapshots: sandbox.snapshots.list() };
    },
  ),
  ...worldCalls,
  call('GET /__sandbox/plan', 'Show the plan of the organization', { reply: PlanState }, (_, { sandbox }) => ({
    plan: planOf(sandbox.store),
  })),
  call(
    'POST /__sandbox/plan',
    'Move the organization to another plan',
    { body: PlanState, reply: PlanState },
    ({ body: { plan } }, { sandbox: { store } }) => {
      store.transaction(() => changePlan(store, plan));
      return { plan };
    },
  ),
  call(
    'GET /__sandbox/rate_windows',
    'Show how much of each rate limit is used',
    { reply: Windows },
    ({ url }, { sandbox: { store, clock, limits } }) => ({
      rate_windows: listWindows(store, clock.now(), url.origin, limits),
    }),
  ),
  call('DELETE /__sandbox/rate_windows', 'Start all rate limits again', { reply: Windows }, (_, { sandbox }) => {
    sandbox.store.counters.clear();
    return { rate_windows: [] };
  }),
  call(
    'GET /__sandbox/notices',
    'List what the service would have sent by email or text message',
    { query: NoticeFilters, reply: Notices },
    ({ url }, { sandbox: { store, clock } }) => {
      finishDeletions(store, clock.now());
      return { notices: listNotices(store, url) };
    },
  ),
  call('DELETE /__sandbox/notices', 'Delete all notices', { reply: Notices }, (_, { sandbox }) => {
    sandbox.store.run('DELETE FROM notices');
    return { notices: [] };
  }),
];
