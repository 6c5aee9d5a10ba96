import { beforeEach, describe, expect, it } from 'vitest';
import { makeId } from '../../../src/sandbox/store/names.ts';
import { lastPage } from '../../spec/transcript.ts';
import { eventType, freeMonday, openWorld, parametersOf, pathOf, tomas, uri, type World } from '../world.ts';

const scheduleOf = (slug: string, key: string) =>
  uri('event_type_availability_schedules', makeId(`seed/schedule/${slug}/${key}`));
const hours = (from: string, to: string) => ({ from, to });

describe('availability schedules', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });
  const list = (slug: string) => world.walk('/event_type_availability_schedules', { event_type: eventType(slug) });
  const update = (slug: string, key: string, body: object, token = 'sandbox_owner') =>
    world.call('PATCH', pathOf(scheduleOf(slug, key)), { body, token });

  it('are listed by event type, one per host', async () => {
    const [own] = await list('intro-call');
    expect(own).toMatchObject({ uri: scheduleOf('intro-call', 'amara'), timezone: 'Europe/Berlin', default: true });
    expect(own.rules).toContainEqual({
      type: 'wday',
      wday: 'monday',
      intervals: [hours('09:00', '12:30'), hours('13:00', '17:00')],
    });
    expect(own.rules).toContainEqual({ type: 'date', date: '2026-03-23', intervals: [] });
    expect(await list('support-call')).toHaveLength(4);
  });

  it('require an existing event type', async () => {
    const { status, body } = await world.get('/event_type_availability_schedules');
    expect([status, parametersOf(body)]).toEqual([400, ['event_type']]);
    const unknown = await world.get('/event_type_availability_schedules', { event_type: eventType('none') });
    expect(unknown.status).toBe(404);
  });

  it('are replaced as a whole, and apply to bookings', async () => {
    const rules = [{ type: 'wday', wday: 'monday', intervals: [hours('20:00', '21:00'), hours('21:00', '24:00')] }];
    const { status, body } = await update('intro-call', 'amara', { rules });
    expect(status).toBe(200);
    const [schedule] = await list('intro-call');
    expect(body.resource).toEqual(schedule);
    expect(schedule).toMatchObject({ rules, timezone: 'Europe/Berlin' });
    expect(await world.lastActivity()).toMatchObject({
      fully_qualified_name: 'AvailabilitySchedule.Update',
      details: { availability_schedule: schedule.uri, fields: ['rules'] },
    });
    expect((await world.book('intro-call', `${freeMonday}T08:00:00Z`)).status).toBe(400);
    expect((await world.book('intro-call', `${freeMonday}T18:00:00Z`)).status).toBe(200);
    expect((await world.book('strategy-session', `${freeMonday}T08:00:00Z`)).status).toBe(200);
  });

  it('keep fields that are not sent', async () => {
    const [before] = await list('intro-call');
    expect((await update('intro-call', 'amara', {})).body.resource).toEqual(before);
    const moved = await update('intro-call', 'amara', { timezone: 'Asia/Tokyo' });
    expect(moved.body.resource).toEqual({ ...before, timezone: 'Asia/Tokyo' });
    expect((await world.book('intro-call', `${freeMonday}T01:00:00Z`)).status).toBe(200);
  });

  it('of an event type are changed together, as far as the caller may change them', async () => {
    const rules = [{ type: 'wday', wday: 'monday', intervals: [hours('20:00', '21:00')] }];
    const before = await list('support-call');
    const updateAll = (token: string) =>
      world.call('PATCH', '/event_type_availability_schedules', {
        body: { event_type: eventType('support-call'), rules },
        token,
      });
    const own = await updateAll('sandbox_user');
    expect(own.body.collection).toEqual(
      before.filter(({ user }) => user === tomas).map((schedule) => ({ ...schedule, rules })),
    );
    expect(await list('support-call')).toEqual(
      before.map((schedule) => (schedule.user === tomas ? { ...schedule, rules } : schedule)),
    );
    const all = await updateAll('sandbox_owner');
    expect(all.body).toEqual({
      collection: before.map((schedule) => ({ ...schedule, rules })),
      pagination: lastPage(before.length),
    });
    expect(await list('support-call')).toEqual(all.body.collection);
  });

  const monday = (...intervals: object[]) => ({ type: 'wday', wday: 'monday', intervals });
  it.each([
    ['two rules for one weekday', [monday(), monday(hours('09:00', '10:00'))], 'rules[1].wday'],
    [
      'two rules for one date',
      [0, 1, 2].map((day) => ({ type: 'date', date: `2026-05-0${1 + (day % 2)}`, intervals: [] })),
      'rules[2].date',
    ],
    ['overlapping hours', [monday(hours('09:00', '12:00'), hours('11:59', '13:00'))], 'rules[0].intervals[1]'],
    ['hours that end before they begin', [monday(hours('12:00', '09:00'))], 'rules[0].intervals[0].to'],
    ['a time that does not exist', [monday(hours('09:00', '25:00'))], 'rules[0].intervals[0].to'],
    ['an unknown rule type', [monday(), { type: 'month', month: 'may', intervals: [] }], 'rules[1].type'],
    ['a date that does not exist', [{ type: 'date', date: '2026-02-30', intervals: [] }], 'rules[0].date'],
  ])('reject %s', async (_, rules, parameter) => {
    const { status, body } = await update('intro-call', 'amara', { rules });
    expect([status, parametersOf(body)]).toEqual([400, [parameter]]);
  });

  it('reject an invalid time zone', async () => {
    const { status, body } = await update('intro-call', 'amara', { timezone: 'Mars/Olympus' });
    expect([status, parametersOf(body)]).toEqual([400, ['timezone']]);
  });

  it('can be changed by the host and by admins', async () => {
    expect((await update('support-call', 'tomas', { timezone: 'UTC' }, 'sandbox_user')).status).toBe(200);
    expect((await update('support-call', 'tomas', { timezone: 'UTC' }, 'sandbox_admin')).status).toBe(200);
    const refused = await update('support-call', 'kofi', { timezone: 'UTC' }, 'sandbox_user');
    expect([refused.status, refused.body.title]).toEqual([403, 'Permission Denied']);
    expect((await update('support-call', 'nobody', { timezone: 'UTC' })).status).toBe(404);
    const own = await world.get(
      '/event_type_availability_schedules',
      { event_type: eventType('account-check-in') },
      { token: 'sandbox_user' },
    );
    expect(own.body.collection[0].user).toBe(tomas);
  });
});
