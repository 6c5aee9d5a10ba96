import { rowsOf } from '../world/rows.ts';
import type { World } from '../world/schema.ts';
import { inventActivity } from './activity.ts';
import demo from './demo.json' with { type: 'json' };
import { inventEvents } from './events.ts';
import { inventSubmissions } from './submissions.ts';

/** The demo without what is invented around the current time. */
const team = demo as World;

/** The demo: a team with its calendars six weeks before and after `now`. */
export const demoWorld = (now: number): World => {
  const { rows, types } = rowsOf(team, now);
  const events = inventEvents(types, Object.keys(team.users), now);
  const forms = inventSubmissions(team.forms!, events, now);
  return { ...team, events, forms, activity: inventActivity(rows, team.users, events, now) };
};

/** The people of the demo, and nothing else. */
export const emptyWorld = (): World => ({
  sandbox: 1,
  organization: { ...team.organization, webhooks: [] },
  users: Object.fromEntries(
    Object.entries(team.users).map(([key, user]) => [key, { ...user, event_types: {}, webhooks: [], connected: [] }]),
  ),
});
