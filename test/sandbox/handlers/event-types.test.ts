import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  amara,
  eventType,
  freeMonday,
  jonas,
  openWorld,
  organization,
  parametersOf,
  pathOf,
  tomas,
  uri,
  user,
  type World,
} from '../world.ts';

const names = (types: Array<{ name: string }>) => types.map(({ name }) => name);

describe('event-types', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });

  it('require a user or an organization', async () => {
    const { status, body } = await world.get('/event_types', { active: 'true' });
    expect([status, parametersOf(body)]).toEqual([400, ['user', 'organization']]);
  });

  it('are listed by name, including those shared with the user', async () => {
    const types = await world.walk('/event_types', { user: tomas }, 'next_page_token').catch((error) => error.message);
    expect(types).toContain('Permission Denied');
    const own = await world.get('/event_types', { user: tomas }, { token: 'sandbox_user' });
    expect(names(own.body.collection)).toEqual(['Account check-in', 'Support call']);
  });

  it('can be filtered by active or inactive', async () => {
    const inactive = await world.get('/event_types', { organization, active: 'false' });
    expect(names(inactive.body.collection)).toEqual(['Summer office hours']);
    const active = await world.walk('/event_types', { user: amara, active: 'true' });
    expect(active.every((type) => type.active)).toBe(true);
  });

  it('can be sorted by position and creation time', async () => {
    const byPosition = names(await world.walk('/event_types', { organization, sort: 'position' }));
    const newestFirst = names(await world.walk('/event_types', { organization, sort: 'created_at:desc' }));
    expect(byPosition[0]).toBe('Intro call');
    expect(newestFirst).toEqual(byPosition.reverse());
  });

  it('can be read by ID', async () => {
    const { body } = await world.get(pathOf(eventType('open-workshop')), {}, { token: 'sandbox_user' });
    expect(body.resource).toMatchObject({ name: 'Open workshop', kind: 'group', duration: 60 });
  });

  it('are not found after deletion', async () => {
    const other = await openWorld();
    const path = pathOf(eventType('board-preview'));
    other.store.run(
      "UPDATE event_types SET doc = json_set(doc, '$.deleted_at', '2026-01-01T00:00:00.000Z') WHERE id = ?",
      path.split('/')[2]!,
    );
    expect((await other.get(path)).status).toBe(404);
    expect((await other.call('PATCH', path, { body: { name: 'Back' } })).status).toBe(404);
    expect((await other.book('board-preview', `${freeMonday}T08:00:00Z`)).status).toBe(404);
    expect(names(await other.walk('/event_types', { organization }))).not.toContain('Board preview');
  });
});

describe('event-types create', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });
  const create = (body: object, token = 'sandbox_owner') => world.call('POST', '/event_types', { body, token });

  it("creates a one-on-one type with a booking page and its owner's hours", async () => {
    const { status, body } = await create({
      owner: amara,
      name: 'Café crème & more',
      duration: 20,
      color: '#A1B2C3',
      description_plain: 'Coffee < tea',
      location: { kind: 'physical', location: 'Hof 2' },
    });
    expect(status).toBe(201);
    expect(body.resource).toMatchObject({
      name: 'Café crème & more',
      slug: 'cafe-creme-more',
      scheduling_url: 'http://127.0.0.1:4010/book/amara-lindqvist/cafe-creme-more',
      active: true,
      duration: 20,
      kind: 'solo',
      pooling_type: null,
      type: 'StandardEventType',
      color: '#A1B2C3',
      description_html: '<p>Coffee &lt; tea</p>',
      profile: { type: 'User', owner: amara },
      created_at: '2026-03-11T12:00:00.000Z',
    });
    expect((await world.get(pathOf(body.resource.uri))).body.resource).toEqual(body.resource);
    const schedules = await world.walk('/event_type_availability_schedules', { event_type: body.resource.uri });
    expect(schedules).toMatchObject([{ user: amara, timezone: 'Europe/Berlin', default: true }]);
    expect(await world.lastActivity()).toMatchObject({
      fully_qualified_name: 'EventType.Create',
      details: { event_type: body.resource.uri },
    });
    const bookedAt = (start: string) => world.book('', `${freeMonday}T${start}:00Z`, { event_type: body.resource.uri });
    expect((await bookedAt('05:00')).status).toBe(400);
    const booked = await bookedAt('08:00');
    const event = (await world.get(pathOf(booked.body.resource.event))).body.resource;
    expect(event.location).toMatchObject({ type: 'physical', location: 'Hof 2' });
    expect(event.end_time).toBe(`${freeMonday}T08:20:00.000Z`);
  });

  it('defaults to half an hour without a location', async () => {
    const { body } = await create({ owner: amara, name: '面談' });
    expect(body.resource).toMatchObject({ duration: 30, slug: 'meeting', description_html: null });
    const start = `${freeMonday}T08:00:00Z`;
    const asked = { event_type: body.resource.uri, location: { kind: 'zoom_conference' } };
    expect(parametersOf((await world.book('', start, asked)).body)).toEqual(['location.kind']);
    const booked = await world.book('', start, { event_type: body.resource.uri });
    expect((await world.get(pathOf(booked.body.resource.event))).body.resource.location).toBeNull();
  });

  it('gives every event type of an owner its own slug', async () => {
    const slugs = [];
    for (const owner of [amara, amara, jonas])
      slugs.push((await create({ owner, name: 'Intro call' })).body.resource.slug);
    expect(slugs).toEqual(['intro-call-2', 'intro-call-3', 'intro-call']);
  });

  it('requires an admin or the owner to create one for another user', async () => {
    expect((await create({ owner: tomas, name: 'Mine' }, 'sandbox_user')).status).toBe(201);
    const refused = await create({ owner: amara, name: 'Hers' }, 'sandbox_user');
    expect([refused.status, refused.body.title]).toEqual([403, 'Permission Denied']);
    expect((await create({ owner: tomas, name: 'His' }, 'sandbox_admin')).status).toBe(201);
    const { status, body } = await create({ owner: uri('users', 'NOBODY'), name: 'Nobody’s' });
    expect([status, parametersOf(body)]).toEqual([400, ['owner']]);
  });

  it('names invalid fields', async () => {
    const { status, body } = await create({ name: '', duration: 'long', color: 'red', location: { kind: 'moon' } });
    expect(status).toBe(400);
    expect(parametersOf(body).sort()).toEqual(['color', 'duration', 'location.kind', 'name', 'owner']);
  });
});

describe('event-types update', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
    world.clock.time += 60_000;
  });
  const update = (slug: string, body: object, token = 'sandbox_owner') =>
    world.call('PATCH', pathOf(eventType(slug)), { body, token });
  const read = async (slug: string) => (await world.get(pathOf(eventType(slug)))).body.resource;

  it('changes only the fields sent, and updated_at', async () => {
    const before = await read('intro-call');
    const { status, body } = await update('intro-call', { name: 'First call', duration: 25, active: false });
    expect(status).toBe(200);
    expect(body.resource).toEqual({
      ...before,
      name: 'First call',
      duration: 25,
      active: false,
      updated_at: '2026-03-11T12:01:00.000Z',
    });
    expect(await read('intro-call')).toEqual(body.resource);
    expect(await world.lastActivity()).toMatchObject({
      fully_qualified_name: 'EventType.Update',
      details: { fields: ['name', 'duration', 'active'] },
    });
    const described = await update('intro-call', { description_plain: 'a & b' });
    expect(described.body.resource.description_html).toBe('<p>a &amp; b</p>');
  });

  it('changes nothing if no fields are sent', async () => {
    const before = await read('intro-call');
    expect((await update('intro-call', {})).body.resource).toEqual(before);
  });

  it("moves the owner's hours to another time zone", async () => {
    // 01:00Z is 10:00 in Tokyo and the middle of the night in Berlin.
    const start = `${freeMonday}T01:00:00Z`;
    expect((await world.book('intro-call', start)).status).toBe(400);
    expect((await update('intro-call', { timezone: 'Asia/Tokyo' })).status).toBe(200);
    expect((await world.book('intro-call', start)).status).toBe(200);
    expect((await update('partner-interview', { timezone: 'Asia/Tokyo' })).status).toBe(200);
    const zones = await world.walk('/event_type_availability_schedules', {
      event_type: eventType('partner-interview'),
    });
    expect(zones.map(({ timezone }) => timezone)).toEqual(['Asia/Tokyo', 'Europe/Istanbul', 'Europe/Berlin']);
    expect(parametersOf((await update('intro-call', { timezone: 'Mars/Olympus' })).body)).toEqual(['timezone']);
  });

  it('replaces all locations', async () => {
    await update('consultation', { location: { kind: 'custom', location: 'By the lake' } });
    const booked = await world.book('consultation', `${freeMonday}T08:00:00Z`);
    const event = (await world.get(pathOf(booked.body.resource.event))).body.resource;
    expect(event.location).toMatchObject({ type: 'custom', location: 'By the lake' });
  });

  it('requires its owner, an admin or the owner of the organization', async () => {
    expect((await update('account-check-in', { name: 'Check' }, 'sandbox_user')).status).toBe(200);
    expect((await update('account-check-in', { name: 'Check' }, 'sandbox_admin')).status).toBe(200);
    const refused = await update('renewal-talk', { name: 'Check' }, 'sandbox_user');
    expect([refused.status, refused.body.title]).toEqual([403, 'Permission Denied']);
    expect((await update('nothing', { name: 'Check' })).status).toBe(404);
    expect(parametersOf((await update('intro-call', { slug: 'x' })).body)).toEqual(['slug']);
  });
});

describe('event-types hosts', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });
  const hostsOf = (slug: string) => world.walk('/event_type_memberships', { event_type: eventType(slug), count: '2' });
  const members = (hosts: Array<{ member: { uri: string } }>) => hosts.map(({ member }) => member.uri);

  it('are listed by name', async () => {
    expect(members(await hostsOf('intro-call'))).toEqual([amara]);
    expect(members(await hostsOf('partner-interview'))).toEqual([amara, user('elif'), jonas]);
    const shared = await hostsOf('support-call');
    expect(members(shared)).toEqual([amara, user('kofi'), user('sam'), tomas]);
    expect(new Set(shared.map((host) => host.uri)).size).toBe(4);
    expect(shared[0]).toMatchObject({ event_type: eventType('support-call'), member: { name: 'Amara Lindqvist' } });
  });

  it('require an existing event type', async () => {
    const { status, body } = await world.get('/event_type_memberships');
    expect([status, parametersOf(body)]).toEqual([400, ['event_type']]);
    expect((await world.get('/event_type_memberships', { event_type: eventType('none') })).status).toBe(404);
  });
});
