import { eventTypes, type SentEventType } from '../../api/event-types.ts';
import type { WithUri } from '../../api/sent.ts';
import { idIn } from '../../base/uri.ts';
import type { Invocation } from '../command.ts';
import type { Context } from '../session/context.ts';
import { referredRecord } from './references.ts';

export const eventTypeOf = async (context: Context, uri: unknown): Promise<WithUri<SentEventType>> =>
  (await context.client()).call(eventTypes.get, { path: { event_type: idIn(uri) } });

/** The event type that `--event-type` names. */
export const givenEventType = async ({
  context,
  given,
}: Pick<Invocation, 'context' | 'given'>): Promise<WithUri<SentEventType>> => {
  const name = String(given['event-type']);
  const { uri } = await referredRecord({ id: '', collection: 'event_types', name }, context);
  return eventTypeOf(context, uri);
};
