import type { EventStore } from '@modelcontextprotocol/server';

type Message = Parameters<EventStore['storeEvent']>[1];

/** The newest messages of a session: so many at most, and so many characters. A result has at most 32 KiB. */
const mostEvents = 32;
const mostCharacters = 1024 * 1024;

/** Keeps the newest messages of a session for a client whose stream broke. */
export const createEventStore = (): EventStore => {
  const events: { id: string; stream: string; message: Message; size: number }[] = [];
  let count = 0;
  let characters = 0;
  return {
    storeEvent: async (stream, message) => {
      count += 1;
      const size = JSON.stringify(message).length;
      characters += size;
      events.push({ id: String(count), stream, message, size });
      while (events.length > mostEvents || characters > mostCharacters) characters -= events.shift()!.size;
      return String(count);
    },
    getStreamIdForEventId: async (id) => events.find((event) => event.id === id)?.stream,
    replayEventsAfter: async (last, { send }) => {
      const lastIndex = events.findIndex(({ id }) => id === last);
      const { stream } = events[lastIndex]!;
      // A stream begins with an empty message, which only names the place.
      const missedEvents = events
        .slice(lastIndex + 1)
        .filter((event) => event.stream === stream && 'jsonrpc' in event.message);
      for (const { id, message } of missedEvents) await send(id, message);
      return stream;
    },
  };
};
