import { describe, expect, test } from 'vitest';
import type { Send } from '../../src/http/message.ts';
import { createWorld } from '../support/run.ts';

const root = 'http://127.0.0.1:4010';

const world = await createWorld();

/** The service, whose list at this path has these pages. */
const listing =
  (path: string, ...pages: object[][]): Send =>
  async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== path) return world.service(request);
    const index = Number(searchParams.get('page_token') ?? 0);
    const next = index + 1 < pages.length ? String(index + 1) : null;
    const pagination = { count: pages[index]!.length, next_page: null, next_page_token: next };
    const body = JSON.stringify({ collection: pages[index], pagination });
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  };

describe('a service of another shape', () => {
  test('may list a record on two pages', async () => {
    const form = { uri: `${root}/routing_forms/F1`, name: 'Contact', status: 'published', questions: [] };
    const send = listing('/routing_forms', [form], [form]);
    for (const word of ['F1', 'Contact', 'contact']) {
      const { stderr } = await world.run(`routing-forms submissions ${word} -n`, { send });
      expect([word, stderr]).toEqual([word, '']);
    }
  });

  test('may leave out the names of hosts', async () => {
    const hosts = [{ user: `${root}/users/A` }, { user: `${root}/users/B` }];
    const event = { uri: `${root}/scheduled_events/E`, name: 'Call', event_memberships: hosts };
    const send = listing('/scheduled_events', [event]);
    const { stdout } = await world.run('events list -o csv', { send });
    expect(stdout).toContain('Call');
    expect(stdout).not.toContain('","');
    const fields = ['--fields', 'name,event_memberships.*.user_name'];
    const table = await world.run(['events', 'list', '-o', 'table', ...fields], { send });
    expect(table.stdout).toMatch(/^Call +–$/m);
  });

  test('may have other fields than expected: programs get them after the usual columns', async () => {
    const room = { uri: `${root}/locations/A`, type: 'zoom', display_name: 'Room, one' };
    const rooms = listing('/locations', [room]);
    expect((await world.run('locations list', { send: rooms })).stdout).toBe(`\t\t${room.uri}\tzoom\tRoom, one\n`);
    const csv = (await world.run('locations list -o csv', { send: rooms })).stdout;
    expect(csv).toBe(`kind,connected,uri,type,display_name\r\n,,${room.uri},zoom,"Room, one"\r\n`);
    const schedule = {
      uri: `${root}/event_type_availability_schedules/S`,
      start_time: '2026-12-01T09:00:00Z',
      end_time: '2026-12-01T17:00:00Z',
    };
    const schedules = listing('/event_type_availability_schedules', [schedule]);
    const { stdout } = await world.run("availability list --event-type 'Intro call'", { send: schedules });
    expect(stdout).toBe(`\t\t\t\t${schedule.uri}\t${schedule.start_time}\t${schedule.end_time}\n`);
  });
});
