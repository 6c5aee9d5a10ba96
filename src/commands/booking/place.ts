import type { SentEventType } from '../../api/event-types.ts';
import { events } from '../../api/events.ts';
import { locationKinds } from '../../api/locations.ts';
import { hasCategory } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { idIn } from '../../base/uri.ts';
import type { FollowUp } from '../../cli/command.ts';
import type { Context } from '../../cli/session/context.ts';
import { hasRoom } from '../../cli/session/network.ts';
import { readIfPossible } from '../../client/change.ts';
import type { Query } from '../../client/wire.ts';

/*
 * Where a meeting will be. An event type doesn't show its places, so the events of the type tell, and a refusal that
 * names the kind of place.
 */

/** Places that the invitee must name, and how a prompt asks for them. */
const questions: Record<string, string> = {
  ask_invitee: 'Place of the meeting',
  outbound_call: "Invitee's phone number",
};

/** Events that are looked through: one request. */
const mostEvents = 100;

type Place = { readonly type?: unknown };

const known = new WeakMap<Context, Promise<Place[]>>();

/** The places of the latest events of a type. */
const readPlaces = async (context: Context, { uri, profile }: SentEventType): Promise<Place[]> => {
  if (!(await hasRoom(context, 1))) return [];
  const client = await context.client();
  const { owner, type } = isObject(profile) ? profile : {};
  const whose: Query =
    type === 'User' && typeof owner === 'string'
      ? { user: owner }
      : { organization: await context.identity.organization() };
  const query = { ...whose, sort: 'start_time:desc' };
  const places: Place[] = [];
  for await (const page of client.pages(events.list, { query }, { limit: mostEvents, pageSize: mostEvents })) {
    for (const { event_type, location } of page)
      if (idIn(event_type) === idIn(uri) && isObject(location)) places.push(location);
    break;
  }
  return places;
};

const placesOf = async (context: Context, type: SentEventType): Promise<Place[]> => {
  const reading = known.get(context) ?? readIfPossible(() => readPlaces(context, type)).then((places) => places ?? []);
  known.set(context, reading);
  return reading;
};

/** The place that the latest events of a type have, if it is always of the same kind. */
export const usualPlace = async (context: Context, type: SentEventType): Promise<Place | undefined> => {
  const [first, ...others] = await placesOf(context, type);
  return others.every((place) => place.type === first!.type) ? first : undefined;
};

/** The kind of place that invitees of this type have named before. */
export const namedKind = async (context: Context, type: SentEventType): Promise<string | undefined> =>
  (await placesOf(context, type)).map((place) => String(place.type)).find((kind) => questions[kind] !== undefined);

/** Asks for the place if meetings of this type are where the invitee says. */
export const placeQuestions = async (context: Context, type: SentEventType): Promise<FollowUp[]> => {
  const kind = String((await usualPlace(context, type))?.type);
  const label = questions[kind];
  return label === undefined
    ? []
    : [{ flag: 'location', label, isOptional: false, valueOf: (text) => text, also: ['location-kind', kind] }];
};

/** The place that a refused booking lacks, asked for at a terminal. Throws the error if it isn't about that. */
export const askPlace = async (context: Context, error: unknown): Promise<{ kind: string; location: string }> => {
  const reason = hasCategory(error, 'usage') ? (error.facts.reason ?? '') : '';
  const kind = locationKinds.find((each) => questions[each] !== undefined && reason.includes(each));
  const isAbout = /\blocation\b/.test(reason) && kind !== undefined;
  if (!isAbout || context.asker === undefined) throw error;
  const asker = await context.asker();
  return { kind, location: await asker.text({ label: questions[kind]! }) };
};
