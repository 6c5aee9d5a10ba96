import { beforeEach, describe, expect, it } from 'vitest';
import { idIn } from '../../../src/base/uri.ts';
import { hostile } from '../../../src/sandbox/faults/inject.ts';
import { serve } from '../../../src/sandbox/server/http-server.ts';
import type { EventRecord, InviteeRecord } from '../../../src/sandbox/store/records.ts';
import { closeLater } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';
import { post } from '../../support/webhooks.ts';
import { at, eventType, noon, openWorld, organization, pathOf, type World } from '../world.ts';
import { type Page, visitorOf } from './visitor.ts';

const hour = 3_600_000;

let world: World;
let visitor: ReturnType<typeof visitorOf>;
beforeEach(async () => {
  world = await openWorld({ isSentBothWays: true });
  visitor = visitorOf(world);
  world.store.run('DELETE FROM webhooks');
  const body = { url: 'http://127.0.0.1:9/', events: ['invitee.created', 'invitee.canceled'], organization };
  await world.call('POST', '/webhook_subscriptions', { body: { ...body, scope: 'organization' } });
});

/** Books through the API, and returns the record. */
const booked = async (start: string, slug = 'intro-call', email = 'ada@engine.example'): Promise<InviteeRecord> => {
  const invitee = { email, name: 'Ada Lovelace', timezone: 'Europe/London' };
  return (await world.book(slug, start, { invitee })).body.resource;
};

const inviteeNow = ({ uri }: { uri: string }) => world.store.get<InviteeRecord>('invitees', idIn(uri))!;
const eventNow = ({ event }: { event: string }) => world.store.get<EventRecord>('events', idIn(event))!;

/** What the webhook gets, in order. */
const deliveries = () =>
  world.store
    .all<{ body: string }>('SELECT body FROM deliveries ORDER BY number')
    .map(({ body }): { event: string; payload: InviteeRecord & { scheduled_event: EventRecord } } => JSON.parse(body));

const everything = () =>
  ['events', 'invitees', 'deliveries', 'activity', 'invitee_cancellations', 'submitted'].map((table) =>
    world.store.all(`SELECT * FROM ${table}`),
  );

const timeAt = (invitee: { reschedule_url: string }, start: string, query = '') =>
  visitor.open(`${pathOf(invitee.reschedule_url)}?start=${start}${query}`);

const movedTo = ({ headers }: Page) => inviteeNow({ uri: headers.location!.split('?')[0]! });

it('answers at the links of every invitee of the demo', async () => {
  const rows = world.store.all<{ doc: string }>('SELECT doc FROM invitees');
  for (const { doc } of sample(rows, 2)) {
    const { cancel_url, reschedule_url }: InviteeRecord = JSON.parse(doc);
    for (const path of [cancel_url, reschedule_url]) expect((await visitor.open(path)).status, path).toBe(200);
  }
  for (const path of ['/cancellations/NOBODY', '/reschedulings/NOBODY'])
    expect((await visitor.open(path)).status).toBe(404);
});

describe('the cancel page', () => {
  it('cancels the booking and the event, reports it, and then says so', async () => {
    const ada = await booked(at('08:00'));
    const page = await visitor.open(`${pathOf(ada.cancel_url)}?tz=Asia/Tokyo`);
    expect(page.text).toContain('Mon, 4 May 2026, 09:00–09:15 London time · 10:00 for Amara in Berlin');
    world.clock.time += 60_000;
    const sent = await visitor.submit(page, { reason: 'Ill <b>' });
    expect([sent.status, sent.headers.location]).toEqual([303, `${pathOf(ada.cancel_url)}?tz=Asia%2FTokyo`]);
    expect(inviteeNow(ada)).toMatchObject({ status: 'canceled', rescheduled: false, new_invitee: null });
    expect(eventNow(ada)).toMatchObject({ status: 'canceled', invitees_counter: { total: 1, active: 0 } });
    expect(deliveries().map(({ event }) => event)).toEqual(['invitee.created', 'invitee.canceled']);
    expect(deliveries()[1]!.payload).toMatchObject({ uri: ada.uri, scheduled_event: { status: 'canceled' } });
    expect(await world.lastActivity()).toMatchObject({ fully_qualified_name: 'ScheduledEvent.Cancel' });

    const [notice] = world.store.all<{ details: string }>(`SELECT details FROM notices WHERE kind = 'event.canceled'`);
    expect(JSON.parse(notice!.details)).toEqual({ canceled_by: 'Ada Lovelace', reason: 'Ill <b>' });

    const after = await visitor.follow(sent);
    expect([after.status, after.body.includes('<form')]).toEqual([200, false]);
    expect(page.text).toContain('meet.northlight.example');
    const file = await visitor.open(`/bookings/${idIn(ada.uri)}/meeting.ics`);
    expect(file.body).toContain('STATUS:CANCELLED');
    for (const text of [after.text, file.body]) expect(text).not.toContain('meet.northlight.example');
    expect(after.text).toMatch(/This meeting was canceled.*Canceled on Wed, 11 March 2026, 12:01\. Reason: Ill <b>/);
    const before = everything();
    expect((await visitor.submit(page)).status).toBe(303);
    expect(everything()).toEqual(before);
  });

  it('leaves a group event to the others, until the last one cancels', async () => {
    const [ada, ben] = [
      await booked(at('08:00'), 'open-workshop'),
      await booked(at('08:00'), 'open-workshop', 'ben@engine.example'),
    ];
    expect(ben.event).toBe(ada.event);
    const cancel = async ({ cancel_url }: InviteeRecord) => visitor.submit(await visitor.open(pathOf(cancel_url)));
    world.clock.time += 60_000;
    await cancel(ada);
    expect(eventNow(ada)).toMatchObject({ status: 'active', invitees_counter: { total: 2, active: 1 } });
    expect([inviteeNow(ada).status, inviteeNow(ben).status]).toEqual(['canceled', 'active']);
    expect(await world.lastActivity()).toMatchObject({ fully_qualified_name: 'Invitee.Cancel' });
    const toHost = () => world.store.first<{ subject: string }>('SELECT subject FROM notices ORDER BY number DESC')!;
    expect(toHost().subject).toMatch(/^Ada Lovelace left: Open workshop with /);
    await cancel(ben);
    expect(eventNow(ada)).toMatchObject({ status: 'canceled', invitees_counter: { active: 0 } });
    expect(toHost().subject).toMatch(/^Canceled by Ada Lovelace: Open workshop with Ada Lovelace, /);
  });
});

describe('the rescheduling page', () => {
  it('moves the booking and reports both, the canceled one first', async () => {
    const questions = [
      { question: 'Company', answer: 'Engine Ltd', position: 0 },
      { question: 'Team size', answer: '11 to 100', position: 1 },
    ];
    const start = at('08:00');
    const { body } = await world.book('customer-onboarding', start, { custom_questions: questions });
    const ada: InviteeRecord = body.resource;
    const days = await visitor.open(`${pathOf(ada.reschedule_url)}?date=2026-05-05&tz=Europe/Berlin`);
    expect(days.text).toContain('Now: Mon, 4 May 2026, 10:00');
    const sameDay = await visitor.open(`${pathOf(ada.reschedule_url)}?date=2026-05-04&tz=Europe/Berlin`);
    const starts = sameDay.links.flatMap((href) => /start=([^&]*)/.exec(href)?.[1] ?? []).map(decodeURIComponent);
    expect(starts.length).toBeGreaterThan(1);
    expect(starts.map((each) => Date.parse(each))).not.toContain(Date.parse(start));
    // The page opens on that day, with the time of the meeting struck through.
    const opened = await visitor.open(`${pathOf(ada.reschedule_url)}?tz=Europe/Berlin`);
    for (const page of [opened, sameDay]) expect(page.body).toContain('<li><s class="present">10:00</s></li>');
    expect(opened.body).toMatch(/aria-current="date"><span><span class="unseen">Mon <\/span>4/);
    expect(days.body).not.toContain('class="present"');
    const details = await visitor.open(days.links.find((href) => href.includes('start='))!);
    expect(details.fields).toMatchObject({ name: ada.name, email: ada.email, a1: 'Engine Ltd', a2: '11 to 100' });
    const sent = await visitor.submit(details);
    expect([sent.status, sent.headers.location]).toEqual([303, expect.stringContaining('tz=Europe%2FBerlin')]);

    const done = await visitor.follow(sent);
    expect(done.text).toMatch(/Moved to Tue 5 May, 09:00–10:00 was: Mon, 4 May 2026, 10:00 /);
    expect(done.text).toContain('Moved: Customer onboarding, Tue 5 May');
    const moved = movedTo(sent);
    const [toHost] = world.store.all<{ subject: string }>(
      `SELECT subject FROM notices WHERE kind = 'event.canceled' AND "to" <> ?`,
      ada.email,
    );
    expect(toHost!.subject).toBe(`Moved by ${ada.name}: Customer onboarding with ${ada.name}, 2026-05-04 08:00 UTC`);
    expect(inviteeNow(ada)).toMatchObject({ status: 'canceled', rescheduled: true, new_invitee: moved.uri });
    expect(moved).toMatchObject({ status: 'active', rescheduled: false, old_invitee: pathOf(ada.uri) });
    expect([moved.questions_and_answers, moved.timezone]).toEqual([questions, 'Europe/Berlin']);
    expect([eventNow(ada).status, eventNow(moved).status]).toEqual(['canceled', 'active']);
    expect(deliveries().map(({ event, payload }) => [event, pathOf(payload.uri)])).toEqual([
      ['invitee.created', pathOf(ada.uri)],
      ['invitee.canceled', pathOf(ada.uri)],
      ['invitee.created', moved.uri],
    ]);
    expect(pathOf(deliveries()[1]!.payload.new_invitee!)).toBe(moved.uri);
    expect(world.store.all('SELECT kind, about FROM notices WHERE "to" = ? ORDER BY number', ada.email)).toEqual([
      { kind: 'event.confirmed', about: pathOf(ada.uri) },
      { kind: 'event.canceled', about: pathOf(ada.uri) },
      { kind: 'event.confirmed', about: moved.uri },
    ]);

    const before = everything();
    expect((await visitor.submit(details)).headers.location).toBe(sent.headers.location);
    expect(everything()).toEqual(before);
    expect((await visitor.open(pathOf(ada.cancel_url))).links).toContain(`/bookings/${idIn(moved.uri)}`);
  });

  it('changes nothing if the time is taken meanwhile, and offers others', async () => {
    const ada = await booked(at('08:00'));
    const details = await timeAt(ada, at('10:00'));
    await booked(at('10:00'), 'intro-call', 'ben@engine.example');
    const before = everything();
    const refused = await visitor.submit(details);
    expect([refused.status, refused.fields.name]).toEqual([409, 'Ada Lovelace']);
    expect(refused.text).toContain('Move the meeting to the chosen time');
    expect(everything()).toEqual(before);
  });

  it('keeps the settings of a single-use link, and the link used', async () => {
    const share = await world.call('POST', '/shares', {
      body: { event_type: eventType('consultation'), duration: 30, name: 'Short' },
    });
    const path = pathOf(share.body.resource.scheduling_links[0].booking_url);
    const form = await visitor.open(`${path}?start=${at('08:00')}&tz=UTC`);
    const ada = movedTo(await visitor.submit(form, { name: 'Ada', email: 'ada@engine.example', location: '0' }));
    const move = async ({ reschedule_url }: InviteeRecord, start: string) =>
      movedTo(await visitor.submit(await visitor.open(`${reschedule_url}?start=${start}`)));
    const moved = await move(await move(ada, at('09:00')), at('10:00'));
    expect(eventNow(moved)).toMatchObject({ name: 'Short', end_time: '2026-05-04T10:30:00.000Z' });
    expect((await visitor.open(path)).status).toBe(410);
  });
});

describe('a booking that can no longer be changed', () => {
  it.each([
    ['is past', 'This meeting has begun', 'started'],
    ['was moved', 'This meeting was moved to another time', 'moved'],
    ['was canceled', 'This meeting was canceled', 'canceled'],
    ['is no longer offered', "This meeting can't be moved", 'inactive'],
  ])('says that it %s, also to a form that was open meanwhile', async (_, title, how) => {
    const ada = await booked(at('08:00'));
    const open = [await visitor.open(pathOf(ada.cancel_url)), await timeAt(ada, at('10:00'))];
    if (how === 'started') world.clock.time = Date.parse(at('08:00'));
    if (how === 'moved') await visitor.submit(await timeAt(ada, at('09:00')));
    if (how === 'canceled') await world.call('POST', `${pathOf(ada.event)}/cancellation`, { body: { reason: 'Ill' } });
    if (how === 'inactive') world.store.run("UPDATE event_types SET doc = json_set(doc, '$.active', json('false'))");
    const before = everything();
    const paths = [ada.cancel_url, ada.reschedule_url].slice(how === 'inactive' ? 1 : 0);
    for (const path of paths) {
      const { status, text, body } = await visitor.open(pathOf(path));
      expect([status, body.includes('method="post"'), text]).toEqual([200, false, expect.stringContaining(title)]);
    }
    // The form of a page that was open for hours would be shown again otherwise.
    world.clock.offset = world.clock.time - noon;
    if (how !== 'inactive') expect((await visitor.submit(open[0]!)).status).toBe(how === 'canceled' ? 303 : 409);
    const refused = await visitor.submit(open[1]!);
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining(title)]);
    expect(everything()).toEqual(before);
  });
});

describe('the form of a page', () => {
  it('is refused without its own ticket, or from elsewhere', async () => {
    const [ada, ben] = [await booked(at('08:00')), await booked(at('09:00'))];
    const forms = await Promise.all(
      [ada, ben].flatMap((each) => [visitor.open(pathOf(each.cancel_url)), timeAt(each, at('12:00'))]),
    );
    const before = everything();
    for (const form of forms) {
      const others = forms.filter((other) => other !== form).map(({ fields }) => ({ ticket: fields.ticket! }));
      for (const fields of [{ ticket: '' }, { ticket: 'e30.e30' }, ...others])
        expect((await visitor.submit(form, fields)).status).toBe(403);
      for (const [name, value] of [
        ['sec-fetch-site', 'cross-site'],
        ['sec-fetch-site', 'same-site'],
        ['origin', 'null'],
        ['origin', 'http://localhost:4010'],
        ['content-type', 'text/plain'],
      ] as const) {
        const refused = await visitor.submit(form, {}, { [name]: value });
        expect([refused.status, refused.headers['content-type']]).toEqual([403, 'text/html; charset=utf-8']);
      }
    }
    expect(everything()).toEqual(before);
    const own = { origin: 'http://127.0.0.1:4010', 'sec-fetch-site': 'same-origin' };
    expect((await visitor.submit(forms[0]!, {}, own)).status).toBe(303);
  });

  it('is refused at another host name', async () => {
    const server = await serve(world.send, { port: 0 });
    closeLater(() => server.close());
    const ada = await booked(at('08:00'));
    const { fields } = await visitor.open(pathOf(ada.cancel_url));
    const send = (headers: Record<string, string>) =>
      post(`${server.url}${pathOf(ada.cancel_url)}`, `${new URLSearchParams(fields)}`, {
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      });
    expect((await send({ host: `rebound.example:${server.port}` })).status).toBe(421);
    expect((await send({ host: `localhost:${server.port}`, origin: server.url })).status).toBe(403);
    expect(inviteeNow(ada).status).toBe('active');
    expect((await send({ origin: server.url })).status).toBe(303);
  });

  it('is shown again, filled in, if its page was open for more than two hours of the computer', async () => {
    const ada = await booked(at('08:00'));
    const [page, details] = [await visitor.open(pathOf(ada.cancel_url)), await timeAt(ada, at('10:00'))];
    world.clock.time += 2 * hour + 1;
    const again = await visitor.submit(page, { reason: 'Ill' });
    expect([again.status, again.fields.reason]).toEqual([400, 'Ill']);
    const later = await visitor.submit(details, { name: 'Ada L.' });
    expect([later.status, later.fields.name]).toEqual([400, 'Ada L.']);
    expect(inviteeNow(ada).status).toBe('active');

    // The sandbox's clock alone doesn't count.
    world.clock.offset = 2 * hour;
    expect((await visitor.submit(details)).status).toBe(303);
  });
});

it('shows hostile text of a record without adding an element', async () => {
  const tagsWith = async (text: string) => {
    world = await openWorld({ isSentBothWays: true });
    visitor = visitorOf(world);
    const ada = await booked(at('08:00'));
    world.store.run("UPDATE users SET doc = json_set(doc, '$.name', ?)", text);
    world.store.run("UPDATE event_types SET doc = json_set(doc, '$.name', ?1, '$.color', ?1)", text);
    world.store.run("UPDATE events SET doc = json_set(doc, '$.name', ?1, '$.location.location', ?1)", text);
    world.store.run("UPDATE invitees SET doc = json_set(doc, '$.name', ?)", text);
    const query = `?${new URLSearchParams({ start: at('10:00'), tz: text, parent: text, embed: 'inline' })}`;
    const cancel = await visitor.open(`${pathOf(ada.cancel_url)}${query}`);
    const pages = [cancel, await visitor.open(`${pathOf(ada.reschedule_url)}${query}`)];
    const sent = await visitor.submit(cancel, { reason: text });
    pages.push(await visitor.follow(sent), await visitor.open(`/embed/demo?page=/book/${encodeURIComponent(text)}`));
    return pages.map(({ body }) => body);
  };
  const tags = (body: string) => body.match(/<[a-z/!][^\s>]*/gi);
  const plain = await tagsWith('Ada');
  for (const [index, body] of (await tagsWith(hostile)).entries()) {
    expect(tags(body)).toEqual(tags(plain[index]!));
    expect(body).not.toMatch(/[\0\x1b\x9b\u202e]| fill="[^#]|data-parent/);
  }
});
