import { beforeEach, describe, expect, test } from 'vitest';
import type { ConfigFile } from '../../../src/commands/config/work-file-schema.ts';
import { type Configs, createConfigs } from './configs.ts';

let configs: Configs;
beforeEach(async () => {
  configs = await createConfigs();
});

const team: ConfigFile = {
  sched: 1,
  users: {
    me: {
      event_types: {
        review: {
          name: 'Design review',
          duration: 45,
          active: true,
          color: '#0a8f6b',
          description_plain: 'Two lines\nof text',
          availability: { timezone: 'Europe/Paris', hours: ['mon-thu 09:00-12:30'], dates: { '2026-12-24': 'off' } },
        },
        draft: { name: 'Draft', duration: 20, active: false },
      },
      webhooks: [{ url: 'https://crm.example.com/hook', events: ['invitee.created'], signing_key_env: 'CRM' }],
    },
  },
};

describe('a configuration that is applied', () => {
  test('is then as in the file, and applied again sends nothing', async () => {
    const machine = await configs.machineAt();
    const writes: string[] = [];
    const said = await configs.apply(machine, team, { writes });
    expect(said).toMatchObject({ said: 'done' });
    // A new type can be booked when it has its hours, and nothing is deleted before the rest is done.
    expect(writes).toEqual([
      'POST event_types',
      'POST event_types',
      'PATCH event_type_availability_schedules',
      'PATCH event_types',
      'POST webhook_subscriptions',
      'DELETE webhook_subscriptions',
    ]);
    const again: string[] = [];
    expect(await configs.apply(machine, team, { writes: again })).toMatchObject({
      said: 'done',
      plan: { changes: [] },
    });
    expect(again).toEqual([]);
  });
});
