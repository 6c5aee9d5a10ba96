import { describe, expect, it } from 'vitest';
import { freeSlots, type HoursRule, judge, type SlotHost, type SlotSearch } from '../../src/time/slots.ts';

const at = Date.parse;

const rule = (day: string, ...hours: string[]): HoursRule => ({
  day,
  intervals: hours.map((text) => ({ from: text.split('-')[0]!, to: text.split('-')[1]! })),
});

const host = (timezone: string, rules: HoursRule[], ...busy: [string, string][]): SlotHost => ({
  hours: [{ timezone, rules }],
  busy: busy.map(([start, end]) => ({ start: at(start), end: at(end), event: {}, isFull: false })),
});

const search = (hosts: SlotHost[], more: Partial<SlotSearch> = {}): SlotSearch => ({
  isActive: true,
  now: 0,
  hosts,
  needsAll: true,
  duration: 30,
  step: 30,
  since: at('2026-11-16T00:00:00Z'),
  until: at('2026-11-17T00:00:00Z'),
  ...more,
});

const startsOf = (wanted: SlotSearch): string[] =>
  [...freeSlots(wanted)].map(({ start }) => new Date(start).toISOString().slice(0, 16));

describe('freeSlots', () => {
  it('lists starts every step minutes from the beginning of an interval', () => {
    const starts = startsOf(search([host('Europe/Paris', [rule('monday', '09:10-10:30')])], { step: 20 }));
    expect(starts).toEqual(['2026-11-16T08:10', '2026-11-16T08:30', '2026-11-16T08:50']);
  });

  it('keeps a meeting inside one interval, even if the next one begins at once', () => {
    const hours = rule('monday', '09:00-10:00', '10:00-11:00');
    expect(startsOf(search([host('UTC', [hours])], { duration: 45, step: 30 }))).toEqual([
      '2026-11-16T09:00',
      '2026-11-16T10:00',
    ]);
  });

  it('prefers the rule of a date, and takes one without intervals as a day off', () => {
    const rules = [rule('monday', '09:00-10:00'), rule('2026-11-16')];
    expect(startsOf(search([host('UTC', rules)]))).toEqual([]);
    const other = [rule('monday', '09:00-10:00'), rule('2026-11-16', '15:00-15:30')];
    expect(startsOf(search([host('UTC', other)]))).toEqual(['2026-11-16T15:00']);
  });

  it('leaves out starts that overlap an event, but not those that only touch it', () => {
    const busy: [string, string] = ['2026-11-16T09:30:00Z', '2026-11-16T10:00:00Z'];
    expect(startsOf(search([host('UTC', [rule('monday', '09:00-10:30')], busy)]))).toEqual([
      '2026-11-16T09:00',
      '2026-11-16T10:00',
    ]);
  });

  it('needs all hosts, or only one', () => {
    const hours = [rule('monday', '09:00-10:00')];
    const both = [host('UTC', hours), host('UTC', hours, ['2026-11-16T09:00:00Z', '2026-11-16T09:30:00Z'])];
    expect(startsOf(search(both))).toEqual(['2026-11-16T09:30']);
    const any = [...freeSlots(search(both, { needsAll: false }))];
    expect(any.map(({ hosts }) => hosts)).toEqual([[0], [0, 1]]);
  });

  it('includes since, but not until', () => {
    const starts = startsOf(
      search([host('UTC', [rule('monday', '09:00-11:00')])], {
        since: at('2026-11-16T09:30:00Z'),
        until: at('2026-11-16T10:30:00Z'),
      }),
    );
    expect(starts).toEqual(['2026-11-16T09:30', '2026-11-16T10:00']);
  });

  it('limits nothing for a host whose hours are unknown, but respects their events', () => {
    const unknown: SlotHost = {
      hours: undefined,
      busy: [
        { start: at('2026-11-16T09:00:00Z'), end: at('2026-11-16T09:10:00Z'), event: { name: 'Lunch' }, isFull: false },
      ],
    };
    expect(startsOf(search([host('UTC', [rule('monday', '09:00-10:00')]), unknown]))).toEqual(['2026-11-16T09:30']);
  });

  it('offers an existing event with seats left instead of a new one', () => {
    const seat = { start: at('2026-11-16T09:00:00Z'), end: at('2026-11-16T09:45:00Z') };
    const busy: [string, string] = ['2026-11-16T09:00:00Z', '2026-11-16T09:45:00Z'];
    const slots = [...freeSlots(search([host('UTC', [rule('monday', '09:00-10:30')], busy)], { seats: [seat] }))];
    expect(slots[0]).toEqual({ ...seat, hosts: [], seat: 0 });
    expect(slots.slice(1).map(({ start }) => start)).toEqual([at('2026-11-16T10:00:00Z')]);
  });

  describe('on a day with a clock change', () => {
    const night = (date: string, hours: string, more: Partial<SlotSearch> = {}) =>
      startsOf(
        search([host('Europe/Berlin', [rule(date, hours)])], {
          since: at(`${date}T00:00:00Z`) - 12 * 3_600_000,
          until: at(`${date}T00:00:00Z`) + 36 * 3_600_000,
          ...more,
        }),
      );

    it('skips times that do not exist', () => {
      // The clocks go from 02:00 to 03:00.
      expect(night('2026-03-29', '01:30-03:30')).toEqual(['2026-03-29T00:30', '2026-03-29T01:00']);
    });

    it('offers times that occur twice twice', () => {
      // The clocks go from 03:00 back to 02:00.
      expect(night('2026-10-25', '02:00-02:30')).toEqual(['2026-10-25T00:00', '2026-10-25T01:00']);
    });

    it('lets a meeting last through the change, unless the clocks leave the hours', () => {
      expect(night('2026-10-25', '02:00-03:00', { duration: 120 })).toEqual(['2026-10-25T00:00']);
      expect(night('2026-10-25', '02:00-02:45', { duration: 60 })).toEqual([]);
      expect(night('2026-03-29', '01:30-03:30', { duration: 60 })).toEqual(['2026-03-29T00:30']);
    });

    it('counts steps by the clock, also after the change', () => {
      // 01:00, 01:45 and 02:30; after the clocks went back to 02:00, 02:30 again, and 03:15.
      expect(night('2026-10-25', '01:00-04:00', { step: 45 })).toEqual([
        '2026-10-24T23:00',
        '2026-10-24T23:45',
        '2026-10-25T00:30',
        '2026-10-25T01:30',
        '2026-10-25T02:15',
      ]);
    });

    it('ends at a midnight that the clocks skip', () => {
      const hours = [rule('2026-04-23', '23:00-24:00')];
      const day = { since: at('2026-04-23T00:00:00Z'), until: at('2026-04-25T00:00:00Z') };
      expect(startsOf(search([host('Africa/Cairo', hours)], day))).toEqual(['2026-04-23T21:00', '2026-04-23T21:30']);
    });
  });
});

describe('judge', () => {
  const monday = [rule('monday', '09:00-10:00')];
  const busy: [string, string] = ['2026-11-16T09:30:00Z', '2026-11-16T09:45:00Z'];
  const codes = (wanted: SlotSearch, start: string) =>
    judge(wanted, at(start)).map((reason) => ('host' in reason ? `${reason.code} ${reason.host}` : reason.code));

  it('returns every reason, with the hours of that day and the event', () => {
    const both = [host('Europe/Paris', [rule('2026-11-16', '09:00-09:30')]), host('UTC', monday, busy)];
    const wanted = search(both, { isActive: false, now: at('2026-11-16T12:00:00Z') });
    expect(judge(wanted, at('2026-11-16T09:20:00Z'))).toEqual([
      { code: 'inactive' },
      { code: 'past' },
      { code: 'hours', host: 0, hours: [{ timezone: 'Europe/Paris', ...rule('2026-11-16', '09:00-09:30') }] },
      { code: 'busy', host: 1, busy: both[1]!.busy[0] },
    ]);
  });

  it('finds nothing against a start off the grid and outside the window', () => {
    expect(judge(search([host('UTC', monday)]), at('2027-01-04T09:07:00Z'))).toEqual([]);
  });

  it('starts with the reason that decides', () => {
    const both = [host('UTC', [rule('monday', '15:00-16:00')]), host('UTC', monday, busy)];
    expect(codes(search(both), '2026-11-16T09:30:00Z')).toEqual(['hours 0', 'busy 1']);
    expect(codes(search(both, { needsAll: false }), '2026-11-16T09:30:00Z')).toEqual(['busy 1', 'hours 0']);
    expect(codes(search(both, { needsAll: false }), '2026-11-16T09:00:00Z')).toEqual([]);
  });

  it('says that an event of the meeting is full, but only for its own start', () => {
    const full = host('UTC', monday, busy);
    const wanted = search([{ ...full, busy: [{ ...full.busy[0]!, isFull: true }] }]);
    expect(codes(wanted, '2026-11-16T09:30:00Z')).toEqual(['seat 0']);
    expect(codes(wanted, '2026-11-16T09:15:00Z')).toEqual(['busy 0']);
  });

  it('finds an event that lasts for days', () => {
    const away: [string, string] = ['2026-11-10T00:00:00Z', '2026-12-10T00:00:00Z'];
    expect(codes(search([host('UTC', monday, away)]), '2026-11-23T09:00:00Z')).toEqual(['busy 0']);
  });
});
