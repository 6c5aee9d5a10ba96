import { beforeEach, describe, expect, it } from 'vitest';
import { eventType, openWorld, parametersOf, type World } from '../world.ts';

describe('shares', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });
  const share = (slug: string, more: object = {}, token = 'sandbox_owner') =>
    world.call('POST', '/shares', { body: { event_type: eventType(slug), ...more }, token });
  const refused = async (parameters: string[], slug: string, more: object) => {
    const { status, body } = await share(slug, more);
    expect([status, parametersOf(body)]).toEqual([400, parameters]);
  };

  it('create a link and return its overrides', async () => {
    const changes = {
      name: 'For Ada',
      duration: 45,
      duration_options: [15, 45],
      availability_rule: {
        timezone: 'UTC',
        rules: [{ type: 'wday', wday: 'friday', intervals: [{ from: '08:00', to: '09:00' }] }],
      },
      period_type: 'moving',
      max_booking_time: 14,
      location_configurations: [{ kind: 'zoom_conference' }],
    };
    const { status, body } = await share('intro-call', changes);
    expect(status).toBe(201);
    expect(body.resource).toEqual({
      scheduling_links: [
        {
          booking_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:4010\/d\/[a-z2-9]{16}\/intro-call$/),
          owner: eventType('intro-call'),
          owner_type: 'EventType',
        },
      ],
      share_override: changes,
    });
    expect(await world.lastActivity()).toMatchObject({
      fully_qualified_name: 'Share.Create',
      details: { event_type: eventType('intro-call'), name: 'For Ada' },
    });
  });

  it('create a new link every time', async () => {
    const links = [await share('intro-call'), await share('intro-call')];
    expect(new Set(links.map(({ body }) => body.resource.scheduling_links[0].booking_url)).size).toBe(2);
  });

  it('accept a duration of the event type if no options are sent', async () => {
    expect((await share('intro-call', { duration: 15 })).status).toBe(201);
    await refused(['duration'], 'intro-call', { duration: 30 });
    for (const duration of [30, 15, 45, 60]) expect((await share('consultation', { duration })).status).toBe(201);
    await refused(['duration'], 'consultation', { duration: 20 });
  });

  it.each([
    ['a duration that is not an option', ['duration'], { duration: 30, duration_options: [15, 45] }],
    ['more than four options', ['duration_options'], { duration_options: [1, 2, 3, 4, 5] }],
    ['a repeated option', ['duration_options'], { duration_options: [15, 15] }],
    ['an option over twelve hours', ['duration_options[1]'], { duration_options: [1, 721] }],
    ['an option of zero minutes', ['duration_options[0]'], { duration_options: [0, 720] }],
  ])('reject %s', (_, parameters, more) => refused(parameters, 'intro-call', more));

  it('reject contradictory hours', async () => {
    const rule = { type: 'wday', wday: 'monday', intervals: [] };
    await refused(['availability_rule.rules[1].wday', 'availability_rule.timezone'], 'intro-call', {
      availability_rule: { rules: [rule, rule], timezone: 'Nowhere' },
    });
  });

  it('reject unknown period types and location kinds', () =>
    refused(['period_type', 'location_configurations[0].kind'], 'intro-call', {
      period_type: 'sometimes',
      location_configurations: [{ kind: 'moon' }],
    }));

  it('require an existing, active event type that the caller hosts', async () => {
    expect((await share('none')).status).toBe(404);
    await refused(['event_type'], 'summer-office-hours', {});
    expect((await share('support-call', {}, 'sandbox_user')).status).toBe(201);
    const foreign = await share('renewal-talk', {}, 'sandbox_user');
    expect([foreign.status, foreign.body.title]).toEqual([403, 'Permission Denied']);
    expect((await share('renewal-talk', {}, 'sandbox_admin')).status).toBe(201);
  });
});
