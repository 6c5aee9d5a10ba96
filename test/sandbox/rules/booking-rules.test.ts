import { beforeEach, describe, expect, it } from 'vitest';
import { idIn } from '../../../src/base/uri.ts';
import { makeId } from '../../../src/sandbox/store/names.ts';
import type { EventTypeRecord } from '../../../src/sandbox/store/records.ts';
import { amara, at, eventType, openWorld, parametersOf, pathOf, uri, type World } from '../world.ts';

describe('booking', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });

  const eventOf = async (booked: Awaited<ReturnType<World['book']>>) =>
    (await world.get(pathOf(booked.body.resource.event))).body.resource;

  const refused = async (parameter: string, slug: string, start: string, more = {}) => {
    const { status, body } = await world.book(slug, start, more);
    expect([status, parametersOf(body)]).toEqual([400, [parameter]]);
    return body.details[0];
  };

  it('creates an event and an invitee', async () => {
    const booked = await world.book('intro-call', '2026-05-04T10:00:00+02:00', {
      tracking: { utm_source: 'letter' },
    });
    expect(booked.status).toBe(200);
    expect(booked.body.resource).toMatchObject({
      email: 'ada@engine.example',
      name: 'Ada Lovelace',
      first_name: 'Ada',
      last_name: 'Lovelace',
      status: 'active',
      timezone: 'Europe/London',
      created_at: '2026-03-11T12:00:00.000Z',
      scheduling_method: 'instant_book',
      invitee_scheduled_by: amara,
      tracking: { utm_source: 'letter', utm_medium: null },
    });
    expect(await eventOf(booked)).toMatchObject({
      name: 'Intro call',
      status: 'active',
      start_time: '2026-05-04T08:00:00.000Z',
      end_time: '2026-05-04T08:15:00.000Z',
      event_type: eventType('intro-call'),
      location: { type: 'google_conference', status: 'pushed' },
      invitees_counter: { total: 1, active: 1, limit: 1 },
      event_memberships: [{ user: amara, user_name: 'Amara Lindqvist' }],
    });
    const mine = await world.walk('/scheduled_events', { user: amara, min_start_time: at('00:00') });
    expect(mine).toHaveLength(1);
  });

  it('builds the full name from first and last name', async () => {
    const invitee = { email: 'ada@engine.example', first_name: 'Ada', last_name: 'King', timezone: 'UTC' };
    expect((await world.book('intro-call', at('08:00'), { invitee })).body.resource.name).toBe('Ada King');
  });

  it('requires an existing, active event type', async () => {
    expect((await world.book('none', at('08:00'))).status).toBe(404);
    await refused('event_type', 'summer-office-hours', at('08:00'));
  });

  it('requires a time in the future', async () => {
    expect((await refused('start_time', 'intro-call', '2026-03-11T12:00:00Z')).code).toBe('past');
    world.clock.time = Date.parse(at('08:00'));
    expect((await refused('start_time', 'intro-call', at('08:00'))).code).toBe('past');
  });

  it('requires a valid time zone', async () => {
    const invitee = { email: 'ada@engine.example', name: 'Ada', timezone: 'Europe/Narnia' };
    await refused('invitee.timezone', 'intro-call', at('08:00'), { invitee });
  });

  it("rejects times outside the availability in the host's time zone", async () => {
    // 09:00 to 12:30 and 13:00 to 17:00 in Berlin, which in May is two hours ahead of UTC.
    expect((await refused('start_time', 'intro-call', at('06:45'))).code).toBe('unavailable');
    await refused('start_time', 'strategy-session', at('10:00'));
    await refused('start_time', 'intro-call', at('15:00'));
    await refused('start_time', 'intro-call', '2026-05-03T08:00:00Z');
    expect((await world.book('intro-call', at('07:00'))).status).toBe(200);
    expect((await world.book('strategy-session', at('14:00'))).status).toBe(200);
  });

  it('rejects a day off', async () => {
    // A Monday, twelve days after the seed date: the seed makes it a day off.
    await refused('start_time', 'intro-call', '2026-03-23T08:00:00Z');
  });

  it('does not double-book a host across event types', async () => {
    expect((await world.book('strategy-session', at('08:00'))).status).toBe(200);
    for (const [slug, time] of [
      ['strategy-session', '08:00'],
      ['strategy-session', '07:30'],
      ['intro-call', '08:45'],
      ['partner-interview', '08:30'],
      ['open-workshop', '08:00'],
    ] as const) {
      const { status, body } = await world.book(slug, at(time));
      expect([slug, status, body.title]).toEqual([slug, 409, 'Already Exists']);
    }
    expect((await world.book('intro-call', at('07:45'))).status).toBe(200);
    expect((await world.book('intro-call', at('09:00'))).status).toBe(200);
  });

  it('assigns round robin bookings only to hosts who are working', async () => {
    // 07:30Z: Berlin has opened; Lisbon, London (08:30) and Accra (07:30) have not.
    expect((await world.book('support-call', at('07:30'))).status).toBe(200);
    expect((await world.book('support-call', at('07:30'))).status).toBe(409);
    await refused('start_time', 'support-call', at('05:00'));
  });

  it('requires every host of a collective event type to be free', async () => {
    const booked = await world.book('partner-interview', at('08:00'));
    expect((await eventOf(booked)).event_memberships).toHaveLength(3);
    const elif = uri('users', makeId('seed/user/elif'));
    expect((await eventOf(booked)).event_memberships.map((host: { user: string }) => host.user)).toContain(elif);
    expect((await world.book('research-interview', at('08:15'))).status).toBe(409);
    // 14:30Z is 17:30 in Istanbul.
    await refused('start_time', 'partner-interview', at('13:30'));
  });

  describe('custom questions', () => {
    const company = { question: 'Company', answer: 'Engines', position: 0 };
    const size = { question: 'Team size', answer: '1 to 10', position: 1 };

    it('must be answered if required', async () => {
      const missing = await refused('custom_questions', 'customer-onboarding', at('08:00'), {
        custom_questions: [company],
      });
      expect(missing).toMatchObject({ code: 'required', message: '"Team size" must be answered' });
      const blank = [{ ...company, answer: ' ' }, size];
      await refused('custom_questions[0].answer', 'customer-onboarding', at('08:00'), { custom_questions: blank });
    });

    it('are shown with the invitee, in their order', async () => {
      const { status, body } = await world.book('customer-onboarding', at('08:00'), {
        custom_questions: [size, company],
      });
      expect(status).toBe(200);
      expect(body.resource.questions_and_answers).toEqual([company, size]);
      expect((await world.get(pathOf(body.resource.uri))).body.resource).toEqual(body.resource);
    });

    it.each([
      ['custom_questions[2].question', [company, size, { question: 'Shoe size', answer: '42', position: 3 }]],
      ['custom_questions[2].question', [company, size, company]],
      ['custom_questions[1].answer', [company, { ...size, answer: 'a few' }]],
      ['custom_questions[1].position', [company, { ...size, position: 7 }]],
    ])('must match the event type: %s', async (parameter, custom_questions) => {
      await refused(parameter, 'customer-onboarding', at('08:00'), { custom_questions });
    });

    it('take only their choices, several if the question allows it, and any text beside "other"', async () => {
      const choices = ['Berlin', 'Berlin, Mitte', 'Oslo'];
      const ask = (type: string, include_other = false) => {
        const record = world.store.get<EventTypeRecord>('event_types', idIn(eventType('intro-call')))!;
        const question = { name: 'Where?', type, position: 0, enabled: true, required: false, include_other };
        const custom_questions = [{ ...question, answer_choices: choices }];
        world.store.update('event_types', idIn(record.uri), { ...record, custom_questions });
      };
      const answers = (answer: string) => ({ custom_questions: [{ question: 'Where?', answer, position: 0 }] });
      ask('multi_select');
      for (const wrong of ['Rome', 'Oslo, Rome', 'Oslo, Oslo', 'Oslo,Berlin', 'Mitte'])
        expect(await refused('custom_questions[0].answer', 'intro-call', at('08:00'), answers(wrong))).toMatchObject({
          message: 'must be one or more of these, joined by ", ": Berlin, Berlin, Mitte, Oslo',
        });
      const right = ['Oslo', 'Oslo, Berlin, Mitte', 'Berlin, Berlin, Mitte, Oslo', ''];
      for (const [hour, answer] of right.entries())
        expect((await world.book('intro-call', at(`0${hour + 8}:00`.slice(-5)), answers(answer))).status).toBe(200);
      ask('single_select');
      await refused('custom_questions[0].answer', 'intro-call', at('08:00'), answers('Oslo, Berlin'));
      ask('multi_select', true);
      expect((await world.book('intro-call', at('08:30'), answers('Rome'))).status).toBe(200);
    });
  });

  describe('location', () => {
    it('must be one the event type offers, and defaults to the first', async () => {
      expect((await eventOf(await world.book('consultation', at('08:00')))).location.type).toBe('zoom_conference');
      const location = { kind: 'outbound_call', location: '+1 555 0100' };
      expect((await eventOf(await world.book('consultation', at('09:00'), { location }))).location).toEqual({
        type: 'outbound_call',
        location: '+1 555 0100',
        join_url: null,
        status: null,
      });
      await refused('location.kind', 'consultation', at('10:00'), { location: { kind: 'physical' } });
    });

    it('must come from the invitee if the event type asks for it', async () => {
      await refused('location.location', 'candidate-chat', at('08:00'));
      await refused('location.location', 'consultation', at('08:00'), { location: { kind: 'outbound_call' } });
    });
  });

  it('changes nothing when refused', async () => {
    const count = () =>
      world.store.all('SELECT (SELECT count(*) FROM events) AS e, (SELECT count(*) FROM invitees) AS i')[0];
    const before = count();
    await world.book('intro-call', at('02:00'));
    await world.book('customer-onboarding', at('08:00'));
    expect(count()).toEqual(before);
  });

  it('gives a slot to only one of two processes that share a file', async () => {
    const other = await openWorld({ file: world.file });
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, turn) => (turn % 2 ? world : other).book('intro-call', at('08:00'))),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(9);
    other.store.close();
  });
});
