import { expect, test } from 'vitest';
import { availability } from '../../src/api/availability.ts';
import { eventTypes } from '../../src/api/event-types.ts';
import { events } from '../../src/api/events.ts';
import type { Value } from '../../src/api/field.ts';
import { groups } from '../../src/api/groups.ts';
import { members } from '../../src/api/organizations.ts';

const organization = 'https://api.example.com/organizations/O';

test('the type of a list has sort only if the list can be sorted', () => {
  const sorted: Value<typeof events.list.query> = { organization, sort: 'start_time' };
  expect(events.list.query.safeParse(sorted).success).toBe(true);
  // @ts-expect-error Groups have one order.
  const ofGroups: Value<typeof groups.list.query> = { organization, sort: 'name' };
  // @ts-expect-error And so have members,
  const ofMembers: Value<typeof members.list.query> = { organization, sort: 'role' };
  // @ts-expect-error schedules,
  const ofSchedules: Value<typeof availability.list.query> = { event_type: 'https://x/event_types/E', sort: 'name' };
  // @ts-expect-error and hosts.
  const ofHosts: Value<typeof eventTypes.hosts.query> = { event_type: 'https://x/event_types/E', sort: 'name' };
  const others = [groups.list, members.list, availability.list, eventTypes.hosts] as const;
  const queries = [ofGroups, ofMembers, ofSchedules, ofHosts];
  for (const [index, { query }] of others.entries()) expect(query.safeParse(queries[index]).success).toBe(false);
});
