import fc from 'fast-check';
import ICAL from 'ical.js';
import { describe, expect, it } from 'vitest';
import { icsRows } from '../../src/output/ics.ts';
import { recordText } from '../../src/output/machine-formats.ts';
import { createWorld } from '../support/run.ts';
import { runs } from '../support/tier.ts';

const event = {
  uri: 'https://api.example.com/scheduled_events/ABC',
  name: 'Intro call',
  status: 'active',
  start_time: '2026-11-16T09:00:00.000000Z',
  end_time: '2026-11-16T09:30:00Z',
  created_at: '2026-11-01T08:00:00Z',
  updated_at: '2026-11-02T08:00:00Z',
  location: { type: 'zoom_conference', location: null, join_url: 'https://meet.example/z/1?a=1,2;b' },
  meeting_notes_plain: null,
  event_memberships: [{ user: 'u', user_email: 'host@example.com', user_name: 'Amara Lindqvist' }],
};

/** The events of a calendar, as a calendar program reads them. */
const parsed = (text: string): ICAL.Component[] => new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent');
const icsRecord = (event: object, isTerminal: boolean) => recordText(icsRows(isTerminal), event);
const read = (record: object) => parsed(icsRecord(record, false))[0]!;
const linesOf = (text: string) => text.split('\r\n');

describe('ics', () => {
  it('names invitees only if they were read', () => {
    const invitees = [
      { name: 'Ada "Countess" Byron', email: 'ada@example.com', status: 'active' },
      { name: 'Bob\nX-EVIL:1', email: 'bob smith@example.com', status: 'canceled' },
    ];
    const found = read({ ...event, _sched: { invitees } });
    const [ada, bob] = found.getAllProperties('attendee');
    expect([ada!.getFirstParameter('cn'), ada!.getFirstValue()]).toEqual([
      'Ada "Countess" Byron',
      'mailto:ada@example.com',
    ]);
    expect([bob!.getFirstParameter('cn'), bob!.getFirstValue()]).toEqual([
      'Bob\nX-EVIL:1',
      'mailto:bob%20smith@example.com',
    ]);
    expect([ada, bob].map((each) => each!.getFirstParameter('partstat'))).toEqual(['ACCEPTED', 'DECLINED']);
    expect(found.getFirstPropertyValue('organizer')).toBe('mailto:host@example.com');
  });

  it('gives back a long name with commas, line breaks and emoji', () => {
    const name = `Plan, review; ship\\it\n"now" 🎉👩‍👩‍👧 ${'é'.repeat(300)}`;
    expect(read({ ...event, name }).getFirstPropertyValue('summary')).toBe(name);
  });

  it('ends lines with CRLF and folds them at 75 octets', () => {
    const text = icsRecord({ ...event, name: '🎉,é'.repeat(100) }, false);
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    for (const line of linesOf(text)) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
    expect(text).not.toContain('\ufffd');
  });

  it('lets no text add a property', () => {
    const hostile =
      'x\r\nEND:VEVENT\r\nBEGIN:VEVENT\nATTENDEE:mailto:eve@evil.example\u2028URL:http://evil.example\u0085Y:1';
    const record = {
      ...event,
      uri: hostile,
      name: hostile,
      status: hostile,
      meeting_notes_plain: hostile,
      location: { location: hostile, join_url: hostile },
      _sched: { invitees: [{ name: hostile, email: hostile, status: hostile }] },
    };
    const events = parsed(icsRecord(record, false));
    expect(events).toHaveLength(1);
    const names = events[0]!.getAllProperties().map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(events[0]!.getAllProperties('attendee')).toHaveLength(1);
    expect(names).not.toContain('url');
  });

  it('gives back any name, apart from characters that a calendar cannot hold', () => {
    const allowed = fc.string({ unit: 'grapheme', maxLength: 200 });
    fc.assert(
      fc.property(allowed, (text) => {
        const name = `n${text}`;
        fc.pre(!/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/.test(name));
        expect(read({ ...event, name }).getFirstPropertyValue('summary')).toBe(name);
      }),
      runs(100, 5000),
    );
  });

  it.each<[object, string]>([
    [{ start_time: null }, 'An event has no readable start_time'],
    [{ start_time: 'foo 2027' }, 'An event has no readable start_time'],
    [{ end_time: '+012345-01-01T00:00:00Z' }, 'An event has no readable end_time'],
    [{ end_time: '9999-12-31T23:59:59-01:00' }, 'An event has no readable end_time'],
    [{ end_time: '2026-02-30T00:00:00Z' }, 'An event has no readable end_time'],
    [{ end_time: '2026-11-16T08:59:59Z' }, 'An event ends before it starts'],
  ])('refuses an event with %j', (times, problem) => {
    expect(() => icsRecord({ ...event, ...times }, false)).toThrow(problem);
  });

  it('makes text safe for a terminal', () => {
    expect(icsRecord({ ...event, name: 'a\u202eb' }, true)).not.toContain('\u202e');
    expect(icsRecord({ ...event, name: 'a\u202eb' }, false)).toContain('\u202e');
  });

  it('writes an empty calendar for no events', () => {
    const { empty = '' } = icsRows(false);
    expect(parsed(empty)).toEqual([]);
    expect(new ICAL.Component(ICAL.parse(empty)).getAllSubcomponents().map(({ name }) => name)).toEqual(['vtimezone']);
  });
});

describe('-o ics', () => {
  it('has every event of a list, with its times and status', async () => {
    const world = await createWorld();
    const list = 'events list --org current --since -30d --until +30d';
    const expected = JSON.parse((await world.run(`${list} --json`)).stdout);
    const { code, stdout } = await world.run(`${list} -o ics`);
    expect(code).toBe(0);
    const facts = parsed(stdout).map((each) => [
      each.getFirstPropertyValue('uid'),
      String(each.getFirstPropertyValue('dtstart')),
      String(each.getFirstPropertyValue('dtend')),
      each.getFirstPropertyValue('status'),
      each.getFirstPropertyValue('summary'),
    ]);
    const plain = (time: string) => time.replace(/\.\d+/, '');
    expect(facts.length).toBeGreaterThan(50);
    expect(facts).toEqual(
      expected.map((each: Record<string, string>) => [
        each.uri,
        plain(each.start_time!),
        plain(each.end_time!),
        each.status === 'canceled' ? 'CANCELLED' : 'CONFIRMED',
        each.name,
      ]),
    );
    expect(new Set(facts.map(([, , , status]) => status)).size).toBe(2);
  });

  it('works for one event and for the events of a group', async () => {
    const world = await createWorld();
    const one = await world.run('events get JW6SHQTS78SH7TS8 --with invitees -o ics');
    expect(parsed(one.stdout)[0]!.getAllProperties('attendee').length).toBeGreaterThan(0);
    const group = await world.run('groups events "Customer team" --week -o ics');
    expect([group.code, parsed(group.stdout).length > 0]).toEqual([0, true]);
  });

  it('is refused for other records and with --fields, before anything is sent', async () => {
    const world = await createWorld();
    for (const line of [
      'event-types list -o ics',
      'users me -o ics',
      'events cancel X -o ics',
      'events list -o ics --fields uri',
    ]) {
      const { code, stderr, requests } = await world.run(line);
      expect([line, code, requests]).toEqual([line, 2, []]);
      expect(stderr).toMatch(/only works with events list, events get and groups events|--fields can't be used/);
    }
    const env = { SCHED_OUTPUT: 'ics' };
    expect((await world.run('users me', { env, terminals: ['stdout'] })).code).toBe(2);
  });
});
