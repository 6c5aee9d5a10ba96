import { beforeAll, describe, expect, it } from 'vitest';
import type { Send } from '../../../src/http/message.ts';
import { sentEvent, serviceWith } from '../../support/calendar.ts';
import { createWorld, outputs, type TestWorld } from '../../support/run.ts';

describe('events list --conflicts', () => {
  let world: TestWorld;
  beforeAll(async () => {
    world = await createWorld();
  });

  const at = (time: string) => `2026-11-${time}:00Z`;
  const events = [
    sentEvent({ name: 'Early', start: at('17T07:00'), end: at('17T08:00') }),
    sentEvent({ name: 'First', start: at('17T10:00'), end: at('17T11:00') }),
    sentEvent({ name: 'Second', start: at('17T10:30'), end: at('17T11:30') }),
    sentEvent({ name: 'Third', start: at('17T11:35'), end: at('17T12:00') }),
    sentEvent({ name: 'Gone', start: at('17T11:00'), end: at('17T12:00'), status: 'canceled' }),
    sentEvent({ name: 'Holiday', start: at('18T10:00'), end: at('18T11:00') }),
    sentEvent({ name: 'Other\u001b[31m', start: at('17T11:30'), end: at('17T12:30'), hosts: ['Bob'] }),
  ];
  const rules = [
    ...['monday', 'tuesday', 'wednesday'].map((wday) => ({
      type: 'wday',
      wday,
      intervals: [{ from: '09:00', to: '17:00' }],
    })),
    { type: 'date', date: '2026-11-18', intervals: [] },
  ];
  const uri = 'http://127.0.0.1:4010/event_type_availability_schedules/S1';
  const schedule = { uri, user: 'http://127.0.0.1:4010/users/Amara', timezone: 'UTC', name: 'Hours', rules };
  const hours =
    (collection: object[]): Send =>
    async (request) => {
      if (!request.url.includes('availability_schedules')) return world.service(request);
      const body = JSON.stringify({ collection, pagination: { count: 1, next_page: null, next_page_token: null } });
      return { status: 200, headers: { 'content-type': 'application/json' }, body };
    };
  const send = serviceWith(events, hours([schedule]));
  const list = async (flags = '', more = {}) => world.run(`events list --conflicts ${flags}`, { send, ...more });
  const rowsOf = (text: string) => JSON.parse(text) as { name: string; _sched: { conflicts: object[] } }[];

  it('lists what overlaps and what is outside the hours, with the reason', async () => {
    const { code, stdout, stderr } = await list('--json');
    expect([code, stderr]).toEqual([0, '']);
    expect(rowsOf(stdout).map(({ name, _sched }) => [name, _sched.conflicts])).toEqual([
      ['Early', [expect.objectContaining({ code: 'hours', host: schedule.user })]],
      ['First', [{ host: schedule.user, code: 'overlap', event: events[2]!.uri }]],
      ['Second', [{ host: schedule.user, code: 'overlap', event: events[1]!.uri }]],
      ['Holiday', [expect.objectContaining({ code: 'day-off' })]],
    ]);
    const tsv = (await list('')).stdout.trimEnd().split('\n');
    expect(tsv.map((line) => line.split('\t').at(-1))).toEqual(['hours', 'overlap', 'overlap', 'day-off']);
  });

  it('counts the time between events with --buffers, and finds others outside the window', async () => {
    const names = async (flags: string) => rowsOf((await list(`${flags} --json`)).stdout).map(({ name }) => name);
    expect(await names('--buffers 5')).toEqual(['Early', 'First', 'Second', 'Holiday']);
    expect(await names('--buffers 6')).toEqual(['Early', 'First', 'Second', 'Third', 'Holiday']);
    expect(await names('--buffers 6 --since 2026-11-17T11:32:00Z --until 2026-11-17T12:00:00Z')).toEqual(['Third']);
    expect(await names('--search first')).toEqual(['First']);
  });

  it('says it in words on a terminal', async () => {
    const { stdout } = await list('--buffers 6 --any-time', { terminals: outputs, columns: 200 });
    expect(stdout).toContain('outside the hours: Tuesday 09:00–17:00');
    expect(stdout).toContain('overlaps 11:30–12:30 Second');
    expect(stdout).toContain('close to 12:35–13:00 Third');
    expect(stdout).toContain('day off');
    const none = await list('--tomorrow', { terminals: outputs, send: serviceWith([], hours([])) });
    expect(none.stderr).toContain('No conflicts');
  });

  it.each([
    [[{ ...schedule, timezone: 'Mars/Base' }], /Not checked: hours of event type T1 \(/],
    [[{ ...schedule, rules: [{ type: 'moon' }] }], /Not checked: hours of event type T1 \(sched can't read the hours/],
    [[], /Not checked: hours of event type T1 \(the service shows no schedule\)/],
  ])('still finds overlaps if the hours are unreadable', async (schedules, note) => {
    const { code, stdout, stderr } = await list('--json', { send: serviceWith(events, hours(schedules)) });
    expect([code, rowsOf(stdout).map(({ name }) => name)]).toEqual([0, ['First', 'Second']]);
    expect(stderr).toMatch(note);
  });

  it.each([
    ['--buffers 0', '--buffers must be a whole number from 1 to'],
    ['--status active', "--status can't be used with --conflicts"],
    ['--rows invitees', "--rows can't be used with --conflicts"],
  ])('refuses %s', async (flags, problem) => {
    const { code, stderr, requests } = await list(flags);
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toContain(problem);
  });

  it('needs --conflicts for --buffers, and says with --dry-run what the request leaves out', async () => {
    const alone = await world.run('events list --buffers 5');
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('--buffers needs --conflicts')]);
    const dry = await list('--dry-run');
    expect(dry.stdout).toContain('status=active');
    expect(dry.stderr).toContain('--conflicts: not part of the request');
  });
});
