import { eventTypes } from '../../api/event-types.ts';
import type { Json } from '../../base/json.ts';
import { idIn } from '../../base/uri.ts';
import type { Invocation } from '../command.ts';
import type { Context } from '../session/context.ts';
import { referredRecord } from './references.ts';

export const eventTypeOf = async (context: Context, uri: string): Promise<Json> =>
  (await context.client()).call(eventTypes.get, { path: { event_type: idIn(uri) } });

/** The event type that `--event-type` names. */
export const givenEventType = async ({ context, given }: Pick<Invocation, 'context' | 'given'>): Promise<Json> => {
  const name = String(given['event-type']);
  const { uri } = await referredRecord({ id: '', collection: 'event_types', name }, context);
  return eventTypeOf(context, uri);
};
