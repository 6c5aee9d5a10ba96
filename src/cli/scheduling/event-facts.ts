import { events } from '../../api/events.ts';
import { invitees } from '../../api/invitees.ts';
import { rowFilter } from '../../client/filter.ts';
import { hasCategory } from '../../errors.ts';
import { isObject, type Json, recordsIn } from '../../json.ts';
import { counted, formatNumber } from '../../numbers.ts';
import { cutLong } from '../../output/cells.ts';
import { spanLabel, timeLabel } from '../../time/label.ts';
import { idIn } from '../../uri.ts';
import type { Confirmation } from '../session/confirm.ts';
import type { Context } from '../session/context.ts';
import type { Facts } from '../session/prompt.ts';
import { mapConcurrent } from './map-concurrent.ts';

/** Events and people that a prompt names. The others are counted. */
export const mostNamed = 5;

/** How many events are read at the same time, if the rate limit allows. */
const atOnce = 4;

/** A name of any length comes from the network, and a prompt must stay on the screen. */
const longestName = 80;

export const textIn = (...values: unknown[]): string | undefined => {
  const text = values.find((value) => typeof value === 'string' && value.trim() !== '');
  return text === undefined ? undefined : cutLong(String(text), longestName);
};

/** `"Intro call"`, or `event ID` if it has no name. */
export const quotedName = ({ name, uri }: Json): string =>
  textIn(name) === undefined ? `event ${idIn(uri)}` : `"${textIn(name)}"`;

const nowOf = ({ runtime, serviceTime }: Context): number => serviceTime() ?? runtime.clock.now();

/** `"Intro call" (Mon 16 Nov 09:00)` */
export const nameAndTime = (context: Context, event: Json): string =>
  typeof event.start_time === 'string'
    ? `${quotedName(event)} (${timeLabel(event.start_time, context.settings.zone, nowOf(context)) ?? event.start_time})`
    : quotedName(event);

export const spanOf = (context: Context, { start_time: start, end_time: end }: Json): string | undefined =>
  typeof start === 'string' ? spanLabel(start, String(end), context.settings.zone, nowOf(context)) : undefined;

/** The hosts in an event as the service sent it. */
export const hostsIn = ({ event_memberships: hosts }: Json): Json[] => recordsIn(hosts);

export const hostNames = (event: Json): string[] =>
  hostsIn(event).flatMap(({ user_name: name, user_email: email }) => textIn(name, email) ?? []);

/** The names of an event's active invitees: at most one more than a prompt names. */
const inviteesOf = async (context: Context, { uri }: Json): Promise<string[]> => {
  const client = await context.client();
  const query = { status: 'active' };
  const limit = mostNamed + 1;
  const options = { limit, pageSize: limit, keep: rowFilter(invitees.list, query) };
  const names: string[] = [];
  try {
    for await (const page of client.pages(invitees.list, { path: { event: idIn(uri) }, query }, options))
      names.push(...page.map(({ name, email, uri }) => textIn(name, email) ?? idIn(uri)));
  } catch (error) {
    if (!hasCategory(error, 'forbidden', 'not-found')) throw error;
  }
  return names;
};

/** `Ada, Bob and 3 more`. `total` counts the people who are not in `names` too. */
const people = (names: readonly string[], total = names.length): string => {
  const named = names.slice(0, mostNamed);
  const more = Math.max(total, names.length) - named.length;
  return more > 0 ? `${named.join(', ')} and ${formatNumber(more)} more` : named.join(', ');
};

const activeIn = ({ invitees_counter: counter }: Json): number =>
  isObject(counter) && typeof counter.active === 'number' ? counter.active : 0;

/** When an event is and who takes part, for a prompt. Reads the invitees. */
const factsOf = async (context: Context, event: Json): Promise<Facts> => {
  const [when, hosts, invited] = [spanOf(context, event), hostNames(event), await inviteesOf(context, event)];
  return [
    ...(when === undefined ? [] : [['when', `${when} ${context.settings.zone}`] as const]),
    ...(hosts.length === 0 ? [] : [['hosts', people(hosts)] as const]),
    ...(invited.length === 0 ? [] : [['invitees', people(invited, activeIn(event))] as const]),
  ];
};

/** An event as one line of a list: `Mon 16 Nov 09:00–09:30, "Intro call": Zoë Müller with Amara Okafor`. */
const lineOf = async (context: Context, event: Json): Promise<string> => {
  const [when, hosts, invited] = [spanOf(context, event), hostNames(event), await inviteesOf(context, event)];
  const who = [
    ...(invited.length === 0 ? [] : [people(invited, activeIn(event))]),
    ...(hosts.length === 0 ? [] : [`with ${people(hosts)}`]),
  ];
  return `${when === undefined ? '' : `${when}, `}${quotedName(event)}${who.length === 0 ? '' : `: ${who.join(' ')}`}`;
};

/** Reads events before a prompt about them. Throws if one doesn't exist. */
export const readEvents = async (context: Context, ids: readonly string[]): Promise<Json[]> => {
  const client = await context.client();
  return mapConcurrent(ids, atOnce, async (event) => client.call(events.get, { path: { event } }));
};

/** The events of a long list that a prompt names. For an event that doesn't exist, a text says so. */
export const readSome = async (context: Context, ids: readonly string[]): Promise<(Json | string)[]> => {
  const client = await context.client();
  return mapConcurrent(ids.slice(0, mostNamed), atOnce, (event) =>
    client.call(events.get, { path: { event } }).catch((error: unknown) => {
      if (!hasCategory(error, 'not-found')) throw error;
      return `event ${event}: not found`;
    }),
  );
};

/**
 * The prompt before canceling events. It shows name, time and people of one event, or a short list of several. `total`
 * counts the events that were not read too.
 */
export const cancelQuestion = async (
  context: Context,
  found: readonly (Json | string)[],
  total = found.length,
): Promise<Confirmation> => {
  const { canConfirm } = context;
  const { zone } = context.settings;
  const [first] = found;
  if (total === 1 && typeof first === 'object') {
    return {
      question: `Cancel ${quotedName(first)} and notify its invitees?`,
      action: `cancel ${nameAndTime(context, first)}`,
      // Without a prompt, nobody would see the people.
      facts: canConfirm ? await factsOf(context, first) : [],
    };
  }
  const named = canConfirm ? found.slice(0, mostNamed) : [];
  const lines = await mapConcurrent(named, atOnce, async (event) =>
    typeof event === 'string' ? event : lineOf(context, event),
  );
  const events = counted(total, 'event');
  return {
    question: `Cancel ${events} and notify ${total === 1 ? 'its' : 'their'} invitees?`,
    action: `cancel ${events}`,
    list: total > lines.length ? [...lines, `and ${formatNumber(total - lines.length)} more`] : lines,
    facts: [['time zone', zone]],
  };
};

/** The prompt before a no-show for a meeting that has not started. */
export const noShowQuestion = async (context: Context, event: Json, invitee: Json): Promise<Confirmation> => {
  const who = textIn(invitee.name, invitee.email) ?? `invitee ${idIn(invitee.uri)}`;
  const facts = context.canConfirm ? await factsOf(context, event) : [];
  return {
    question: `Mark ${who} as no-show? ${quotedName(event)} has not started yet.`,
    action: `mark ${who} as no-show for ${nameAndTime(context, event)}, which has not started yet`,
    facts,
  };
};
