import { eventTypes } from '../api/event-types.ts';
import type { Operation } from '../api/operation.ts';
import type { Client, Input } from '../client/client.ts';
import type { Json } from '../client/reading.ts';
import { SchedError } from '../errors.ts';
import { isUndecided } from '../jobs/undecided.ts';
import type { Settings } from '../settings.ts';
import type { Context } from './context.ts';
import { recordOf } from './write-result.ts';

/** A command that means the same account as the one that was typed. */
export const forSameAccount = (command: string, { account, sandbox }: Settings): string =>
  [command, ...(account === undefined ? [] : [`--profile ${account.name}`]), ...(sandbox ? ['--sandbox'] : [])].join(
    ' ',
  );

const newest = (settings: Settings): string =>
  forSameAccount('sched event-types list --sort created_at:desc --limit 5', settings);

/** By path: where to see whether something was made. A booking is looked up, and needs no such place. */
const places: Record<string, (settings: Settings) => string> = {
  '/event_types': newest,
  '/one_off_event_types': newest,
  '/shares': () => 'the service lists no links: do it again only if a second link does no harm',
};

/** An error after which nobody knows whether something was made, with the place where it would be seen. */
export const withPlace = (error: unknown, operation: Operation | undefined, settings: Settings): unknown => {
  const place = operation?.effect === 'creation' ? places[operation.path] : undefined;
  if (place === undefined || !isUndecided(error)) return error;
  return new SchedError('outcome-unknown', error.message, {
    ...error.facts,
    outcome: 'unknown',
    hint: place(settings),
  });
};

/** A client that says where to look when the answer to a creating write is lost: it is never sent again (R26). */
export const namingPlaces = (client: Client, settings: Settings): Client => ({
  ...client,
  write: (operation, ...rest) =>
    client.write(operation, ...rest).catch((error: unknown) => {
      throw withPlace(error, operation, settings);
    }),
});

/** Clocks differ; an event type that is older than this was not made just now. */
const skewMs = 5 * 60_000;

/** The event type that was just made for this user under this name. */
const newestNamed = async (
  client: Client,
  user: unknown,
  { name }: Json,
  sentAt: number,
): Promise<Json | undefined> => {
  if (typeof user !== 'string') return undefined;
  const query = { user, sort: 'created_at:desc' };
  for await (const page of client.pages(eventTypes.list, { query }, { limit: 5, pageSize: 5 })) {
    const isMeant = (type: Json) => type.name === name && Date.parse(String(type.created_at)) >= sentAt - skewMs;
    return page.find(isMeant);
  }
  return undefined;
};

/** By path: how to find what was made. The service lists no links. */
const finders: Record<string, (client: Client, body: Json, sentAt: number) => Promise<Json | undefined>> = {
  '/event_types': (client, body, sentAt) => newestNamed(client, body.owner, body, sentAt),
  '/one_off_event_types': (client, body, sentAt) => newestNamed(client, body.host, body, sentAt),
};

/** Carries a write out and returns the record to print; where the reply does not show it, it is looked up once. */
export const carryOut = async (context: Context, operation: Operation, input: Input): Promise<Json> => {
  const client = await context.client();
  const body = (input.body ?? {}) as Json;
  const sentAt = context.runtime.clock.now();
  const find = finders[operation.path];
  return recordOf(context, await client.write(operation, input), {
    read: find && (() => find(client, body, sentAt)),
    known: () => body,
  });
};
