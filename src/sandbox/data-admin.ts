import * as z from 'zod/mini';
import { choice, flag, integer, list, record, text, type Value } from '../api/field.ts';
import { type AdminCall, callsWith } from './admin.ts';
import { invalid, invalidParameter } from './error-replies.ts';
import { listNotices, noticeKinds } from './notices.ts';
import type { Sandbox } from './open.ts';
import { finishDeletions } from './rules/deletion.ts';
import type { SandboxClock } from './sandbox-clock.ts';
import { isSeedName } from './seed/name.ts';
import { lastMoment } from './store/names.ts';
import { changePlan, planOf, plans } from './subscription.ts';
import { clearWindows, listWindows } from './throttle.ts';

export interface DataContext {
  sandbox: Sandbox;
  /** Where the data is. */
  data: string;
}

const call = callsWith<DataContext>();

const ClockChange = record({
  time: z.optional(text('a time such as 2026-12-01T09:00:00Z, or now for the time of the system')),
  advance_seconds: z.optional(z.number()),
  frozen: z.optional(flag('true stops the clock, false lets it run on')),
});

const move = (clock: SandboxClock, { time, advance_seconds: seconds, frozen }: Value<typeof ClockChange>) => {
  if (time !== undefined && seconds !== undefined)
    throw invalid({ message: 'only one of time and advance_seconds can be given' });
  if (time === undefined && seconds === undefined && frozen === undefined)
    throw invalid({ message: 'one of time, advance_seconds and frozen is required' });
  const wanted = seconds === undefined ? Date.parse(time ?? '') : clock.now() + seconds * 1000;
  const isMoved = time !== undefined || seconds !== undefined;
  if (isMoved && time !== 'now' && !(wanted >= 0 && wanted <= lastMoment))
    throw invalidParameter(
      seconds === undefined ? 'time' : 'advance_seconds',
      seconds === undefined ? 'must be now or a time such as 2026-12-01T09:00:00Z' : 'leads to a time out of range',
    );
  if (frozen === true) clock.freeze();
  if (time === 'now') clock.restore();
  else if (seconds !== undefined) clock.advance(seconds * 1000);
  else if (isMoved) clock.set(wanted);
  if (frozen === false) clock.resume();
};

const shownClock = ({ sandbox: { clock }, data }: DataContext): Value<typeof ClockShown> => ({
  time: new Date(clock.now()).toISOString(),
  offset_seconds: Math.round(clock.offset / 1000),
  frozen: clock.isFrozen,
  data,
});

const ClockShown = record({
  time: text('the time of the sandbox'),
  offset_seconds: integer('how far it is ahead of the time of the system'),
  frozen: flag('whether the clock stands still'),
  data: text('the file with the data, or :memory:'),
});

const SnapshotShown = record({
  name: text('name of the snapshot'),
  saved_at: text('when it was saved, by the time of the system'),
  bytes: integer('size of its file'),
});
const SnapshotList = record({ snapshots: list(SnapshotShown, 'by name') });
const PlanShown = record({ plan: choice(plans, "the organization's plan") });
const Notices = record({ notices: list(z.unknown(), 'the newest first') });
const Windows = record({
  rate_windows: list(
    record({
      window: text('such as general/minute'),
      whose: text('the URI of the user, or the address, whose requests it counts'),
      used: integer('requests in this window'),
      limit: integer('requests that are allowed'),
      reset_seconds: integer('seconds until the window ends'),
    }),
    'one for each counter that is not over',
  ),
});

/** Admin requests about the data. They also work without a server. */
export const dataCalls: readonly AdminCall<DataContext>[] = [
  call({
    method: 'GET',
    path: '/__sandbox/clock',
    summary: 'Show the clock',
    reply: ClockShown,
    handle: (_, context) => shownClock(context),
  }),
  call({
    method: 'POST',
    path: '/__sandbox/clock',
    summary: 'Set or advance the clock, freeze it, or let it run on',
    body: ClockChange,
    reply: ClockShown,
    handle({ body }, context) {
      const { clock, store } = context.sandbox;
      move(clock, body);
      finishDeletions(store, clock.now());
      return shownClock(context);
    },
  }),
  call({
    method: 'GET',
    path: '/__sandbox/snapshots',
    summary: 'List the snapshots of the data',
    reply: SnapshotList,
    handle: (_, { sandbox }) => ({ snapshots: sandbox.snapshots.list() }),
  }),
  call({
    method: 'POST',
    path: '/__sandbox/snapshots',
    summary: 'Save the data as a snapshot, or replace the one with this name',
    body: record({ name: text('1 to 64 letters, digits, dots, dashes or underscores') }),
    reply: SnapshotShown,
    status: 201,
    handle: ({ body }, { sandbox }) => sandbox.snapshots.save(body.name),
  }),
  call({
    method: 'POST',
    path: '/__sandbox/snapshots/{name}/restore',
    summary: 'Replace the data, the clock included, by a snapshot',
    reply: SnapshotShown,
    handle: ({ params }, { sandbox }) => sandbox.snapshots.restore(params.name!),
  }),
  call({
    method: 'DELETE',
    path: '/__sandbox/snapshots/{name}',
    summary: 'Delete a snapshot',
    reply: SnapshotList,
    handle({ params }, { sandbox }) {
      sandbox.snapshots.delete(params.name!);
      return { snapshots: sandbox.snapshots.list() };
    },
  }),
  call({
    method: 'POST',
    path: '/__sandbox/reset',
    summary: 'Delete the data and seed it again',
    body: record({ seed: z.optional(text('demo, empty or large:N; by default as before')) }),
    reply: record({
      data: text('the file with the data, or :memory:'),
      seed: z.optional(text('the seed in the request')),
    }),
    handle({ body: { seed } }, { sandbox, data }) {
      if (seed !== undefined && !isSeedName(seed)) throw invalidParameter('seed', 'is not the name of a seed');
      sandbox.reset(seed);
      return { data, seed };
    },
  }),
  call({
    method: 'GET',
    path: '/__sandbox/plan',
    summary: "Show the organization's plan",
    reply: PlanShown,
    handle: (_, { sandbox }) => ({ plan: planOf(sandbox.store) }),
  }),
  call({
    method: 'POST',
    path: '/__sandbox/plan',
    summary: 'Move the organization to another plan',
    body: PlanShown,
    reply: PlanShown,
    handle({ body: { plan } }, { sandbox: { store } }) {
      store.transaction(() => changePlan(store, plan));
      return { plan };
    },
  }),
  call({
    method: 'GET',
    path: '/__sandbox/rate_windows',
    summary: 'Show how much of each rate limit is used',
    reply: Windows,
    handle: ({ url }, { sandbox: { store, clock } }) => ({ rate_windows: listWindows(store, clock.now(), url.origin) }),
  }),
  call({
    method: 'DELETE',
    path: '/__sandbox/rate_windows',
    summary: 'Start all rate limits again',
    reply: Windows,
    handle(_, { sandbox: { store } }) {
      clearWindows(store);
      return { rate_windows: [] };
    },
  }),
  call({
    method: 'GET',
    path: '/__sandbox/notices',
    summary: 'List what the service would have sent by email or text message, the newest 100',
    query: record({
      to: z.optional(text('only those to this email address or phone number')),
      kind: z.optional(choice(noticeKinds, 'only those of this kind')),
    }),
    reply: Notices,
    handle({ url }, { sandbox: { store, clock } }) {
      finishDeletions(store, clock.now());
      return { notices: listNotices(store, url) };
    },
  }),
  call({
    method: 'DELETE',
    path: '/__sandbox/notices',
    summary: 'Delete all notices',
    reply: Notices,
    handle(_, { sandbox: { store } }) {
      store.run('DELETE FROM notices');
      return { notices: [] };
    },
  }),
];
