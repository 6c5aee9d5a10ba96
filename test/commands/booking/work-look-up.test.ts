import { describe, expect, test } from 'vitest';
import { invitees } from '../../../src/api/invitees.ts';
import type { Json } from '../../../src/base/json.ts';
import type { Client } from '../../../src/client/client.ts';
import { lookUp } from '../../../src/commands/booking/work-look-up.ts';

const organization = 'https://api.example.com/organizations/O';
const event_type = 'https://api.example.com/event_types/T';
const start_time = '2027-02-01T10:00:00Z';
const event: Json = { uri: 'https://api.example.com/scheduled_events/E', event_type, start_time, status: 'active' };
const invitee: Json = { uri: `${event.uri}/invitees/I`, email: 'b@x.example', status: 'active' };

/** Looks for a@x.example among these records. */
const lookingAt = (events: Json[], people: Json[]) => {
  const pages = async function* (operation: unknown) {
    yield operation === invitees.list ? people : events;
  };
  const owner = { user: 'https://api.example.com/users/U', organization };
  const [isMeant, isEarlier] = ['a@x.example', `${event.uri}/invitees/E`].map((one) => (text: string) => text === one);
  const wanted = { event_type, start_time, organization, isMeant: isMeant!, isEarlier: isEarlier! };
  return lookUp({ pages } as unknown as Client, owner, wanted);
};

describe('a booking that is not found', () => {
  test('is missing for sure if all rows can be read', async () => {
    expect(await lookingAt([event], [invitee])).toMatchObject({ matches: [], isComplete: true });
  });

  // R27: the service may have spelled the address of the invitee in another way.
  test.each<[string, Json[], boolean]>([
    ['a new invitee', [invitee], true],
    ['an earlier one', [{ ...invitee, uri: `${event.uri}/invitees/E` }], false],
    ['an earlier one and a new one', [{ ...invitee, uri: `${event.uri}/invitees/E` }, invitee], true],
    ['no invitee', [], true],
  ])('may be the event at that time with %s', async (_, people, isSharedSlot) => {
    expect(await lookingAt([event], people)).toMatchObject({ isSharedSlot });
  });

  test.each<[string, Json[], Json[]]>([
    ['an event has no start time', [{ ...event, start_time: null }], []],
    ['the start time of an event is an object', [{ ...event, start_time: {} }], []],
    ['the event type of an event is an object', [{ ...event, event_type: { uri: event_type } }], []],
    ['the address of an invitee is an object', [event], [{ ...invitee, email: { text: 'a@x.example' } }]],
  ])('may exist if %s', async (_, events, people) => {
    expect(await lookingAt(events, people)).toMatchObject({ matches: [], isComplete: false });
  });
});
