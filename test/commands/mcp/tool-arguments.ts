import { plainType } from '../../support/lost-replies.ts';
import type { TestWorld } from '../../support/run.ts';

/** Arguments for the tools that need some. */
export const argumentsFor = async (world: TestWorld): Promise<Record<string, Record<string, unknown>>> => {
  const idOf = async (line: string): Promise<string> => (await world.run(`${line} -o id`)).stdout.split('\n')[0]!;
  const event = await idOf('events list --status active');
  const type = await plainType(world);
  const group = await idOf('groups list');
  return {
    availability_list: { event_type: type },
    config_diff: { file: 'sched: 1\nusers: { me: { webhooks: [] } }' },
    event_types_get: { event_type: type },
    event_types_hosts: { event_type: type },
    event_types_slots: { event_type: type },
    event_types_why: { event_type: type, time: '2027-01-04T09:00:00Z' },
    events_get: { event, with: 'invitees' },
    groups_events: { group },
    groups_get: { group },
    groups_members: { group },
    groups_relationship: { relationship: await idOf('groups relationships') },
    invitees_get: { event, invitee: await idOf(`invitees list ${event}`) },
    invitees_list: { event },
    members_get: { membership: await idOf('members list') },
    users_get: { user: 'me' },
    webhooks_get: { webhook: await idOf('webhooks list') },
  };
};
