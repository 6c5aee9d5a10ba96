import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { idIn } from '../../../src/base/uri.ts';
import { diffConfig } from '../../../src/commands/config/work-diff.ts';
import { planDigest } from '../../../src/commands/config/work-digest.ts';
import type { Plan, World } from '../../../src/commands/config/work-model.ts';
import { rulesAfter } from '../../../src/commands/config/work-normalize.ts';
import { readConfig } from '../../../src/commands/config/work-read-file.ts';
import { writeConfig } from '../../../src/commands/config/write-file.ts';
import { today } from './worlds.ts';

const me = 'https://api.example.com/users/me';
const days = ['monday', 'friday'].map((wday) => ({ type: 'wday', wday, intervals: [{ from: '09:00', to: '12:00' }] }));
const off = (date: string) => ({ type: 'date', date, intervals: [] });
const rules = [...days, off('2026-11-01'), off('2026-12-24'), { ...days[0], type: 'nth', nth: 2 }];

const schedule = (uri: string, more: Json = {}): Json => ({
  ...{ uri, user: me, name: 'Working hours', timezone: 'Europe/Paris', rules },
  ...more,
});

const type = (id: string, name: string, schedules = [schedule(`S-${id}`)], more: Json = {}) => ({
  record: { uri: `https://x/event_types/${id}`, name, duration: 15, active: true, kind: 'solo', ...more },
  schedules,
});

const worldOf = (types = [type('A', 'Intro call')], webhooks: Json[] = []): World => ({
  service: 'api.example.com',
  organization: 'https://api.example.com/organizations/1',
  users: [{ key: 'me', uri: me, email: 'me@example.com', types, shared: ['https://x/users/OTHER'], webhooks }],
  groups: [],
  emails: new Map([[me, 'me@example.com']]),
  today: () => today,
});

/** The plan or the problems, the changes and problems also as texts. */
const diffText = (world: World, text: string): Partial<Plan> & { digest?: string; texts: string[] } => {
  const read = readConfig(text, 'team.yaml');
  const diffed = read.ok ? diffConfig(read.file, world) : read;
  if (!diffed.ok) return { texts: diffed.problems.map(({ place, message }) => `${place} ${message}`) };
  const { plan } = diffed;
  const texts = plan.changes.map(({ kind, action, uri, line, fields }) => {
    const changed = Object.entries(fields).map(([name, { before, after }]) => `${name} ${before} to ${after}`);
    return `line ${line}: ${action} ${kind} ${idIn(uri)}: ${changed.join(', ')}`;
  });
  return { ...plan, digest: planDigest(plan), texts };
};

/** The same for event types of me, which are lines 5 and 6. */
const diffTypes = (world: World, entries: string) =>
  diffText(world, `sched: 1\nusers:\n  me:\n    event_types:\n      ${entries.replace(' + ', '\n      ')}`);

const rows = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((row) => row.trim().split(' → ') as [string, string, string]);

describe('the event type of an entry', () => {
  const twins = worldOf([type('A', 'Twin'), type('B', 'Twin'), type('C', 'Old')]);

  test.each(
    rows(`
      is found by its name → a: { name: Old, duration: 20 } → line 5: update event type C: duration 15 to 20
      is found by its URI, also on another port → a: { uri: "http://127.0.0.1/event_types/B", name: Twin, active: false } → line 5: update event type B: active true to false
      is found by the name that it had → a: { name: New, renamed_from: Old } → line 5: update event type C: name Old to New
      is created if there is none → a: { name: New, active: false } → line 5: create event type undefined: name null to New, active null to false
      is refused if two have the name → a: { name: Twin } → 5:18 users.me.event_types.a.name: 2 event types are called "Twin". Add uri: https://x/event_types/A or uri: https://x/event_types/B
      is refused if none had the name → a: { name: X, active: true, renamed_from: Odl } → 5:49 users.me.event_types.a.renamed_from: no event type of me@example.com is called "Odl". Correct it, or remove it to create "X"
      is refused if two had the name → a: { name: X, renamed_from: Twin } → 2 event types are called "Twin". Add uri
      is refused if none has the URI → a: { uri: x, name: Twin } → 5:17 users.me.event_types.a.uri: no event type of me@example.com has this URI. Correct it, or remove it
      is refused if two entries mean it → a: { name: Old } + b: { name: X, renamed_from: Old } → 6:7 users.me.event_types.b is the same event type as on line 5. Remove one, or give each its uri
      is refused if two entries create it → a: { name: N, active: true } + b: { name: N, active: true } → 6:7 users.me.event_types.b is the same event type as on line 5
      is not created without saying whether it is active → a: { name: N } → 5:7 users.me.event_types.a: no event type of me@example.com is called "N", so it is created. Add active: true or active: false
      is not created with other hosts → a: { name: N, active: true, hosts: { bo@x.example: { hours: [] } } } → only event types with one host and one invitee can be created. Create it on the website
      is not created for groups → a: { name: N, active: true, kind: group } → only event types with one host and one invitee can be created. Create it on the website
      can't change its kind → a: { name: Old, kind: group } → 5:29 users.me.event_types.a.kind is solo at the service and can't change. Correct it, or remove it
      can't have a field that the service doesn't show → a: { name: Old, color: "#000000" } → 5:30 users.me.event_types.a.color: can't be compared, because the service doesn't show it. Remove it`),
  )('%s', (_, entries, expected) =>
    expect(diffTypes(twins, entries).texts).toContainEqual(expect.stringContaining(expected)),
  );

  test('that the file does not name is listed and stays', () =>
    expect(diffTypes(twins, 'c: { name: Old }')).toMatchObject({
      changes: [],
      notInFile: ['Twin', 'Twin'],
      notes: ['1 event type that others share with me is not managed'],
    }));

  test('that another user of the file shares is managed there', () => {
    const world = worldOf();
    const other = {
      key: 'bo@example.com',
      uri: 'https://x/users/OTHER',
      email: 'bo@example.com',
      types: [],
      shared: [me],
    };
    const text = 'sched: 1\nusers:\n  me: { event_types: { a: { name: Intro call } } }\n';
    const both = `${text}  bo@example.com: { event_types: { b: { name: B, active: true } } }\n`;
    expect(diffText({ ...world, users: [...world.users, other] }, both).notes).toEqual([]);
  });
});

describe('the hours of an entry', () => {
  const diffHours = (hours: string, world = worldOf()) =>
    diffTypes(world, `a: { name: Intro call, availability: { ${hours} } }`);

  test('change the week and the dates that they name, and nothing else', () => {
    const dates = '{ 2026-12-31: off, 2026-11-01: usual }';
    const { texts, changes } = diffHours(`hours: [mon 09:00-12:00, tue 10:00-11:00], dates: ${dates}`);
    expect(texts).toEqual([
      'line 5: update schedule S-A: tuesday no hours to 10:00-11:00, friday 09:00-12:00 to no hours, 2026-12-31 usual to off',
    ]);
    const [change] = changes ?? [];
    if (change?.kind !== 'schedule') expect.fail();
    const tuesday = { type: 'wday', wday: 'tuesday', intervals: [{ from: '10:00', to: '11:00' }] };
    expect(rulesAfter(rules, change)).toEqual([days[0], tuesday, ...rules.slice(2), off('2026-12-31')]);
  });

  test('remove the rule of a date, and keep the week as it is', () =>
    expect(diffHours('timezone: europe/kyiv, dates: { 2026-12-24: usual }').changes).toMatchObject([
      { timezone: 'Europe/Kyiv', week: undefined, dates: new Map([['2026-12-24', undefined]]), user: me },
    ]));

  test.each([
    ['overlap', [schedule('S', { rules: [days[0], days[0]] })], "can't be managed: its hours overlap"],
    ['have no schedule', [], 'the event type has no such schedule'],
    [
      'are in two schedules',
      [schedule('S'), schedule('T', { name: 'Late' })],
      'Write one of these under hosts: me@example.com/Working hours, me@example.com/Late',
    ],
  ])('are refused if they %s at the service', (_, schedules, problem) =>
    expect(diffHours('hours: []', worldOf([type('A', 'Intro call', schedules)])).texts[0]).toContain(problem),
  );

  test('of a schedule that two types share are changed once, and must be the same', () => {
    const world = worldOf([type('A', 'Intro call', [schedule('S')]), type('B', 'Other', [schedule('S')])]);
    const both = (hours: string) =>
      diffHours(`hours: [] } } + b: { name: Other, hosts: { ME@example.com/Working hours: { ${hours} }`, world);
    expect(both('timezone: UTC').changes).toMatchObject([{ uri: 'S', timezone: 'UTC', week: [] }]);
    expect(both('hours: [fri 09:00-12:00]').texts[0]).toMatch(
      / is the same schedule as on line 5, which wants no hours for friday, not 09:00-12:00\. Write the same hours$/,
    );
  });
});

describe('webhooks of a list', () => {
  const hook = (id: string, more: Json = {}) => ({ uri: id, callback_url: `https://a.example/${id}`, ...more });
  const events = ['invitee.created'];
  const disabled = { events, state: 'disabled', retry_started_at: '2026-11-03T08:00:00Z' };
  const world = worldOf([], [hook('a', { events }), hook('b', disabled)]);
  const list = (entries: string) =>
    diffText(
      world,
      `sched: 1\nusers:\n  me:\n    webhooks:${entries.replaceAll('- ', '\n    - url: https://a.example/')}`,
    );

  test('are created, replaced and deleted by their exact URL', () => {
    const plan = list(
      '- a\n      events: [invitee.canceled]\n      signing_key_env: K- a/\n      events: [invitee.created]\n      signing_key: none',
    );
    expect(plan.texts).toEqual([
      'line 4: delete webhook b: events invitee.created to null',
      'line 5: replace webhook a: events invitee.created to invitee.canceled, signing_key the current one to from K',
      'line 8: create webhook undefined: events null to invitee.created, signing_key null to none',
    ]);
    expect(plan.notes).toEqual(['webhook https://a.example/b is disabled: its deliveries failed since 2026-11-03']);
  });

  test('say where the key of a new one comes from', () =>
    expect(list('- c\n      events: [invitee.created]').texts[0]).toMatch(
      /^team.yaml:5:7 users\.me\.webhooks\[0\] is new, so it needs a signing key: write signing_key_env, signing_key_file/,
    ));
});

describe('the digest of a plan', () => {
  const entry = 'a: { name: Intro call, duration: 20 }';
  const { digest } = diffTypes(worldOf(), entry);

  test('is the same for another key, line and comment, and for what is not managed', () => {
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(diffTypes(worldOf(), '# comment + b: { duration: 20, name: Intro call }').digest).toBe(digest);
    expect(diffTypes(worldOf([type('A', 'Intro call', [], { slug: 'x' })]), entry).digest).toBe(digest);
  });

  test.each([
    ['another value', entry.replace('20', '25'), worldOf()],
    ['another value before', entry, worldOf([type('A', 'Intro call', [], { duration: 30 })])],
    ['another service', entry, { ...worldOf(), service: 'other' }],
    ['another record', entry, worldOf([type('B', 'Intro call')])],
  ])('differs for %s', (_, other, world) => expect(diffTypes(world, other).digest).not.toBe(digest));

  test.each([
    [
      'location',
      'event_types: { a: { name: N, active: true, create: { location: { kind: zoom_conference } } } }',
      'zoom',
      'google',
    ],
    [
      'key',
      'webhooks: [{ url: https://a.example, events: [invitee.created], signing_key_env: K }]',
      '_env: K',
      ': none',
    ],
    ['file', 'webhooks: [{ url: https://a.example, events: [invitee.created], signing_key_file: K }]', '_file', '_env'],
  ])('differs for another %s', (_, content, find, put) => {
    const of = (text: string) => diffText(worldOf([], []), `sched: 1\nusers: { me: { ${text} } }`);
    expect(of(content).changes).toHaveLength(1);
    expect(of(content.replace(find, put)).changes).toHaveLength(1);
    expect(of(content.replace(find, put)).digest).not.toBe(of(content).digest);
  });
});

test('an export says what it leaves out, and writes URIs for twins only', () => {
  const broken = schedule('S', { rules: [days[0], days[0]] });
  const types = [type('A', 'Twin', [broken]), type('B', 'Twin', []), type('C', 'Talk\u202E', [])];
  const { text, notes } = writeConfig(worldOf(types), { dates: false, uris: false });
  expect(notes).toHaveLength(2);
  expect(text).toContain(
    '# left out: Twin: hours of me@example.com: its hours overlap or end before they start: monday 09:00-12:00,09:00-12:00',
  );
  expect([...text.matchAll(/uri: (.*)/g)].map(([, uri]) => idIn(uri))).toEqual(['A', 'B']);
  expect(text).not.toContain('\u202E');
});

test.each(['by name', 'by URI'])('twice as many event types, found %s, are looked at twice as often', (way) => {
  /** How often the name or the URI of a record is read. */
  const looksAt = (count: number): number => {
    let looks = 0;
    const types = Array.from({ length: count }, (_, index) => {
      const plain = type(`E${index}`, `Type ${index}`, []);
      const look = (field: string) => ({
        get: () => {
          looks += 1;
          return plain.record[field as 'uri'];
        },
      });
      return {
        ...plain,
        record: Object.defineProperties({ ...plain.record }, { uri: look('uri'), name: look('name') }),
      };
    });
    const entries = types.map(({ record }, index) => {
      const uri = way === 'by URI' ? `, uri: '${record.uri}'` : '';
      return `      t${index}: { name: Type ${index}, active: false${uri} }\n`;
    });
    looks = 0;
    const { texts } = diffText(worldOf(types), `sched: 1\nusers:\n  me:\n    event_types:\n${entries.join('')}`);
    expect(texts).toHaveLength(count);
    return looks;
  };
  expect(looksAt(100)).toBeLessThanOrEqual(2 * looksAt(50));
});
