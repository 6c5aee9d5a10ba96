import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readWorld } from '../../../src/sandbox/world/file.ts';
import { sample } from '../../support/tier.ts';
import { noon } from '../world.ts';
import { everyBody, openAt, worldIn } from './every-body.ts';

/** The example of docs/sandbox.md. */
const example = /```yaml\n(# yaml-language-server.*?)```/s.exec(readFileSync('docs/sandbox.md', 'utf8'))![1]!;

/** Mistakes: what to replace in the example, by what, and the message that follows, about that line unless another is named. */
const mistakes: Record<string, [find: string, put: string, message: string | RegExp, line?: string]> = {
  'an unknown field': ['timezone:', 'timezne:', '"timezne" is not a field here. Did you mean timezone?'],
  'a field of another place': ['duration: 20', 'role: owner', /^"role" is not a field here. Fields: id, created, /],
  'an unknown part': ['groups:', 'group:', '"group" is not a field here. Did you mean groups?'],
  'no version': ['sandbox: 1\n', '', 'sandbox is missing: add sandbox: 1'],
  'another version': ['sandbox: 1', 'sandbox: 2', 'sandbox must be 1'],
  'no name': ['name: Nora Quist', 'locale: nb', 'users.nora.name is missing', '  nora:'],
  'no users': [/^users:.*(?=^groups:)/ms.exec(example)![0], 'users: {}\n', 'users must have at least one user'],
  'an empty part': ['members: [nora]', 'members: ', 'groups.Front desk.members must be a list, not empty'],
  'an unknown plan': ['standard', 'standart', /plan must be one of trial, free, .* Did you mean standard\?/],
  'an unknown role': ['role: admin', 'role: boss', 'users.sam.role must be one of owner, admin, user, former'],
  'nobody who is the owner': [
    'timezone: Europe/Oslo',
    'role: user',
    'users must have a user with role: owner',
    'users:',
  ],
  'a page that is a script': [
    'timezone: Europe/Oslo',
    "scheduling_url: 'javascript:alert(1)'",
    /nora\.scheduling_url must be a path such as \/book\/ada: the sandbox links to its own pages only/,
  ],
  'a page elsewhere': ['timezone: Europe/Oslo', 'scheduling_url: //evil.example/x', /scheduling_url must be a path/],
  'a script of this machine': [
    'timezone: Europe/Oslo',
    "scheduling_url: 'javascript://127.0.0.1/%0aalert(1)'",
    /scheduling_url must be a path/,
  ],
  'a picture elsewhere': [
    'timezone: Europe/Oslo',
    'avatar_url: https://evil.example/x.png',
    /avatar_url must be a path such as/,
  ],
  'a page of an event type elsewhere': [
    'duration: 20',
    'scheduling_url: /\\evil',
    /check-up\.scheduling_url must be a path/,
  ],
  'an unknown time zone': [
    'Europe/Oslo',
    'Olso',
    /timezone: "Olso" is not a time zone. Write one such as Europe\/Berlin/,
  ],
  'a text for a number': [
    ': 20\n',
    ': twenty\n',
    /check-up\.duration must be a whole number from 1 to 720, not "twenty"/,
  ],
  'a meeting that is too long': [': 20\n', ': 900\n', /check-up\.duration must be a whole number from 1 to 720$/],
  'a color without quotes': [
    'duration: 20',
    'color: #0a8f6b',
    /check-up\.color must be a color such as "#0a8f6b", in quotes, not empty/,
  ],
  'hours without an end': ['mon-thu 09:00-16:00', 'mon-thu 09:00', /hours\[0\]: "09:00" is not a time range such as/],
  'an unknown weekday': ['mon-thu 09', 'mom-thu 09', /hours\[0\]: "mom-thu" is not a day\./],
  'a day with two lines': ['fri 09:00', 'thu 09:00', /hours has more than one line for thursday. Write its hours with/],
  'a date that does not exist': ['2026-12-24', '2026-02-30', /dates\.2026-02-30: "2026-02-30" is not a day/],
  'hours of a date that are not': ['": off', '": of', /must be hours such as 09:00-12:00, off or usual, not "of"/],
  'an unknown host': ['hosts: [sam]', 'hosts: [san]', /hosts\[0\]: no user is called "san". Did you mean sam\?/],
  'an unknown location': ['kind: physical', 'kind: physcal', /kind must be one of .* Did you mean physical\?/],
  'a webhook that is not https': ['https://crm', 'http://crm', /webhooks\[0\]\.url must be an https URL/],
  'an unknown event of a webhook': ['invitee.created', 'invitee.create', /Did you mean invitee\.created\?/],
  'an unknown member': ['[nora]', '[nobody]', /members\[0\]: no user is called "nobody". Known: nora, sam/],
  'an unknown event type': [
    'type: Check-up',
    'type: Checkup',
    /no event type is called "Checkup". Did you mean check-up\?/,
  ],
  'a day without a time': [
    '-01 09:00',
    '-01',
    /"2026-12-01" has no time of day. Add one, for example: 2026-12-01 09:00/,
  ],
  'an unreadable time': ['start: -2h', 'start: soon', /^events\[1\]\.start: .*"soon"/],
  'no email address': ['bo@ek.example', 'bo', 'events[1].invitees[0].email must be an email address'],
  'an unknown question': [
    'Insurance: N',
    'Insurence: N',
    /no question is called "Insurence". Did you mean Insurance\?/,
  ],
  'more invitees than seats': [
    '[{ name: Ada',
    '[{ name: Bo, email: bo@ek.example }, { name: Ada',
    /but the event has one seat/,
  ],
  'an ID that is taken': [
    'role: admin',
    'id: A }\n  bo: { name: Bo, id: A',
    'users.bo.id is the ID of another record',
    '  bo:',
  ],
  'a repeated key': ['timezone: Europe/Oslo', 'name: Nora', 'the same key is here twice: remove one'],
  'a tab': ['    timezone:', '\ttimezone:', "tabs can't indent in YAML: use spaces"],
  'a wrong indentation': [
    '    timezone:',
    '   timezone:',
    'the indentation is wrong, or a bracket above is not closed',
  ],
  'a key without a colon': ['sandbox: 1', 'sandbox 1', 'write a colon and a space after the key'],
  'a text for a list': ['hosts: [sam]', 'hosts: sam', /hosts must be a list or an object, not "sam"/],
  'text with a colon': ['Nora Quist', 'Nora: Quist', 'put text that contains ": " in quotes'],
  'an unknown alias': ['hosts: [sam]', 'hosts: *all', /no anchor above is called "all". Write &all before/],
  'a tag': ['name: Check-up', 'name: !type Check-up', 'tags such as !name are not supported: remove the tag'],
  'a merge key': ['sam: { name', 'sam: { <<: {}, name', 'merge keys (<<) are not supported: write the fields out'],
  'a second document': ['groups:', '---\ngroups:', /a second document begins here/],
};

const problemsIn = (text: string) => {
  const read = readWorld(text, 'world.yaml', noon);
  return read.ok ? [] : read.problems;
};

describe('a world file', () => {
  test.each(sample(Object.entries(mistakes), 8))('with %s names the line and what to write', (_, mistake) => {
    const [find, put, message, named] = mistake;
    const text = example.replace(find, () => put);
    expect(text).not.toBe(example);
    const line = text.slice(0, named === undefined ? example.indexOf(find) : text.indexOf(named)).split('\n').length;
    const [problem] = problemsIn(text);
    expect(problem?.message).toMatch(message);
    expect(problem?.place).toMatch(new RegExp(`^world\\.yaml:${line}:\\d+$`));
    expect(problem?.source).toBe(text.split('\n')[line - 1]!.trimEnd().slice(0, 120));
  });

  test('reports all mistakes at once', () => {
    const text = example
      .replace('timezone', 'timezne')
      .replace('plan: standard', 'plan: gold')
      .replace('duration: 20', 'duration: 0');
    expect(problemsIn(text).map(({ place }) => place.split(':')[1])).toEqual(['3', '12', '7']);
  });

  test('is refused if it is large, nested deeply or expands to much', () => {
    expect(problemsIn(`# ${'x'.repeat(1024 * 1024)}`)[0]!.message).toBe('the file is larger than 1 MiB');
    expect(problemsIn('['.repeat(3_000))[0]!.message).toBe('the file is nested too deeply');
    const lists = Array.from({ length: 9 }, (_, index) => `a${index}: &a${index} [${`*a${index - 1},`.repeat(9)}]`);
    const text = lists.join('\n').replace(/\[.*?\]/, '[x]');
    expect(problemsIn(text)[0]!.message).toBe('its aliases stand for too much: write the values out');
  });

  test('can be JSON, and share parts by anchors', () => {
    const { world, digest } = worldIn(example);
    expect(worldIn(JSON.stringify(world)).digest).toBe(digest);
    const shared = example
      .replace('{ hours: [mon', '&week { hours: [mon')
      .replace('role: admin', 'availability: *week');
    expect(worldIn(shared).world.users.sam!.availability).toEqual(world.users.nora!.availability);
  });

  test('gives the same reply to every GET in two sandboxes with the same --now', async () => {
    const [one, other] = await Promise.all([
      openAt(noon, { world: worldIn(example), now: noon }),
      // Read and started later, and set back.
      openAt(noon, { world: worldIn(example, noon + 5000), now: noon }),
    ]);
    const bodies = await everyBody(one);
    expect(bodies.size).toBeGreaterThan(25);
    expect(await everyBody(other)).toEqual(bodies);
  });

  test('is what the service shows', async () => {
    const { call } = await openAt(noon, { world: worldIn(example) });
    const { resource: me } = (await call('GET', '/users/me')).body;
    expect(me).toMatchObject({ name: 'Nora Quist', email: 'nora.quist@fjord.example', slug: 'nora-quist' });
    const query = new URLSearchParams({ organization: me.current_organization });
    const { collection: events } = (await call('GET', `/scheduled_events?${query}`)).body;
    // 09:00 in Oslo, and two hours before noon.
    expect(events.map((event: { start_time: string; status: string }) => [event.start_time, event.status])).toEqual([
      ['2026-03-11T10:00:00.000Z', 'canceled'],
      ['2026-12-01T08:00:00.000Z', 'active'],
    ]);
    const { collection: invitees } = (await call('GET', `${events[1].uri}/invitees`)).body;
    expect(invitees[0]).toMatchObject({
      first_name: 'Ada',
      last_name: 'Hall',
      timezone: 'Europe/Oslo',
      questions_and_answers: [{ question: 'Insurance', answer: 'Nordic', position: 0 }],
    });
    const type = new URLSearchParams({ event_type: events[1].event_type });
    const { collection: schedules } = (await call('GET', `/event_type_availability_schedules?${type}`)).body;
    expect(schedules[0].rules.slice(3)).toEqual([
      { type: 'wday', wday: 'thursday', intervals: [{ from: '09:00', to: '16:00' }] },
      {
        type: 'wday',
        wday: 'friday',
        intervals: [
          { from: '09:00', to: '12:00' },
          { from: '13:00', to: '15:00' },
        ],
      },
      { type: 'date', date: '2026-12-24', intervals: [] },
    ]);
    expect((await call('GET', '/users/me', undefined, 'sandbox_user')).status).toBe(401);
  });

  test.each([
    ['2026-12-01T09:00:00+01:00', '2026-12-01T08:00:00.000Z'],
    ['tomorrow 09:00', '2026-03-12T08:00:00.000Z'],
    ['+3d 10:00', '2026-03-14T09:00:00.000Z'],
    ['+1w 10:00', '2026-03-18T09:00:00.000Z'],
    ['-2h', '2026-03-11T10:00:00.000Z'],
  ])('reads the time %s in the zone of the host', async (start, expected) => {
    const { store } = await openAt(noon, { world: worldIn(example.replace('2026-12-01 09:00', start)) });
    expect(store.first("SELECT doc ->> 'start_time' AS start FROM events")).toEqual({ start: expected });
  });
});
