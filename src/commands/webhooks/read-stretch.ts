import { SchedError } from '../../base/errors.ts';
import { day, second } from '../../base/milliseconds.ts';
import type { Context } from '../../cli/session/context.ts';
import { eachSubmission } from '../compliance/submissions.ts';
import { readRound } from '../follow/read-news.ts';
import { deliveryOf } from '../follow/screen.ts';
import { creatorOf, openSource } from '../follow/source.ts';
import { beginState, rememberNews } from '../follow/work-state.ts';
import type { BackfillInput } from './backfill-input.ts';
import { type Backfilled, backfilled, inOrder } from './work-backfill.ts';

/** Lists of invitees that don't match their counter are read again, as a service may answer from older copies. */
const rounds = 3;
const betweenRoundsMs = 2 * second;

/** Nobody books later than that. */
const farAheadMs = 3660 * day;

export interface Stretch {
  since: number;
  until: number;
}

/** All bookings and cancellations of a stretch. */
const readInvitees = async (context: Context, request: BackfillInput['request'], { since, until }: Stretch) => {
  const source = await openSource(context, request);
  const createdBy = await creatorOf(context);
  const state = beginState(since);
  const found: Backfilled[] = [];
  let isShort = false;
  const now = since;
  for (let round = 1; round <= rounds; round += 1) {
    isShort = false;
    const limits = { now, until: context.now() + farAheadMs, onShort: () => {} };
    for await (const change of readRound(source, state, limits)) {
      rememberNews(state, change);
      if (change.kind === 'read') isShort ||= change.isShort;
      else found.push(backfilled(deliveryOf(change, createdBy)));
    }
    if (!isShort) break;
    if (round < rounds) await context.runtime.clock.sleep(betweenRoundsMs, context.runtime.interrupted);
  }
  return { found: found.filter(({ created_at }) => Date.parse(created_at) < until), isShort };
};

const readSubmissions = async (context: Context, { since, until }: Stretch) => {
  const createdBy = await creatorOf(context);
  const found: Backfilled[] = [];
  const unread = await eachSubmission(context, (submission) => {
    const at = Date.parse(String(submission.created_at));
    if (at < since || at >= until) return;
    const event = 'routing_form_submission.created';
    found.push(backfilled({ event, created_at: submission.created_at, created_by: createdBy, payload: submission }));
  });
  return { found, unread };
};

/** What happened in a stretch of time, as deliveries. `isShort`: the service may still hide some. */
export const readStretch = async (context: Context, input: BackfillInput, since: number) => {
  const { request, events: wanted } = input;
  // Which time it is at the service is known only from its replies, so without an end everything counts that it shows.
  const stretch = { since, until: input.until ?? Number.POSITIVE_INFINITY };
  const all: Backfilled[] = [];
  let isShort = false;
  if (wanted.some((event) => event.startsWith('invitee.'))) {
    const read = await readInvitees(context, request, stretch);
    all.push(...read.found);
    isShort = read.isShort;
  }
  if (wanted.includes('routing_form_submission.created')) {
    const { found, unread } = await readSubmissions(context, stretch);
    if (unread.length > 0)
      throw new SchedError('forbidden', "Can't read all routing form submissions", {
        reason: `the token can't read ${unread.join(', ')}`,
      });
    all.push(...found);
  }
  return { deliveries: inOrder(all.filter(({ event }) => wanted.some((each) => each === event))), isShort };
};
