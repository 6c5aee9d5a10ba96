import ICAL from 'ical.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { idIn } from '../../../src/base/uri.ts';
import { hostile } from '../../../src/sandbox/faults/inject.ts';
import { serve } from '../../../src/sandbox/server/http-server.ts';
import type { EventRecord, EventTypeRecord, InviteeRecord } from '../../../src/sandbox/store/records.ts';
import { closeLater } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';
import {
  amara,
  at,
  eventType,
  jonas,
  noon,
  openWorld,
  organization,
  origin,
  pathOf,
  user,
  type World,
} from '../world.ts';
import { type Page, visitorOf } from './visitor.ts';

const hour = 3_600_000;
const ada = { name: 'Ada Lovelace', email: 'ada@engine.example' };
const intro = '/book/amara-lindqvist/intro-call';
const onboarding = '/book/amara-lindqvist/customer-onboarding';
const answers = { a1: 'Engine Ltd', a2: '11 to 100' };

let world: World;
let visitor: ReturnType<typeof visitorOf>;
beforeEach(async () => {
  world = await openWorld({ isSentBothWays: true });
  visitor = visitorOf(world);
});

const detailsAt = (path: string, start: string, query = '') =>
  visitor.open(`${path}?start=${start}&date=${start.slice(0, 10)}${query}`);

const inviteeOf = ({ headers }: Page): InviteeRecord =>
  world.store.get<InviteeRecord>('invitees', idIn(headers.location!.split('?')[0]!))!;

const bookedAt = (slug: string, start: string): number =>
  world.store.first<{ n: number }>(
    `SELECT count(*) AS n FROM invitees i JOIN events e ON e.id = i.event
     WHERE e.event_type = ? AND e.start_time = ? AND i.status = 'active'`,
    idIn(eventType(slug)),
    new Date(start).toISOString(),
  )!.n;

const change = (slug: string, fields: Partial<EventTypeRecord>) => {
  const type = world.store.get<EventTypeRecord>('event_types', idIn(eventType(slug)))!;
  world.store.update('event_types', idIn(type.uri), { ...type, ...fields });
};

/** Hours on one date instead of those of the event type's first host. */
const openOn = (slug: string, date: string, from: string, to: string) => {
  const [row] = world.store.all<{ id: string; doc: string }>(
    'SELECT id, doc FROM schedules WHERE event_type = ?',
    idIn(eventType(slug)),
  );
  const rules = [{ type: 'date', date, intervals: [{ from, to }] }];
  world.store.update('schedules', row!.id, { ...JSON.parse(row!.doc), rules });
};

const share = async (more: object) => {
  const { body } = await world.call('POST', '/shares', { body: { event_type: eventType('consultation'), ...more } });
  return pathOf(body.resource.scheduling_links[0].booking_url);
};

describe('links of pages', () => {
  /** Where links of the tags in a page, or of its redirect, lead a browser. */
  const targets = ({ body, headers, url }: Page): URL[] =>
    [
      ...body.matchAll(/ (?:href|src|action|formaction|data-url)="([^"]*)"/g),
      ...(headers.location ? [['', headers.location]] : []),
    ]
      .map(([, to = '']) => to.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"'))
      .filter((to) => URL.canParse(to, url.href))
      .map((to) => new URL(to, url));

  /** The calendars of others, and where the meetings take place. */
  const elsewhere = ['https://calendar.google.com', 'https://outlook.live.com', 'https://meet.northlight.example'];

  const fields = {
    users: ['scheduling_url', 'avatar_url'],
    event_types: ['scheduling_url'],
    invitees: ['cancel_url', 'reschedule_url'],
    events: ['location.join_url'],
  };
  const evil = [
    'javascript:alert(1)',
    'HTTP://elsewhere.example/',
    '//elsewhere.example/x',
    '/\\\\elsewhere.example',
    '/\t/elsewhere.example/x',
    '@elsewhere.example/x',
    '.elsewhere.example',
    'javascript://127.0.0.1/%0aalert(1)',
  ];
  const cells = Object.entries(fields).flatMap(([table, names]) =>
    names.flatMap((name) => evil.map((link) => ({ table, name, link }))),
  );

  it('lead to pages of the sandbox, whatever older data has', async () => {
    for (const { table, name, link } of sample(cells, 1, ({ table, name }) => table + name)) {
      const there = await openWorld();
      const { open, submit, follow } = visitorOf(there);
      const { body } = await there.book('intro-call', at('08:00'));
      const [invitee, other] = [body.resource, (await there.book('intro-call', at('09:00'))).body.resource];
      const paths = [invitee.cancel_url, invitee.reschedule_url, `/bookings/${idIn(invitee.uri)}`].map((url) =>
        url.replace(origin, ''),
      );
      there.store.run(`UPDATE ${table} SET doc = json_set(doc, '$.${name}', ?)`, link);
      const pages = [
        ...(await Promise.all(
          [...paths, '/', '/book/amara-lindqvist', intro, '/embed/demo', '/book/amara-lindqvist/none'].map((path) =>
            open(path),
          ),
        )),
        await follow(await submit(await open(`/cancellations/${idIn(other.uri)}`))),
      ];
      const [cancel, move] = await Promise.all([open(paths[0]!), open(`${paths[1]}?start=${at('10:00')}`)]);
      pages.push(await submit(cancel!, { ticket: '' }), await submit(move!), await open(paths[0]!));
      for (const page of pages)
        for (const to of targets(page)) {
          const isThere =
            elsewhere.includes(to.origin) || /^https?:\/\/(127\.0\.0\.1|localhost)(:\d+)?$/.test(to.origin);
          expect([table, name, link, page.url.pathname, to.href, isThere]).toEqual([
            table,
            name,
            link,
            page.url.pathname,
            to.href,
            true,
          ]);
        }
      expect(pages.flatMap(targets).length).toBeGreaterThan(30);
    }
  });
});

describe('links of the demo', () => {
  it.each(['http://127.0.0.1:4010', 'http://localhost:52731'])('all answer at %s', async (base) => {
    const there = visitorOf(world, base);
    const types = await world.walk(`${base}/event_types`, { organization });
    const members = await world.walk(`${base}/organization_memberships`, { organization });
    for (const { active, scheduling_url } of sample(types, 2, ({ active }) => active)) {
      expect(scheduling_url.startsWith(`${base}/book/`), scheduling_url).toBe(true);
      expect((await there.open(scheduling_url)).status, scheduling_url).toBe(active ? 200 : 404);
    }
    for (const { user: person } of sample(members, 2, ({ user: person }) => person.avatar_url === null)) {
      expect((await there.open(person.scheduling_url)).text).toContain(person.name);
      if (person.avatar_url !== null)
        expect((await there.open(person.avatar_url)).headers['content-type']).toMatch(/^image\/svg/);
    }
  });

  it('lead from a person to active event types that are not secret', async () => {
    const { links } = await visitor.open('/book/amara-lindqvist');
    expect(links).toContain(intro);
    expect(links.join()).not.toMatch(/board-preview|summer-office-hours/);
  });

  it('show the same page for what is inactive, deleted, hidden by its path or unknown', async () => {
    change('consultation', { deleted_at: new Date(noon).toISOString() });
    const pages = await Promise.all(
      ['summer-office-hours', 'consultation', 'never-existed'].map((slug) =>
        visitor.open(`/book/amara-lindqvist/${slug}`),
      ),
    );
    expect(pages.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(new Set(pages.map(({ body }) => body)).size).toBe(1);
    expect(pages[0]!.links).toContain('/book/amara-lindqvist');
    for (const path of ['/d/NOTHING/x', `/d/${idIn(eventType('intro-call'))}/x`, '/book/nobody', '/bookings/NOBODY'])
      expect((await visitor.open(path)).status, path).toBe(404);
  });
});

it('answers another method with a page too', async () => {
  const { status, headers } = await world.send({ method: 'PUT', url: `${origin}${intro}`, headers: {} });
  expect([status, headers.allow, headers['content-type']]).toEqual([405, 'GET, POST', 'text/html; charset=utf-8']);
});

describe('a booking page', () => {
  it('says that the time is the same for a host in another zone', async () => {
    const details = await visitor.open(`${intro}?tz=Europe/Paris&start=2026-05-06T07:00:00Z`);
    const done = await visitor.follow(await visitor.submit(details, ada));
    expect(done.text).toContain('Paris time (same for Amara)');
  });

  it('books what a visitor chose, and shows the booking', async () => {
    const utm = '&utm_source=news&utm_campaign=spring';
    const days = await visitor.open(`${onboarding}?tz=Asia/Tokyo&date=2026-05-05${utm}`);
    expect(days.status).toBe(200);
    // 09:00 in Berlin, and the same day in Tokyo.
    const href = days.links.find((link) => link.includes('start=2026-05-05T07%3A00'))!;
    expect(days.text).toContain('16:00');
    const details = await visitor.open(href);
    expect(details.text).toContain('Tue 5 May 16:00–17:00');
    const sent = await visitor.submit(details, { ...ada, ...answers, a3: '<b>all</b>' });
    expect(sent.status).toBe(303);
    expect(inviteeOf(sent)).toMatchObject({
      ...ada,
      timezone: 'Asia/Tokyo',
      scheduling_method: null,
      invitee_scheduled_by: null,
      tracking: { utm_source: 'news', utm_campaign: 'spring', utm_term: null },
      questions_and_answers: [
        { question: 'Company', answer: 'Engine Ltd', position: 0 },
        { question: 'Team size', answer: '11 to 100', position: 1 },
        { question: 'Anything we should prepare?', answer: '<b>all</b>', position: 2 },
      ],
    });
    const done = await visitor.follow(sent);
    expect(done.status).toBe(200);
    for (const words of ['You are booked with Amara Lindqvist', '5 May 2026, 16:00–17:00', '09:00 for', '<b>all</b>'])
      expect(done.text).toContain(words);
    const file = await visitor.open(done.links.find((link) => link.endsWith('.ics'))!);
    expect(file.headers['content-type']).toMatch(/^text\/calendar/);
    const meeting = new ICAL.Event(new ICAL.Component(ICAL.parse(file.body)).getFirstSubcomponent('vevent')!);
    expect([
      meeting.summary,
      meeting.startDate.toJSDate().toISOString(),
      meeting.duration.toSeconds(),
      meeting.uid,
    ]).toEqual([
      ...['Customer onboarding', '2026-05-05T07:00:00.000Z', 3600],
      expect.stringContaining(idIn(inviteeOf(sent).event)),
    ]);
    expect(meeting.attendees.map((attendee) => attendee.getFirstValue())).toEqual(['mailto:ada@engine.example']);
    expect((await world.lastActivity()).actor.uri).toBe(amara);
    const [delivery] = world.store.all<{ body: string }>(
      'SELECT body FROM deliveries WHERE subject = ?',
      inviteeOf(sent).uri,
    );
    expect(JSON.parse(delivery!.body)).toMatchObject({ event: 'invitee.created', created_by: amara });
    expect(Object.keys(done.headers).join()).not.toContain('ratelimit');
  });

  it('fills in the form from its address', async () => {
    change('customer-onboarding', {
      custom_questions: [
        {
          name: 'Size',
          type: 'single_select',
          position: 4,
          enabled: true,
          required: true,
          answer_choices: ['S', 'L'],
          include_other: true,
        },
      ],
    });
    const query = `&${new URLSearchParams({ ...ada, a1: 'XXL' })}`;
    const { fields } = await detailsAt(onboarding, at('07:00'), query);
    expect(fields).toMatchObject({ ...ada, a1: '…', a1_other: 'XXL' });
    const sent = await visitor.submit(await detailsAt(onboarding, at('07:00'), query));
    expect(inviteeOf(sent).questions_and_answers).toEqual([{ question: 'Size', answer: 'XXL', position: 4 }]);
  });

  it('has checkboxes for a question with several answers', async () => {
    const question = { name: 'Topics', type: 'multi_select', position: 0, enabled: true, required: true };
    const choices = { answer_choices: ['Tax, VAT', 'Law', 'Pay'], include_other: true };
    change('customer-onboarding', { custom_questions: [{ ...question, ...choices }] });
    const none = await visitor.submit(await detailsAt(onboarding, at('07:00')), ada);
    expect([none.status, none.links.includes('#a1')]).toEqual([400, true]);
    const wrong = await visitor.submit(none, { ...ada, a1_0: 'Law' });
    expect([wrong.status, wrong.links.includes('#a1')]).toEqual([400, true]);
    const filled = await detailsAt(
      onboarding,
      at('07:00'),
      `&${new URLSearchParams({ ...ada, a1: 'Tax, VAT, Pay, Tea' })}`,
    );
    expect(filled.fields).toMatchObject({ a1_0: 'Tax, VAT', a1_2: 'Pay', a1_3: '…', a1_other: 'Tea' });
    expect(filled.fields).not.toHaveProperty('a1_1');
    const sent = await visitor.submit(filled);
    expect(inviteeOf(sent).questions_and_answers).toEqual([
      { question: 'Topics', answer: 'Tax, VAT, Pay, Tea', position: 0 },
    ]);
    const move = await visitor.open(`${inviteeOf(sent).reschedule_url}?start=${at('09:00')}`);
    expect(move.fields).toMatchObject({ a1_0: 'Tax, VAT', a1_2: 'Pay', a1_other: 'Tea' });
  });

  it('links to the pages of two calendars that add the booking', async () => {
    change('customer-onboarding', { name: 'A&B "x"' });
    const done = await visitor.follow(
      await visitor.submit(await detailsAt(onboarding, at('07:00')), { ...ada, ...answers }),
    );
    const [google, outlook] = ['calendar.google.com', 'outlook.live.com'].map(
      (host) => new URL(done.links.find((link) => link.startsWith(`https://${host}/`))!).searchParams,
    );
    expect(google!.get('text')).toBe('A&B "x" – Amara Lindqvist');
    expect(google!.get('dates')).toBe('20260504T070000Z/20260504T080000Z');
    expect([outlook!.get('startdt'), outlook!.get('subject')]).toEqual([
      '2026-05-04T07:00:00.000Z',
      'A&B "x" – Amara Lindqvist',
    ]);
  });

  it('names what is wrong, links to the fields and keeps what was typed', async () => {
    const details = await detailsAt(onboarding, at('07:00'));
    const again = await visitor.submit(details, { name: ' ', email: 'ada@', a1: 'Engine Ltd', a2: 'huge' });
    expect(again.status).toBe(400);
    for (const name of ['name', 'email', 'a2']) expect(again.links).toContain(`#${name}`);
    expect(again.text).toContain('Enter a full email address, such as name@example.com');
    expect(again.fields).toMatchObject({ email: 'ada@', a1: 'Engine Ltd' });
    for (const name of ['name', 'a2']) expect(again.body).toContain(` aria-describedby="${name}-problem">`);
    expect(bookedAt('customer-onboarding', at('07:00'))).toBe(0);
    expect((await visitor.submit(again, { ...ada, ...answers })).status).toBe(303);
  });

  it('asks for what a location needs', async () => {
    const path = '/book/amara-lindqvist/consultation';
    const details = await detailsAt(path, at('07:00'));
    expect((await visitor.submit(details, ada)).links).toContain('#location');
    const refused = await visitor.submit(details, { ...ada, location: '1' });
    expect(refused.links).toContain('#location_text');
    const sent = await visitor.submit(refused, { location_text: '+49 30 5550100' });
    const { event } = inviteeOf(sent);
    expect(world.store.get('events', idIn(event))).toMatchObject({
      location: { type: 'outbound_call', location: '+49 30 5550100' },
    });
  });

  it('offers three other times if someone else was faster', async () => {
    const [first, second] = [await detailsAt(intro, at('08:00')), await detailsAt(intro, at('08:00'))];
    expect((await visitor.submit(first, ada)).status).toBe(303);
    const gone = await visitor.submit(second, { name: 'Ben', email: 'ben@engine.example' });
    expect(gone.status).toBe(409);
    expect(gone.text).toContain('10:00 was booked a moment ago');
    expect(gone.text).toContain('09:30 09:45 10:15 ');
    expect(gone.fields).toMatchObject({ name: 'Ben', start: '2026-05-04T07:30:00.000Z' });
    expect(gone.links.some((link) => link.includes('name=Ben') && !link.includes('start='))).toBe(true);
    const sent = await visitor.submit(gone, { start: '2026-05-04T08:15:00.000Z' });
    expect(sent.status).toBe(303);
    expect(bookedAt('intro-call', at('08:00'))).toBe(1);
    expect(bookedAt('intro-call', at('08:15'))).toBe(1);
  });

  it('shows the days again if the time in its address is gone', async () => {
    await world.book('intro-call', at('08:00'));
    const page = await detailsAt(intro, at('08:00'));
    expect([page.status, page.fields]).toEqual([200, {}]);
    expect(page.text).toContain('10:00 is no longer free');
  });

  it('shows the form again, filled in, if it was open for three hours', async () => {
    const details = await detailsAt(intro, at('08:00'));
    world.clock.time += 3 * hour;
    const again = await visitor.submit(details, ada);
    expect([again.status, again.fields.name]).toEqual([400, ada.name]);
    expect(again.text).toContain('open for more than two hours');
    expect(bookedAt('intro-call', at('08:00'))).toBe(0);
    expect((await visitor.submit(again)).status).toBe(303);
  });

  it.each([
    ['a site of someone else', { 'sec-fetch-site': 'cross-site' }, {}],
    ['another origin', { origin: 'http://127.0.0.1:9' }, {}],
    ['nowhere', {}, { ticket: '' }],
    ['a forger', {}, { ticket: 'e30.e30' }],
  ])('refuses a form from %s with a page', async (_, headers, typed) => {
    const refused = await visitor.submit(await detailsAt(intro, at('08:00')), { ...ada, ...typed }, headers);
    expect([refused.status, refused.headers['content-type']]).toEqual([403, 'text/html; charset=utf-8']);
    const other = await detailsAt(onboarding, at('08:00'));
    expect(
      (await visitor.submit(await detailsAt(intro, at('08:00')), { ...ada, ticket: other.fields.ticket! })).status,
    ).toBe(403);
    expect(bookedAt('intro-call', at('08:00'))).toBe(0);
  });

  it('names the zone of an hour that the clocks repeat, and skips one that they skip', async () => {
    openOn('sales-call', '2026-11-01', '00:00', '03:00');
    const path = '/book/lucia-romero/sales-call';
    const page = await visitor.open(`${path}?tz=America/New_York&date=2026-11-01`);
    expect(page.text).toContain('00:30 01:00 GMT-4 01:30 GMT-4 01:00 GMT-5 01:30 GMT-5 02:00 02:30 ');
    const second = page.links.find((link) => link.includes('start=2026-11-01T06%3A30'))!;
    expect((await visitor.open(second)).text).toContain('01:30 GMT-5–02:00');
    world.clock.time = Date.parse('2027-03-01');
    openOn('sales-call', '2027-03-14', '01:00', '04:00');
    const march = await visitor.open(`${path}?tz=America/New_York&date=2027-03-14`);
    expect(march.text).toContain('01:00 01:30 03:00 03:30 ');
  });

  it('keeps the zone and says so if a typed one does not exist', async () => {
    const page = await visitor.open(`${intro}?tz=Asia/Tokyo&zone=Mars/Base`);
    expect(page.text).toContain('Tokyo time, now 21:00 · 13:00 for Amara in Berlin');
    expect(page.text).toContain("We can't find Mars/Base");
    const { status, headers } = await visitor.open(`${intro}?tz=Asia/Tokyo&zone=America/Lima`);
    expect([status, headers.location]).toEqual([303, `${intro}?tz=America%2FLima`]);
  });

  it('reads a zone in any case', async () => {
    expect((await visitor.open(`${intro}?tz=asia/tokyo`)).text).toContain('Tokyo time, now 21:00');
  });

  it.each([
    ['Tokyo', 'Asia/Tokyo'],
    ['new york', 'America/New_York'],
    ['São Paulo', 'America/Sao_Paulo'],
    ['Washington', 'America/New_York'],
    ['Bern', 'Europe/Zurich'],
    ['america/lima', 'America/Lima'],
  ])('finds the time zone of %s', async (typed, zone) => {
    const { status, headers } = await visitor.open(`${intro}?${new URLSearchParams({ zone: typed })}`);
    expect([status, headers.location]).toEqual([303, `${intro}?${new URLSearchParams({ tz: zone })}`]);
  });

  it('asks which place is meant if there are several', async () => {
    const page = await visitor.open(`${intro}?tz=Europe/Paris&zone=San%20`);
    expect(page.text).toContain('Which one do you mean?');
    expect(page.text).toMatch(/San Francisco 05:00 America\/Los Angeles .* Berlin 13:00 same as Amara Lindqvist/);
    expect(page.links).toContain(`${intro}?tz=America%2FLos_Angeles`);
  });

  it.each([
    ['en-US,en;q=0.9', 'Sun Mon Tue', 'Tue, May 5', '9:00 AM'],
    ['en-GB', 'Mon Tue Wed', 'Tue 5 May', '09:00'],
    ['de-DE,de', 'Mon Tue Wed', 'Tue 5 May', '09:00'],
    ['ja', 'Sun Mon Tue', 'Tue, May 5', '09:00'],
    ['ar-EG', 'Sat Sun Mon', 'Tue 5 May', '9:00 am'],
    ['*, nonsense;', 'Mon Tue Wed', 'Tue 5 May', '09:00'],
  ])('follows the habits of a visitor with Accept-Language %s', async (language, week, day, time) => {
    const query = '?tz=Europe/Berlin&date=2026-05-05';
    const { text } = await visitor.open(`${onboarding}${query}`, { headers: { 'accept-language': language } });
    for (const part of [week, ` ${day} `, ` ${time} `]) expect(text).toContain(part);
  });

  it('has names of days in the language of the event type, and its direction', async () => {
    change('customer-onboarding', { locale: 'ar' });
    const query = '?tz=Europe/Berlin&date=2026-05-05';
    const { body } = await visitor.open(`${onboarding}${query}`, { headers: { 'accept-language': 'en-US' } });
    expect(body).toContain('<html lang="ar" dir="rtl">');
    expect(body).toContain('<main class="wide" lang="en">');
    expect(body).toContain('<h2 id="times" tabindex="-1" lang="ar">الثلاثاء، 5 مايو</h2>');
    expect(body).toContain('>9:00 ص</a>');
    // Its short names of days are the whole names.
    expect(body).toContain('<th scope="col" abbr="الأحد">ح</th>');
    change('customer-onboarding', { locale: 'no such language' });
    expect((await visitor.open(`${onboarding}${query}`)).text).toContain('Tue 5 May');
  });

  it('shows 12 or 24 hours on request, also on the pages that follow', async () => {
    const page = await visitor.open(`${onboarding}?tz=Asia/Tokyo&date=2026-05-05`);
    expect(page.text).toContain('16:00');
    const other = await visitor.open(page.links.find((link) => link.includes('hours=12'))!);
    expect(other.text).toContain('4:00 pm');
    const details = await visitor.open(other.links.find((link) => link.includes('start='))!);
    expect(details.text).toContain('4:00 pm–5:00 pm');
    const done = await visitor.follow(await visitor.submit(details, { ...ada, ...answers }));
    expect(done.text).toContain('4:00 pm–5:00 pm Tokyo time · 9:00 am for Amara in Berlin');
  });

  it('sorts times by the part of the day on the clock of the visitor', async () => {
    openOn('sales-call', '2026-11-03', '00:00', '23:30');
    const { text } = await visitor.open('/book/lucia-romero/sales-call?date=2026-11-03&tz=America/New_York');
    const words = text.slice(text.lastIndexOf('hours')).match(/Early|Morning|Afternoon|Evening|\d\d:\d\d/g)!;
    const firsts = words.flatMap((word, index) => (/^\d/.test(word) ? [] : [`${word} ${words[index + 1]}`]));
    expect(firsts).toEqual(['Early 00:00', 'Morning 06:00', 'Afternoon 12:00', 'Evening 18:00']);
  });

  it('has a row per hour if the meetings are short', async () => {
    const { body } = await visitor.open(`${intro}?date=2026-05-05&tz=Europe/Berlin`);
    const [, row = ''] = /<div class="hour"><b aria-hidden="true">09<\/b>(.*?)<\/div>/s.exec(body)!;
    expect(row.match(/ aria-label="09:\d\d">:\d\d</g)).toEqual(
      ['00', '15', '30', '45'].map((minutes) => ` aria-label="09:${minutes}">:${minutes}<`),
    );
  });

  it('says the year if it is another one', async () => {
    expect((await visitor.open(`${intro}?tz=UTC`)).text).not.toContain('2026');
    const { text } = await visitor.open(`${intro}?date=2027-02-02&tz=Europe/Berlin`);
    expect(text).toMatch(/1 Feb\s–\s7 Mar 2027 .* Tue, 2 February 2027 /);
  });

  it('answers HEAD like GET', async () => {
    const server = await serve(world.send, { port: 0 });
    closeLater(() => server.close());
    for (const path of [intro, '/assets/pages.css', '/book/amara-lindqvist', '/book/nobody']) {
      const [head, get] = await Promise.all(['HEAD', 'GET'].map((method) => fetch(`${server.url}${path}`, { method })));
      expect([head!.status, head!.headers.get('content-type')], path).toEqual([
        get!.status,
        get!.headers.get('content-type'),
      ]);
      expect([await head!.text(), (await get!.text()).length > 0]).toEqual(['', true]);
    }
  });

  it('shows the days if the start in its address or form is no time of ours', async () => {
    const wrong = ['x', '9999-12-31T23:59:59Z', '+275760-09-13T00:00:00Z', '-271821-04-20T00:00:00Z'];
    const details = await detailsAt(intro, at('08:00'));
    for (const start of sample(wrong, 2)) {
      expect((await visitor.open(`${intro}?${new URLSearchParams({ start })}`)).body, start).toContain('Later weeks');
      expect((await visitor.submit(details, { ...ada, start })).headers.location, start).toMatch(
        /^\/book\/[^=]*\?date=/,
      );
    }
  });

  it('shows later weeks, and no earlier ones than this', async () => {
    const page = await visitor.open(`${intro}?week=2026-05-05`);
    expect(page.text).toMatch(/4 May\s–\s7 Jun/);
    expect((await visitor.open(`${intro}?week=2020-01-01`)).body).not.toContain('Earlier weeks');
    expect((await visitor.open(`${intro}?week=9999-12-30`)).status).toBe(200);
  });
});

describe('a group', () => {
  const path = '/book/kofi-mensah/open-office-hours';
  const person = (number: number) => ({ name: `Person ${number}`, email: `p${number}@engine.example` });

  it('shows the seats that are left, and gives the last one away once', async () => {
    const start = at('09:00');
    for (const number of [1, 2, 3])
      expect((await visitor.submit(await detailsAt(path, start), person(number))).status).toBe(303);
    expect((await visitor.open(`${path}?date=2026-05-04&tz=UTC`)).text).toContain('09:00 1 of 4 seats left');
    const [last, late] = [await detailsAt(path, start), await detailsAt(path, start)];
    const twice = await visitor.submit(late, person(1));
    expect([twice.status, twice.links.includes('#email')]).toEqual([409, true]);
    expect((await visitor.submit(last, person(4))).status).toBe(303);
    const gone = await visitor.submit(late, person(5));
    expect([gone.status, bookedAt('open-office-hours', start)]).toEqual([409, 4]);
    expect(gone.fields.start).toBe('2026-05-04T09:30:00.000Z');
  });
});

describe('a single-use link', () => {
  it('has settings of its own, and works once', async () => {
    const hours = { rules: [{ type: 'date', date: '2026-05-09', intervals: [{ from: '10:00', to: '11:30' }] }] };
    const path = await share({
      name: 'Only for you',
      duration_options: [45, 90],
      availability_rule: { ...hours, timezone: 'Europe/Paris' },
      location_configurations: [{ kind: 'physical', location: 'Pier 3' }],
    });
    const days = await visitor.open(`${path}?week=2026-05-04&tz=Europe/Paris`);
    expect(days.text).toContain('45 minutes 90 minutes');
    expect(days.text).toMatch(/Only for you .* In person: Pier 3 .* Sat 9 May .* 10:00 10:30 /);
    const longer = await visitor.open(days.links.find((link) => link.includes('duration=90'))!);
    const details = await visitor.open(longer.links.find((link) => link.includes('start='))!);
    const late = await visitor.open(longer.links.find((link) => link.includes('start='))!);
    const sent = await visitor.submit(details, ada);
    const event = world.store.get<EventRecord>('events', idIn(inviteeOf(sent).event));
    expect(event).toMatchObject({
      name: 'Only for you',
      start_time: '2026-05-09T08:00:00.000Z',
      end_time: '2026-05-09T09:30:00.000Z',
      location: { type: 'physical', location: 'Pier 3' },
    });
    const again = await visitor.submit(details, ada);
    expect([again.status, again.headers.location]).toEqual([303, sent.headers.location]);
    expect((await visitor.submit(late, { name: 'Ben', email: 'ben@engine.example' })).status).toBe(410);
    await world.call('POST', `${event!.uri}/cancellation`, { body: {} });
    const used = await visitor.open(path);
    expect([used.status, used.text.includes('This link has already been used')]).toEqual([410, true]);
    expect(used.links).toContain('/book/amara-lindqvist');
  });

  it('can limit how far ahead people book', async () => {
    const path = await share({ period_type: 'moving', max_booking_time: 2 });
    const { body } = await visitor.open(path);
    expect(body.match(/<small>\d+/g)).toHaveLength(3);
  });
});

describe('a one-off meeting', () => {
  const oneOff = async (date_setting: object) => {
    const body = { name: 'Kick-off', host: amara, co_hosts: [jonas], duration: 60, date_setting };
    return pathOf((await world.call('POST', '/one_off_event_types', { body })).body.resource.scheduling_url);
  };

  it('offers its spots, outside the hours too, and says when none is left', async () => {
    const spots = [{ start_time: '2026-05-09T18:00:00Z', end_time: '2026-05-09T19:30:00Z' }];
    const path = await oneOff({ type: 'spots', spots });
    const days = await visitor.open(`${path}?date=2026-05-09&tz=UTC`);
    expect(days.text).toMatch(/Amara Lindqvist and Jonas Weber .* 18:00 18:30 /);
    const details = await visitor.open(days.links.find((link) => link.includes('start='))!);
    expect((await visitor.submit(details, ada)).status).toBe(303);
    world.clock.time = Date.parse('2026-05-07');
    const none = await visitor.open(path);
    expect(none.text).toContain('No free times are left');
    expect(none.links).toContain('/book/amara-lindqvist');
  });
});

describe('hostile text', () => {
  const tags = (html: string) => html.match(/<[a-z/!][^\s>]*/gi);

  it('adds no element to any page', async () => {
    const visit = async (text: string) => {
      world = await openWorld({ isSentBothWays: true });
      visitor = visitorOf(world);
      world.store.run("UPDATE users SET doc = json_set(doc, '$.name', ?) WHERE id = ?", text, idIn(user('amara')));
      world.store.run(
        'UPDATE event_types SET locations = ? WHERE id = ?',
        JSON.stringify([{ kind: 'custom', location: text }, { kind: 'ask_invitee' }]),
        idIn(eventType('customer-onboarding')),
      );
      const questions = ['string', 'text', 'single_select', 'multi_select'].map((type, position) => ({
        ...{ name: `${text} ${position}`, type, position, enabled: true, required: false },
        ...{ answer_choices: [text], include_other: true },
      }));
      change('customer-onboarding', { name: text, description_plain: text, color: text, custom_questions: questions });
      const query = `&tz=UTC&${new URLSearchParams({ utm_source: text, week: text })}`;
      const details = await detailsAt(onboarding, at('07:00'), query);
      const typed = { name: text, email: ada.email, a1: text, a2: text, a3: text, location: '1', location_text: text };
      const wrong = await visitor.submit(details, { ...typed, email: text });
      const sent = await visitor.submit(details, typed);
      const gone = await visitor.submit(await visitor.open(details.url.href), typed);
      expect([wrong.status, sent.status]).toEqual([400, 303]);
      const pages = ['/book/amara-lindqvist', `${onboarding}?zone=x${query}`, '/book/amara-lindqvist/none'];
      return [
        wrong,
        gone,
        await visitor.follow(sent),
        ...(await Promise.all(pages.map((path) => visitor.open(path)))),
      ].map(({ body }) => body);
    };
    const plain = await visit('Plain');
    const names = [hostile, '</bdi></h1><script>alert(1)</script>', `"><img src=x onerror='x'>`, '\u202e\u2066&lt;'];
    for (const name of sample(names, 1))
      for (const [index, body] of (await visit(name)).entries()) {
        expect(tags(body)).toEqual(tags(plain[index]!));
        expect(body).not.toMatch(/[\0\x1b\x9b\u202e\u2066]| fill="[^#0]| style=/);
      }
  });
});
