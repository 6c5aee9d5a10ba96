import { beforeEach, describe, expect, it } from 'vitest';
import { amara, jonas, openWorld, organization, parametersOf, pathOf, tomas, uri, user, type World } from '../world.ts';

const range = { type: 'date_range', start_date: '2026-05-04', end_date: '2026-05-06' };

describe('one-offs', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });
  const create = (more: object = {}, token = 'sandbox_owner') =>
    world.call('POST', '/one_off_event_types', {
      body: { name: 'Kick-off', host: amara, duration: 30, date_setting: range, ...more },
      token,
    });
  const refused = async (parameters: string[], more: object) => {
    const { status, body } = await create(more);
    expect([status, parametersOf(body)]).toEqual([400, parameters]);
  };
  /** Creates a one-off meeting and returns the statuses of bookings at these times. */
  const statuses = async (more: object, ...starts: string[]) => {
    const { status, body } = await create(more);
    expect(status).toBe(201);
    const replies = [];
    for (const start of starts) replies.push((await world.book('', start, { event_type: body.resource.uri })).status);
    return replies;
  };

  it('create an event type of their own type', async () => {
    const { status, body } = await create({ location: { kind: 'zoom_conference' } });
    expect(status).toBe(201);
    expect(body.resource).toMatchObject({
      name: 'Kick-off',
      type: 'AdhocEventType',
      kind: 'solo',
      pooling_type: null,
      slug: null,
      scheduling_url: expect.stringMatching(/\/d\/[a-z2-9]{16}\/kick-off$/),
      duration: 30,
    });
    expect((await world.get(pathOf(body.resource.uri))).body.resource).toEqual(body.resource);
    expect(await world.lastActivity()).toMatchObject({ details: { type: 'AdhocEventType' } });
    const listed = await world.walk('/event_types', { organization });
    expect(listed).toContainEqual(body.resource);
  });

  it('require all hosts to be free', async () => {
    const { body } = await create({ co_hosts: [jonas, user('elif')] });
    expect(body.resource.pooling_type).toBe('collective');
    const event_type = body.resource.uri;
    const hosts = await world.walk('/event_type_memberships', { event_type });
    expect(hosts.map(({ member }) => member.uri)).toEqual([amara, user('elif'), jonas]);
    const booked = await world.book('', '2026-05-04T08:00:00Z', { event_type });
    const event = (await world.get(pathOf(booked.body.resource.event))).body.resource;
    expect(event.event_memberships).toHaveLength(3);
    expect((await world.book('research-interview', '2026-05-04T11:00:00Z')).status).toBe(200);
    expect((await world.book('', '2026-05-04T11:15:00Z', { event_type })).status).toBe(409);
    // 14:30Z is 17:30 in Istanbul.
    expect((await world.book('', '2026-05-04T14:30:00Z', { event_type })).status).toBe(400);
  });

  it('can be booked within a date range', async () => {
    const times = ['2026-05-01T08:00:00Z', '2026-05-04T08:00:00Z', '2026-05-06T08:00:00Z', '2026-05-07T08:00:00Z'];
    expect(await statuses({}, ...times)).toEqual([400, 200, 200, 400]);
    // At 11:00Z it is already the next day in Kiritimati.
    const far = { timezone: 'Pacific/Kiritimati', date_setting: { ...range, start_date: '2026-05-06' } };
    expect(await statuses(far, '2026-05-05T11:00:00Z', '2026-05-06T11:00:00Z')).toEqual([200, 400]);
  });

  it('can be booked for a number of days ahead', async () => {
    const days = { type: 'days_in_future', days: 60 };
    const times = ['2026-05-08T08:00:00Z', '2026-05-11T08:00:00Z'];
    expect(await statuses({ date_setting: days }, ...times)).toEqual([200, 400]);
  });

  it.each([
    [
      'the day before a 23-hour day',
      '2026-03-28T23:30:00+01:00',
      '2026-03-29T10:00:00+02:00',
      '2026-03-30T10:00:00+02:00',
    ],
    ['a 25-hour day', '2026-10-25T00:30:00+02:00', '2026-10-26T10:00:00+01:00', '2026-10-27T10:00:00+01:00'],
  ])('count calendar days on %s', async (_, now, within, beyond) => {
    world.clock.time = Date.parse(now);
    const event_type = (await create({ date_setting: { type: 'days_in_future', days: 1 } })).body.resource.uri;
    const [schedule] = await world.walk('/event_type_availability_schedules', { event_type });
    const intervals = [{ from: '09:00', to: '17:00' }];
    const rules = ['sunday', 'monday', 'tuesday'].map((wday) => ({ type: 'wday', wday, intervals }));
    await world.call('PATCH', pathOf(schedule.uri), { body: { rules } });
    expect((await world.book('', within, { event_type })).status).toBe(200);
    expect((await world.book('', beyond, { event_type })).status).toBe(400);
  });

  it('can exclude weekends, even if the host works then', async () => {
    const rules = [{ type: 'wday', wday: 'saturday', intervals: [{ from: '09:00', to: '17:00' }] }];
    for (const [only_weekdays, expected] of [
      [true, 400],
      [false, 200],
    ] as const) {
      const date_setting = { type: 'days_in_future', days: 100_000, only_weekdays };
      const event_type = (await create({ date_setting })).body.resource.uri;
      const [schedule] = await world.walk('/event_type_availability_schedules', { event_type });
      await world.call('PATCH', pathOf(schedule.uri), { body: { rules } });
      expect((await world.book('', '2026-05-09T08:00:00Z', { event_type })).status).toBe(expected);
    }
  });

  it('can be booked in single spots outside working hours', async () => {
    const spots = [{ start_time: '2026-05-09T20:00:00+02:00', end_time: '2026-05-09T21:00:00+02:00' }];
    const times = ['2026-05-09T17:45:00Z', '2026-05-09T18:00:00Z', '2026-05-09T18:30:00Z', '2026-05-09T18:45:00Z'];
    expect(await statuses({ date_setting: { type: 'spots', spots } }, ...times)).toEqual([400, 200, 200, 400]);
  });

  it('require members of the organization as hosts, each once and at most ten', async () => {
    const nobody = uri('users', 'NOBODY');
    await refused(['host'], { host: nobody });
    await refused(['co_hosts[1]'], { co_hosts: [jonas, nobody] });
    await refused(['co_hosts[0]', 'co_hosts[2]'], { co_hosts: [amara, jonas, jonas] });
    await refused(['co_hosts'], { co_hosts: Array.from({ length: 10 }, (_, index) => uri('users', `U${index}`)) });
    await refused(['co_hosts[0]'], { co_hosts: [organization] });
  });

  const spot = (start_time: string, end_time: string) => ({ start_time, end_time });
  it.each([
    ['a range in the past', ['end_date'], { ...range, start_date: '2026-03-01', end_date: '2026-03-10' }],
    ['a range that ends before it begins', ['end_date'], { ...range, end_date: '2026-05-03' }],
    ['no days', ['days'], { type: 'days_in_future', days: 0 }],
    ['half a range', ['end_date'], { type: 'date_range', start_date: '2026-05-04' }],
    ['an unknown type', ['type'], { type: 'someday' }],
    ['no spots', ['spots'], { type: 'spots', spots: [] }],
    [
      'spots that are in the past or too short',
      ['spots[0].start_time', 'spots[1].end_time'],
      {
        type: 'spots',
        spots: [
          spot('2026-03-11T12:00:00Z', '2026-03-11T13:00:00Z'),
          spot('2026-05-04T08:00:00Z', '2026-05-04T08:29:00Z'),
        ],
      },
    ],
    [
      'a spot that ends before it begins',
      ['spots[0].end_time'],
      { type: 'spots', spots: [spot('2026-05-04T08:00:00Z', '2026-05-04T07:00:00Z')] },
    ],
  ])('reject %s', (_, fields, date_setting) =>
    refused(
      fields.map((field) => `date_setting.${field}`),
      { date_setting },
    ),
  );

  it('reject an invalid time zone', () => refused(['timezone'], { timezone: 'Mars/Olympus' }));

  it('require an admin or the owner to create one for another host', async () => {
    expect((await create({ host: tomas, co_hosts: [amara] }, 'sandbox_user')).status).toBe(201);
    const { status, body } = await create({}, 'sandbox_user');
    expect([status, body.title]).toEqual([403, 'Permission Denied']);
    expect((await create({ host: tomas }, 'sandbox_admin')).status).toBe(201);
  });
});
