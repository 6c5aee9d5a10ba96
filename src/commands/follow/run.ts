import { events, type SentEvent } from '../../api/events.ts';
import { limits } from '../../api/limits.ts';
import { windowQuery } from '../../api/window.ts';
import { isPassing, type SchedError } from '../../base/errors.ts';
import { counted } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import { the, words } from '../../base/words.ts';
import type { StreamAnswer } from '../../cli/answer/answer.ts';
import { type Plan, plan } from '../../cli/answer/plan.ts';
import type { Call } from '../../cli/input/input.ts';
import { hasLastLine } from '../../cli/messages/live.ts';
import { fillScope } from '../../cli/operation/default-scope.ts';
import type { FieldFlag } from '../../cli/operation/field-flags.ts';
import type { RequestValues } from '../../cli/operation/input.ts';
import { rowRemarks } from '../../cli/operation/listing.ts';
import { shownUrl } from '../../cli/session/connection.ts';
import { bothClocks, type Context } from '../../cli/session/context.ts';
import { durationText } from '../../output/progress.ts';
import { timeLabel } from '../../time/label.ts';
import { utcText } from '../../time/wall.ts';
import type { FollowInput } from './input.ts';
import { newsView } from './news-view.ts';
import { type FollowSource, readFirst, readRound } from './read-news.ts';
import { columns, deliveryOf, happeningOf, paintLine } from './screen.ts';
import { creatorOf, openSource, placeOfPosition } from './source.ts';
import { beginState, type FollowState, type News, patience, rememberNews, windowStart } from './work-state.ts';
import { type FollowFile, openFollowFile } from './work-state-file.ts';

/*
 * Each round reads the window: one request per hundred events, and one per event that is new or has changed, for its
 * invitees. A quiet round of up to a hundred events is one request, so every 10 s means 6 requests a minute. The rate
 * limit layer lets them through one by one, as long as more than half of the limit is left and no other command waits.
 */

/** The pauses after failed rounds, which double up to the longest one. */
const longestPauseMs = 300_000;
/** The position on disk may be this old. Younger ones show a process in another container that this one is alive. */
const savedEveryMs = 300_000;

/** The stored state, or a new one. It is saved before anything is told: after a kill, it begins at the same time. */
const openState = async (
  file: FollowFile,
  source: FollowSource,
  { since }: FollowInput,
  now: number,
): Promise<FollowState> => {
  const storedState = since === undefined ? await file.load() : beginState(since);
  const state = storedState ?? (await readFirst(source, now));
  await file.save(state);
  return state;
};

/** Says what is read, how often, and what can't be seen. With `--once`, only on a terminal. */
const announceFollow = async (
  context: Context,
  state: FollowState,
  input: FollowInput,
  whose: string,
): Promise<void> => {
  const { notes, settings, runtime } = context;
  const { zone } = settings;
  const connection = await context.connection();
  const now = context.now();
  const labelAt = (at: number) => timeLabel(utcText(at), zone, now);
  const say = input.once ? notes.footer : notes.info;
  const from = labelAt(state.position ?? state.since);
  const what = `booked or canceled since ${from}, and starting before ${labelAt(input.until(now))} (${zone})`;
  const pace = `Checks every ${durationText(input.every / 1000)}, with at most half of the rate limit`;
  if (input.once) say(`Following ${whose}: ${what}`);
  else if (!hasLastLine(runtime)) {
    say(`Following ${whose}: ${what}`);
    say(`${pace}. Press Ctrl-C to stop`);
  } else {
    const { host } = new URL(shownUrl(connection.baseUrl, connection));
    notes.heading(`Following ${whose} at ${host} since ${from}`);
    if (!settings.verbose) return;
    say(`Shows what is ${what}`);
    say(pace);
  }
  say("sched can't see no-shows, or changes of events that start later or started more than an hour ago");
};

/** Counts failed rounds. Says so once, and once more when the service replies again. */
const createTrouble = ({ runtime, notes, settings }: Context, everyMs: number) => {
  const { clock } = runtime;
  let failures = 0;
  let failingSince = 0;
  return {
    /** Returns how long to wait before the next round. */
    failed(error: SchedError): number {
      const requestedPause = (error.facts.retryAfterSeconds ?? 0) * 1000;
      const pause = Math.max(requestedPause, Math.min(longestPauseMs, everyMs * 2 ** Math.min(failures, 10)));
      if (failures === 0) {
        failingSince = clock.now();
        const reason = error.facts.reason === undefined ? '' : ` (${error.facts.reason})`;
        notes.warn(`${error.message}${reason}. Nothing is lost: trying again until it works`);
      }
      failures += 1;
      return pause;
    },
    worked(): void {
      if (failures > 0)
        notes.info(
          `Working again, after trouble since ${timeLabel(utcText(failingSince), settings.zone, clock.now())}`,
        );
      failures = 0;
    },
  };
};

/** Says which events have had too few invitees for ten checks. A booking of theirs may still be missing. */
const sayShort = ({ notes }: Context, [first, ...others]: readonly SentEvent[]): void => {
  const more = others.length === 0 ? '' : ` and ${counted(others.length, 'other event')}`;
  notes.warn(
    `In ${patience} checks, the invitees listed for event ${idIn(first!.uri)}${more} didn't match the counter. Looking again, less often`,
  );
};

/** What the last line of a terminal says. */
interface Pulse {
  news: number;
  /** What comes after the pause, and when. */
  next?: { what: string; at: number } | undefined;
}

const aliveText = ({ news, next }: Pulse, now: number) => ({
  name: 'Following',
  facts: [
    counted(news, 'change'),
    next === undefined ? 'checking' : `${next.what} in ${Math.max(0, Math.ceil((next.at - now) / 1000))} s`,
  ],
});

/** All news, round after round. The caller prints each item before it takes the next: then the item is remembered. */
async function* followChanges(
  context: Context,
  source: FollowSource,
  file: FollowFile,
  state: FollowState,
  input: FollowInput,
  pulse: Pulse,
): AsyncGenerator<News> {
  const { clock, interrupted } = context.runtime;
  const trouble = createTrouble(context, input.every);
  let savedPosition = state.position;
  const save = async () => {
    await file.save(state);
    savedPosition = state.position;
  };
  const pause = async (milliseconds: number, what: string) => {
    pulse.next = { what, at: clock.now() + milliseconds };
    for (let remaining = milliseconds; remaining > 0; remaining -= savedEveryMs) {
      await clock.sleep(Math.min(remaining, savedEveryMs), interrupted);
      if (remaining > savedEveryMs) await save();
    }
    pulse.next = undefined;
  };
  for (;;) {
    const knownCount = state.events.size;
    try {
      // Of two clocks, the earlier one makes the beginning of the window earlier, and the later one its end later.
      const { earlier, later } = await bothClocks(context);
      const until = input.until(later);
      if (until <= earlier) return context.notes.info(words`Stopped: the time in ${the('until')} has passed`);
      let isChanged = false;
      const onShort = (short: readonly SentEvent[]) => sayShort(context, short);
      for await (const change of readRound(source, state, { now: earlier, until, onShort })) {
        if (change.kind !== 'read') yield change;
        await file.add(rememberNews(state, change));
        isChanged = true;
      }
      const isOld = savedPosition === null || Math.abs(state.position! - savedPosition) >= savedEveryMs;
      if (isChanged || isOld || input.once || state.events.size !== knownCount) await save();
      trouble.worked();
      if (input.once) return;
      await pause(input.every, 'next check');
    } catch (error) {
      if (input.once || interrupted.aborted || !isPassing(error)) throw error;
      await save();
      await pause(trouble.failed(error), `${error.message}: trying again`);
    }
  }
}

/** All news of a follower. Its position is open as long as somebody reads them. */
async function* newsOf(
  context: Context,
  request: RequestValues,
  input: FollowInput,
  whose: string,
  pulse: Pulse,
): AsyncGenerator<News> {
  const source = await openSource(context, request);
  const of = [request.query, request.rows!.event_type ?? null];
  const position = { folder: 'follow', purpose: 'where events follow stopped', of };
  const file = await openFollowFile(await placeOfPosition(context, position));
  try {
    const { earlier } = await bothClocks(context);
    const state = await openState(file, source, input, earlier);
    await announceFollow(context, state, input, whose);
    for await (const item of followChanges(context, source, file, state, input, pulse)) {
      pulse.news += 1;
      yield item;
    }
  } finally {
    await file.close();
  }
}

export const follow = async (
  { request, ...input }: FollowInput & { request: RequestValues },
  { context }: Call,
  filters: readonly FieldFlag[],
): Promise<Plan> => {
  const query = request.query!;
  const { runtime } = context;
  const whose = await fillScope(events.list, { query }, context);
  const isShared = query.user === undefined;
  const isWhole = isShared && query.group === undefined && request.rows!.event_type === undefined;
  const pulse: Pulse = { news: 0 };
  return plan({
    requests: () => {
      const now = context.now();
      const since = windowStart(beginState(input.since ?? now), now);
      const window = windowQuery('start_time', { since: utcText(since), until: utcText(input.until(now)) });
      return { operation: events.list, inputs: [{ query: { ...query, ...window, count: limits.pageSize.max } }] };
    },
    remarks: rowRemarks(filters, request.rows),
    send: async (): Promise<StreamAnswer<News>> => {
      const createdBy = await creatorOf(context);
      const without = input.since === undefined ? '' : words` without ${the('since')}`;
      return {
        kind: 'stream',
        view: newsView,
        items: newsOf(
          context,
          request,
          input,
          whose ?? (isWhole ? 'all events of the organization' : 'the chosen events'),
          pulse,
        ),
        record: (item) => deliveryOf(item, createdBy),
        happening: (item, hasColumns) => happeningOf(item, context, isShared, hasColumns),
        columns,
        paint: paintLine,
        alive: input.once ? undefined : () => aliveText(pulse, runtime.clock.now()),
        // The next start resumes here.
        stopped: words`Stopped. The same command${without} continues from here`,
      };
    },
  });
};
