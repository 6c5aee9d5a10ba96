import { eventTypes } from '../../api/event-types.ts';
import type { Input } from '../../client/client.ts';
import type { Context } from '../session/context.ts';

/** The colors of event types by URI, in one request. Empty without color, and if they can't be read: they only help. */
export const readColors = async (
  { settings, runtime, client }: Context,
  asked: NonNullable<Input['query']>,
): Promise<ReadonlyMap<string, string>> => {
  const colors = new Map<string, string>();
  if (!settings.color) return colors;
  const whose = asked.user === undefined ? 'organization' : 'user';
  try {
    for await (const page of (await client()).pages(eventTypes.list, { query: { [whose]: asked[whose]! } })) {
      for (const { uri, color } of page) if (typeof color === 'string') colors.set(String(uri), color);
      break;
    }
  } catch (error) {
    if (runtime.interrupted.aborted) throw error;
  }
  return colors;
};
