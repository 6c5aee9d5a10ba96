import { expect, test } from 'vitest';
import { eventTypes } from '../../src/api/event-types.ts';
import { events } from '../../src/api/events.ts';
import { isObject, recordsIn } from '../../src/base/json.ts';
import { createClient } from '../../src/client/client.ts';

/** A client of a service that replies this to every request. */
const clientOf = (content: object) => {
  const send = async () => ({ status: 200, headers: {}, body: JSON.stringify(content) });
  return createClient({ baseUrl: 'https://api.example.com', send, sendPlain: send });
};

const event = { uri: 'u', name: 'Intro', location: { type: 'custom' }, event_memberships: [{ user_name: 'Mia' }] };

test('a field that the operation does not document is a type error', async () => {
  const client = clientOf({ resource: event, collection: [event] });
  const read = await client.call(events.get, { path: { event: 'E' } });
  expect(read.name).toBe('Intro');
  // @ts-expect-error: in a record
  expect(read.nmae).toBeUndefined();
  for await (const page of client.pages(events.list, { query: {} }))
    for (const row of page) {
      expect(row.name).toBe('Intro');
      // @ts-expect-error: in a row of a list
      expect(row.nmae).toBeUndefined();
    }
  const { record } = await client.write(events.cancel, { path: { event: 'E' } });
  expect(record?.name).toBe('Intro');
  // @ts-expect-error: in the reply to a write
  expect(record?.nmae).toBeUndefined();
});

test('so is one of a record inside, once it is known to be an object', async () => {
  const { location, event_memberships: hosts } = await clientOf({ resource: event }).call(events.get, {
    path: { event: 'E' },
  });
  if (!isObject(location)) throw new Error('no object');
  expect(location.type).toBe('custom');
  // @ts-expect-error: in a record inside
  expect(location.kind).toBeUndefined();
  const [host] = recordsIn(hosts);
  expect(host?.user_name).toBe('Mia');
  // @ts-expect-error: in a list inside
  expect(host?.name).toBeUndefined();
});

test('an object is no documented object before it was looked at', async () => {
  const { profile } = await clientOf({ resource: { uri: 'u', profile: 'Mia' } }).call(eventTypes.get, {
    path: { event_type: 'T' },
  });
  // @ts-expect-error: the service may have sent anything
  expect(profile?.owner).toBeUndefined();
});
